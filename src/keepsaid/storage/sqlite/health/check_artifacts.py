"""Check of artifacts and receipts: their sources exist, and their index terms match their texts.

An artifact whose sources are missing cannot be repaired and is deleted: its content may have been erased.
"""

from __future__ import annotations

from collections.abc import Iterator

from keepsaid.storage.sqlite import artifacts, branches, rows
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types.reports import CheckFinding

_LOST = """
SELECT a.rid FROM artifacts AS a LEFT JOIN sessions AS s ON s.no = a.session AND s.owner = a.rid >> 32 AND s.status < 3
WHERE a.rid >> 32 NOT IN (SELECT no FROM owners) OR (a.session IS NOT NULL AND s.no IS NULL)
UNION SELECT r.artifact FROM rests AS r LEFT JOIN messages AS m ON m.rid = r.message WHERE m.rid IS NULL"""
_STRAY_RESTS = "FROM rests WHERE artifact NOT IN (SELECT rid FROM artifacts)"
_STRAY_RECEIPTS = """FROM receipts WHERE rid >> 32 NOT IN (SELECT no FROM owners)
    OR session NOT IN (SELECT no FROM sessions WHERE status < 3 AND owner = receipts.rid >> 32)"""
_STRAY_SYSTEMS = "FROM systems WHERE no NOT IN (SELECT system FROM receipts WHERE system IS NOT NULL)"


def check(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check all artifacts and receipts."""
    lost = {rid for (rid,) in db.execute(_LOST)} | _with_private_sources(db) | _without_end(db)
    existing = [rid for rid in lost if db.execute("SELECT 1 FROM artifacts WHERE rid = ?", (rid,)).fetchone()]
    if existing:
        if repair:
            artifacts.delete(db, existing)
        yield CheckFinding("artifacts", f"{len(existing)} artifacts have lost their sources", repair)
    for stray, what in (
        (_STRAY_RESTS, "source references belong to no artifact"),
        (_STRAY_RECEIPTS, "receipts belong to no session"),
        (_STRAY_SYSTEMS, "system texts are used by no receipt"),
    ):
        (count,) = db.execute(f"SELECT count(*) {stray}").fetchall()[0]
        if count:
            if repair:
                db.execute(f"DELETE {stray}")
            yield CheckFinding("artifacts", f"{count} {what}", repair)
    yield from _words(db, repair)
    yield from _summaries(db, repair)


def _with_private_sources(db: SqliteConnection) -> set[int]:
    found = db.execute(
        "SELECT r.artifact, m.extra FROM rests AS r JOIN messages AS m ON m.rid = r.message WHERE m.extra IS NOT NULL"
    )
    return {rid for rid, extra in found if rows.is_private(extra)}


def _without_end(db: SqliteConnection) -> set[int]:
    """Return the summaries whose last message does not exist."""
    found = db.execute("SELECT rid, session, upto FROM artifacts WHERE kind = 0 AND session IS NOT NULL").fetchall()
    return {rid for rid, session, upto in found if branches.find_by_seq(db, session, upto) is None}


def _words(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    wanted = {
        (rid, term)
        for rid, kind, text, data in db.execute("SELECT rid, kind, text, data FROM artifacts")
        for term in artifacts.search_terms(kind, text, data)
    }
    found = set(db.execute("SELECT artifact, term FROM artifact_terms WHERE owner = artifact >> 32"))
    (count,) = db.execute("SELECT count(*) FROM artifact_terms").fetchall()[0]
    if found != wanted or count != len(found):
        if repair:
            artifacts.rebuild_terms(db)
        yield CheckFinding("artifacts", "the index terms of artifacts do not match their texts", repair)


def _summaries(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check that the summary of each session is one of its summary artifacts."""
    for session, id in db.execute(
        "SELECT s.no, s.id FROM details AS d JOIN sessions AS s ON s.no = d.session WHERE d.summary IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM artifacts WHERE session = s.no AND kind = 0 AND text = d.summary)"
    ).fetchall():
        if repair:
            artifacts.update_session_summary(db, session)
        yield CheckFinding("artifacts", f"session {id!r} has a summary that is none of its own", repair)
