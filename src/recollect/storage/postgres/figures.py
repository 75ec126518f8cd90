"""Figures: what there is, and what happened when. Reads the rows of the time asked for, and counters for the rest."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from recollect.ports import Counted
from recollect.reports import Usage
from recollect.storage.postgres.database import Row, Values
from recollect.storage.postgres.reading import Reading
from recollect.storage.postgres.spaces import Space
from recollect.storage.steps import Span, Steps
from recollect.types import Mark, Microseconds

_SIZE = "octet_length(m.text) + coalesce(octet_length(m.extra), 0) + coalesce(octet_length(m.metadata), 0)"
_OF_ONE, _OF_ALL = "unit = %(unit)s AND space = %(space)s", "space = 0"
_SHELF_OF_ONE, _SHELF_OF_ALL = "unit = %(unit)s AND space = 1", "space = 1"
_THEN = "created >= %(since)s AND created < %(until)s"
_STEP = "(created - %(since)s) / %(step)s"

_SESSIONS = """
SELECT status, count(*), sum(messages)::bigint, sum(tokens)::bigint FROM sessions WHERE {where} AND status < 3 GROUP BY 1"""
_OWNERS = "SELECT count(DISTINCT unit) FROM sessions WHERE {where} AND status < 3"
_BEGUN = f"SELECT {_STEP}, count(*) FROM sessions WHERE {{where}} AND status < 2 AND {_THEN} GROUP BY 1"
_MESSAGES = f"""
SELECT {_STEP}, count(*), sum(tokens)::bigint, sum({_SIZE})::bigint FROM messages AS m
WHERE {{where}} AND {_THEN} GROUP BY 1"""
_SUMMARIES = """
SELECT unit, session, created, coalesce(data::jsonb -> 'nth', '1') FROM artifacts WHERE {where} AND kind = 0"""
_PROMPTS = f"""
SELECT created, data::jsonb -> 'ms', data::jsonb -> 'tokens', data::jsonb -> 'reused' FROM receipts
WHERE {{where}} AND {_THEN}"""
_FACTS = "SELECT count(*) FROM artifacts WHERE {where} AND kind = 1 AND valid_to IS NULL"
_DOCUMENTS = "SELECT count(*) FROM sessions WHERE {shelf} AND status = 0"
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
SPACES_KNOWN = 10_000


def counted(space: Space | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Reading[Counted]:
    """The figures of one space, or of all."""
    values: Values = {**(space._asdict() if space else {}), "since": since, "until": until, "step": step}
    where, shelf = (_OF_ONE, _SHELF_OF_ONE) if space else (_OF_ALL, _SHELF_OF_ALL)
    span = Span(since, until, step)
    statements = tuple((statement.format(where=where, shelf=shelf), values) for statement in _ALL)
    return Reading(statements, lambda answers: _counted(span, answers))


def _counted(span: Span, answers: list[list[Row]]) -> Counted:
    sessions, owners, begun, messages, summaries, prompts, facts, documents, size = answers
    steps = Steps(span)
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
    by_status = {status: (count, said, tokens) for status, count, said, tokens in sessions}
    active, archived, deleted = (by_status.get(status, (0, 0, 0)) for status in range(3))
    return Counted(
        owners[0][0], active[0], archived[0], deleted[0], active[1] + archived[1], active[2] + archived[2], facts[0][0],
        documents[0][0], size[0][0], steps.made(),
    )  # fmt: skip


class Kept(NamedTuple):
    """How many messages a space had at a mark, and what they took."""

    mark: Mark = Mark()
    messages: int = 0
    size: int = 0


class Usages:
    """Counts what spaces have. What was counted once is not looked at again, unless something of it went since."""

    def __init__(self) -> None:
        self._known: dict[Space, Kept] = {}

    def of(self, space: Space) -> Reading[Usage]:
        """What one space and its shelf have."""
        both = (space, space._replace(space=1))
        known = [self._known.get(one, Kept()) for one in both]
        statements = ((_LISTED, space), *((_KEPT, _values(*one)) for one in zip(both, known, strict=True)))

        def made(answers: list[list[Row]]) -> Usage:
            own, shelf = (self._kept(*one) for one in zip(both, known, answers[1:], strict=True))
            return Usage(answers[0][0][0], own.messages, own.size + shelf.size)

        return Reading(statements, made)

    def _kept(self, space: Space, before: Kept, answer: list[Row]) -> Kept:
        if not answer:
            return Kept()
        ((life, last, changes, fresh, messages, size),) = answer
        known = Kept() if fresh else before
        if len(self._known) >= SPACES_KNOWN:
            self._known.clear()
        made = self._known[space] = Kept(Mark(last, changes, life), known.messages + messages, known.size + size)
        return made


def _values(space: Space, known: Kept) -> Values:
    return {**space._asdict(), **known.mark._asdict()}
