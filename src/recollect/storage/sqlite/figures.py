"""Figures: what there is, and what happened when. Reads the rows of the time asked for, and counters for the rest."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from recollect.ports import Counted
from recollect.reports import Usage
from recollect.storage.sqlite import spaces, stretches
from recollect.storage.sqlite.database import Database
from recollect.storage.steps import Span, Steps
from recollect.types import Mark, Microseconds, Scope

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
SPACES_KNOWN = 10_000
_SUMMARIES = (
    "SELECT session, created, coalesce(iif(json_valid(data), data ->> '$.nth', NULL), 1) FROM artifacts"
    " WHERE rid >> 32 = ? AND kind = 0"
)
_PROMPTS = (
    "SELECT created, data ->> '$.ms', data ->> '$.tokens', data ->> '$.reused'"
    " FROM (SELECT created, iif(json_valid(data), data, NULL) AS data FROM receipts"
    "       WHERE rid >> 32 = ? AND created >= ? AND created < ?)"
)


def counted(db: Database, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
    """The figures of one space, or of all."""
    owners = _all(db) if scope is None else [spaces.space(db, scope)]
    steps = Steps(Span(since, until, step))
    totals: dict[str, int] = defaultdict(int)
    for owner in owners:
        _add_sessions(db, owner, steps, totals)
        _add_messages(db, owner, steps)
        _add_summaries(db, owner, steps)
        for prompt in db.execute(_PROMPTS, (owner, since, until)):
            steps.add_prompt(*prompt)
    return Counted(
        totals["owners"], totals["0"], totals["1"], totals["2"], totals["messages"], totals["tokens"], totals["facts"],
        totals["documents"], db.pragma("page_count") * db.pragma("page_size"), steps.made(),
    )  # fmt: skip


class Kept(NamedTuple):
    """How many messages a space had at a mark, and what they took."""

    mark: Mark = Mark()
    messages: int = 0
    size: int = 0


class Usages:
    """Counts what spaces have. What was counted once is not looked at again, unless something of it went since."""

    def __init__(self) -> None:
        self._known: dict[int, Kept] = {}

    def of(self, db: Database, scope: Scope) -> Usage:
        """What one space and its shelf have."""
        owner = spaces.space(db, scope)
        ((sessions,),) = db.execute("SELECT count(*) FROM sessions WHERE owner = ? AND status < 3", (owner,)).fetchall()
        own, shelf = self._kept(db, owner), self._kept(db, spaces.shelf_of(db, owner))
        return Usage(sessions, own.messages, own.size + shelf.size)

    def _kept(self, db: Database, owner: int) -> Kept:
        last = spaces.last_mark(db, owner)
        known = self._known.get(owner, Kept())
        if known.mark.life != last.life or db.execute(_TAKEN_AWAY, (owner, known.mark.changes)).fetchone():
            known = Kept()
        low, high = spaces.rid_range(owner)
        ((messages, size),) = db.execute(_KEPT, (low + known.mark.messages, high)).fetchall()
        if len(self._known) >= SPACES_KNOWN:
            self._known.clear()
        made = self._known[owner] = Kept(last, known.messages + messages, known.size + size)
        return made


def _all(db: Database) -> list[int]:
    """Everybody's spaces but their shelves, which are looked at with them."""
    return [number for (number,) in db.execute("SELECT no FROM owners WHERE kind < ?", (spaces.SHELF,))]


def _add_sessions(db: Database, owner: int, steps: Steps, totals: dict[str, int]) -> None:
    """The sessions as they are now; their counters say how long they are."""
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
    for (created,) in db.execute(begun, (owner, steps.span.since, steps.span.until)):
        steps.add_at(created, sessions=1)
    facts = "SELECT count(*) FROM artifacts WHERE rid >> 32 = ? AND kind = 1 AND valid_to IS NULL"
    totals["facts"] += db.execute(facts, (owner,)).fetchall()[0][0]
    documents = "SELECT count(*) FROM sessions WHERE owner = ? AND status = 0"
    totals["documents"] += db.execute(documents, (spaces.shelf_of(db, owner),)).fetchall()[0][0]


def _add_messages(db: Database, owner: int, steps: Steps) -> None:
    since, until, step = steps.span
    for first, last in _joined(stretches.during(db, owner, since, until)):
        for at, messages, tokens, size in db.execute(_MESSAGES, (since, step, first, last, since, until)):
            steps.add(at, messages=messages, tokens=tokens, bytes=size)


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of rows with those put together that follow on each other: a busy month is one of them."""
    made: list[tuple[int, int]] = []
    for first, last in ranges:
        if made and first == made[-1][1] + 1:
            made[-1] = made[-1][0], last
        else:
            made.append((first, last))
    return made


def _add_summaries(db: Database, owner: int, steps: Steps) -> None:
    by_session: dict[int, list[tuple[Microseconds, int]]] = defaultdict(list)
    for session, created, nth in db.execute(_SUMMARIES, (owner,)):
        by_session[session].append((created, nth if isinstance(nth, int) else 1))
    for made in by_session.values():
        steps.add_summaries(made)
