"""Permanent removal of rows, index entries and all derived data.

Rows that no statement can read anymore may still be on the server's disks: PostgreSQL keeps deleted rows until it vacuums,
writes everything to its log (WAL) first, and its operator makes backups. This package cannot remove those. `maintain()`
vacuums the tables if the database user has the right; the rest is the server's own retention. If even those copies must be
unreadable, use an encrypted store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keepsaid.errors import NotFound
from keepsaid.ports import session_tag
from keepsaid.storage.postgres import artifacts, blobs, branches, partitions, rows
from keepsaid.storage.postgres.branches import MAX_SEQ, PostgresBranchPosition
from keepsaid.storage.postgres.connection.database import ALL_PARTITIONS, PostgresConnection, Row
from keepsaid.storage.postgres.erase import cascade
from keepsaid.storage.postgres.erase.erase_record import PostgresEraseRecord
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.schema.tables import UNIT_TABLES
from keepsaid.storage.postgres.search import keyword_index, vectors
from keepsaid.types import Scope

VACUUM_DUE_KEY = "erased"
"""The store's setting that is present if something was erased since the last vacuum."""

_NOT_BY_SPACE = ("grants", "memberships", "erased")
PARTITION_TABLES = tuple(table for table in UNIT_TABLES if table not in _NOT_BY_SPACE)

_IN_PARTITION = "unit = %s AND space = %s"


def verify_erased(db: PostgresConnection, tally: PostgresEraseRecord) -> tuple[str, ...]:
    """Search for what was erased; return the names of the places where nothing of it remains."""
    by_space: dict[PartitionKey, list[int]] = {}
    for space, number in tally.gone:
        by_space.setdefault(space, []).append(number)
    has_messages = f"SELECT 1 FROM messages WHERE {_IN_PARTITION} AND number = ANY (%s) LIMIT 1"
    in_rows = any(db.execute(has_messages, (*space, numbers)).fetchone() for space, numbers in by_space.items()) or any(
        db.execute(f"SELECT 1 FROM {table} WHERE {_IN_PARTITION} LIMIT 1", space).fetchone()
        for space in tally.spaces
        for table in ("messages", "sessions", "tags", "changes", "blobs", "spaces")
    )
    in_keywords = any(
        keyword_index.has_terms(db, space, terms, by_space.get(space, [])) for space, terms in tally.terms.items()
    ) or any(db.execute(f"SELECT 1 FROM postings WHERE {_IN_PARTITION} LIMIT 1", space).fetchone() for space in tally.spaces)
    in_vectors = any(
        db.execute(
            f"SELECT 1 FROM vectors WHERE {_IN_PARTITION} AND number = ANY (%s) LIMIT 1", (*space, numbers)
        ).fetchone()
        for space, numbers in by_space.items()
    ) or any(db.execute(f"SELECT 1 FROM vectors WHERE {_IN_PARTITION} LIMIT 1", space).fetchone() for space in tally.spaces)
    places = (("rows", in_rows), ("keywords", in_keywords), ("vectors", in_vectors))
    left = (*places, ("artifacts", cascade.has_remains(db, tally)))
    return tuple(name for name, is_left in left if not is_left)


def erase(db: PostgresConnection, space: PartitionKey, scope: Scope, message: str | None) -> PostgresEraseRecord:
    """Remove a message or a session."""
    tally = PostgresEraseRecord()
    if not message:
        tally.derived += blobs.delete_session_blobs(db, space, scope.session)
    known = db.execute(f"SELECT no, id FROM sessions WHERE {_IN_PARTITION} AND id = %s", (*space, scope.session)).fetchone()
    if known is None and not tally.derived:
        raise NotFound("no such session, or no access to it")
    if known is not None and message:
        _erase_message(db, space, scope, known[0], message, tally)
    elif known is not None:
        _erase_session(db, space, known[0], known[1], tally)
        remove_documents(db, space, known[1], tally, remember=True)
    db.together(partitions.record_change(space, "erased"), mark_vacuum_due())
    return tally


