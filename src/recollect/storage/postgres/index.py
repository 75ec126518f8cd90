"""The index that PostgreSQL has itself: passages searched by meaning where they are kept, by pgvector.

Within an owner every passage is compared. A pool or an owner with very many gets a graph of its own (HNSW, a partial index),
made by `build_graphs`; then the search walks that graph, and goes on until enough was found that passes (iterative scan).
What is found is scored again with the vectors as they are stored, so that scores are those of every other index.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from psycopg.sql import Literal

from recollect.errors import InvalidInput
from recollect.ports import Near
from recollect.storage.postgres import spaces, wire
from recollect.storage.postgres.database import Row
from recollect.storage.postgres.reading import Reading
from recollect.storage.postgres.spaces import Space, whose
from recollect.storage.postgres.transactions import Store
from recollect.types import Scope

LARGE = 50_000
"""Passages of one space from which on a graph is worth its making."""

MOST_DIMENSIONS = 4000
"""A graph of half-precision vectors can have no more."""

AGAIN = 4
"""For each result so many of the half-precision search's best are scored again, and never less than `LEAST`."""
LEAST = 64

EXPLORED = (200, 1000)
"""Places that a walk keeps in mind (hnsw.ef_search): twice as many as are wanted, within these bounds. With fewer it
misses more."""

_GENERATION = "SELECT no, dimensions FROM generations WHERE name = %s AND dimensions > 0"

# A graph belongs to one space, so it is found only by a plan that is made for this very space.
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

_LARGE = f"""
SELECT v.unit, v.space, s.no, g.no, g.dimensions, v.home FROM (
    SELECT unit, space, generation, min(tableoid::regclass::text) AS home FROM vectors
    GROUP BY unit, space, generation HAVING count(*) > {LARGE}) AS v
JOIN spaces AS s ON s.unit = v.unit AND s.space = v.space
JOIN generations AS g ON g.no = v.generation AND g.dimensions <= {MOST_DIMENSIONS}"""
_GRAPHS = """
SELECT c.relname FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i' AND c.relname ~ '^near_'"""


class Line(NamedTuple):
    """A generation: its number, and how many dimensions its vectors have."""

    no: int
    dimensions: int


class PgvectorIndex:
    """Searches in the storage itself; nothing is held in this process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lines: dict[str, Line] = {}

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[Near]:
        """The passages nearest to the vector, best first; with `among` only those of these messages."""
        for known in (self._lines.get, self._looked_up):
            line = known(generation)
            if line is not None:
                _check(vector, line)
                asked = nearest(whose(scope), line, vector, limit, among)
                found = self._store.read(whose(scope), spaces.member(scope), asked.run)
                if found is not None:
                    return found
        return []

    def _looked_up(self, generation: str) -> Line | None:
        found = self._store.ask(lambda db: db.last(_GENERATION, (generation,)).fetchall())
        if not found:
            self._lines.pop(generation, None)
            return None
        line = self._lines[generation] = Line(*found[0])
        return line


def _check(vector: Sequence[float], line: Line) -> None:
    if len(vector) != line.dimensions or not all(map(math.isfinite, vector)):
        raise InvalidInput(f"the question's vector has {len(vector)} numbers; {line.dimensions} finite ones are needed")


def nearest(
    space: Space, line: Line, vector: Sequence[float], limit: int, among: Sequence[int] | None
) -> Reading[list[Near] | None]:
    """The nearest passages; None if the generation is not there any more."""
    length = max(math.sqrt(math.fsum(x * x for x in vector)), 1e-12)
    again = max(AGAIN * limit, LEAST)
    values = {
        **space._asdict(),
        "generation": line.no,
        "explored": min(max(2 * again, EXPLORED[0]), EXPLORED[1]),
        "vector": wire.vector([x / length for x in vector]),
        "among": None if among is None else wire.array(among),
        "again": again,
        "limit": max(0, limit),
    }
    only = "" if among is None else " AND v.number = ANY (%(among)s::bigint[])"
    statement = _NEAREST.format(dimensions=line.dimensions, among=only)

    def made(answers: list[list[Row]]) -> list[Near] | None:
        _, there, found = answers
        return [Near(*row) for row in found] if there else None

    return Reading(((_SETTINGS, values), (_STILL_THERE, values), (statement, values)), made)


def build_graphs(store: Store) -> int:
    """Makes the graphs of large spaces that have none yet, and lets go of those whose space or generation is gone; returns
    how many were made. While one is made, its table can be read and written."""
    known = {name for (name,) in store.ask(lambda db: db.last(_GRAPHS).fetchall())}
    wanted = {f"near_{row[2]}_{row[3]}": row for row in store.ask_all(lambda db: db.last(_LARGE).fetchall())}
    for name in known - wanted.keys():
        store.outside(f"DROP INDEX CONCURRENTLY IF EXISTS {store.source.schema}.{name}")
    for name in wanted.keys() - known:
        unit, space, _, generation, dimensions, home = wanted[name]
        store.outside(
            f"CREATE INDEX CONCURRENTLY {name} ON {home}"
            f" USING hnsw ((vector::halfvec({dimensions})) halfvec_ip_ops)"
            f" WHERE unit = {Literal(unit).as_string()} AND space = {space} AND generation = {generation}"
        )
    return len(wanted.keys() - known)
