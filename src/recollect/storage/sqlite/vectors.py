"""Vectors: generations of them, the rows of each, and how they go."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from recollect.errors import Conflict
from recollect.ports import Coverage, Generation, Passage, VectorDelta, VectorMark
from recollect.storage.sqlite import spaces
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.schema import NUMBERS

DROPPED_AT_ONCE = 2000
"""Passages of a dropped generation that go in one transaction, so that writers need not wait for all of them."""

LIFE_BITS = 20


def generation_number(db: Database, name: str) -> int:
    """The number of a generation, or 0 if it was never begun. A line of notes is none: it has no dimensions."""
    row = db.execute("SELECT no FROM generations WHERE name = ? AND dimensions > 0", (name,)).fetchone()
    return row[0] if row else 0


def begin(db: Database, name: str, dimensions: int) -> Generation:
    """The generation of this name, made if it is new. In a store without messages it covers everything at once."""
    db.execute(
        "INSERT OR IGNORE INTO generations (name, dimensions, complete) VALUES (?, ?, NOT EXISTS (SELECT 1 FROM messages))",
        (name, dimensions),
    )
    made = next((generation for generation in listed(db) if generation.name == name), None)
    if made is None:
        raise Conflict(f"{name!r} is the name of a line of notes: give the embedder another one")
    if made.dimensions != dimensions:
        raise Conflict(f"the vectors of {name!r} have {made.dimensions} dimensions, not {dimensions}")
    return made


def set_complete(db: Database, name: str, complete: bool) -> None:
    """Notes whether a generation has ever covered every message."""
    db.execute("UPDATE generations SET complete = ? WHERE name = ?", (complete, name))


def listed(db: Database) -> list[Generation]:
    """All generations, oldest first."""
    rows = db.execute("SELECT name, dimensions, complete FROM generations WHERE dimensions > 0 ORDER BY no")
    return [Generation(name, dimensions, bool(complete)) for name, dimensions, complete in rows]


def retire(db: Database, name: str) -> int:
    """The first step of dropping a generation: nothing of it counts as done any more. Returns its number, or 0."""
    number = generation_number(db, name)
    db.execute("UPDATE generations SET complete = 0 WHERE no = ?", (number,))
    db.execute("DELETE FROM work WHERE generation = ?", (number,))
    return number


def drop_some(db: Database, number: int) -> int:
    """The next steps: some of its passages go, and with the last of them the generation. Returns how many went."""
    some = db.execute(
        "SELECT rid, part, tokens FROM vectors WHERE generation = ? LIMIT ?", (number, DROPPED_AT_ONCE)
    ).fetchall()
    db.executemany("DELETE FROM token_vectors WHERE no = ?", [(tokens,) for *_, tokens in some if tokens is not None])
    db.executemany(
        "DELETE FROM vectors WHERE generation = ? AND rid = ? AND part = ?", [(number, rid, part) for rid, part, _ in some]
    )
    if len(some) < DROPPED_AT_ONCE:
        db.execute("DELETE FROM work WHERE generation = ?", (number,))
        db.execute("DELETE FROM generations WHERE no = ?", (number,))
    return len(some)


def coverage(db: Database, name: str) -> Coverage:
    """How much of the store a generation covers."""
    number = generation_number(db, name)
    (messages,) = db.execute("SELECT count(*) FROM messages").fetchall()[0]
    (waiting,) = db.execute(
        "SELECT count(*) FROM owners AS o LEFT JOIN work AS w ON w.generation = ? AND w.owner = o.no"
        " CROSS JOIN messages AS m ON m.rid > (o.no << 32) + coalesce(w.upto, 0) AND m.rid <= (o.no << 32) + 4294967295",
        (number,),
    ).fetchall()[0]
    passages, size = db.execute(
        "SELECT count(*), coalesce(sum(length(v.vector) + coalesce(length(t.rows), 0)), 0)"
        " FROM vectors AS v LEFT JOIN token_vectors AS t ON t.no = v.tokens WHERE v.generation = ?",
        (number,),
    ).fetchall()[0]
    return Coverage(messages - waiting, messages, passages, size)


def since(db: Database, owner: int, generation: str, mark: VectorMark) -> VectorDelta:
    """The owner's vectors that came since the mark, or all, if the mark is of another life or something was erased."""
    number = generation_number(db, generation)
    row = db.execute("SELECT life, changes FROM owners WHERE no = ?", (owner,)).fetchone()
    if not number or not row:
        return VectorDelta(True, [], [], [], VectorMark())
    upto = db.execute("SELECT upto FROM work WHERE generation = ? AND owner = ?", (number, owner)).fetchone() or (0,)
    now = VectorMark(row[0] << LIFE_BITS | number, upto[0], row[1])
    gone = "SELECT 1 FROM changes WHERE owner = ? AND number > ? AND kind = 'erased' LIMIT 1"
    fresh = mark.life != now.life or mark.number > now.number or bool(db.execute(gone, (owner, mark.changes)).fetchone())
    low, _ = spaces.rid_range(owner)
    found = db.execute(
        "SELECT rid & 4294967295, part, vector FROM vectors"
        " WHERE generation = ? AND rid > ? AND rid <= ? ORDER BY rid, part",
        (number, low + (0 if fresh else mark.number), low + now.number),
    ).fetchall()
    return VectorDelta(fresh, [row[0] for row in found], [row[1] for row in found], [row[2] for row in found], now)


def passages(db: Database, owner: int, generation: str, numbers: Sequence[int]) -> list[Passage]:
    """All passages of these messages, with their token vectors."""
    low, _ = spaces.rid_range(owner)
    wanted = sorted({low + number for number in numbers if 0 < number <= NUMBERS})
    found = db.execute(
        "SELECT v.rid & 4294967295, v.part, v.start, v.end, v.vector, coalesce(t.rows, x''), coalesce(t.width, 0)"
        " FROM json_each(?) AS j CROSS JOIN vectors AS v ON v.generation = ? AND v.rid = j.value"
        " LEFT JOIN token_vectors AS t ON t.no = v.tokens",
        (json.dumps(wanted), generation_number(db, generation)),
    ).fetchall()
    return [Passage(*row) for row in found]


def add(db: Database, generation: int, low: int, some: Iterable[Passage]) -> None:
    """Keeps passages of an owner whose rows begin at `low`."""
    for passage in some:
        tokens = None
        if passage.tokens:
            db.execute("INSERT INTO token_vectors (width, rows) VALUES (?, ?)", (passage.width, passage.tokens))
            tokens = db.last_insert_rowid()
        db.execute(
            "INSERT INTO vectors (generation, rid, part, start, end, tokens, vector) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (generation, low + passage.number, passage.part, passage.start, passage.end, tokens, passage.vector),
        )


def clear(db: Database, rids: str, values: Sequence[int], generations: str = "SELECT no FROM generations") -> int:
    """Removes the vectors of these messages (a condition on `rid`); returns how many passages they were."""
    where = f"WHERE generation IN ({generations}) AND {rids}"
    db.execute(f"DELETE FROM token_vectors WHERE no IN (SELECT tokens FROM vectors {where})", values)
    db.execute(f"DELETE FROM vectors {where}", values)
    return db.changes()
