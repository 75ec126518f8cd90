"""Statistics: totals, and activity over time. Reads the rows of the requested time range, and counters for the rest."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from keepsaid.ports import StorageFigures
from keepsaid.storage.postgres.connection.database import Row, Values
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.time_steps import TimeStepCounter, TimeStepRange
from keepsaid.types import ChangePosition, Microseconds
from keepsaid.types.reports import StorageUsage

_SIZE = "octet_length(m.text) + coalesce(octet_length(m.extra), 0) + coalesce(octet_length(m.metadata), 0)"
_IN_PARTITION, _IN_ALL = "unit = %(unit)s AND space = %(space)s", "space = 0"
_DOCUMENTS_IN_PARTITION, _DOCUMENTS_IN_ALL = "unit = %(unit)s AND space = 1", "space = 1"
_IN_TIME_RANGE = "created >= %(since)s AND created < %(until)s"
_STEP = "(created - %(since)s) / %(step)s"

_SESSIONS = """
SELECT status, count(*), sum(messages)::bigint, sum(tokens)::bigint FROM sessions WHERE {where} AND status < 3 GROUP BY 1"""
_OWNERS = "SELECT count(DISTINCT unit) FROM sessions WHERE {where} AND status < 3"
_BEGUN = f"SELECT {_STEP}, count(*) FROM sessions WHERE {{where}} AND status < 2 AND {_IN_TIME_RANGE} GROUP BY 1"
_MESSAGES = f"""
SELECT {_STEP}, count(*), sum(tokens)::bigint, sum({_SIZE})::bigint FROM messages AS m
WHERE {{where}} AND {_IN_TIME_RANGE} GROUP BY 1"""
_SUMMARIES = """
SELECT unit, session, created, coalesce(data::jsonb -> 'nth', '1') FROM artifacts WHERE {where} AND kind = 0"""
_PROMPTS = f"""
SELECT created, data::jsonb -> 'ms', data::jsonb -> 'tokens', data::jsonb -> 'reused' FROM receipts
WHERE {{where}} AND {_IN_TIME_RANGE}"""
_FACTS = "SELECT count(*) FROM artifacts WHERE {where} AND kind = 1 AND valid_to IS NULL"
_DOCUMENTS = "SELECT count(*) FROM sessions WHERE {documents} AND status = 0"
_WHOLE = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"""
_ALL = (_SESSIONS, _OWNERS, _BEGUN, _MESSAGES, _SUMMARIES, _PROMPTS, _FACTS, _DOCUMENTS, _WHOLE)

_KEPT = f"""
SELECT s.life, s.last, s.changes, f.fresh, k.messages, k.size FROM spaces AS s
CROSS JOIN LATERAL (SELECT s.life <> %(life)s OR EXISTS (
    SELECT 1 FROM changes AS c WHERE c.unit = %(unit)s AND c.space = %(space)s AND c.number > %(changes)s
        AND c.kind IN ('erased', 'marked')) AS fresh) AS f
CROSS JOIN LATERAL (
    SELECT count(*) AS messages, coalesce(sum({_SIZE}), 0)::bigint AS size FROM messages AS m
    WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.number > CASE WHEN f.fresh THEN 0 ELSE %(messages)s END) AS k
WHERE s.unit = %(unit)s AND s.space = %(space)s"""
_LISTED = "SELECT count(*) FROM sessions WHERE unit = %s AND space = %s AND status < 3"
MAX_CACHED_PARTITIONS = 10_000


def count_figures(
    space: PartitionKey | None, since: Microseconds, until: Microseconds, step: Microseconds
) -> PostgresReadOperation[StorageFigures]:
    """Read the statistics of one partition, or of all."""
    values: Values = {**(space._asdict() if space else {}), "since": since, "until": until, "step": step}
    where, documents_space = (_IN_PARTITION, _DOCUMENTS_IN_PARTITION) if space else (_IN_ALL, _DOCUMENTS_IN_ALL)
    span = TimeStepRange(since, until, step)
    statements = tuple((statement.format(where=where, documents=documents_space), values) for statement in _ALL)
    return PostgresReadOperation(statements, lambda answers: _counted(span, answers))


def _counted(span: TimeStepRange, answers: list[list[Row]]) -> StorageFigures:
    sessions, owners, begun, messages, summaries, prompts, facts, documents, size = answers
    steps = TimeStepCounter(span)
    for at, count in begun:
        steps.add(at, sessions=count)
    for at, count, tokens, bytes in messages:
        steps.add(at, messages=count, tokens=tokens, bytes=bytes)
    by_session: dict[tuple[str, int], list[tuple[Microseconds, int]]] = defaultdict(list)
    for unit, session, created, nth in summaries:
        by_session[unit, session].append((created, nth if isinstance(nth, int) else 1))
    for made in by_session.values():
        steps.add_summaries(made)
    for prompt in prompts:
        steps.add_prompt(*prompt)
    by_status = {status: (count, messages, tokens) for status, count, messages, tokens in sessions}
    active, archived, deleted = (by_status.get(status, (0, 0, 0)) for status in range(3))
    return StorageFigures(
        owners[0][0], active[0], archived[0], deleted[0], active[1] + archived[1], active[2] + archived[2], facts[0][0],
        documents[0][0], size[0][0], steps.build_steps(),
    )  # fmt: skip


class PostgresCachedUsage(NamedTuple):
    """The message count and size of a partition at a position."""

    mark: ChangePosition = ChangePosition()
    messages: int = 0
    size: int = 0


class PostgresUsageCache:
    """Counts messages and sizes of partitions. Only messages since the last count are read, unless some were erased."""

    def __init__(self) -> None:
        self._known: dict[PartitionKey, PostgresCachedUsage] = {}

    def get_usage(self, space: PartitionKey) -> PostgresReadOperation[StorageUsage]:
        """Read the usage of a partition with its documents."""
        both = (space, space._replace(space=1))
        known = [self._known.get(one, PostgresCachedUsage()) for one in both]
        statements = ((_LISTED, space), *((_KEPT, _values(*one)) for one in zip(both, known, strict=True)))

        def made(answers: list[list[Row]]) -> StorageUsage:
            own, documents_space = (self._kept(*one) for one in zip(both, known, answers[1:], strict=True))
            return StorageUsage(answers[0][0][0], own.messages, own.size + documents_space.size)

        return PostgresReadOperation(statements, made)

    def _kept(self, space: PartitionKey, before: PostgresCachedUsage, answer: list[Row]) -> PostgresCachedUsage:
        if not answer:
            return PostgresCachedUsage()
        ((life, last, changes, fresh, messages, size),) = answer
        known = PostgresCachedUsage() if fresh else before
        if len(self._known) >= MAX_CACHED_PARTITIONS:
            self._known.clear()
        made = self._known[space] = PostgresCachedUsage(
            ChangePosition(last, changes, life), known.messages + messages, known.size + size
        )
        return made


def _values(space: PartitionKey, known: PostgresCachedUsage) -> Values:
    return {**space._asdict(), **known.mark._asdict()}
