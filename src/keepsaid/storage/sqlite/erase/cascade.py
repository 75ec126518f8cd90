"""Cascading deletes: artifacts derived from deleted messages, summaries that cover them, and texts in receipts.

Everything that is deleted is recorded in `record`, so that `verify` can check for it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keepsaid.storage.sqlite import artifacts, branches, partitions, receipts, rows
from keepsaid.storage.sqlite.branches import SqliteBranchPosition
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.erase import residue
from keepsaid.storage.sqlite.erase.erase_record import SqliteEraseRecord
from keepsaid.storage.sqlite.schema import OWNER_BITS


def remove_message_artifacts(db: SqliteConnection, where: str, values: Sequence[int], record: SqliteEraseRecord) -> None:
    """Delete the artifacts that have any of these messages (`m`) as a source. Also release the leases of note extraction
    for their owners: notes that are being extracted may derive from these messages without naming them."""
    if record.kept_facts:
        db.execute(
            "DELETE FROM rests WHERE artifact IN (SELECT value FROM json_each(?))"
            f" AND message IN (SELECT m.rid FROM messages AS m WHERE {where})",
            (rows.pack_json(list(record.kept_facts)), *values),
        )
    resting = f"SELECT DISTINCT r.artifact FROM messages AS m CROSS JOIN rests AS r ON r.message = m.rid WHERE {where}"
    remove_artifacts(db, [rid for (rid,) in db.execute(resting, values)], record)
    db.execute(
        "UPDATE work SET holder = NULL, until = NULL WHERE generation IN (SELECT no FROM generations WHERE dimensions = 0)"
        f" AND holder IS NOT NULL AND owner IN (SELECT DISTINCT m.rid >> 32 FROM messages AS m WHERE {where})",
        values,
    )


def remove_path_summaries(
    db: SqliteConnection, place: SqliteBranchPosition, through: Sequence[int], record: SqliteEraseRecord
) -> None:
    """Delete every summary whose path contains a position; `through` are the branches that contain it. Call it before the
    message is deleted."""
    covering: list[int] = []
    for session in _sessions(db, through):
        for rid, upto in db.execute(
            "SELECT rid, upto FROM artifacts WHERE session = ? AND kind = 0 AND upto >= ?", (session, place.seq)
        ).fetchall():
            end = branches.find_by_seq(db, session, upto)
            if end is None or end.branch in through:
                covering.append(rid)
    remove_artifacts(db, covering, record)


def redact_receipts(
    db: SqliteConnection, place: SqliteBranchPosition, through: Sequence[int], record: SqliteEraseRecord
) -> None:
    """Remove a message's text from receipts: the question itself, and rewritten questions of later receipts."""
    row = db.execute("SELECT parent, author, text FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    asked = row or (-1, None, None)
    made_for = "(leaf = ? AND author IS ? OR question = ?)"
    for session in _sessions(db, through):
        for column, where, values in (
            ("rewritten", f"({made_for} OR leaf >= ?)", (session, *asked, place.seq)),
            ("question", made_for, (session, *asked)),
        ):
            condition = f"WHERE session = ? AND {column} IS NOT NULL AND {where}"
            record.add_pieces_of_rows(db, f"SELECT {column} FROM receipts {condition}", values)
            db.execute(f"UPDATE receipts SET {column} = NULL {condition}", values)


def remove_session_artifacts(db: SqliteConnection, session: int, record: SqliteEraseRecord) -> None:
    """Delete a session's artifacts and receipts."""
    own = "SELECT rid FROM artifacts WHERE session = ?"
    _delete(db, [rid for (rid,) in db.execute(own, (session,))], record)
    _drop_receipts(db, "session = ?", (session,), record)


_FACTS_ON_PATH = """
SELECT r.artifact FROM json_each(?) AS j CROSS JOIN messages AS m ON m.branch = j.value ->> 0 AND m.seq <= j.value ->> 1
CROSS JOIN rests AS r ON r.message = m.rid CROSS JOIN artifacts AS a ON a.rid = r.artifact
WHERE a.kind = 1 AND m.author IS NULL
GROUP BY r.artifact HAVING count(*) = (SELECT count(*) FROM rests AS every WHERE every.artifact = r.artifact)"""


def detach_facts(db: SqliteConnection, session: int, record: SqliteEraseRecord) -> None:
    """Detach the facts on the active path of an expired session from it, so that they stay when its messages are deleted.
    Facts from messages with an author (those of a pool) are not detached: they must be found when the author is erased."""
    (branch,) = db.execute("SELECT branch FROM sessions WHERE no = ?", (session,)).fetchall()[0]
    path = rows.pack_json(branches.list_segments(db, branch))
    record.kept_facts.update(rid for (rid,) in db.execute(_FACTS_ON_PATH, (path,)))
    db.execute(
        "UPDATE artifacts SET session = NULL WHERE session = ? AND rid IN (SELECT value FROM json_each(?))",
        (session, rows.pack_json(list(record.kept_facts))),
    )


def remove_author_receipts(db: SqliteConnection, author: str, record: SqliteEraseRecord) -> None:
    """Delete the receipts of an author in pools."""
    _drop_receipts(db, "author = ?", (author,), record)


def remove_partition_artifacts(db: SqliteConnection, owner: int, record: SqliteEraseRecord) -> None:
    """Delete all artifacts and receipts of a partition."""
    ends = partitions.rid_range(owner)
    _note(db, "rid BETWEEN ? AND ?", ends, record)
    record.add_pieces_of_rows(db, "SELECT question, rewritten, data, id FROM receipts WHERE rid BETWEEN ? AND ?", ends)
    record.add_pieces_of_rows(db, "SELECT text FROM systems WHERE owner = ?", (owner,))
    for table, column in (("rests", "artifact"), ("artifact_terms", "artifact"), ("artifacts", "rid"), ("receipts", "rid")):
        place = "owner = ? AND " if table == "artifact_terms" else ""
        values = (owner, *ends) if place else ends
        db.execute(f"DELETE FROM {table} WHERE {place}{column} BETWEEN ? AND ?", values)
        record.derived += db.changes() if column == "rid" else 0
    db.execute("DELETE FROM systems WHERE owner = ?", (owner,))


def remove_artifacts(db: SqliteConnection, rids: Iterable[int], record: SqliteEraseRecord) -> None:
    """Delete artifacts of sessions that stay. The title and tags that a label gave are removed with it, and the session's
    summary becomes the newest one that is left."""
    removed = list(rids)
    select = "SELECT session, kind, text, data FROM artifacts WHERE rid = ?"
    known = [row for rid in removed if (row := db.execute(select, (rid,)).fetchone())]
    _delete(db, removed, record)
    for session, kind, text, data in known:
        if kind == artifacts.SUMMARY and session is not None:
            artifacts.update_session_summary(db, session)
        elif kind == artifacts.LABEL and session is not None:
            _unlabel(db, session, text, rows.unpack_json(data) if data else {}, record)


def _unlabel(db: SqliteConnection, session: int, title: str, data: dict[str, object], record: SqliteEraseRecord) -> None:
    db.execute("UPDATE sessions SET title = NULL WHERE no = ? AND title = ?", (session, title))
    row = db.execute("SELECT tags FROM details WHERE session = ?", (session,)).fetchone()
    tags = rows.unpack_tags(row[0]) if row else ()
    if tags and list(tags) == data.get("tags"):
        record.add_pieces(*residue.split_texts(*tags, row[0] if row else None))
        db.execute("UPDATE details SET tags = NULL WHERE session = ?", (session,))
        db.execute(
            "DELETE FROM tags WHERE owner = (SELECT owner FROM sessions WHERE no = ?1) AND session = ?1"
            " AND tag IN (SELECT value FROM json_each(?2))",
            (session, rows.pack_json(tags)),
        )


def _delete(db: SqliteConnection, rids: list[int], record: SqliteEraseRecord) -> None:
    for rid in rids:
        _note(db, "rid = ?", (rid,), record)
    record.derived += artifacts.delete(db, rids)


def _note(db: SqliteConnection, where: str, values: Sequence[int], record: SqliteEraseRecord) -> None:
    """Record artifacts that are about to be deleted."""
    for rid, id, kind, text, data in db.execute(f"SELECT rid, id, kind, text, data FROM artifacts WHERE {where}", values):
        record.artifacts.add((rid, id))
        record.add_pieces(*residue.split_texts(id, text, data))
        for term in artifacts.search_terms(kind, text, data):
            record.add_pieces(*residue.row_signatures(rid >> OWNER_BITS, term, rid))


def _drop_receipts(db: SqliteConnection, where: str, values: Sequence[int | str], record: SqliteEraseRecord) -> None:
    dropped: list[Row] = db.execute(f"SELECT rid, id FROM receipts WHERE {where}", values).fetchall()
    record.receipts.update((rid, id) for rid, id in dropped)
    record.add_pieces_of_rows(db, f"SELECT question, rewritten, data, id FROM receipts WHERE {where}", values)
    for owner in {rid >> OWNER_BITS for rid, _ in dropped}:
        # May record texts that stay. That does no harm: they are not found in unused parts of the file.
        record.add_pieces_of_rows(db, "SELECT text FROM systems WHERE owner = ?", (owner,))
    record.derived += receipts.delete(db, [rid for rid, _ in dropped])


def _sessions(db: SqliteConnection, through: Sequence[int]) -> list[int]:
    """Return the sessions that have one of these branches."""
    found = "SELECT DISTINCT session FROM branches WHERE no IN (SELECT value FROM json_each(?)) ORDER BY session"
    return [session for (session,) in db.execute(found, (rows.pack_json(list(through)),))]


def has_remains(db: SqliteConnection, record: SqliteEraseRecord) -> bool:
    """Whether a deleted artifact, source reference or receipt still exists."""
    deleted = [
        *(("artifacts WHERE rid = ? AND id = ?", place) for place in record.artifacts),
        *(("receipts WHERE rid = ? AND id = ?", place) for place in record.receipts),
        *(("rests WHERE message = ?", (rid,)) for rid in record.rids),
    ]
    for owner in record.owners:
        ends = partitions.rid_range(owner)
        deleted += [(f"{table} WHERE rid BETWEEN ? AND ?", ends) for table in ("artifacts", "receipts")]
        deleted += [("rests WHERE artifact BETWEEN ? AND ?", ends)]
        deleted += [(f"{table} WHERE owner = ?", (owner,)) for table in ("artifact_terms", "systems")]
    return any(db.execute(f"SELECT 1 FROM {where} LIMIT 1", values).fetchone() for where, values in deleted)
