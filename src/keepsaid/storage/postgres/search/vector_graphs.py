"""Graphs of large partitions: with very many passages, a vector search walks a graph (HNSW) instead of comparing them all.

Each graph is a partial index for one partition and one generation of vectors. It is built without blocking reads and writes
(CONCURRENTLY), which PostgreSQL allows only outside transactions. An interrupted build leaves an invalid index, which slows
down writes without any use: it is dropped and built again.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import NamedTuple

from psycopg.sql import Literal

from keepsaid.storage.postgres.connection.errors import translated_errors
from keepsaid.storage.postgres.connection.source import Connection, connect, run_statements
from keepsaid.storage.postgres.connection.transactions import PostgresConnectionPool

MIN_PASSAGES = 50_000
"""Passages of one partition above which a graph is built. It is dropped below half of that."""

TOKENS_PER_PASSAGE = 30
"""The least number of tokens per further passage of a message: with it, counters give an upper bound of the passages."""

MAX_DIMENSIONS = 4000
"""The most dimensions that pgvector supports in a graph of half-precision vectors."""

CHECK_INTERVAL = 600.0
"""Seconds between two checks of a process: partitions take days to become so large."""

_IS_TABLE_OWNER = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'vectors'::regclass"

_LARGE = """
SELECT s.unit, s.space, s.no, g.no, g.dimensions, v.home, v.passages
FROM spaces AS s CROSS JOIN generations AS g CROSS JOIN LATERAL (
    SELECT min(v.tableoid::regclass::text) AS home, count(*) AS passages FROM vectors AS v
    WHERE v.unit = s.unit AND v.space = s.space AND v.generation = g.no) AS v
WHERE s.messages + s.tokens / %(passage)s > %(least)s AND g.dimensions BETWEEN 1 AND %(most)s AND v.passages > %(least)s"""
_KNOWN = """
SELECT c.relname, i.indisvalid FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relname ~ '^near_[0-9]+_[0-9]+$'"""


class HnswGraph(NamedTuple):
    """A graph that a partition should have, or may keep."""

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
    def create_statement(self) -> str:
        """The statement that builds the graph."""
        return (
            f"CREATE INDEX CONCURRENTLY {self.name} ON {self.table}"
            f" USING hnsw ((vector::halfvec({self.dimensions})) halfvec_ip_ops)"
            f" WHERE unit = {Literal(self.unit).as_string()} AND space = {self.space} AND generation = {self.generation}"
        )


class HnswGraphManager:
    """The graphs of one store."""

    def __init__(self, store: PostgresConnectionPool) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._next = 0.0

    def maintain(self) -> int:
        """Build and drop graphs as needed, unless this process did so recently; return how many were built."""
        with self._lock:
            if time.monotonic() < self._next:
                return 0
            self._next = time.monotonic() + CHECK_INTERVAL
        return build_graphs(self._store)

    def check_next_time(self) -> None:
        """Check the graphs at the next call: the definition of an erased owner's graph contains the owner's name."""
        with self._lock:
            self._next = 0.0


class HnswGraphPlan(NamedTuple):
    """The names of graphs to drop, and the graphs to build."""

    to_drop: list[str]
    to_create: list[HnswGraph]


def build_graphs(store: PostgresConnectionPool) -> int:
    """Build the missing graphs of large partitions, and drop useless ones; return how many were built. One process at a time
    does this, and only as the owner of the tables, as PostgreSQL requires."""
    is_owner = store.ask(lambda db: db.last(_IS_TABLE_OWNER).fetchall()) == [(True,)]
    if not is_owner or not any(_plan(store)):
        return 0
    with translated_errors(), closing(connect(store.source)) as connection:
        run_statements(connection, f"SET search_path TO {store.source.schema}, {store.extensions}")
        run_statements(connection, "SET statement_timeout = 0")
        # Do not wait for this lock: building an index waits for open transactions, so a waiting one would deadlock.
        name = f"keepsaid graphs:{store.source.schema}"
        if run_statements(connection, "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (name,)) != [(True,)]:
            return 0
        built = _apply_plan(_plan(store), connection)
        # The server ends a closed connection, and with it the lock, only some time later.
        run_statements(connection, "SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (name,))
        return built


def _plan(store: PostgresConnectionPool) -> HnswGraphPlan:
    """The graphs to drop and to build. An invalid index is either being built or was left by an interrupted build; only the
    holder of the lock can tell."""
    values = {"passage": TOKENS_PER_PASSAGE, "least": MIN_PASSAGES // 2, "most": MAX_DIMENSIONS}
    large, known = store.read_all_partitions(
        lambda db: [rows.fetchall() for rows in db.together((_LARGE, values), (_KNOWN, ()), last=True)]
    )
    graphs = [HnswGraph(*row) for row in large]
    useful = {name for name, is_valid in known if is_valid} & {graph.name for graph in graphs}
    return HnswGraphPlan(
        [name for name, _ in known if name not in useful],
        [graph for graph in graphs if graph.passages > MIN_PASSAGES and graph.name not in useful],
    )


def _apply_plan(plan: HnswGraphPlan, connection: Connection) -> int:
    for name in plan.to_drop:
        run_statements(connection, f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
    for graph in plan.to_create:
        run_statements(connection, graph.create_statement)
    return len(plan.to_create)
