"""Vectors and their generations: create, read and delete."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from keepsaid.errors import Conflict
from keepsaid.ports import EmbeddedPassage, VectorCoverage, VectorDelta, VectorGeneration, VectorMark
from keepsaid.storage.sqlite import partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.schema import NUMBER_MASK

DROP_BATCH_SIZE = 2000
"""Passages of a dropped generation that are deleted in one transaction, so that writers do not wait for all of them."""

PORTION = 5_000
"""Messages whose vectors are read at once: those of a million would take gigabytes as Python objects."""

LIFE_BITS = 20


def generation_number(db: SqliteConnection, name: str) -> int:
    """Return the number of a generation, or 0 if it does not exist. Notes queues, which have no dimensions, do not count."""
    row = db.execute("SELECT no FROM generations WHERE name = ? AND dimensions > 0", (name,)).fetchone()
    return row[0] if row else 0


def begin_generation(db: SqliteConnection, name: str, dimensions: int) -> VectorGeneration:
    """Return the generation of this name; create it if it is new. In a store without messages it is complete at once."""
    db.execute(
        "INSERT OR IGNORE INTO generations (name, dimensions, complete) VALUES (?, ?, NOT EXISTS (SELECT 1 FROM messages))",
        (name, dimensions),
    )
    found = next((generation for generation in list_generations(db) if generation.name == name), None)
    if found is None:
        raise Conflict(f"{name!r} is the name of a notes queue: choose another name for the embedder")
    if found.dimensions != dimensions:
        raise Conflict(f"the vectors of {name!r} have {found.dimensions} dimensions, not {dimensions}")
    return found


def set_complete(db: SqliteConnection, name: str, complete: bool) -> None:
    """Store whether a generation has ever covered every message."""
    db.execute("UPDATE generations SET complete = ? WHERE name = ?", (complete, name))


def list_generations(db: SqliteConnection) -> list[VectorGeneration]:
    """Return all generations, oldest first."""
    rows = db.execute("SELECT name, dimensions, complete FROM generations WHERE dimensions > 0 ORDER BY no")
    return [VectorGeneration(name, dimensions, bool(complete)) for name, dimensions, complete in rows]


def retire_generation(db: SqliteConnection, name: str) -> int:
    """Start dropping a generation: reset its progress. Return its number, or 0 if it does not exist."""
    number = generation_number(db, name)
    db.execute("UPDATE generations SET complete = 0 WHERE no = ?", (number,))
    db.execute("DELETE FROM work WHERE generation = ?", (number,))
    return number


def drop_batch(db: SqliteConnection, number: int) -> int:
    """Continue dropping a generation: delete a batch of its passages and, after the last one, the generation itself. Return
    how many passages were deleted."""
    some = db.execute(
        "SELECT rid, part, tokens FROM vectors WHERE generation = ? LIMIT ?", (number, DROP_BATCH_SIZE)
    ).fetchall()
    db.executemany("DELETE FROM token_vectors WHERE no = ?", [(tokens,) for *_, tokens in some if tokens is not None])
    db.executemany(
        "DELETE FROM vectors WHERE generation = ? AND rid = ? AND part = ?", [(number, rid, part) for rid, part, _ in some]
    )
    if len(some) < DROP_BATCH_SIZE:
        db.execute("DELETE FROM work WHERE generation = ?", (number,))
        db.execute("DELETE FROM generations WHERE no = ?", (number,))
    return len(some)


def coverage(db: SqliteConnection, name: str) -> VectorCoverage:
    """Return how much of the store a generation covers."""
    number = generation_number(db, name)
    (messages,) = db.execute("SELECT count(*) FROM messages").fetchall()[0]
    (waiting,) = db.execute(
        "SELECT count(*) FROM owners AS o LEFT JOIN work AS w ON w.generation = ? AND w.owner = o.no"
        " CROSS JOIN messages AS m ON m.rid > (o.no << 32) + coalesce(w.upto, 0) AND m.rid <= (o.no << 32) + 4294967295",
        (number,),
    ).fetchall()[0]
    count, size = db.execute(
        "SELECT count(*), coalesce(sum(length(v.vector) + coalesce(length(t.rows), 0)), 0)"
        " FROM vectors AS v LEFT JOIN token_vectors AS t ON t.no = v.tokens WHERE v.generation = ?",
        (number,),
    ).fetchall()[0]
    return VectorCoverage(messages - waiting, messages, count, size)


_STATE = """
SELECT o.life, o.changes, g.no, (SELECT w.upto FROM work AS w WHERE w.generation = g.no AND w.owner = o.no),
    EXISTS (SELECT 1 FROM changes AS c WHERE c.owner = o.no AND c.number > ?3 AND c.kind = 'erased')