def erase_all(db: PostgresConnection, scope: Scope) -> PostgresEraseRecord:
    """Remove everything of an owner or pool. An owner's messages in pools are searched across owners."""
    tally = PostgresEraseRecord()
    space = partitions.partition_key(scope)
    db.enter(ALL_PARTITIONS)
    for one in {space.documents: None, space: None}:
        _empty_space(db, one, tally)
    if scope.pool is None and not scope.documents:
        _erase_author(db, scope.owner, tally)
    db.execute(*mark_vacuum_due())
    return tally


def keep_blobs(
    db: PostgresConnection,
    space: PartitionKey,
    scope: Scope,
    contents: Mapping[str, bytes | None],
    expected: Mapping[str, int],
) -> None:
    """Store or delete blobs."""
    removes = any(content is None for content in contents.values())
    blobs.keep(db, space, scope, contents, expected, *([mark_vacuum_due()] if removes else []))


def drop_blobs(db: PostgresConnection, space: PartitionKey, scope: Scope, prefix: str) -> int:
    """Delete blobs; return how many there were."""
    dropped = blobs.drop(db, space, scope, prefix)
    if dropped:
        db.execute(*mark_vacuum_due())
    return dropped


def discard_artifacts(db: PostgresConnection, space: PartitionKey, ids: Sequence[str]) -> PostgresEraseRecord:
    """Remove artifacts by id."""
    tally = PostgresEraseRecord()
    cascade.remove_artifacts(db, space, artifacts.find_rows_by_id(db, space, ids), tally)
    if tally.derived:
        _record_erased_ids(db, space, [id for _, id in tally.artifacts])
        db.execute(*mark_vacuum_due())
    return tally


def mark_vacuum_due() -> tuple[str, tuple[str, ...]]:
    """The statement that records, in the same transaction, that deleted rows must be vacuumed."""
    return "INSERT INTO meta VALUES (%s, '1') ON CONFLICT DO NOTHING", (VACUUM_DUE_KEY,)


def _record_erased_ids(db: PostgresConnection, space: PartitionKey, ids: list[str]) -> None:
    if ids:
        db.together(
            (
                "INSERT INTO erased SELECT %s, unnest(%s::bytea[]) ON CONFLICT DO NOTHING",
                (space.unit, partitions.hash_erased_ids(db.secret, space, ids)),
            ),
            (f"UPDATE spaces SET erasures = true WHERE {_IN_PARTITION} AND NOT erasures", space),
        )


def _erase_message(
    db: PostgresConnection, space: PartitionKey, scope: Scope, session: int, message: str, tally: PostgresEraseRecord
) -> None:
    ((branch, seq, author),) = db.execute(
        "SELECT l.at_branch, l.at_seq, m.author FROM keepsaid_locate(%s, %s, %s, %s) AS l LEFT JOIN messages AS m"
        " ON m.unit = %s AND m.space = %s AND m.branch = l.at_branch AND m.seq = l.at_seq",
        (*space, session, message, *space),
    ).fetchall()
    if scope.pool and author != scope.owner:
        db.execute("SELECT keepsaid_enter(%s, %s, %s)", (space.unit, scope.owner, partitions.ADMIN))
    _remove_message(db, space, PostgresBranchPosition(branch, seq), tally)


def _remove_message(
    db: PostgresConnection, space: PartitionKey, place: PostgresBranchPosition, tally: PostgresEraseRecord
) -> None:
    """Remove one message from every path that runs through it."""
    ((number, id, tokens),) = db.execute(
        f"SELECT number, id, tokens FROM messages WHERE {_IN_PARTITION} AND branch = %s AND seq = %s", (*space, *place)
    ).fetchall()
    through = branches.find_descendants(db, space, place)
    cascade.remove_path_summaries(db, space, place, through, tally)
    cascade.redact_receipts(db, space, place, through, tally)
    _delete(db, space, [number], tally)
    _record_erased_ids(db, space, [id])
    less = "SET messages = messages - 1, tokens = tokens - %s"
    db.together(
        (f"DELETE FROM changes WHERE {_IN_PARTITION} AND message = %s", (*space, id)),
        (f"UPDATE branches {less} WHERE {_IN_PARTITION} AND no = ANY (%s)", (tokens, *space, through)),
        (f"UPDATE sessions {less} WHERE {_IN_PARTITION} AND branch = ANY (%s)", (tokens, *space, through)),
        (_END_BEFORE, (*space, through, place.seq)),
    )


