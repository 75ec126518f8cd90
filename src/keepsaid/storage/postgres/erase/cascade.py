"""The cascade of removed messages: artifacts derived from them, summaries that cover them, and texts in receipts.

Everything removed is recorded in `tally`, for the verification afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepsaid.storage.postgres import artifacts, receipts, rows
from keepsaid.storage.postgres.branches import MAX_SEQ, PostgresBranchPosition
from keepsaid.storage.postgres.connection.database import PostgresConnection, Values
from keepsaid.storage.postgres.erase.erase_record import PostgresEraseRecord
from keepsaid.storage.postgres.partitions import PartitionKey

_BY_MESSAGES = "SELECT DISTINCT artifact FROM rests WHERE unit = %s AND space = %s AND message = ANY (%s)"
_DROP_RESTS = "DELETE FROM rests WHERE unit = %s AND space = %s AND artifact = ANY (%s) AND message = ANY (%s)"
_FACTS_ON_PATH = f"""
SELECT r.artifact FROM sessions AS s CROSS JOIN LATERAL keepsaid_path(s.unit, s.space, s.branch, {MAX_SEQ}) AS p
JOIN messages AS m ON m.unit = s.unit AND m.space = s.space AND m.branch = p.branch AND m.seq <= p.upto
JOIN rests AS r ON r.unit = s.unit AND r.space = s.space AND r.message = m.number
JOIN artifacts AS a ON a.unit = s.unit AND a.space = s.space AND a.number = r.artifact
WHERE s.unit = %s AND s.space = %s AND s.no = %s AND a.kind = 1 AND m.author IS NULL
GROUP BY r.unit, r.space, r.artifact HAVING count(*) = (
    SELECT count(*) FROM rests AS e WHERE e.unit = r.unit AND e.space = r.space AND e.artifact = r.artifact)"""
_DETACH = """
UPDATE artifacts SET session = NULL WHERE unit = %s AND space = %s AND session = %s AND number = ANY (%s)"""
_END_NOTE_LEASES = """
UPDATE work SET holder = NULL, until = NULL WHERE unit = %s AND space = %s AND holder IS NOT NULL
    AND generation IN (SELECT no FROM generations WHERE dimensions = 0)"""
_SESSIONS = "SELECT session FROM branches WHERE unit = %(unit)s AND space = %(space)s AND no = ANY (%(through)s)"
_COVERING = f"""
SELECT a.number FROM artifacts AS a CROSS JOIN LATERAL keepsaid_node(a.unit, a.space, a.session, a.upto) AS n
WHERE a.unit = %(unit)s AND a.space = %(space)s AND a.kind = 0 AND a.upto >= %(seq)s AND a.session IN ({_SESSIONS})
    AND (n.at_branch IS NULL OR n.at_branch = ANY (%(through)s))"""
_REDACT_RECEIPTS = f"""
UPDATE receipts AS r SET {{column}} = NULL
FROM (SELECT) AS one LEFT JOIN messages AS m
    ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = %(branch)s AND m.seq = %(seq)s
WHERE r.unit = %(unit)s AND r.space = %(space)s AND r.session IN ({_SESSIONS}) AND r.{{column}} IS NOT NULL
    AND (r.leaf = m.parent AND r.author IS NOT DISTINCT FROM m.author OR r.question = m.text{{more}})"""


def remove_message_artifacts(
    db: PostgresConnection, space: PartitionKey, numbers: Sequence[int], tally: PostgresEraseRecord
) -> None:
    """Remove the artifacts that have any of these messages as a source. Notes being taken for the same owner may use these
    messages without naming them, so their leases are ended and the work starts again."""
    kept = [number for where, number in tally.kept_facts if where == space]
    if numbers and kept:
        db.execute(_DROP_RESTS, (*space, kept, list(numbers)))
    if numbers:
        resting, _ = db.together((_BY_MESSAGES, (*space, list(numbers))), (_END_NOTE_LEASES, space))
        remove_artifacts(db, space, [number for (number,) in resting], tally)


def remove_path_summaries(
    db: PostgresConnection,
    space: PartitionKey,
    place: PostgresBranchPosition,
    through: Sequence[int],
    tally: PostgresEraseRecord,
) -> None:
    """Remove every summary that covers a position; `through` are the branches whose paths run through it. Call this before
    the message is removed."""
    values = {**space._asdict(), "seq": place.seq, "through": list(through)}
    remove_artifacts(db, space, [number for (number,) in db.execute(_COVERING, values).fetchall()], tally)


def redact_receipts(
    db: PostgresConnection,
    space: PartitionKey,
    place: PostgresBranchPosition,
    through: Sequence[int],
    tally: PostgresEraseRecord,
) -> None:
    """Remove a message's question and its rewritten forms from receipts."""
    values = {**space._asdict(), **place._asdict(), "through": list(through)}
    db.together(
        (_REDACT_RECEIPTS.format(column="rewritten", more=" OR r.leaf >= %(seq)s"), values),
        (_REDACT_RECEIPTS.format(column="question", more=""), values),
    )


