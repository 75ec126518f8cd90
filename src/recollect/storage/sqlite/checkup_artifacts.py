"""The check-up of artifacts and receipts: all that they rest on is there, and what is found by words has its words.

An artifact that has lost what it rests on cannot be mended, and goes: what it tells may have been erased.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.reports import Finding
from recollect.storage.sqlite import artifacts, branches, rows
from recollect.storage.sqlite.database import Database

_LOST = """
SELECT a.rid FROM artifacts AS a LEFT JOIN sessions AS s ON s.no = a.session AND s.owner = a.rid >> 32 AND s.status < 3
WHERE a.rid >> 32 NOT IN (SELECT no FROM owners) OR (a.session IS NOT NULL AND s.no IS NULL)
UNION SELECT r.artifact FROM rests AS r LEFT JOIN messages AS m ON m.rid = r.message WHERE m.rid IS NULL"""
_STRAY_RESTS = "FROM rests WHERE artifact NOT IN (SELECT rid FROM artifacts)"
_STRAY_RECEIPTS = """FROM receipts WHERE rid >> 32 NOT IN (SELECT no FROM owners)
    OR session NOT IN (SELECT no FROM sessions WHERE status < 3 AND owner = receipts.rid >> 32)"""
_STRAY_SYSTEMS = "FROM systems WHERE no NOT IN (SELECT system FROM receipts WHERE system IS NOT NULL)"


def check(db: Database, repair: bool) -> Iterator[Finding]:
    """Looks at all artifacts and receipts."""
    lost = {rid for (rid,) in db.execute(_LOST)} | _resting_on_private(db) | _adrift(db)
    there = [rid for rid in lost if db.execute("SELECT 1 FROM artifacts WHERE rid = ?", (rid,)).fetchone()]
    if there:
        if repair:
            artifacts.delete(db, there)
        yield Finding("artifacts", f"{len(there)} artifacts have lost what they rest on", repair)
    for stray, what in (
        (_STRAY_RESTS, "notes of what artifacts rest on belong to none"),
        (_STRAY_RECEIPTS, "receipts belong to no session"),
        (_STRAY_SYSTEMS, "system texts are named by no receipt"),
    ):
        (count,) = db.execute(f"SELECT count(*) {stray}").fetchall()[0]
        if count:
            if repair:
                db.execute(f"DELETE {stray}")
            yield Finding("artifacts", f"{count} {what}", repair)
    yield from _words(db, repair)
    yield from _summaries(db, repair)


def _resting_on_private(db: Database) -> set[int]:
    resting = db.execute(
        "SELECT r.artifact, m.extra FROM rests AS r JOIN messages AS m ON m.rid = r.message WHERE m.extra IS NOT NULL"
    )
    return {rid for rid, extra in resting if rows.is_private(extra)}


def _adrift(db: Database) -> set[int]:
    """Summaries that end at no message."""
    found = db.execute("SELECT rid, session, upto FROM artifacts WHERE kind = 0 AND session IS NOT NULL").fetchall()
    return {rid for rid, session, upto in found if branches.node(db, session, upto) is None}


def _words(db: Database, repair: bool) -> Iterator[Finding]:
    wanted = {
        (rid, term)
        for rid, kind, text, data in db.execute("SELECT rid, kind, text, data FROM artifacts")
        for term in artifacts.words(kind, text, data)
    }
    found = set(db.execute("SELECT artifact, term FROM artifact_terms WHERE owner = artifact >> 32"))
    (count,) = db.execute("SELECT count(*) FROM artifact_terms").fetchall()[0]
    if found != wanted or count != len(found):
        if repair:
            artifacts.rebuild_terms(db)
        yield Finding("artifacts", "the words by which artifacts are found do not match them", repair)


def _summaries(db: Database, repair: bool) -> Iterator[Finding]:
    """Sessions whose own summary is none of those that were made for them."""
    for session, id in db.execute(
        "SELECT s.no, s.id FROM details AS d JOIN sessions AS s ON s.no = d.session WHERE d.summary IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM artifacts WHERE session = s.no AND kind = 0 AND text = d.summary)"
    ).fetchall():
        if repair:
            artifacts.follow(db, session)
        yield Finding("artifacts", f"session {id!r} has a summary that was not made for it", repair)
