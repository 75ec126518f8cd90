"""Vector search inside PostgreSQL, by pgvector.

A search compares every passage of an owner. An owner or pool with very many passages gets its own graph (HNSW, a partial
index), built by `vector_graphs.py`; then the search walks that graph until enough matches are found (iterative scan).
Matches are scored again with the stored vectors, so that scores equal those of every other index.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from keepsaid.errors import InvalidInput
from keepsaid.ports import ReadCall, VectorMatch
from keepsaid.storage.postgres import partitions
from keepsaid.storage.postgres.connection import binary_values
from keepsaid.storage.postgres.connection.database import Row
from keepsaid.storage.postgres.connection.prefetch import ReadPrefetcher, ReadRequest
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation
from keepsaid.storage.postgres.connection.transactions import PostgresConnectionPool
from keepsaid.storage.postgres.partitions import PartitionKey, partition_key
from keepsaid.types import Scope

RESCORED_PER_RESULT = 4
"""The best matches of the half-precision search that are scored again per result, but never fewer than `MIN_RESCORED`."""
MIN_RESCORED = 64

EF_SEARCH_BOUNDS = (200, 1000)
"""Bounds of the candidate list of a graph search (hnsw.ef_search), which is twice the wanted number. A shorter list misses
more results."""

_GENERATION = "SELECT no, dimensions FROM generations WHERE name = %s AND dimensions > 0"

# A graph is a partial index of one partition, so only a plan made with this partition's values can use it.
_SETTINGS = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(explored)s::text, true),
    set_config('plan_cache_mode', 'force_custom_plan', true)"""
_NEAREST = """
SELECT c.number, c.part, -(c.vector::vector <#> %(vector)s::vector) FROM (
    SELECT v.number, v.part, v.vector FROM vectors AS v
    WHERE v.unit = %(unit)s AND v.space = %(space)s::smallint AND v.generation = %(generation)s::integer{among}
    ORDER BY v.vector::halfvec({dimensions}) <#> %(vector)s::vector::halfvec({dimensions}) LIMIT %(again)s) AS c
ORDER BY 3 DESC, 1 DESC, 2 DESC LIMIT %(limit)s"""
_STILL_THERE = "SELECT 1 FROM generations WHERE no = %(generation)s"


class GenerationEntry(NamedTuple):
    """A generation: its number, and how many dimensions its vectors have."""

    no: int
    dimensions: int


class PgvectorIndex:
    """Searches inside the database; holds nothing in this process."""

    def __init__(self, store: PostgresConnectionPool, foresight: ReadPrefetcher) -> None:
        self._store, self._prefetcher = store, foresight
        self._generations: dict[str, GenerationEntry] = {}

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[VectorMatch]:
        """Find the passages nearest to the vector, best first; with `among`, only in these messages."""
        for known in (self._generations.get, self._load_generation):
            line = known(generation)
            if line is not None:
                _check(vector, line)
                asked = find_nearest(partition_key(scope), line, vector, limit, among)
                call = _call(scope, generation, vector, limit, among)
                found = self._prefetcher.ask(call, ReadRequest(scope, asked), lambda a=asked: self._run_alone(scope, a))
                if found is not None:
                    return found
        return []

    def _run_alone(self, scope: Scope, asked: PostgresReadOperation[list[VectorMatch] | None]) -> list[VectorMatch] | None:
        return self._store.read(partition_key(scope), partitions.acting_member(scope), asked.run)

    def prefetch(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> None:
        """Register a search that will be needed, if the generation is known already."""
        line = self._generations.get(generation)
        if line is not None and len(vector) == line.dimensions:
            asked = ReadRequest(scope, find_nearest(partition_key(scope), line, vector, limit, among))
            self._prefetcher.prefetch(_call(scope, generation, vector, limit, among), asked)

    def _load_generation(self, generation: str) -> GenerationEntry | None:
        found = self._store.ask(lambda db: db.last(_GENERATION, (generation,)).fetchall())
        if not found:
            self._generations.pop(generation, None)
            return None
        line = self._generations[generation] = GenerationEntry(*found[0])
        return line


def _call(scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None) -> ReadCall:
    return ReadCall("search", (scope, generation, tuple(vector), limit, None if among is None else tuple(among)))


def _check(vector: Sequence[float], line: GenerationEntry) -> None:
    if len(vector) != line.dimensions or not all(map(math.isfinite, vector)):
        raise InvalidInput(f"the question's vector must have {line.dimensions} finite numbers; it has {len(vector)} numbers")


def find_nearest(
    space: PartitionKey, line: GenerationEntry, vector: Sequence[float], limit: int, among: Sequence[int] | None
) -> PostgresReadOperation[list[VectorMatch] | None]:
    """Read the nearest passages; None if the generation no longer exists."""
    length = max(math.sqrt(math.fsum(x * x for x in vector)), 1e-12)
    again = max(RESCORED_PER_RESULT * limit, MIN_RESCORED)
    values = {
        **space._asdict(),
        "generation": line.no,
        "explored": min(max(2 * again, EF_SEARCH_BOUNDS[0]), EF_SEARCH_BOUNDS[1]),
        "vector": binary_values.encode_vector([x / length for x in vector]),
        "among": None if among is None else binary_values.format_bigint_array(among),
        "again": again,
        "limit": max(0, limit),
    }
    only = "" if among is None else " AND v.number = ANY (%(among)s::bigint[])"
    statement = _NEAREST.format(dimensions=line.dimensions, among=only)

    def made(answers: list[list[Row]]) -> list[VectorMatch] | None:
        _, there, found = answers
        return [VectorMatch(*row) for row in found] if there else None

    return PostgresReadOperation(((_SETTINGS, values), (_STILL_THERE, values), (statement, values)), made)