def remove_session_artifacts(db: PostgresConnection, space: PartitionKey, session: int, tally: PostgresEraseRecord) -> None:
    """Remove a session's artifacts and receipts."""
    own = "SELECT number FROM artifacts WHERE unit = %s AND space = %s AND session = %s"
    _delete_artifacts(db, space, [number for (number,) in db.execute(own, (*space, session)).fetchall()], tally)
    _drop_receipts(db, "unit = %s AND space = %s AND session = %s", (*space, session), tally)


def detach_facts(db: PostgresConnection, space: PartitionKey, session: int, tally: PostgresEraseRecord) -> None:
    """Detach the facts on the active path of an expired session, so that they stay when its messages are removed. Facts from
    messages with an author (in pools) are not kept: they must be found when the author is erased."""
    kept = [number for (number,) in db.execute(_FACTS_ON_PATH, (*space, session)).fetchall()]
    tally.kept_facts.update((space, number) for number in kept)
    if kept:
        db.execute(_DETACH, (*space, session, kept))


def remove_author_receipts(db: PostgresConnection, author: str, tally: PostgresEraseRecord) -> None:
    """Remove an author's receipts in pools; works across pools."""
    _drop_receipts(db, "author = %s", (author,), tally)


def remove_partition_artifacts(db: PostgresConnection, space: PartitionKey, tally: PostgresEraseRecord) -> None:
    """Remove all artifacts and receipts of a partition."""
    tables = ("artifacts", "receipts", "rests", "artifact_terms", "systems")
    gone = db.together(*((f"DELETE FROM {table} WHERE unit = %s AND space = %s", space) for table in tables))
    tally.derived += gone[0].rowcount + gone[1].rowcount


def remove_artifacts(
    db: PostgresConnection, space: PartitionKey, numbers: Sequence[int], tally: PostgresEraseRecord
) -> None:
    """Remove artifacts from sessions that stay. A label's title and tags are removed with it, and the session's summary
    becomes the newest remaining one."""
    if not numbers:
        return
    about = "SELECT session, kind, text, data FROM artifacts WHERE unit = %s AND space = %s AND number = ANY (%s)"
    known = db.execute(f"{about} AND session IS NOT NULL", (*space, list(numbers))).fetchall()
    _delete_artifacts(db, space, numbers, tally)
    for session in {session for session, kind, *_ in known if kind == artifacts.SUMMARY}:
        db.execute("SELECT keepsaid_follow_summary(%s, %s, %s)", (*space, session))
    for session, kind, text, data in known:
        if kind == artifacts.LABEL:
            _remove_label(db, space, session, text, rows.unpack_json(data) if data else {})


def _remove_label(db: PostgresConnection, space: PartitionKey, session: int, title: str, data: dict[str, Any]) -> None:
    place = (*space, session)
    _, found = db.together(
        ("UPDATE sessions SET title = NULL WHERE unit = %s AND space = %s AND no = %s AND title = %s", (*place, title)),
        ("SELECT tags FROM details WHERE unit = %s AND space = %s AND session = %s", place),
    )
    row = found.fetchone()
    tags = rows.unpack_tags(row[0]) if row else ()
    if tags and list(tags) == data.get("tags"):
        db.together(
            ("UPDATE details SET tags = NULL WHERE unit = %s AND space = %s AND session = %s", place),
            ("DELETE FROM tags WHERE unit = %s AND space = %s AND session = %s AND tag = ANY (%s)", (*place, list(tags))),
        )


def _delete_artifacts(
    db: PostgresConnection, space: PartitionKey, numbers: Sequence[int], tally: PostgresEraseRecord
) -> None:
    if numbers:
        ids = "SELECT id FROM artifacts WHERE unit = %s AND space = %s AND number = ANY (%s)"
        tally.artifacts.update((space, id) for (id,) in db.execute(ids, (*space, list(numbers))))
        tally.derived += artifacts.delete(db, space, numbers)


def _drop_receipts(db: PostgresConnection, where: str, values: Values, tally: PostgresEraseRecord) -> None:
    going = db.execute(f"SELECT unit, space, number, id FROM receipts WHERE {where}", values).fetchall()
    by_space: dict[PartitionKey, list[int]] = {}
    for unit, space, number, id in going:
        by_space.setdefault(PartitionKey(unit, space), []).append(number)
        tally.receipts.add((PartitionKey(unit, space), id))
    for space, numbers in by_space.items():
        tally.derived += receipts.delete(db, space, numbers)


def has_remains(db: PostgresConnection, tally: PostgresEraseRecord) -> bool:
    """Whether a removed artifact, one of its source references, or a receipt still exists."""
    gone: list[tuple[str, Values]] = []
    for table, column, places in (
        ("artifacts", "id", tally.artifacts),
        ("receipts", "id", tally.receipts),
        ("rests", "message", tally.gone),
    ):
        by_space: dict[PartitionKey, list[str | int]] = {}
        for space, what in places:
            by_space.setdefault(space, []).append(what)
        gone += [
            (f"SELECT 1 FROM {table} WHERE unit = %s AND space = %s AND {column} = ANY (%s) LIMIT 1", (*space, some))
            for space, some in by_space.items()
        ]
    gone += [
        (f"SELECT 1 FROM {table} WHERE unit = %s AND space = %s LIMIT 1", space)
        for space in tally.spaces
        for table in ("artifacts", "receipts", "rests", "artifact_terms", "systems")
    ]
    return bool(gone) and any(rows.fetchone() for rows in db.together(*gone))
