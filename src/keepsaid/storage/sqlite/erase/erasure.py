"""Erase: permanent removal of rows, index entries and everything derived from them, so that not a byte is left.

SQLite overwrites deleted rows (secure_delete) and FTS5 rewrites its pages (secure-delete) as part of the transaction. After
the commit, the log is truncated and copies that page splits have left are overwritten. A reader of an older state prevents
that; then the receipt says "pending", and it is retried until it succeeds.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence

from keepsaid.ports import session_tag
from keepsaid.storage.sqlite import artifacts, blobs, branches, partitions, rows
from keepsaid.storage.sqlite.branches import SqliteBranchPosition
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.erase import cascade, completion, residue
from keepsaid.storage.sqlite.erase.erase_record import SqliteEraseRecord
from keepsaid.storage.sqlite.search import keyword_index, time_ranges, vectors
from keepsaid.types import PoolAccess, Scope


def verify_erased(db: SqliteConnection, record: SqliteEraseRecord) -> tuple[str, ...]:
    """Search for what was erased. Return the names of the places that have no remains of it."""
    in_rows = any(db.execute("SELECT 1 FROM messages WHERE rid = ?", (rid,)).fetchone() for rid in record.rids) or any(
        db.execute(f"SELECT 1 FROM {table} WHERE {column} BETWEEN ? AND ?", place).fetchone()
        for owner in record.owners
        for table, column, place in (
            ("messages", "rid", partitions.rid_range(owner)),
            *((table, "owner", (owner, owner)) for table in ("sessions", "tags", "changes", "blobs")),
        )
    )
    in_keywords = keyword_index.has_terms(db, record.terms, record.rids) or any(
        keyword_index.has_terms_of_owner(db, owner) for owner in record.owners
    )
    in_derived = (("vectors", _in_vectors(db, record)), ("artifacts", cascade.has_remains(db, record)))
    places = (("rows", in_rows), ("keywords", in_keywords), *in_derived)
    return tuple(name for name, left in places if not left)


def _in_vectors(db: SqliteConnection, record: SqliteEraseRecord) -> bool:
    """Whether a vector of a passage or of its tokens is left: much of a text can be reconstructed from its vectors."""
    ranges = [(rid, rid) for rid in record.rids] + [partitions.rid_range(owner) for owner in record.owners]
    passages = f"SELECT 1 FROM vectors WHERE {_ANY_GENERATION} AND rid BETWEEN ? AND ? LIMIT 1"
    return any(db.execute(passages, ends).fetchone() for ends in ranges) or any(
        db.execute("SELECT 1 FROM token_vectors WHERE no = ?", (row,)).fetchone() for row in record.token_rows
    )


_ANY_GENERATION = "generation IN (SELECT no FROM generations)"


def erase(db: SqliteConnection, scope: Scope, message: str | None) -> SqliteEraseRecord:
    """Erase a message, a session, or all data of an owner or pool."""
    record = SqliteEraseRecord()
    if scope.session is None:
        _erase_space(db, scope, record)
    else:
        owner = partitions.find_partition(db, scope, PoolAccess.WRITE if message else PoolAccess.ADMIN)
        if message:
            _erase_one(db, scope, _any_state(db, owner, scope.session), message, record)
        else:
            _erase_session(db, owner, scope.session, record)
        time_ranges.rebuild_ranges(db, owner)
        partitions.record_change(db, owner, "erased")
    completion.request_completion(db, "pages")
    return record


def keep_blobs(
    db: SqliteConnection, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]
) -> SqliteEraseRecord:
    """Store or delete blobs. Return the record of what was deleted."""
    record = SqliteEraseRecord()
    blobs.keep(db, scope, contents, expected, record)
    if record.derived:
        completion.request_completion(db, "pages")
    return record


def drop_blobs(db: SqliteConnection, scope: Scope, prefix: str) -> SqliteEraseRecord:
    """Delete the blobs whose names have a prefix. Return the record of what was deleted."""
    record = SqliteEraseRecord()
    blobs.drop(db, scope, prefix, record)
    if record.derived:
        completion.request_completion(db, "pages")
    return record


def discard_artifacts(db: SqliteConnection, scope: Scope, ids: Sequence[str]) -> SqliteEraseRecord:
    """Delete artifacts, whatever their sources. Return the record of what was deleted."""
    record = SqliteEraseRecord()
    owner = partitions.find_partition(db, scope, PoolAccess.WRITE)
    cascade.remove_artifacts(db, artifacts.find_rows_by_id(db, owner, ids), record)
    if record.derived:
        _remember(db, owner, [id for _, id in record.artifacts])
        completion.request_completion(db, "pages")
    return record


def was_erased(db: SqliteConnection, scope: Scope, id: str) -> bool:
    """Whether a message or fact with this id was erased and must not be added again. (Session ids may be reused.)"""
    mark = _marks(db, *partitions.partition_key(scope), [id])[0]
    return db.execute("SELECT 1 FROM erased WHERE mark = ?", mark).fetchone() is not None


def _marks(db: SqliteConnection, kind: int, name: str, ids: list[str]) -> list[tuple[bytes]]:
    """Return tombstones of erased ids: keyed hashes, which reveal nothing without knowing the id. They use the owner's
    name instead of its number, which changes if the owner is erased."""
    ((secret,),) = db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchall()
    key = bytes.fromhex(secret)
    return [(hmac.digest(key, f"{kind}\0{name}\0{id}".encode(), hashlib.sha256)[:16],) for id in ids]


def _remember(db: SqliteConnection, owner: int, ids: list[str]) -> None:
    ((kind, name),) = db.execute("SELECT kind, id FROM owners WHERE no = ?", (owner,)).fetchall()
    db.executemany("INSERT OR IGNORE INTO erased VALUES (?)", _marks(db, kind, name, ids))


def _any_state(db: SqliteConnection, owner: int, session: str) -> branches.SessionState:
    """Return the state of a session, deleted or not."""
    state = _state(db, owner, session)
    return state if state and state.status == 2 else branches.check_live(state)


def _state(db: SqliteConnection, owner: int, session: str) -> branches.SessionState | None:
    row = db.execute(
        f"SELECT {branches.STATE_COLUMNS} FROM sessions AS s WHERE s.owner = ? AND s.id = ?", (owner, session)
    ).fetchone()
    return branches.SessionState(*row) if row else None


def _erase_one(
    db: SqliteConnection, scope: Scope, state: branches.SessionState, message: str, record: SqliteEraseRecord
) -> None:
    place = branches.locate_message(db, state, message)
    if scope.pool:
        row = db.execute("SELECT author FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
        if row and row[0] != scope.owner:
            partitions.find_partition(db, scope, PoolAccess.ADMIN)
    _drop(db, state.owner, place, record)


_WHERE_ACTIVE = "WHERE no = (SELECT session FROM branches WHERE no = ?2) AND branch = ?2"


def _drop(db: SqliteConnection, owner: int, place: SqliteBranchPosition, record: SqliteEraseRecord) -> None:
    """Remove one message from every path that contains it."""
    row = db.execute("SELECT rid, id, tokens FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    assert row
    rid, id, tokens = row
    through = branches.find_descendants(db, place)
    _keep_floor(db, owner)
    cascade.remove_path_summaries(db, place, through, record)
    cascade.redact_receipts(db, place, through, record)
    _delete(db, "m.rid = ?", (rid,), record)
    db.execute("DELETE FROM changes WHERE owner = ? AND message = ?", (owner, id))
    _remember(db, owner, [id])
    for branch in through:
        db.execute("UPDATE branches SET messages = messages - 1, tokens = tokens - ? WHERE no = ?", (tokens, branch))
        db.execute(f"UPDATE sessions SET messages = messages - 1, tokens = tokens - ? {_WHERE_ACTIVE}", (tokens, branch))
    _update_leaves(db, through, place.seq)


def _update_leaves(db: SqliteConnection, through: list[int], seq: int) -> None:
    """Move the leaf of sessions whose active path ended at the removed message to the message before it."""
    for branch in through:
        if not db.execute(f"SELECT 1 FROM sessions {_WHERE_ACTIVE} AND leaf = ?1", (seq, branch)).fetchone():
            continue
        leaf = branches.find_last_position(db, branch)
        db.execute(f"UPDATE sessions SET leaf = ? {_WHERE_ACTIVE}", (leaf.seq if leaf else 0, branch))


def _keep_floor(db: SqliteConnection, owner: int) -> None:
    """Store the owner's highest message number, so that the number of an erased message is never reused."""
    db.execute("UPDATE owners SET floor = ? WHERE no = ?", (partitions.last_message_number(db, owner), owner))


