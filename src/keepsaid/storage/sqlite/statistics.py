"""Statistics: totals and counts over time. Reads only the rows of the requested time; the totals come from counters."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from keepsaid.ports import StorageFigures
from keepsaid.storage.sqlite import partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.search import time_ranges
from keepsaid.storage.time_steps import TimeStepCounter, TimeStepRange
from keepsaid.types import ChangePosition, Microseconds, Scope
from keepsaid.types.reports import StorageUsage

_MESSAGES = (
    "SELECT (created - ?) / ?, count(*), sum(tokens), sum(octet_length(text) + coalesce(octet_length(extra), 0)"
    " + coalesce(octet_length(metadata), 0)) FROM messages WHERE rid BETWEEN ? AND ? AND created >= ? AND created < ?"
    " GROUP BY 1"
)
_KEPT = (
    "SELECT count(*), coalesce(sum(octet_length(text) + coalesce(octet_length(extra), 0)"
    " + coalesce(octet_length(metadata), 0)), 0) FROM messages WHERE rid > ? AND rid <= ?"
)
_TAKEN_AWAY = "SELECT 1 FROM changes WHERE owner = ? AND number > ? AND kind IN ('erased', 'marked') LIMIT 1"
MAX_CACHED_PARTITIONS = 10_000
_SUMMARIES = (
    "SELECT session, created, coalesce(iif(json_valid(data), data ->> '$.nth', NULL), 1) FROM artifacts"
    " WHERE rid >> 32 = ? AND kind = 0"
)
_PROMPTS = (
    "SELECT created, data ->> '$.ms', data ->> '$.tokens', data ->> '$.reused'"
    " FROM (SELECT created, iif(json_valid(data), data, NULL) AS data FROM receipts"
    "       WHERE rid >> 32 = ? AND created >= ? AND created < ?)"
)


def count_figures(
    db: SqliteConnection, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds
) -> StorageFigures:
    """Return the figures of one partition, or of all."""
    owners = _all(db) if scope is None else [partitions.find_partition(db, scope)]
    steps = TimeStepCounter(TimeStepRange(since, until, step))
    totals: dict[str, int] = defaultdict(int)
    for owner in owners:
        _add_sessions(db, owner, steps, totals)
        _add_messages(db, owner, steps)
        _add_summaries(db, owner, steps)
        for prompt in db.execute(_PROMPTS, (owner, since, until)):
            steps.add_prompt(*prompt)
    return StorageFigures(
        totals["owners"], totals["0"], totals["1"], totals["2"], totals["messages"], totals["tokens"], totals["facts"],
        totals["documents"], db.pragma("page_count") * db.pragma("page_size"), steps.build_steps(),
    )  # fmt: skip


class SqliteCachedUsage(NamedTuple):
    """The number and size of a partition's messages at a position of its change feed."""

    mark: ChangePosition = ChangePosition()
    messages: int = 0
    size: int = 0


class SqliteUsageCache:
    """Computes what partitions use, incrementally: messages are counted once, unless some were removed or changed since."""

    def __init__(self) -> None:
        self._known: dict[int, SqliteCachedUsage] = {}

    def get_usage(self, db: SqliteConnection, scope: Scope) -> StorageUsage:
        """Return the usage of one partition, including its documents."""
        owner = partitions.find_partition(db, scope)
        ((sessions,),) = db.execute("SELECT count(*) FROM sessions WHERE owner = ? AND status < 3", (owner,)).fetchall()
        # Looked up by the scope: an owner with documents may have no conversations.
        documents_space = partitions.find_partition(db, scope._replace(documents=True))
        own, documents = self._count(db, owner), self._count(db, documents_space)
        return StorageUsage(sessions, own.messages, own.size + documents.size)

    def _count(self, db: SqliteConnection, owner: int) -> SqliteCachedUsage:
        last = partitions.last_position(db, owner)
        known = self._known.get(owner, SqliteCachedUsage())
        if known.mark.life != last.life or db.execute(_TAKEN_AWAY, (owner, known.mark.changes)).fetchone():
            known = SqliteCachedUsage()
        low, high = partitions.rid_range(owner)
        ((messages, size),) = db.execute(_KEPT, (low + known.mark.messages, high)).fetchall()
        if len(self._known) >= MAX_CACHED_PARTITIONS:
            self._known.clear()
        updated = self._known[owner] = SqliteCachedUsage(last, known.messages + messages, known.size + size)
        return updated


def _all(db: SqliteConnection) -> list[int]:
    """Return all partitions except those of documents, which are counted with them."""
    return [number for (number,) in db.execute("SELECT no FROM owners WHERE kind < ?", (partitions.DOCUMENTS_OFFSET,))]


def _add_sessions(db: SqliteConnection, owner: int, steps: TimeStepCounter, totals: dict[str, int]) -> None:
    """Add the current sessions, using their counters of messages and tokens."""
    known = "SELECT status, count(*), sum(messages), sum(tokens) FROM sessions WHERE owner = ? AND status < 3 GROUP BY 1"
    there = 0
    for status, sessions, messages, tokens in db.execute(known, (owner,)):
        there += sessions
        totals[str(status)] += sessions
        if status < 2:
            totals["messages"] += messages
            totals["tokens"] += tokens
    totals["owners"] += bool(there)
    begun = "SELECT created FROM sessions WHERE owner = ? AND status < 2 AND created >= ? AND created < ?"
    for (created,) in db.execute(begun, (owner, steps.time_range.since, steps.time_range.until)):
        steps.add_at(created, sessions=1)
    facts = "SELECT count(*) FROM artifacts WHERE rid >> 32 = ? AND kind = 1 AND valid_to IS NULL"
    totals["facts"] += db.execute(facts, (owner,)).fetchall()[0][0]
    documents = "SELECT count(*) FROM sessions WHERE owner = ? AND status = 0"
    totals["documents"] += db.execute(documents, (partitions.find_documents_space(db, owner),)).fetchall()[0][0]


def _add_messages(db: SqliteConnection, owner: int, steps: TimeStepCounter) -> None:
    since, until, step = steps.time_range
    for first, last in _joined(time_ranges.find_row_ranges(db, owner, since, until)):
        for at, messages, tokens, size in db.execute(_MESSAGES, (since, step, first, last, since, until)):
            steps.add(at, messages=messages, tokens=tokens, bytes=size)


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge adjacent ranges of rows, so that a busy month is read as one range."""
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        if joined and first == joined[-1][1] + 1:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return joined


def _add_summaries(db: SqliteConnection, owner: int, steps: TimeStepCounter) -> None:
    by_session: dict[int, list[tuple[Microseconds, int]]] = defaultdict(list)
    for session, created, nth in db.execute(_SUMMARIES, (owner,)):
        by_session[session].append((created, nth if isinstance(nth, int) else 1))
    for made in by_session.values():
        steps.add_summaries(made)
