"""Check of the vectors: each has its message, and every message that counts as embedded has its vectors.

Missing vectors are computed again by the next worker: the owner's progress is set back to before them. A change is recorded
for the owner, so that caches of these vectors are reloaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from keepsaid.storage.sqlite import partitions, rows
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types.reports import CheckFinding


def check(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check all vectors."""
    for select, table, what in (_STRAY_VECTORS, _BAD_SHAPES, _STRAY_TOKENS, _STRAY_WORK):
        (count,) = db.execute(f"SELECT count(*) FROM ({select})").fetchall()[0]
        if count:
            if repair:
                db.execute(f"DELETE FROM {table} WHERE ({_KEYS[table]}) IN ({select})")
            yield CheckFinding("vectors", f"{count} {what}", repair)
    yield from _ahead(db, repair)
    yield from _missing(db, repair)


_KEYS = {"vectors": "generation, rid, part", "token_vectors": "no", "work": "generation, owner"}
_STRAY_VECTORS = (
    """SELECT v.generation, v.rid, v.part FROM vectors AS v LEFT JOIN messages AS m ON m.rid = v.rid
    LEFT JOIN generations AS g ON g.no = v.generation WHERE m.rid IS NULL OR g.no IS NULL""",
    "vectors",
    "vectors belong to no message or to no generation",
)
_BAD_SHAPES = (
    """SELECT v.generation, v.rid, v.part FROM vectors AS v JOIN generations AS g ON g.no = v.generation
    LEFT JOIN token_vectors AS t ON t.no = v.tokens
    WHERE length(v.vector) <> 2 * g.dimensions OR (v.tokens IS NOT NULL AND t.no IS NULL)""",
    "vectors",
    "vectors have the wrong length, or have lost their token vectors",
)
_STRAY_TOKENS = (
    "SELECT no FROM token_vectors WHERE no NOT IN (SELECT tokens FROM vectors WHERE tokens IS NOT NULL)",
    "token_vectors",
    "token vectors belong to no passage",
)
_STRAY_WORK = (
    """SELECT generation, owner FROM work
    WHERE generation NOT IN (SELECT no FROM generations) OR owner NOT IN (SELECT no FROM owners)""",
    "work",
    "work queue entries belong to no owner or no generation",
)


def _ahead(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check that no progress is beyond the last message number: new messages would be skipped."""
    for generation, owner, upto in db.execute("SELECT generation, owner, upto FROM work").fetchall():
        last = partitions.last_message_number(db, owner)
        if upto > last:
            _set_back(db, repair, generation, owner, last)
            yield CheckFinding(
                "vectors", f"owner {owner}: {upto} messages count as embedded, but there were only {last}", repair
            )


def _missing(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check that messages which count as embedded, have text and are not private have vectors."""
    lost: dict[tuple[int, int], list[int]] = {}
    for generation, owner, rid, text, extra in db.execute(
        "SELECT w.generation, w.owner, m.rid, m.text, m.extra FROM work AS w"
        " JOIN generations AS g ON g.no = w.generation AND g.dimensions > 0"
        " CROSS JOIN messages AS m ON m.rid > w.owner << 32 AND m.rid <= (w.owner << 32) + w.upto"
        " WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.generation = w.generation AND v.rid = m.rid) ORDER BY m.rid"
    ):
        if text.strip() and not rows.is_private(extra):
            lost.setdefault((generation, owner), []).append(rid)
    for (generation, owner), rids in lost.items():
        _set_back(db, repair, generation, owner, rids[0] - partitions.rid_range(owner)[0] - 1)
        yield CheckFinding("vectors", f"owner {owner}: {len(rids)} messages count as embedded but have no vectors", repair)


def _set_back(db: SqliteConnection, repair: bool, generation: int, owner: int, upto: int) -> None:
    if repair:
        db.execute(
            "UPDATE work SET upto = ?, holder = NULL, until = NULL WHERE generation = ? AND owner = ?",
            (upto, generation, owner),
        )
        partitions.record_change(db, owner, "erased")
