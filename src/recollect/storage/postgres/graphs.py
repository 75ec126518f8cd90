"""Graphs of large spaces: in an owner or pool with very many passages, a search by meaning walks a graph (HNSW) instead of
comparing them all.

Each is a partial index for one space and one generation of vectors. It is made beside reading and writing (CONCURRENTLY),
which PostgreSQL can do outside of transactions only. Whoever is interrupted in that leaves an index that is not valid: it is
of no use, costs every writer, and is made again.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import NamedTuple

from psycopg.sql import Literal

from recollect.storage.postgres.connection import Connection, connect, run
from recollect.storage.postgres.faults import speaking_plainly
from recollect.storage.postgres.transactions import Store

LARGE = 50_000
"""Passages of one space from which on a graph is worth its making. It is let go below half of that."""

PASSAGE = 30
"""Tokens by which two passages of one message differ, at the least: so a space's counters tell how many it can have."""

MOST_DIMENSIONS = 4000
"""A graph of half-precision vectors can have no more."""

SELDOM = 600.0
"""Seconds between two looks of a process: what needs a graph needs days to become so large."""

_MAY = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'vectors'::regclass"

_LARGE = """
SELECT s.unit, s.space, s.no, g.no, g.dimensions, v.home, v.passages
FROM spaces AS s CROSS JOIN generations AS g CROSS JOIN LATERAL (
    SELECT min(v.tableoid::regclass::text) AS home, count(*) AS passages FROM vectors AS v
    WHERE v.unit = s.unit AND v.space = s.space AND v.generation = g.no) AS v
WHERE s.messages + s.tokens / %(passage)s > %(least)s AND g.dimensions BETWEEN 1 AND %(most)s AND v.passages > %(least)s"""
_KNOWN = """
SELECT c.relname, i.indisvalid FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relname ~ '^near_[0-9]+_[0-9]+$'"""


class Graph(NamedTuple):
    """A graph that a space should have, or may keep."""

    unit: str
    space: int
    space_number: int
    generation: int
    dimensions: int
    table: str
    passages: int

    @property
    def name(self) -> str:
        return f"near_{self.space_number}_{self.generation}"

    @property
    def making(self) -> str:
        """The statement that makes it."""
        return (
            f"CREATE INDEX CONCURRENTLY {self.name} ON {self.table}"
            f" USING hnsw ((vector::halfvec({self.dimensions})) halfvec_ip_ops)"
            f" WHERE unit = {Literal(self.unit).as_string()} AND space = {self.space} AND generation = {self.generation}"
        )


class Graphs:
    """The graphs of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._next = 0.0

    def keep_up(self) -> int:
        """Looks after the graphs, unless this process has done so lately; returns how many were made."""
        with self._lock:
            if time.monotonic() < self._next:
                return 0
            self._next = time.monotonic() + SELDOM
        return build_graphs(self._store)

    def look_soon(self) -> None:
        """Somebody was erased. If he had a graph, it names him: the next time, it is looked at."""
        with self._lock:
            self._next = 0.0


class Plan(NamedTuple):
    """What is to be done: graphs that go, by their names, and those that come."""

    going: list[str]
    coming: list[Graph]


def build_graphs(store: Store) -> int:
    """Makes the graphs of large spaces that have none, and lets go of those that are of no use; returns how many were made.
    One process at a time does so, and only as the owner of the tables: PostgreSQL lets nobody else."""
    is_owner = store.ask(lambda db: db.last(_MAY).fetchall()) == [(True,)]
    if not is_owner or not any(_plan(store)):
        return 0
    with speaking_plainly(), closing(connect(store.source)) as connection:
        run(connection, f"SET search_path TO {store.source.schema}, {store.extensions}")
        run(connection, "SET statement_timeout = 0")
        # Nobody waits for this lock: whoever did would be waited for, in turn, by the making of an index.
        name = f"recollect graphs:{store.source.schema}"
        if run(connection, "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (name,)) == [(True,)]:
            return _carried_out(_plan(store), connection)
    return 0


def _plan(store: Store) -> Plan:
    """What is to be done by now. An index that is not valid is being made, or was left behind: who has the lock knows."""
    values = {"passage": PASSAGE, "least": LARGE // 2, "most": MOST_DIMENSIONS}
    large, known = store.ask_all(
        lambda db: [rows.fetchall() for rows in db.together((_LARGE, values), (_KNOWN, ()), last=True)]
    )
    graphs = [Graph(*row) for row in large]
    useful = {name for name, is_valid in known if is_valid} & {graph.name for graph in graphs}
    return Plan(
        [name for name, _ in known if name not in useful],
        [graph for graph in graphs if graph.passages > LARGE and graph.name not in useful],
    )


def _carried_out(plan: Plan, connection: Connection) -> int:
    for name in plan.going:
        run(connection, f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
    for graph in plan.coming:
        run(connection, graph.making)
    return len(plan.coming)