def _erase_session(db: SqliteConnection, owner: int, session: str, record: SqliteEraseRecord) -> None:
    """Erase a session with its own messages, also from the paths of its forks."""
    blobs.delete_session_blobs(db, owner, session, record)
    if record.derived and _state(db, owner, session) is None:
        return  # the session had only blobs
    state = _any_state(db, owner, session)
    if _has_forks(db, state.no):
        for place in db.execute(
            "SELECT m.branch, m.seq FROM branches AS b JOIN messages AS m ON m.branch = b.no WHERE b.session = ?",
            (state.no,),
        ).fetchall():
            _drop(db, owner, SqliteBranchPosition(*place), record)
    remove_session(db, owner, state.no, session, record, remember=True)
    remove_documents(db, owner, session, record, remember=True)


def remove_session(
    db: SqliteConnection, owner: int, number: int, session: str, record: SqliteEraseRecord, *, remember: bool
) -> None:
    """Delete a session and everything that belongs to it. While a fork continues it, its branches stay without a name."""
    _keep_floor(db, owner)
    cascade.remove_session_artifacts(db, number, record)
    blobs.delete_session_blobs(db, owner, session, record)
    _clear_texts(db, owner, number, session, record)
    if _has_forks(db, number):
        # Ids from callers cannot contain NUL, so this id cannot collide with one.
        db.execute(
            "UPDATE sessions SET status = 3, id = ?, title = NULL, detailed = 0 WHERE no = ?", (f"\0{number}", number)
        )
    else:
        for (branch,) in db.execute("SELECT no FROM branches WHERE session = ?", (number,)).fetchall():
            remove_messages(db, owner, branch, 0, record, remember=remember)
        db.execute("DELETE FROM branches WHERE session = ?", (number,))
        db.execute("DELETE FROM sessions WHERE no = ?", (number,))
    record.sessions += 1
    collect_purged_sessions(db, owner, record)


