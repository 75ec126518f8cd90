"""What happened since: new messages by their number, everything else by the list of changes, in one order."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.storage.feed import Entry, cannot_go_on, merged
from recollect.storage.postgres import rows, spaces
from recollect.storage.postgres.database import Database
from recollect.storage.postgres.spaces import Space
from recollect.types import Change, Mark, Scope

_LAST = "SELECT last, changes, life FROM spaces WHERE unit = %s AND space = %s"
_SAID = f"""
SELECT m.number, s.id, {rows.MESSAGE} FROM messages AS m
JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
JOIN sessions AS s ON s.unit = m.unit AND s.space = m.space AND s.no = b.session
WHERE m.unit = %s AND m.space = %s AND m.number > %s AND s.status < 2 ORDER BY m.number LIMIT %s"""
_ELSE = """
SELECT messages, number, kind, session, message FROM changes
WHERE unit = %s AND space = %s AND number > %s ORDER BY number LIMIT %s"""
_LAST_OF_MANY = """
SELECT w.place, coalesce(p.last, 0), coalesce(p.changes, 0), coalesce(p.life, 0)
FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::text[]) AS w (place, unit, space, member)
LEFT JOIN spaces AS p ON p.unit = w.unit AND p.space = w.space
WHERE w.member IS NULL OR EXISTS (SELECT 1 FROM grants AS g WHERE g.unit = w.unit AND g.owner = w.member)"""


def changes(db: Database, space: Space, since: Mark, limit: int) -> tuple[list[Change], Mark]:
    """The next changes behind a mark, each with its own, and the mark behind them."""
    found, said, others = db.together(
        (_LAST, space),
        (_SAID, (*space, since.messages, limit + 1)),
        (_ELSE, (*space, since.changes, limit + 1)),
        last=True,
    )
    row = found.fetchone()
    last = Mark(*row) if row else Mark()
    if cannot_go_on(since, last):
        return [Change("reset", mark=last)], last
    entries: list[Entry] = []
    for number, session, *row in said:
        message = rows.message(tuple(row), session)
        entries.append(Entry(number, 0, Change("message", session, message.id, message)))
    for messages, number, kind, session, message in others:
        entries.append(Entry(messages, number, Change(kind, session, message)))
    return merged(entries, since, last, limit)


def last_marks(db: Database, scopes: Sequence[Scope]) -> list[Mark | None]:
    """How far each has come, in one statement: a thousand may be watched."""
    where = [spaces.whose(scope) for scope in scopes]
    values = (
        list(range(len(scopes))), [space.unit for space in where], [space.space for space in where],
        [spaces.member(scope) for scope in scopes],
    )  # fmt: skip
    found = {place: Mark(*mark) for place, *mark in db.last(_LAST_OF_MANY, values)}
    return [found.get(place) for place in range(len(scopes))]
