"""The queue of embedding and note-taking work: leases, and how far each partition is done.

Saving a message adds nothing to the queue. In every generation, the messages of a partition are embedded in the order of
their numbers, so the waiting ones are those after `work.upto`. One worker at a time holds a lease on a partition. A worker
that looks for one skips those that others are just taking (SKIP LOCKED), so any number of workers share the work.

A notes queue is a generation without dimensions, and uses the same leases. There are no notes on documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from keepsaid.errors import Conflict, NotFound
from keepsaid.ports import ArtifactChanges, EmbeddedPassage, VisibleMessage, WorkLease
from keepsaid.storage.passage_checks import check_passages
from keepsaid.storage.postgres import artifacts, partitions, rows
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.connection.transactions import PostgresConnectionPool
from keepsaid.storage.postgres.partitions import PartitionKey, partition_key
from keepsaid.storage.postgres.search import vectors
from keepsaid.types import Microseconds, Scope

_WAITING = """
SELECT s.unit, s.space, s.no FROM spaces AS s
LEFT JOIN work AS w ON w.unit = s.unit AND w.space = s.space AND w.generation = %(line)s
WHERE {where} AND (s.space = 0 OR %(dimensions)s > 0) AND s.last > coalesce(w.upto, 0) AND EXISTS (
    SELECT 1 FROM messages AS m WHERE m.unit = s.unit AND m.space = s.space AND m.number > coalesce(w.upto, 0))"""
_IS_FREE = " AND (w.holder IS NULL OR w.holder = %(holder)s OR w.until <= %(now)s)"
_ANYONE = f"SELECT EXISTS ({_WAITING.format(where='true')})"
_FREE = _WAITING + _IS_FREE

# The partitions that the worker already holds, then those after the last one it got, then from the start (round robin).
_TURNS = ("w.holder = %(holder)s", "s.no > %(after)s", "s.no <= %(after)s")
_NEXT = "SELECT * FROM ({}) AS turns LIMIT 1".format(
    " UNION ALL ".join(f"SELECT * FROM ({_FREE.format(where=turn)} ORDER BY s.no LIMIT 1{{lock}}) AS t" for turn in _TURNS)
)
_THIS = _FREE.format(where="s.unit = %(unit)s AND s.space = %(space)s") + "{lock}"

_TAKE = f"""
WITH candidate AS MATERIALIZED ({{candidate}}),
taken AS (
    INSERT INTO work AS w (unit, space, generation, upto, holder, until)
    SELECT unit, space, %(line)s, 0, %(holder)s, %(until)s FROM candidate
    ON CONFLICT (unit, space, generation) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE true{_IS_FREE}
    RETURNING unit, space, upto)
SELECT c.unit, c.space, c.no, t.upto, (
        SELECT g.owner FROM grants AS g WHERE g.unit = c.unit AND g.access = 2 ORDER BY g.owner LIMIT 1),
    m.number, coalesce(s.id, ''), {rows.MESSAGE_COLUMNS}
FROM candidate AS c LEFT JOIN taken AS t ON t.unit = c.unit AND t.space = c.space
LEFT JOIN LATERAL (
    SELECT m.* FROM messages AS m WHERE m.unit = t.unit AND m.space = t.space AND m.number > t.upto
    ORDER BY m.number LIMIT %(limit)s) AS m ON true
LEFT JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
LEFT JOIN sessions AS s ON s.unit = b.unit AND s.space = b.space AND s.no = b.session
ORDER BY m.number"""
_NUMBER = 5

_LINE = "SELECT no, dimensions, complete FROM generations WHERE name = %s"

_HELD = """
SELECT g.no, g.dimensions, g.complete FROM generations AS g
JOIN work AS w ON w.unit = %s AND w.space = %s AND w.generation = g.no AND w.upto = %s AND w.holder = %s
JOIN spaces AS s ON s.unit = w.unit AND s.space = w.space AND s.no = %s
WHERE g.name = %s FOR KEY SHARE OF g"""
_DONE = """
UPDATE work SET upto = %s, holder = NULL, until = NULL WHERE unit = %s AND space = %s AND generation = %s"""
_RELEASE = """
UPDATE work AS w SET holder = NULL, until = NULL FROM generations AS g, spaces AS s
WHERE w.unit = %s AND w.space = %s AND w.generation = g.no AND g.name = %s AND w.holder = %s AND w.upto = %s
    AND s.unit = w.unit AND s.space = w.space AND s.no = %s"""

_COUNT_WAITING = """
SELECT CASE WHEN %(space)s = 0 OR g.dimensions > 0 THEN greatest(0, coalesce(
        (SELECT max(number) FROM messages WHERE unit = %(unit)s AND space = %(space)s), 0) - coalesce(w.upto, 0))
    ELSE 0 END