def remove_documents(db: SqliteConnection, owner: int, session: str, record: SqliteEraseRecord, *, remember: bool) -> None:
    """Delete the documents that belong to a deleted session."""
    documents_space = partitions.find_documents_space(db, owner)
    placed = db.execute(
        "SELECT s.no, s.id FROM tags AS t JOIN sessions AS s ON s.no = t.session WHERE t.owner = ? AND t.tag = ?",
        (documents_space, session_tag(session)),
    ).fetchall()
    for number, id in placed:
        remove_session(db, documents_space, number, id, record, remember=remember)
    if placed:
        time_ranges.rebuild_ranges(db, documents_space)
        partitions.record_change(db, documents_space, "erased")


def _has_forks(db: SqliteConnection, number: int) -> bool:
    return (
        db.execute(
            "SELECT 1 FROM branches AS b JOIN branches AS c ON c.base = b.no WHERE b.session = ? AND c.session <> ?",
            (number, number),
        ).fetchone()
        is not None
    )


def _clear_texts(db: SqliteConnection, owner: int, number: int, session: str, record: SqliteEraseRecord) -> None:
    """Delete the texts of a session other than its messages."""
    record.add_pieces_of_rows(db, "SELECT id, title FROM sessions WHERE no = ?", (number,))
    record.add_pieces_of_rows(db, "SELECT system_prompt, summary, tags, metadata FROM details WHERE session = ?", (number,))
    row = db.execute("SELECT tags FROM details WHERE session = ?", (number,)).fetchone()
    if row:
        for tag in rows.unpack_tags(row[0]):
            db.execute("DELETE FROM tags WHERE owner = ? AND tag = ? AND session = ?", (owner, tag, number))
        db.execute("DELETE FROM details WHERE session = ?", (number,))
        record.derived += 1
    db.execute("DELETE FROM changes WHERE owner = ? AND session = ?", (owner, session))


def remove_messages(
    db: SqliteConnection, owner: int, branch: int, above: int, record: SqliteEraseRecord, *, remember: bool
) -> None:
    """Delete the messages of a branch after a seq."""
    ids = [id for (id,) in db.execute("SELECT id FROM messages WHERE branch = ? AND seq > ?", (branch, above))]
    if remember:
        _remember(db, owner, ids)
    _delete(db, "m.branch = ? AND m.seq > ?", (branch, above), record)