_END_BEFORE = f"""
UPDATE sessions SET leaf = coalesce((SELECT at_seq FROM keepsaid_last_place(unit, space, branch, {MAX_SEQ})), 0)
WHERE {_IN_PARTITION} AND branch = ANY (%s) AND leaf = %s"""


def _erase_session(
    db: PostgresConnection, space: PartitionKey, number: int, session: str, tally: PostgresEraseRecord
) -> None:
    """Remove a session with its own messages, also from the paths of its forks."""
    if _has_forks(db, space, number):
        for place in db.execute(
            "SELECT m.branch, m.seq FROM branches AS b JOIN messages AS m ON m.unit = b.unit AND m.space = b.space"
            " AND m.branch = b.no WHERE b.unit = %s AND b.space = %s AND b.session = %s",
            (*space, number),
        ).fetchall():
            _remove_message(db, space, PostgresBranchPosition(*place), tally)
    remove_session(db, space, number, session, tally, remember=True)


def remove_session(
    db: PostgresConnection,
    space: PartitionKey,
    number: int,
    session: str | None,
    tally: PostgresEraseRecord,
    *,
    remember: bool,
) -> None:
    """Remove a session and its own data. While a fork continues it, its branches stay as a purged session without an id."""
    cascade.remove_session_artifacts(db, space, number, tally)
    tally.derived += blobs.delete_session_blobs(db, space, session)
    _remove_session_texts(db, space, number, session, tally)
    if _has_forks(db, space, number):
        nameless = f"UPDATE sessions SET status = 3, id = NULL, title = NULL WHERE {_IN_PARTITION} AND no = %s"
        db.execute(nameless, (*space, number))
    else:
        own = f"SELECT no FROM branches WHERE {_IN_PARTITION} AND session = %s"
        for (branch,) in db.execute(own, (*space, number)).fetchall():
            _remove_messages(db, space, branch, 0, tally, remember=remember)
        db.together(
            (f"DELETE FROM branches WHERE {_IN_PARTITION} AND session = %s", (*space, number)),
            (f"DELETE FROM sessions WHERE {_IN_PARTITION} AND no = %s", (*space, number)),
        )
    tally.sessions += 1
    _collect_purged_sessions(db, space, tally)


def remove_documents(
    db: PostgresConnection, space: PartitionKey, session: str | None, tally: PostgresEraseRecord, *, remember: bool
) -> None:
    """Remove the documents of a removed session."""
    documents_space = space.documents
    if documents_space == space or session is None:
        return
    _, found = db.together(
        (f"SELECT 1 FROM spaces WHERE {_IN_PARTITION} FOR UPDATE", documents_space),
        (_TAGGED, (*documents_space, session_tag(session))),
    )
    placed = found.fetchall()
    for number, id in placed:
        remove_session(db, documents_space, number, id, tally, remember=remember)
    if placed:
        db.execute(*partitions.record_change(documents_space, "erased"))


_TAGGED = """
SELECT s.no, s.id FROM tags AS t JOIN sessions AS s ON s.unit = t.unit AND s.space = t.space AND s.no = t.session
WHERE t.unit = %s AND t.space = %s AND t.tag = %s"""


def _has_forks(db: PostgresConnection, space: PartitionKey, number: int) -> bool:
    continued = (
        "SELECT 1 FROM branches AS b JOIN branches AS c ON c.unit = b.unit AND c.space = b.space AND c.base = b.no"
        " WHERE b.unit = %s AND b.space = %s AND b.session = %s AND c.session <> b.session LIMIT 1"
    )
    return db.execute(continued, (*space, number)).fetchone() is not None


