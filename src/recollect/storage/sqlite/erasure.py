"""Removing for good: rows, index entries and everything derived, so that not a byte is left.

SQLite overwrites deleted rows (secure_delete) and FTS5 rewrites its pages (secure-delete) as part of the transaction. After
the commit the log is checkpointed into the file and cut to nothing, and copies that page splits left are looked for
(`residue`). A reader that still looks at an old state prevents that; then the receipt says "pending", the store remembers
it, and `maintain()` or the next opening finishes it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from recollect.ports import session_tag
from recollect.storage.sqlite import (
    aftermath,
    artifacts,
    blobs,
    branches,
    keywords,
    residue,
    rows,
    spaces,
    stretches,
    vectors,
)
from recollect.storage.sqlite.branches import Place
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.tally import Tally
from recollect.types import Access, Scope

PENDING = "erase_pending"
IN_THE_WAY = "a reader still uses the old log; it is cut as soon as that reader ends"

Unfinished = Literal["log", "pages"]


def verify(db: Database, tally: Tally) -> tuple[str, ...]:
    """Looks again for what was erased; returns the names of the places where nothing of it is left."""
    in_rows = any(db.execute("SELECT 1 FROM messages WHERE rid = ?", (rid,)).fetchone() for rid in tally.rids) or any(
        db.execute(f"SELECT 1 FROM {table} WHERE {column} BETWEEN ? AND ?", place).fetchone()
        for owner in tally.owners
        for table, column, place in (
            ("messages", "rid", spaces.rid_range(owner)),
            *((table, "owner", (owner, owner)) for table in ("sessions", "tags", "changes", "blobs")),
        )
    )
    in_keywords = keywords.still_has(db, tally.terms, tally.rids) or any(
        keywords.still_has_owner(db, owner) for owner in tally.owners
    )
    in_derived = (("vectors", _in_vectors(db, tally)), ("artifacts", aftermath.is_left(db, tally)))
    places = (("rows", in_rows), ("keywords", in_keywords), *in_derived)
    return tuple(name for name, left in places if not left)


def _in_vectors(db: Database, tally: Tally) -> bool:
    """Whether a vector is left, of a passage or of its tokens: they can be turned back into much of the text."""
    ranges = [(rid, rid) for rid in tally.rids] + [spaces.rid_range(owner) for owner in tally.owners]
    passages = f"SELECT 1 FROM vectors WHERE {_ANY_GENERATION} AND rid BETWEEN ? AND ? LIMIT 1"
    return any(db.execute(passages, ends).fetchone() for ends in ranges) or any(
        db.execute("SELECT 1 FROM token_vectors WHERE no = ?", (row,)).fetchone() for row in tally.token_rows
    )


_ANY_GENERATION = "generation IN (SELECT no FROM generations)"


def erase(db: Database, scope: Scope, message: str | None) -> Tally:
    """Removes a message, a session, or all that an owner or pool has."""
    tally = Tally()
    if scope.session is None:
        _erase_space(db, scope, tally)
    else:
        owner = spaces.space(db, scope, Access.WRITE if message else Access.ADMIN)
        if message:
            _erase_one(db, scope, _any_state(db, owner, scope.session), message, tally)
        else:
            _erase_session(db, owner, scope.session, tally)
        stretches.renew(db, owner)
        spaces.note(db, owner, "erased")
    ask_to_finish(db, "pages")
    return tally


def keep_blobs(db: Database, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> Tally:
    """Keeps blobs, or removes them; says which were removed."""
    tally = Tally()
    blobs.keep(db, scope, contents, expected, tally)
    if tally.derived:
        ask_to_finish(db, "pages")
    return tally


def drop_blobs(db: Database, scope: Scope, prefix: str) -> Tally:
    """Removes blobs."""
    tally = Tally()
    blobs.drop(db, scope, prefix, tally)
    if tally.derived:
        ask_to_finish(db, "pages")
    return tally


def discard(db: Database, scope: Scope, ids: Sequence[str]) -> Tally:
    """Removes artifacts, whatever they rest on."""
    tally = Tally()
    owner = spaces.space(db, scope, Access.WRITE)
    aftermath.remove(db, artifacts.named(db, owner, ids), tally)
    if tally.derived:
        _remember(db, owner, [id for _, id in tally.artifacts])
        ask_to_finish(db, "pages")
    return tally


def was_erased(db: Database, scope: Scope, id: str) -> bool:
    """Whether a message or fact of this id was erased before, and must not come back. (A session's id is just a name.)"""
    mark = _marks(db, *spaces.whose(scope), [id])[0]
    return db.execute("SELECT 1 FROM erased WHERE mark = ?", mark).fetchone() is not None


def _marks(db: Database, kind: int, name: str, ids: list[str]) -> list[tuple[bytes]]:
    """What is kept of erased ids: a keyed hash, which tells nothing to those who do not know the id already. It goes by the
    owner's name: he may be erased himself."""
    ((secret,),) = db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchall()
    key = bytes.fromhex(secret)
    return [(hmac.digest(key, f"{kind}\0{name}\0{id}".encode(), hashlib.sha256)[:16],) for id in ids]


def _remember(db: Database, owner: int, ids: list[str]) -> None:
    ((kind, name),) = db.execute("SELECT kind, id FROM owners WHERE no = ?", (owner,)).fetchall()
    db.executemany("INSERT OR IGNORE INTO erased VALUES (?)", _marks(db, kind, name, ids))


def _any_state(db: Database, owner: int, session: str) -> branches.State:
    """The session, also when it is deleted."""
    state = _state(db, owner, session)
    return state if state and state.status == 2 else branches.check_live(state)


def _state(db: Database, owner: int, session: str) -> branches.State | None:
    row = db.execute(
        f"SELECT {branches.STATE} FROM sessions AS s WHERE s.owner = ? AND s.id = ?", (owner, session)
    ).fetchone()
    return branches.State(*row) if row else None


def _erase_one(db: Database, scope: Scope, state: branches.State, message: str, tally: Tally) -> None:
    place = branches.locate(db, state, message)
    if scope.pool:
        row = db.execute("SELECT author FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
        if row and row[0] != scope.owner:
            spaces.space(db, scope, Access.ADMIN)
    _drop(db, state.owner, place, tally)


_WHERE_ACTIVE = "WHERE no = (SELECT session FROM branches WHERE no = ?2) AND branch = ?2"


def _drop(db: Database, owner: int, place: Place, tally: Tally) -> None:
    """Takes one message out of every path that runs through it."""
    row = db.execute("SELECT rid, id, tokens FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    assert row
    rid, id, tokens = row
    through = branches.descendants(db, place)
    _keep_floor(db, owner)
    aftermath.of_place(db, place, through, tally)
    aftermath.of_questions(db, place, through, tally)
    _delete(db, "m.rid = ?", (rid,), tally)
    db.execute("DELETE FROM changes WHERE owner = ? AND message = ?", (owner, id))
    _remember(db, owner, [id])
    for branch in through:
        db.execute("UPDATE branches SET messages = messages - 1, tokens = tokens - ? WHERE no = ?", (tokens, branch))
        db.execute(f"UPDATE sessions SET messages = messages - 1, tokens = tokens - ? {_WHERE_ACTIVE}", (tokens, branch))
    _mend_leaves(db, through, place.seq)


def _mend_leaves(db: Database, through: list[int], seq: int) -> None:
    """Sessions whose active path ended at the message now end before it."""
    for branch in through:
        if not db.execute(f"SELECT 1 FROM sessions {_WHERE_ACTIVE} AND leaf = ?1", (seq, branch)).fetchone():
            continue
        leaf = branches.last_place(db, branch)
        db.execute(f"UPDATE sessions SET leaf = ? {_WHERE_ACTIVE}", (leaf.seq if leaf else 0, branch))


def _keep_floor(db: Database, owner: int) -> None:
    """The number of an erased message is never given to another one."""
    db.execute("UPDATE owners SET floor = ? WHERE no = ?", (spaces.last_number(db, owner), owner))


def _erase_session(db: Database, owner: int, session: str, tally: Tally) -> None:
    """Its own messages go, also out of the paths of its forks."""
    blobs.of_session(db, owner, session, tally)
    if tally.derived and _state(db, owner, session) is None:
        return  # it had only these
    state = _any_state(db, owner, session)
    if _has_forks(db, state.no):
        for place in db.execute(
            "SELECT m.branch, m.seq FROM branches AS b JOIN messages AS m ON m.branch = b.no WHERE b.session = ?",
            (state.no,),
        ).fetchall():
            _drop(db, owner, Place(*place), tally)
    remove_session(db, owner, state.no, session, tally, remember=True)
    remove_documents(db, owner, session, tally, remember=True)


def remove_session(db: Database, owner: int, number: int, session: str, tally: Tally, *, remember: bool) -> None:
    """A session and all that is its own. While a fork continues it, its branches stay, without a name."""
    _keep_floor(db, owner)
    aftermath.of_session(db, number, tally)
    blobs.of_session(db, owner, session, tally)
    _clear_texts(db, owner, number, session, tally)
    if _has_forks(db, number):
        # No id from outside can have a NUL, so the nameless session is in nobody's way.
        db.execute(
            "UPDATE sessions SET status = 3, id = ?, title = NULL, detailed = 0 WHERE no = ?", (f"\0{number}", number)
        )
    else:
        for (branch,) in db.execute("SELECT no FROM branches WHERE session = ?", (number,)).fetchall():
            remove_messages(db, owner, branch, 0, tally, remember=remember)
        db.execute("DELETE FROM branches WHERE session = ?", (number,))
        db.execute("DELETE FROM sessions WHERE no = ?", (number,))
    tally.sessions += 1
    collect(db, owner, tally)


def remove_documents(db: Database, owner: int, session: str, tally: Tally, *, remember: bool) -> None:
    """The documents that belong to a session which goes."""
    shelf = spaces.shelf_of(db, owner)
    placed = db.execute(
        "SELECT s.no, s.id FROM tags AS t JOIN sessions AS s ON s.no = t.session WHERE t.owner = ? AND t.tag = ?",
        (shelf, session_tag(session)),
    ).fetchall()
    for number, id in placed:
        remove_session(db, shelf, number, id, tally, remember=remember)
    if placed:
        stretches.renew(db, shelf)
        spaces.note(db, shelf, "erased")


def _has_forks(db: Database, number: int) -> bool:
    return (
        db.execute(
            "SELECT 1 FROM branches AS b JOIN branches AS c ON c.base = b.no WHERE b.session = ? AND c.session <> ?",
            (number, number),
        ).fetchone()
        is not None
    )


def _clear_texts(db: Database, owner: int, number: int, session: str, tally: Tally) -> None:
    """What is written about a session beside its messages."""
    tally.note_rows(db, "SELECT id, title FROM sessions WHERE no = ?", (number,))
    tally.note_rows(db, "SELECT system_prompt, summary, tags, metadata FROM details WHERE session = ?", (number,))
    row = db.execute("SELECT tags FROM details WHERE session = ?", (number,)).fetchone()
    if row:
        for tag in rows.tags_of(row[0]):
            db.execute("DELETE FROM tags WHERE owner = ? AND tag = ? AND session = ?", (owner, tag, number))
        db.execute("DELETE FROM details WHERE session = ?", (number,))
        tally.derived += 1
    db.execute("DELETE FROM changes WHERE owner = ? AND session = ?", (owner, session))


def remove_messages(db: Database, owner: int, branch: int, above: int, tally: Tally, *, remember: bool) -> None:
    """The messages of a branch behind a seq."""
    ids = [id for (id,) in db.execute("SELECT id FROM messages WHERE branch = ? AND seq > ?", (branch, above))]
    if remember:
        _remember(db, owner, ids)
    _delete(db, "m.branch = ? AND m.seq > ?", (branch, above), tally)


def _delete(db: Database, where: str, values: tuple[int, ...], tally: Tally) -> None:
    """Messages, with their place in the index."""
    tally.terms |= keywords.terms_of_messages(db, where, values)
    tally.rids.update(rid for (rid,) in db.execute(f"SELECT m.rid FROM messages AS m WHERE {where}", values))
    tally.note_rows(db, f"SELECT id, text, metadata, extra FROM messages AS m WHERE {where}", values)
    _delete_vectors(db, f"rid IN (SELECT m.rid FROM messages AS m WHERE {where})", values, tally)
    aftermath.of_messages(db, where, values, tally)
    keywords.forget(db, where, values)
    db.execute(f"DELETE FROM messages AS m WHERE {where}", values)
    tally.messages += db.changes()


def _delete_vectors(db: Database, rids: str, values: tuple[int, ...], tally: Tally) -> None:
    select = "SELECT v.tokens, v.vector, t.rows FROM vectors AS v LEFT JOIN token_vectors AS t ON t.no = v.tokens"
    for row, vector, tokens in db.execute(f"{select} WHERE v.{_ANY_GENERATION} AND v.{rids}", values):
        if row is not None:
            tally.token_rows.add(row)
        tally.note(*residue.samples(vector, tokens or b""))
    tally.derived += vectors.clear(db, rids, values)


def collect(db: Database, owner: int, tally: Tally) -> None:
    """Lets go of purged sessions that no fork needs any more, and of what behind the forks nobody can reach."""
    shells = db.execute("SELECT no FROM sessions WHERE owner = ? AND status = 3", (owner,)).fetchall()
    if not shells:
        return
    needed: dict[int, int] = {}
    for base, fork in db.execute(
        "SELECT b.base, b.fork FROM sessions AS s JOIN branches AS b ON b.session = s.no"
        " WHERE s.owner = ? AND s.status < 3 AND b.base IS NOT NULL",
        (owner,),
    ).fetchall():
        for branch, upto in branches.segments(db, base, fork):
            needed[branch] = max(upto, needed.get(branch, 0))
    _keep_floor(db, owner)
    for (shell,) in shells:
        _trim(db, owner, shell, needed, tally)


def _trim(db: Database, owner: int, shell: int, needed: dict[int, int], tally: Tally) -> None:
    """Leaves of a purged session what forks need, counted anew, or nothing."""
    own = [branch for (branch,) in db.execute("SELECT no FROM branches WHERE session = ?", (shell,))]
    for branch in own:
        remove_messages(db, owner, branch, needed.get(branch, 0), tally, remember=False)
        if branch not in needed:
            db.execute("DELETE FROM branches WHERE no = ?", (branch,))
    kept = [branch for branch in own if branch in needed]
    for branch in kept:
        totals = branches.path_totals(db, branch)
        end = branches.last_place(db, branch)
        db.execute("UPDATE branches SET messages = ?, tokens = ? WHERE no = ?", (*totals, branch))
        db.execute(
            "UPDATE sessions SET branch = ?, leaf = ?, messages = ?, tokens = ? WHERE no = ?",
            (branch, end.seq if end else 0, *totals, shell),
        )
    if not kept:
        db.execute("DELETE FROM sessions WHERE no = ?", (shell,))


def _erase_space(db: Database, scope: Scope, tally: Tally) -> None:
    # The shelf first: whether it may be erased is a question of the pool's grants.
    for shelf in (True, scope.shelf):
        owner = spaces.space(db, scope._replace(shelf=shelf), Access.ADMIN)
        if owner != spaces.NOBODY:
            _empty_space(db, owner, tally)
    if not scope.pool and not scope.shelf:
        erase_author(db, scope.owner, tally)


def _empty_space(db: Database, owner: int, tally: Tally) -> None:
    """All rows of an owner or pool, and his own. His number is never given to another (AUTOINCREMENT)."""
    low, high = spaces.rid_range(owner)
    for table in ("messages", "artifacts"):
        _remember(db, owner, [id for (id,) in db.execute(f"SELECT id FROM {table} WHERE rid BETWEEN ? AND ?", (low, high))])
    tally.owners.append(owner)
    for select in (
        "SELECT id, text, metadata, extra FROM messages WHERE rid >> 32 = ?",
        "SELECT id, title FROM sessions WHERE owner = ?",
        "SELECT system_prompt, summary, d.tags, metadata FROM details AS d JOIN sessions ON no = session WHERE owner = ?",
        "SELECT id, name FROM owners WHERE no = ?",
    ):
        tally.note_rows(db, select, (owner,))
    _delete_vectors(db, "rid BETWEEN ? AND ?", (low, high), tally)
    aftermath.of_space(db, owner, tally)
    blobs.of_space(db, owner, tally)
    keywords.forget(db, "m.rid BETWEEN ? AND ?", (low, high))
    db.execute("DELETE FROM messages WHERE rid BETWEEN ? AND ?", (low, high))
    tally.messages += db.changes()
    db.execute("DELETE FROM details WHERE session IN (SELECT no FROM sessions WHERE owner = ?)", (owner,))
    tally.derived += db.changes()
    db.execute("DELETE FROM branches WHERE session IN (SELECT no FROM sessions WHERE owner = ?)", (owner,))
    tally.sessions += db.execute("SELECT count(*) FROM sessions WHERE owner = ? AND status < 3", (owner,)).fetchall()[0][0]
    db.execute("DELETE FROM sessions WHERE owner = ?", (owner,))
    db.execute("DELETE FROM tags WHERE owner = ?", (owner,))
    db.execute("DELETE FROM changes WHERE owner = ?", (owner,))
    db.execute("DELETE FROM stretches WHERE upto BETWEEN ? AND ?", (low, high))
    db.execute("DELETE FROM grants WHERE pool = ?", (owner,))
    db.execute(f"DELETE FROM work WHERE {_ANY_GENERATION} AND owner = ?", (owner,))
    db.execute("DELETE FROM owners WHERE no = ?", (owner,))


def erase_author(db: Database, author: str, tally: Tally) -> None:
    """What an owner wrote and made in pools, and his grants. A pool that was his alone goes; another gets a new admin."""
    written = db.execute("SELECT rid >> 32, branch, seq FROM messages WHERE author = ?", (author,)).fetchall()
    for pool, branch, seq in written:
        _drop(db, pool, Place(branch, seq), tally)
    aftermath.of_author(db, author, tally)
    blobs.of_author(db, author, tally)
    # Documents first: those of a session that he made go with it.
    made = db.execute(
        "SELECT s.no, s.owner, s.id, s.messages FROM sessions AS s JOIN owners AS o ON o.no = s.owner WHERE s.author = ?"
        " ORDER BY o.kind DESC",
        (author,),
    ).fetchall()
    for number, pool, session, _ in made:
        _unsign(db, pool, number, session, tally)
    for pool in {pool for pool, _, _ in written} | {pool for _, pool, _, _ in made}:
        stretches.renew(db, pool)
        spaces.note(db, pool, "erased")
    pools = [pool for (pool,) in db.execute("SELECT pool FROM grants WHERE owner = ?", (author,))]
    db.execute("DELETE FROM grants WHERE owner = ?", (author,))
    for pool in pools:
        if not spaces.keep_an_admin(db, pool):
            if shelf := spaces.shelf_of(db, pool):
                _empty_space(db, shelf, tally)
            _empty_space(db, pool, tally)


def _unsign(db: Database, pool: int, number: int, session: str, tally: Tally) -> None:
    """A session that someone made in a pool: without messages it goes, otherwise it loses what he wrote about it."""
    said = "SELECT 1 FROM branches AS b JOIN messages AS m ON m.branch = b.no WHERE b.session = ?"
    if db.execute(said, (number,)).fetchone():
        _clear_texts(db, pool, number, session, tally)
        db.execute("UPDATE sessions SET title = NULL, detailed = 0, author = NULL WHERE no = ?", (number,))
    else:
        remove_session(db, pool, number, session, tally, remember=True)
        remove_documents(db, pool, session, tally, remember=True)


def ask_to_finish(db: Database, what: Unfinished) -> None:
    """Remembers, with the change itself, what is still to be done: to cut the log, or to see to the pages as well."""
    if unfinished(db) == "pages":
        what = "pages"
    # With a ticket, so that finishing one erase does not cross out the next.
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (PENDING, f"{what}:{secrets.token_hex(8)}"))


def unfinished(db: Database) -> str | None:
    """What an earlier erase or clean-up has yet to do."""
    ticket = _ticket(db)
    return ticket and ticket.partition(":")[0]


def _ticket(db: Database) -> str | None:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (PENDING,)).fetchone()
    return row[0] if row else None


def finish(db: Database, rebuild: Callable[[], bool]) -> str:
    """Sweeps the index's signposts, cuts the log, and rebuilds the file if need be. Returns what is in the way, or nothing.

    Runs outside of a transaction, on a connection of its own. Short of patience: a reader may take his time.
    """
    ticket = _ticket(db)
    if keywords.leftovers(db):
        db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
    if not _cut_log(db):
        return IN_THE_WAY
    if rebuild():
        db.execute("VACUUM")
        if not _cut_log(db):
            return IN_THE_WAY
    db.execute("DELETE FROM meta WHERE key = ? AND value = ?", (PENDING, ticket))
    return ""


def _cut_log(db: Database) -> bool:
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
    return not busy