def _delete(db: SqliteConnection, where: str, values: tuple[int, ...], record: SqliteEraseRecord) -> None:
    """Delete messages with their vectors, artifacts and index entries."""
    record.terms |= keyword_index.terms_of_messages(db, where, values)
    record.rids.update(rid for (rid,) in db.execute(f"SELECT m.rid FROM messages AS m WHERE {where}", values))
    record.add_pieces_of_rows(db, f"SELECT id, text, metadata, extra FROM messages AS m WHERE {where}", values)
    _delete_vectors(db, f"rid IN (SELECT m.rid FROM messages AS m WHERE {where})", values, record)
    cascade.remove_message_artifacts(db, where, values, record)
    keyword_index.remove_messages(db, where, values)
    db.execute(f"DELETE FROM messages AS m WHERE {where}", values)
    record.messages += db.changes()


def _delete_vectors(db: SqliteConnection, rids: str, values: tuple[int, ...], record: SqliteEraseRecord) -> None:
    select = "SELECT v.tokens, v.vector, t.rows FROM vectors AS v LEFT JOIN token_vectors AS t ON t.no = v.tokens"
    for row, vector, tokens in db.execute(f"{select} WHERE v.{_ANY_GENERATION} AND v.{rids}", values):
        if row is not None:
            record.token_rows.add(row)
        record.add_pieces(*residue.sample_vectors(vector, tokens or b""))
    record.derived += vectors.delete_vectors(db, rids, values)


def collect_purged_sessions(db: SqliteConnection, owner: int, record: SqliteEraseRecord) -> None:
    """Delete purged sessions that no fork needs, and of those still needed the messages that no fork shows."""
    purged = db.execute("SELECT no FROM sessions WHERE owner = ? AND status = 3", (owner,)).fetchall()
    if not purged:
        return
    needed: dict[int, int] = {}
    for base, fork in db.execute(
        "SELECT b.base, b.fork FROM sessions AS s JOIN branches AS b ON b.session = s.no"
        " WHERE s.owner = ? AND s.status < 3 AND b.base IS NOT NULL",
        (owner,),
    ).fetchall():
        for branch, upto in branches.list_segments(db, base, fork):
            needed[branch] = max(upto, needed.get(branch, 0))
    _keep_floor(db, owner)
    for (session,) in purged:
        _trim(db, owner, session, needed, record)


def _trim(db: SqliteConnection, owner: int, session: int, needed: dict[int, int], record: SqliteEraseRecord) -> None:
    """Reduce a purged session to what forks need and update its counters, or delete it."""
    own = [branch for (branch,) in db.execute("SELECT no FROM branches WHERE session = ?", (session,))]
    for branch in own:
        remove_messages(db, owner, branch, needed.get(branch, 0), record, remember=False)
        if branch not in needed:
            db.execute("DELETE FROM branches WHERE no = ?", (branch,))
    kept = [branch for branch in own if branch in needed]
    for branch in kept:
        totals = branches.count_path(db, branch)
        end = branches.find_last_position(db, branch)
        db.execute("UPDATE branches SET messages = ?, tokens = ? WHERE no = ?", (*totals, branch))
        db.execute(
            "UPDATE sessions SET branch = ?, leaf = ?, messages = ?, tokens = ? WHERE no = ?",
            (branch, end.seq if end else 0, *totals, session),
        )
    if not kept:
        db.execute("DELETE FROM sessions WHERE no = ?", (session,))


def _erase_space(db: SqliteConnection, scope: Scope, record: SqliteEraseRecord) -> None:
    # The documents first: access to them depends on the pool's grants, which are deleted with the pool.
    for documents_space in (True, scope.documents):
        owner = partitions.find_partition(db, scope._replace(documents=documents_space), PoolAccess.ADMIN)
        if owner != partitions.NO_PARTITION:
            _empty_space(db, owner, record)
    if not scope.pool and not scope.documents:
        erase_author(db, scope.owner, record)


