"""The index that PostgreSQL has itself: passages searched by meaning where they are kept, by pgvector.

Within an owner every passage is compared. A pool or an owner with very many gets a graph of its own (HNSW, a partial index),
made by `graphs.py`; then the search walks that graph, and goes on until enough was found that passes (iterative scan).
What is found is scored again with the vectors as they are stored, so that scores are those of every other index.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.ports import Call, Near
from recollect.storage.postgres import spaces, wire
from recollect.storage.postgres.database import Row
from recollect.storage.postgres.foresight import Foresight, Question
from recollect.storage.postgres.reading import Reading
from recollect.storage.postgres.spaces import Space, whose
from recollect.storage.postgres.transactions import Store
from recollect.types import Scope

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


class Line(NamedTuple):
    """A generation: its number, and how many dimensions its vectors have."""

    no: int
    dimensions: int


class PgvectorIndex:
    """Searches in the storage itself; nothing is held in this process."""

    def __init__(self, store: Store, foresight: Foresight) -> None:
        self._store, self._foresight = store, foresight
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
                call = _call(scope, generation, vector, limit, among)
                found = self._foresight.ask(call, Question(scope, asked), lambda a=asked: self._alone(scope, a))
                if found is not None:
                    return found
        return []

    def _alone(self, scope: Scope, asked: Reading[list[Near] | None]) -> list[Near] | None:
        return self._store.read(whose(scope), spaces.member(scope), asked.run)

    def foresee(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> None:
        """A search that will be wanted; nothing goes along before the generation is known."""
        line = self._lines.get(generation)
        if line is not None and len(vector) == line.dimensions:
            asked = Question(scope, nearest(whose(scope), line, vector, limit, among))
            self._foresight.want(_call(scope, generation, vector, limit, among), asked)

    def _looked_up(self, generation: str) -> Line | None:
        found = self._store.ask(lambda db: db.last(_GENERATION, (generation,)).fetchall())
        if not found:
            self._lines.pop(generation, None)
            return None
        line = self._lines[generation] = Line(*found[0])
        return line


def _call(scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None) -> Call:
    return Call("search", (scope, generation, tuple(vector), limit, None if among is None else tuple(among)))


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