def _remove_session_texts(
    db: PostgresConnection, space: PartitionKey, number: int, session: str | None, tally: PostgresEraseRecord
) -> None:
    """Remove a session's details, tags and changes."""
    row = db.execute(
        f"DELETE FROM details WHERE {_IN_PARTITION} AND session = %s RETURNING tags", (*space, number)
    ).fetchone()
    if row:
        tally.derived += 1
        gone = f"DELETE FROM tags WHERE {_IN_PARTITION} AND tag = ANY (%s) AND session = %s"
        db.execute(gone, (*space, list(rows.unpack_tags(row[0])), number))
    db.execute(f"DELETE FROM changes WHERE {_IN_PARTITION} AND session = %s", (*space, session))


def _remove_messages(
    db: PostgresConnection, space: PartitionKey, branch: int, above: int, tally: PostgresEraseRecord, *, remember: bool
) -> None:
    """Remove the messages of a branch after a seq."""
    found = db.execute(
        f"SELECT number, id FROM messages WHERE {_IN_PARTITION} AND branch = %s AND seq > %s", (*space, branch, above)
    ).fetchall()
    if remember:
        _record_erased_ids(db, space, [id for _, id in found])
    _delete(db, space, [number for number, _ in found], tally)


def _delete(db: PostgresConnection, space: PartitionKey, numbers: list[int], tally: PostgresEraseRecord) -> None:
    """Messages, with their place in the index."""
    if not numbers:
        return
    tally.gone.update((space, number) for number in numbers)
    tally.terms.setdefault(space, set()).update(keyword_index.remove_words(db, space, numbers))
    tally.derived += vectors.delete_vectors(db, space, numbers)
    cascade.remove_message_artifacts(db, space, numbers, tally)
    gone = db.execute(
        f"WITH gone AS (DELETE FROM messages WHERE {_IN_PARTITION} AND number = ANY (%s) RETURNING tokens),"
        " counted AS (SELECT count(*) AS messages, coalesce(sum(tokens), 0)::bigint AS tokens FROM gone)"
        " UPDATE spaces AS p SET messages = p.messages - c.messages, tokens = p.tokens - c.tokens FROM counted AS c"
        " WHERE p.unit = %s AND p.space = %s RETURNING c.messages",
        (*space, numbers, *space),
    ).fetchall()
    tally.messages += gone[0][0]


def _collect_purged_sessions(db: PostgresConnection, space: PartitionKey, tally: PostgresEraseRecord) -> None:
    """Remove purged sessions that no fork needs, and the messages after the forks, which are unreachable."""
    shells = db.execute(f"SELECT no FROM sessions WHERE {_IN_PARTITION} AND status = 3", space).fetchall()
    if not shells:
        return
    needed: dict[int, int] = dict(
        db.execute(
            "SELECT p.branch, max(p.upto) FROM sessions AS s JOIN branches AS b ON b.unit = s.unit AND b.space = s.space"
            " AND b.session = s.no CROSS JOIN LATERAL keepsaid_path(b.unit, b.space, b.base, b.fork) AS p"
            " WHERE s.unit = %s AND s.space = %s AND s.status < 3 AND b.base IS NOT NULL GROUP BY 1",
            space,
        ).fetchall()
    )
    for (shell,) in shells:
        _trim_purged_session(db, space, shell, needed, tally)


_RECOUNT = f"""
WITH counted AS (
    SELECT count(*) AS messages, coalesce(sum(m.tokens), 0)::bigint AS tokens, coalesce(max(m.seq), 0) AS leaf
    FROM keepsaid_path(%(unit)s, %(space)s, %(branch)s, {MAX_SEQ}) AS p
    JOIN messages AS m ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = p.branch AND m.seq <= p.upto),
own AS (UPDATE branches AS b SET messages = c.messages, tokens = c.tokens FROM counted AS c
    WHERE b.unit = %(unit)s AND b.space = %(space)s AND b.no = %(branch)s)
UPDATE sessions AS s SET branch = %(branch)s, leaf = c.leaf, messages = c.messages, tokens = c.tokens FROM counted AS c
WHERE s.unit = %(unit)s AND s.space = %(space)s AND s.no = %(session)s"""


