"""Vectors: store, read and delete generations and their passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keepsaid.errors import Conflict
from keepsaid.ports import EmbeddedPassage, VectorCoverage, VectorDelta, VectorGeneration, VectorMark
from keepsaid.storage.postgres.connection import binary_values
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.search.visibility import IS_PRIVATE, MAX_NUMBER

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

# Messages that are gone or private get no vectors.
_ADD = f"""
INSERT INTO vectors (unit, space, generation, number, part, start, "end", vector, tokens, width)
SELECT m.unit, m.space, %s, m.number, %s, %s, %s, %s::halfvec, %s, %s FROM messages AS m
WHERE m.unit = %s AND m.space = %s AND m.number = %s AND NOT {IS_PRIVATE}"""


def begin_generation(db: PostgresConnection, name: str, dimensions: int) -> VectorGeneration:
    """Return the generation with this name; create it if it is new. In a store without messages it is complete at once."""
    db.execute(
        "INSERT INTO generations (name, dimensions, complete) SELECT %s, %s, NOT EXISTS (SELECT 1 FROM messages)"
        " ON CONFLICT (name) DO NOTHING",
        (name, dimensions),
    )
    made = next((generation for generation in _generations(db.execute(_LISTED).fetchall()) if generation.name == name), None)
    if made is None:
        raise Conflict(f"{name!r} is the name of a notes queue: choose another name for the embedder")
    if made.dimensions != dimensions:
        raise Conflict(f"the vectors of {name!r} have {made.dimensions} dimensions, not {dimensions}")
    return made


def list_generations() -> PostgresReadOperation[list[VectorGeneration]]:
    """Read all generations, oldest first."""
    return single_statement_read(_LISTED, (), _generations)


def _generations(found: list[Row]) -> list[VectorGeneration]:
    return [VectorGeneration(*row) for row in found]


def drop_generation(db: PostgresConnection, name: str) -> int:
    """Delete a generation with the vectors of all owners; return how many passages it had. Settling a task locks the
    generation's row, so the row is deleted first, and then the vectors, including those settled just before."""
    row = db.execute("DELETE FROM generations WHERE name = %s AND dimensions > 0 RETURNING no", (name,)).fetchone()
    if row is None:
        return 0
    db.execute("DELETE FROM work WHERE generation = %s", row)
    return db.execute("DELETE FROM vectors WHERE generation = %s", row).rowcount


def coverage(name: str) -> PostgresReadOperation[VectorCoverage]:
    """Read how much of the store a generation covers; works across owners."""

    def covered(found: list[Row]) -> VectorCoverage:
        messages, waiting, passages, size = found[0]
        return VectorCoverage(messages - waiting, messages, passages, size)

    return single_statement_read(_COVERAGE, {"name": name}, covered)


def load_since(space: PartitionKey, generation: str, mark: VectorMark) -> PostgresReadOperation[VectorDelta]:
    """Read the partition's vectors added since the mark; all, if the partition or generation was recreated or something was
    erased."""
    values = {
        "unit": space.unit,
        "space": space.space,
        "generation": generation,
        "life": mark.life >> LIFE_BITS,
        "begun": mark.life & (1 << LIFE_BITS) - 1,
        "number": mark.number,
        "changes": mark.changes,
    }
    return single_statement_read(_SINCE, values, _delta)


def _delta(found: list[Row]) -> VectorDelta:
    if not found:
        return VectorDelta(True, [], [], [], VectorMark())
    life, generation, upto, changes, fresh = found[0][:5]
    new = [row[5:] for row in found if row[5] is not None]
    return VectorDelta(
        fresh,
        [number for number, _, _ in new],
        [part for _, part, _ in new],
        [binary_values.decode_halfvec(vector) for _, _, vector in new],
        VectorMark(life << LIFE_BITS | generation, upto, changes),
    )


def load_passages(
    space: PartitionKey, generation: str, numbers: Sequence[int]
) -> PostgresReadOperation[list[EmbeddedPassage]]:
    """Read all passages of these messages, with their token vectors."""
    wanted = {number for number in numbers if 0 < number <= MAX_NUMBER}
    return single_statement_read(_PASSAGES, (*space, generation, binary_values.format_bigint_array(wanted)), _passages)


def _passages(found: list[Row]) -> list[EmbeddedPassage]:
    return [
        EmbeddedPassage(number, part, start, end, binary_values.decode_halfvec(vector), tokens, width)
        for number, part, start, end, vector, tokens, width in found
    ]


def add_passages(space: PartitionKey, generation: int, some: Iterable[EmbeddedPassage]) -> list[tuple[str, Values]]:
    """The statements that store passages."""
    return [
        (
            _ADD,
            (
                generation, passage.part, passage.start, passage.end,
                binary_values.encode_halfvec(passage.vector), passage.tokens or None, passage.width,
                *space, passage.number,
            ),
        )
        for passage in some
    ]  # fmt: skip


def delete_vectors(db: PostgresConnection, space: PartitionKey, numbers: Sequence[int]) -> int:
    """Delete the vectors of these messages; return how many passages there were."""
    going = "DELETE FROM vectors WHERE unit = %s AND space = %s AND generation IN (SELECT no FROM generations)"
    return db.execute(
        f"{going} AND number = ANY (%s::bigint[])", (*space, binary_values.format_bigint_array(numbers))
    ).rowcount