FROM (SELECT) AS one LEFT JOIN generations AS g ON g.name = %(line)s
LEFT JOIN work AS w ON w.unit = %(unit)s AND w.space = %(space)s AND w.generation = g.no"""
_UNNOTED = """
SELECT (SELECT count(*) FROM spaces AS s
    LEFT JOIN work AS w ON w.unit = s.unit AND w.space = s.space AND w.generation = g.no
    JOIN messages AS m ON m.unit = s.unit AND m.space = s.space AND m.number > coalesce(w.upto, 0)
    WHERE s.space = 0)
FROM generations AS g WHERE g.name = %s"""


class WorkLine(NamedTuple):
    """A line of work: a generation of vectors, or a notes queue, which has no dimensions."""

    no: int
    dimensions: int
    complete: bool


class PostgresWorkQueue:
    """Leases the work of one store to workers."""

    def __init__(self, store: PostgresConnectionPool) -> None:
        self._store = store
        self._last_claimed: dict[str, int] = {}

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None
    ) -> WorkLease | None:
        """Lease waiting messages to a worker. Looks for them without a lock first, so that an idle worker writes nothing."""
        line = self._line(generation)
        if line is None:
            raise _unknown_line(generation)
        space = None if scope is None else partition_key(scope)
        values = {
            "line": line.no,
            "dimensions": line.dimensions,
            "holder": holder,
            "now": now,
            "until": until,
            "limit": limit,
            "after": self._last_claimed.get(generation, 0),
            **({} if space is None else space._asdict()),
        }
        while self._any_free(values, scope):
            found = self._take(values, scope)
            if found and found[0][_NUMBER] is not None:
                self._last_claimed[generation] = found[0][2]
                return _task(generation, holder, until, found)
        if scope is None and not line.complete:
            self.complete_if_done(generation)
        return None

    def _any_free(self, values: Values, scope: Scope | None) -> bool:
        if scope is None:
            return bool(self._store.read_all_partitions(lambda db: db.last(_NEXT.format(lock=""), values).fetchall()))
        statement, member = _THIS.format(lock=""), partitions.acting_member(scope)
        return bool(self._store.read(partition_key(scope), member, lambda db: db.last(statement, values).fetchall()))

    def _take(self, values: Values, scope: Scope | None) -> list[Row]:
        """Lease a partition's next messages; the rows have no message if another worker was faster."""
        if scope is None:
            candidate = _NEXT.format(lock=" FOR NO KEY UPDATE OF s SKIP LOCKED")
            return self._store.change_all_partitions(lambda db: _take_lease(db, candidate, values))
        member = partitions.acting_member(scope)
        candidate = _THIS.format(lock="")
        return self._store.change(partition_key(scope), member, 0, lambda db: _take_lease(db, candidate, values))

    def settle(self, task: WorkLease, passages: Sequence[EmbeddedPassage]) -> bool:
        """Store the vectors of the task's messages that still exist and are not private."""
        space = partition_key(task.scope)
        line = self._store.change(space, None, 0, lambda db: _settle(db, space, task, passages))
        if line is not None and not line.complete:
            self.complete_if_done(task.generation)
        return line is not None

    def settle_notes(self, task: WorkLease, settled: ArtifactChanges) -> bool:
        """Store the artifacts made from a task's messages."""
        space = partition_key(task.scope)
        return self._store.change(space, None, 0, lambda db: _settle_notes(db, space, task, settled))

    def release(self, task: WorkLease) -> None:
        """Release a lease."""
        space = partition_key(task.scope)
        values = (*space, task.generation, task.holder, task.after, task.space)
        self._store.change(space, None, 0, lambda db: db.last(_RELEASE, values), harmless=True)

    def begin_notes(self, line: str) -> None:
        """Create a notes queue unless it exists."""
        known = self._line(line)
        if known is None:
            self._store.change_all_partitions(lambda db: _begin_notes(db, line), harmless=True)
        elif known.dimensions:
            raise _name_taken(line)

    def complete_if_done(self, generation: str) -> None:
        """Mark a generation as complete if it covers everything. Checks in a read first: a commit that changes nothing would
        wake the calling worker again and again."""
        line = self._line(generation)
        if line is None or line.complete:
            return
        values = {"line": line.no, "dimensions": line.dimensions}
        if not self._store.read_all_partitions(lambda db: db.last(_ANYONE, values).fetchall())[0][0]:
            done = f"UPDATE generations SET complete = true WHERE no = %(line)s AND NOT ({_ANYONE.removeprefix('SELECT ')})"
            self._store.change_all_partitions(lambda db: db.last(done, values), harmless=True)

    def _line(self, name: str) -> WorkLine | None:
        found = self._store.ask(lambda db: db.last(_LINE, (name,)).fetchall())
        return WorkLine(*found[0]) if found else None