def _trim_purged_session(
    db: PostgresConnection, space: PartitionKey, shell: int, needed: dict[int, int], tally: PostgresEraseRecord
) -> None:
    """Remove what no fork needs from a purged session, and recount the rest."""
    own_branches = f"SELECT no FROM branches WHERE {_IN_PARTITION} AND session = %s"
    own = [branch for (branch,) in db.execute(own_branches, (*space, shell))]
    for branch in own:
        _remove_messages(db, space, branch, needed.get(branch, 0), tally, remember=False)
        if branch not in needed:
            db.execute(f"DELETE FROM branches WHERE {_IN_PARTITION} AND no = %s", (*space, branch))
    kept = [branch for branch in own if branch in needed]
    for branch in kept:
        db.execute(_RECOUNT, {"unit": space.unit, "space": space.space, "branch": branch, "session": shell})
    if not kept:
        db.execute(f"DELETE FROM sessions WHERE {_IN_PARTITION} AND no = %s", (*space, shell))


# -- all of an owner or pool


def _empty_space(db: PostgresConnection, space: PartitionKey, tally: PostgresEraseRecord) -> None:
    """Remove all rows of a partition, and the partition itself."""
    if db.execute(f"SELECT 1 FROM spaces WHERE {_IN_PARTITION} FOR UPDATE", space).fetchone() is None:
        return
    ids = [id for (id,) in db.execute(f"SELECT id FROM messages WHERE {_IN_PARTITION}", space)]
    ids += [id for (id,) in db.execute(f"SELECT id FROM artifacts WHERE {_IN_PARTITION}", space)]
    _keep_erasure_marks(db, space, ids)
    tally.spaces.append(space)
    cascade.remove_partition_artifacts(db, space, tally)
    gone = ("vectors", "blobs", "messages")
    counts = {table: db.execute(f"DELETE FROM {table} WHERE {_IN_PARTITION}", space).rowcount for table in gone}
    ((sessions,),) = db.execute(f"SELECT count(*) FROM sessions WHERE {_IN_PARTITION} AND status < 3", space).fetchall()
    details = db.execute(f"DELETE FROM details WHERE {_IN_PARTITION}", space).rowcount
    tally.messages += counts["messages"]
    tally.derived += counts["vectors"] + counts["blobs"] + details
    tally.sessions += sessions
    db.together(*((f"DELETE FROM {table} WHERE {_IN_PARTITION}", space) for table in PARTITION_TABLES))
    if space.space == 0:
        _remove_memberships(db, space.unit)


def _keep_erasure_marks(db: PostgresConnection, space: PartitionKey, ids: list[str]) -> None:
    """Move the hashes of erased ids to a table without owners: erased messages must not be imported again, but nothing that
    names the owner may remain."""
    db.together(
        (
            "INSERT INTO graves SELECT unnest(%s::bytea[]) ON CONFLICT DO NOTHING",
            (partitions.hash_erased_ids(db.secret, space, ["", *ids]),),
        ),
        ("INSERT INTO graves SELECT mark FROM erased WHERE unit = %s ON CONFLICT DO NOTHING", (space.unit,)),
    )


def _remove_memberships(db: PostgresConnection, unit: str) -> None:
    """Remove the rows of an owner or pool that are in no space. `_erase_author` handles the grants of an owner."""
    kind, _, id = unit.partition(":")
    db.execute("DELETE FROM erased WHERE unit = %s", (unit,))
    if kind == "p":
        members = [owner for (owner,) in db.execute("DELETE FROM grants WHERE unit = %s RETURNING owner", (unit,))]
        units = [partitions.owner_unit(owner) for owner in members]
        db.execute("DELETE FROM memberships WHERE unit = ANY (%s) AND pool = %s", (units, id))


