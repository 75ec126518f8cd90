"""The check-up of the vectors: every one has its message, and every message that counts as embedded has its vectors.

What is missing is made again by the next worker: the owner's work is set back to before it. Whoever holds these vectors in
memory is told by a change in the owner's list, and loads them anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.reports import Finding
from recollect.storage.sqlite import rows, spaces
from recollect.storage.sqlite.database import Database


def check(db: Database, repair: bool) -> Iterator[Finding]:
    """Looks at all vectors."""
    for select, table, what in (_HOMELESS, _MISSHAPEN, _UNUSED, _IDLE):
        (count,) = db.execute(f"SELECT count(*) FROM ({select})").fetchall()[0]
        if count:
            if repair:
                db.execute(f"DELETE FROM {table} WHERE ({_KEYS[table]}) IN ({select})")
            yield Finding("vectors", f"{count} {what}", repair)
    yield from _ahead(db, repair)
    yield from _missing(db, repair)


_KEYS = {"vectors": "generation, rid, part", "token_vectors": "no", "work": "generation, owner"}
_HOMELESS = (
    """SELECT v.generation, v.rid, v.part FROM vectors AS v LEFT JOIN messages AS m ON m.rid = v.rid
    LEFT JOIN generations AS g ON g.no = v.generation WHERE m.rid IS NULL OR g.no IS NULL""",
    "vectors",
    "vectors belong to no message or to no generation",
)
_MISSHAPEN = (
    """SELECT v.generation, v.rid, v.part FROM vectors AS v JOIN generations AS g ON g.no = v.generation
    LEFT JOIN token_vectors AS t ON t.no = v.tokens
    WHERE length(v.vector) <> 2 * g.dimensions OR (v.tokens IS NOT NULL AND t.no IS NULL)""",
    "vectors",
    "vectors have the wrong length, or have lost those of their tokens",
)
_UNUSED = (
    "SELECT no FROM token_vectors WHERE no NOT IN (SELECT tokens FROM vectors WHERE tokens IS NOT NULL)",
    "token_vectors",
    "token vectors belong to no passage",
)
_IDLE = (
    """SELECT generation, owner FROM work
    WHERE generation NOT IN (SELECT no FROM generations) OR owner NOT IN (SELECT no FROM owners)""",
    "work",
    "notes of work belong to nobody",
)


def _ahead(db: Database, repair: bool) -> Iterator[Finding]:
    """Work that counts more numbers as done than were ever given: new messages would be passed over."""
    for generation, owner, upto in db.execute("SELECT generation, owner, upto FROM work").fetchall():
        last = spaces.last_number(db, owner)
        if upto > last:
            _set_back(db, repair, generation, owner, last)
            yield Finding("vectors", f"owner {owner}: {upto} messages count as embedded, there were only {last}", repair)


def _missing(db: Database, repair: bool) -> Iterator[Finding]:
    """Messages that count as embedded, have text and are not private, but have no vectors."""
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
        _set_back(db, repair, generation, owner, rids[0] - spaces.rid_range(owner)[0] - 1)
        yield Finding("vectors", f"owner {owner}: {len(rids)} messages count as embedded but have no vectors", repair)


def _set_back(db: Database, repair: bool, generation: int, owner: int, upto: int) -> None:
    if repair:
        db.execute(
            "UPDATE work SET upto = ?, holder = NULL, until = NULL WHERE generation = ? AND owner = ?",
            (upto, generation, owner),
        )
        spaces.note(db, owner, "erased")