def _take_lease(db: PostgresConnection, candidate: str, values: Values) -> list[Row]:
    found = db.execute(_TAKE.format(candidate=candidate), values).fetchall()
    if found and found[0][3] is not None and found[0][_NUMBER] is None:
        # Another worker settled everything that was waiting between the check and the lease.
        empty = "UPDATE work SET holder = NULL, until = NULL WHERE unit = %s AND space = %s AND generation = %s"
        assert not isinstance(values, Sequence)
        db.execute(empty, (*found[0][:2], values["line"]))
    return found


def _task(generation: str, holder: str, until: Microseconds, found: list[Row]) -> WorkLease:
    unit, space, number, upto, admin = found[0][:_NUMBER]
    messages = [VisibleMessage(row[_NUMBER], rows.message_from_row(row[_NUMBER + 2 :], row[_NUMBER + 1])) for row in found]
    scope = partitions.admin_scope(PartitionKey(unit, space), admin)
    return WorkLease(generation, number, upto, messages[-1].number, messages, holder, until, scope)


def _settle(
    db: PostgresConnection, space: PartitionKey, task: WorkLease, passages: Sequence[EmbeddedPassage]
) -> WorkLine | None:
    row = db.execute(_HELD, (*space, task.after, task.holder, task.space, task.generation)).fetchone()
    line = WorkLine(*row) if row else None
    if line is None or not line.dimensions:
        return None
    check_passages(task, passages, line.dimensions)
    before = "DELETE FROM vectors WHERE unit = %s AND space = %s AND generation = %s AND number > %s AND number <= %s"
    db.together(
        (before, (*space, line.no, task.after, task.upto)),
        *vectors.add_passages(space, line.no, passages),
        (_DONE, (task.upto, *space, line.no)),
        last=True,
    )
    return line


def _settle_notes(db: PostgresConnection, space: PartitionKey, task: WorkLease, settled: ArtifactChanges) -> bool:
    row = db.execute(_HELD, (*space, task.after, task.holder, task.space, task.generation)).fetchone()
    line = WorkLine(*row) if row else None
    if line is None or line.dimensions:
        return False
    db.together(artifacts.keep_statement(space, settled), (_DONE, (task.upto, *space, line.no)), last=True)
    return True


def _begin_notes(db: PostgresConnection, line: str) -> None:
    begun = "INSERT INTO generations (name, dimensions, complete) VALUES (%s, 0, true) ON CONFLICT (name) DO NOTHING"
    _, found = db.together((begun, (line,)), (_LINE, (line,)))
    if WorkLine(*found.fetchall()[0]).dimensions:
        raise _name_taken(line)


def _name_taken(line: str) -> Conflict:
    return Conflict(f"{line!r} is the name of an embedder's vectors: choose another name for the notes")


def count_waiting(space: PartitionKey, generation: str) -> PostgresReadOperation[int]:
    """Read how many of the partition's message numbers come after the last one that is done."""
    return single_statement_read(_COUNT_WAITING, {**space._asdict(), "line": generation}, lambda found: found[0][0])


def count_unnoted(line: str) -> PostgresReadOperation[int]:
    """Read how many messages wait in a notes queue; works across owners."""

    def counted(found: list[Row]) -> int:
        if not found:
            raise _unknown_line(line)
        return found[0][0]

    return single_statement_read(_UNNOTED, (line,), counted)


def _unknown_line(generation: str) -> NotFound:
    return NotFound(f"there is no generation or notes queue {generation!r} in this store")
