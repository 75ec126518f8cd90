"""Vectors: generations of them, the rows of each, and how they go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.errors import Conflict
from recollect.ports import Coverage, Generation, Passage, VectorDelta, VectorMark
from recollect.storage.postgres import wire
from recollect.storage.postgres.database import Database, Row, Values
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.sight import LARGEST, PRIVATE
from recollect.storage.postgres.spaces import Space

LIFE_BITS = 20

_LISTED = "SELECT name, dimensions, complete FROM generations WHERE dimensions > 0 ORDER BY no"

_COVERAGE = """
WITH generation AS (SELECT no FROM generations WHERE name = %(name)s AND dimensions > 0)
SELECT (SELECT coalesce(sum(messages), 0)::bigint FROM spaces),
    (SELECT count(*) FROM spaces AS s
        LEFT JOIN work AS w ON w.unit = s.unit AND w.space = s.space AND w.generation = (SELECT no FROM generation)
        JOIN messages AS m ON m.unit = s.unit AND m.space = s.space AND m.number > coalesce(w.upto, 0)),
    v.passages, v.size
FROM (SELECT count(*) AS passages,
        coalesce(sum(2 * vector_dims(vector) + coalesce(octet_length(tokens), 0)), 0)::bigint AS size
    FROM vectors WHERE generation = (SELECT no FROM generation)) AS v"""

_SINCE = """
SELECT s.life, g.no, coalesce(w.upto, 0), s.changes, f.fresh, v.number, v.part, v.vector
FROM spaces AS s JOIN generations AS g ON g.name = %(generation)s AND g.dimensions > 0
LEFT JOIN work AS w ON w.unit = s.unit AND w.space = s.space AND w.generation = g.no
CROSS JOIN LATERAL (SELECT s.life <> %(life)s OR g.no <> %(begun)s OR %(number)s > coalesce(w.upto, 0) OR EXISTS (
    SELECT 1 FROM changes AS c WHERE c.unit = %(unit)s AND c.space = %(space)s AND c.number > %(changes)s
        AND c.kind = 'erased') AS fresh) AS f
LEFT JOIN LATERAL (
    SELECT v.number, v.part, v.vector FROM vectors AS v
    WHERE v.unit = %(unit)s AND v.space = %(space)s AND v.generation = g.no
        AND v.number > CASE WHEN f.fresh THEN 0 ELSE %(number)s END AND v.number <= w.upto) AS v ON true
WHERE s.unit = %(unit)s AND s.space = %(space)s ORDER BY v.number, v.part"""

_PASSAGES = """
SELECT v.number, v.part, v.start, v."end", v.vector, coalesce(v.tokens, ''), v.width FROM vectors AS v
WHERE v.unit = %s AND v.space = %s AND v.generation = (SELECT no FROM generations WHERE name = %s AND dimensions > 0)
    AND v.number = ANY (%s::bigint[]) ORDER BY v.number, v.part"""

# A message that is gone by now, or private, gets no vectors.
_ADD = f"""
INSERT INTO vectors (unit, space, generation, number, part, start, "end", vector, tokens, width)
SELECT m.unit, m.space, %s, m.number, %s, %s, %s, %s::halfvec, %s, %s FROM messages AS m
WHERE m.unit = %s AND m.space = %s AND m.number = %s AND NOT {PRIVATE}"""


def begin(db: Database, name: str, dimensions: int) -> Generation:
    """The generation of this name, made if it is new. In a store without messages it covers everything at once."""
    db.execute(
        "INSERT INTO generations (name, dimensions, complete) SELECT %s, %s, NOT EXISTS (SELECT 1 FROM messages)"
        " ON CONFLICT (name) DO NOTHING",
        (name, dimensions),
    )
    made = next((generation for generation in _generations(db.execute(_LISTED).fetchall()) if generation.name == name), None)
    if made is None:
        raise Conflict(f"{name!r} is the name of a line of notes: give the embedder another one")
    if made.dimensions != dimensions:
        raise Conflict(f"the vectors of {name!r} have {made.dimensions} dimensions, not {dimensions}")
    return made


def listed() -> Reading[list[Generation]]:
    """All generations, oldest first."""
    return reading(_LISTED, (), _generations)


def _generations(found: list[Row]) -> list[Generation]:
    return [Generation(*row) for row in found]


def drop(db: Database, name: str) -> int:
    """Removes a generation with its vectors, of all owners; returns how many passages it had. Who settles a task of it has
    the generation's row locked, so the row goes first, and the vectors after whatever was settled before."""
    row = db.execute("DELETE FROM generations WHERE name = %s AND dimensions > 0 RETURNING no", (name,)).fetchone()
    if row is None:
        return 0
    db.execute("DELETE FROM work WHERE generation = %s", row)
    return db.execute("DELETE FROM vectors WHERE generation = %s", row).rowcount


def coverage(name: str) -> Reading[Coverage]:
    """How much of the store a generation covers; works across owners."""

    def covered(found: list[Row]) -> Coverage:
        messages, waiting, passages, size = found[0]
        return Coverage(messages - waiting, messages, passages, size)

    return reading(_COVERAGE, {"name": name}, covered)


def since(space: Space, generation: str, mark: VectorMark) -> Reading[VectorDelta]:
    """The space's vectors that came since the mark, or all, if the mark is of another life or something was erased."""
    values = {
        "unit": space.unit,
        "space": space.space,
        "generation": generation,
        "life": mark.life >> LIFE_BITS,
        "begun": mark.life & (1 << LIFE_BITS) - 1,
        "number": mark.number,
        "changes": mark.changes,
    }
    return reading(_SINCE, values, _delta)


def _delta(found: list[Row]) -> VectorDelta:
    if not found:
        return VectorDelta(True, [], [], [], VectorMark())
    life, generation, upto, changes, fresh = found[0][:5]
    new = [row[5:] for row in found if row[5] is not None]
    return VectorDelta(
        fresh,
        [number for number, _, _ in new],
        [part for _, part, _ in new],
        [wire.little(vector) for _, _, vector in new],
        VectorMark(life << LIFE_BITS | generation, upto, changes),
    )


def passages(space: Space, generation: str, numbers: Sequence[int]) -> Reading[list[Passage]]:
    """All passages of these messages, with their token vectors."""
    wanted = {number for number in numbers if 0 < number <= LARGEST}
    return reading(_PASSAGES, (*space, generation, wire.array(wanted)), _passages)


def _passages(found: list[Row]) -> list[Passage]:
    return [
        Passage(number, part, start, end, wire.little(vector), tokens, width)
        for number, part, start, end, vector, tokens, width in found
    ]


def adding(space: Space, generation: int, some: Iterable[Passage]) -> list[tuple[str, Values]]:
    """The statements that keep passages."""
    return [
        (
            _ADD,
            (
                generation, passage.part, passage.start, passage.end,
                wire.halfvec(passage.vector), passage.tokens or None, passage.width,
                *space, passage.number,
            ),
        )
        for passage in some
    ]  # fmt: skip


def clear(db: Database, space: Space, numbers: Sequence[int]) -> int:
    """Removes the vectors of these messages; returns how many passages they were."""
    going = "DELETE FROM vectors WHERE unit = %s AND space = %s AND generation IN (SELECT no FROM generations)"
    return db.execute(f"{going} AND number = ANY (%s::bigint[])", (*space, wire.array(numbers))).rowcount