def _erase_author(db: PostgresConnection, author: str, tally: PostgresEraseRecord) -> None:
    """Remove what an owner wrote and created in pools, and the owner's grants. A pool without other members is removed; a
    pool without an admin gets a new one."""
    # Lock all pools of the owner first, or messages that are added meanwhile would stay.
    db.execute(
        "SELECT 1 FROM spaces WHERE unit IN (SELECT 'p:' || pool FROM memberships WHERE unit = %s) ORDER BY no FOR UPDATE",
        (partitions.owner_unit(author),),
    )
    written = _lock_rows_of_author(
        db, "SELECT unit, space, branch, seq FROM messages WHERE author = %s ORDER BY unit, space, number", author
    )
    for unit, space, branch, seq in written:
        _remove_message(db, PartitionKey(unit, space), PostgresBranchPosition(branch, seq), tally)
    cascade.remove_author_receipts(db, author, tally)
    tally.derived += blobs.delete_author_blobs(db, author)
    # Documents first: those of a session that the author created are removed with it.
    made = _lock_rows_of_author(
        db, "SELECT unit, space, no, id FROM sessions WHERE author = %s ORDER BY space DESC, unit, no", author
    )
    for unit, space, number, session in made:
        _remove_session_of_author(db, PartitionKey(unit, space), number, session, tally)
    for space in {PartitionKey(unit, space) for unit, space, *_ in (*written, *made)}:
        db.execute(*partitions.record_change(space, "erased"))
    _leave_pools(db, author, tally)


def _lock_rows_of_author(db: PostgresConnection, select: str, author: str) -> list[Row]:
    """Lock the partitions of an author's rows, and read the rows again under the lock."""
    where = list({(unit, space) for unit, space, *_ in db.execute(select, (author,))})
    db.execute(
        "SELECT 1 FROM spaces WHERE (unit, space) IN (SELECT * FROM unnest(%s::text[], %s::bigint[]))"
        " ORDER BY no FOR UPDATE",
        ([unit for unit, _ in where], [space for _, space in where]),
    )
    return db.execute(select, (author,)).fetchall()


def _remove_session_of_author(
    db: PostgresConnection, space: PartitionKey, number: int, session: str | None, tally: PostgresEraseRecord
) -> None:
    """Remove a session that the author created in a pool, or only its texts and author if it has messages left."""
    there = db.execute(f"SELECT id FROM sessions WHERE {_IN_PARTITION} AND no = %s", (*space, number)).fetchone()
    if there is None:
        return
    has_messages = (
        "SELECT 1 FROM branches AS b JOIN messages AS m ON m.unit = b.unit AND m.space = b.space AND m.branch = b.no"
        " WHERE b.unit = %s AND b.space = %s AND b.session = %s LIMIT 1"
    )
    if db.execute(has_messages, (*space, number)).fetchone():
        _remove_session_texts(db, space, number, session, tally)
        unsigned = f"UPDATE sessions SET title = NULL, author = NULL WHERE {_IN_PARTITION} AND no = %s"
        db.execute(unsigned, (*space, number))
    else:
        remove_session(db, space, number, session, tally, remember=True)
        remove_documents(db, space, session, tally, remember=True)


def _leave_pools(db: PostgresConnection, author: str, tally: PostgresEraseRecord) -> None:
    gone = "DELETE FROM memberships WHERE unit = %s RETURNING pool"
    for pool in [pool for (pool,) in db.execute(gone, (partitions.owner_unit(author),)).fetchall()]:
        space = PartitionKey(partitions.pool_unit(pool), 0)
        db.together(
            (f"SELECT 1 FROM spaces WHERE {_IN_PARTITION} FOR UPDATE", space),
            ("DELETE FROM grants WHERE unit = %s AND owner = %s", (space.unit, author)),
        )
        if not partitions.ensure_admin(db, pool):
            for one in (space.documents, space):
                _empty_space(db, one, tally)