FROM owners AS o CROSS JOIN generations AS g ON g.name = ?2 AND g.dimensions > 0 WHERE o.no = ?1"""
"""What a copy of an owner's vectors is compared with, and whether something was erased since."""


def load_since(db: SqliteConnection, owner: int, generation: str, mark: VectorMark) -> VectorDelta:
    """Return the owner's vectors that were added since a position, or the first portion of them. Start from the beginning
    if the position belongs to an erased owner of the same name, or if something was erased since."""
    row = db.execute(_STATE, (owner, generation, mark.changes)).fetchone()
    if row is None:
        return VectorDelta(True, [], [], [], VectorMark())
    life, changes, number, upto, erased = row
    now = VectorMark(life << LIFE_BITS | number, upto or 0, changes)
    fresh = mark.life != now.life or mark.number > now.number or bool(erased)
    low, _ = partitions.rid_range(owner)
    start = 0 if fresh else mark.number
    end = min(now.number, start + PORTION)
    if start == end:
        return VectorDelta(fresh, [], [], [], now)
    found = db.execute(
        "SELECT rid & 4294967295, part, vector FROM vectors"
        " WHERE generation = ? AND rid > ? AND rid <= ? ORDER BY rid, part",
        (number, low + start, low + end),
    ).fetchall()
    numbers, parts, vectors = [row[0] for row in found], [row[1] for row in found], [row[2] for row in found]
    return VectorDelta(fresh, numbers, parts, vectors, now._replace(number=end), end < now.number)


def load_passages(db: SqliteConnection, owner: int, generation: str, numbers: Sequence[int]) -> list[EmbeddedPassage]:
    """Return all passages of these messages, with their token vectors."""
    low, _ = partitions.rid_range(owner)
    wanted = sorted({low + number for number in numbers if 0 < number <= NUMBER_MASK})
    found = db.execute(
        "SELECT v.rid & 4294967295, v.part, v.start, v.end, v.vector, coalesce(t.rows, x''), coalesce(t.width, 0)"
        " FROM generations AS g CROSS JOIN json_each(?) AS j"
        " CROSS JOIN vectors AS v ON v.generation = g.no AND v.rid = j.value"
        " LEFT JOIN token_vectors AS t ON t.no = v.tokens WHERE g.name = ? AND g.dimensions > 0",
        (json.dumps(wanted), generation),
    ).fetchall()
    return [EmbeddedPassage(*row) for row in found]


def add_passages(db: SqliteConnection, generation: int, low: int, some: Iterable[EmbeddedPassage]) -> None:
    """Store passages of an owner whose row numbers start at `low`."""
    for passage in some:
        tokens = None
        if passage.tokens:
            db.execute("INSERT INTO token_vectors (width, rows) VALUES (?, ?)", (passage.width, passage.tokens))
            tokens = db.last_insert_rowid()
        db.execute(
            "INSERT INTO vectors (generation, rid, part, start, end, tokens, vector) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (generation, low + passage.number, passage.part, passage.start, passage.end, tokens, passage.vector),
        )


def delete_vectors(
    db: SqliteConnection, rids: str, values: Sequence[int], generations: str = "SELECT no FROM generations"
) -> int:
    """Delete the vectors of these messages (a condition on `rid`). Return how many passages there were."""
    where = f"WHERE generation IN ({generations}) AND {rids}"
    db.execute(f"DELETE FROM token_vectors WHERE no IN (SELECT tokens FROM vectors {where})", values)
    db.execute(f"DELETE FROM vectors {where}", values)
    return db.changes()