def _empty_space(db: SqliteConnection, owner: int, record: SqliteEraseRecord) -> None:
    """Delete all rows of a partition, and the partition itself. Its number is never reused (AUTOINCREMENT)."""
    low, high = partitions.rid_range(owner)
    for table in ("messages", "artifacts"):
        _remember(db, owner, [id for (id,) in db.execute(f"SELECT id FROM {table} WHERE rid BETWEEN ? AND ?", (low, high))])
    record.owners.append(owner)
    for select in (
        "SELECT id, text, metadata, extra FROM messages WHERE rid >> 32 = ?",
        "SELECT id, title FROM sessions WHERE owner = ?",
        "SELECT system_prompt, summary, d.tags, metadata FROM details AS d JOIN sessions ON no = session WHERE owner = ?",
        "SELECT id, name FROM owners WHERE no = ?",
    ):
        record.add_pieces_of_rows(db, select, (owner,))
    _delete_vectors(db, "rid BETWEEN ? AND ?", (low, high), record)
    cascade.remove_partition_artifacts(db, owner, record)
    blobs.delete_partition_blobs(db, owner, record)
    keyword_index.remove_messages(db, "m.rid BETWEEN ? AND ?", (low, high))
    db.execute("DELETE FROM messages WHERE rid BETWEEN ? AND ?", (low, high))
    record.messages += db.changes()
    db.execute("DELETE FROM details WHERE session IN (SELECT no FROM sessions WHERE owner = ?)", (owner,))
    record.derived += db.changes()
    db.execute("DELETE FROM branches WHERE session IN (SELECT no FROM sessions WHERE owner = ?)", (owner,))
    record.sessions += db.execute("SELECT count(*) FROM sessions WHERE owner = ? AND status < 3", (owner,)).fetchall()[0][0]
    db.execute("DELETE FROM sessions WHERE owner = ?", (owner,))
    db.execute("DELETE FROM tags WHERE owner = ?", (owner,))
    db.execute("DELETE FROM changes WHERE owner = ?", (owner,))
    db.execute("DELETE FROM stretches WHERE upto BETWEEN ? AND ?", (low, high))
    db.execute("DELETE FROM grants WHERE pool = ?", (owner,))
    db.execute(f"DELETE FROM work WHERE {_ANY_GENERATION} AND owner = ?", (owner,))
    db.execute("DELETE FROM owners WHERE no = ?", (owner,))


def erase_author(db: SqliteConnection, author: str, record: SqliteEraseRecord) -> None:
    """Erase what an owner wrote and created in pools, and the owner's grants. A pool without other members is deleted;
    one without an admin gets a new one."""
    written = db.execute("SELECT rid >> 32, branch, seq FROM messages WHERE author = ?", (author,)).fetchall()
    for pool, branch, seq in written:
        _drop(db, pool, SqliteBranchPosition(branch, seq), record)
    cascade.remove_author_receipts(db, author, record)
    blobs.delete_author_blobs(db, author, record)
    # Documents first: those of a session that the author created are deleted with it.
    created = db.execute(
        "SELECT s.no, s.owner, s.id, s.messages FROM sessions AS s JOIN owners AS o ON o.no = s.owner WHERE s.author = ?"
        " ORDER BY o.kind DESC",
        (author,),
    ).fetchall()
    for number, pool, session, _ in created:
        _remove_authorship(db, pool, number, session, record)
    for pool in {pool for pool, _, _ in written} | {pool for _, pool, _, _ in created}:
        time_ranges.rebuild_ranges(db, pool)
        partitions.record_change(db, pool, "erased")
    pools = [pool for (pool,) in db.execute("SELECT pool FROM grants WHERE owner = ?", (author,))]
    db.execute("DELETE FROM grants WHERE owner = ?", (author,))
    for pool in pools:
        if not partitions.ensure_admin(db, pool):
            if documents_space := partitions.find_documents_space(db, pool):
                _empty_space(db, documents_space, record)
            _empty_space(db, pool, record)


def _remove_authorship(db: SqliteConnection, pool: int, number: int, session: str, record: SqliteEraseRecord) -> None:
    """Delete a pool's session if it has no messages. Otherwise remove its author and what the author wrote about it."""
    messages = "SELECT 1 FROM branches AS b JOIN messages AS m ON m.branch = b.no WHERE b.session = ?"
    if db.execute(messages, (number,)).fetchone():
        _clear_texts(db, pool, number, session, record)
        db.execute("UPDATE sessions SET title = NULL, detailed = 0, author = NULL WHERE no = ?", (number,))
    else:
        remove_session(db, pool, number, session, record, remember=True)
        remove_documents(db, pool, session, record, remember=True)
