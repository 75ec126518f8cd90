"""Finds the session that somebody means: by its id, a piece of it, or its title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.cli.text import fitted, printable
from recollect.errors import InvalidInput, NotFound
from recollect.types import Session

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.memory import Memory

PAGE = 1000
SHORT = 6
"""Characters of an id's end that tell sessions apart: the random ones; it begins with the time."""
LONGEST = 16
"""Characters of an id that somebody chose himself."""
_MADE = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SHOWN = 3


def short(id: str) -> str:
    """An id as lists show it.

    >>> short("019a8f3b2c4d5e6f708192a3b4c5d6e7"), short("trip-to-lisbon")
    ('…c5d6e7', 'trip-to-lisbon')
    """
    return "…" + id[-SHORT:] if _MADE.fullmatch(id) else fitted(printable(id), LONGEST)


def all_sessions(
    memory: Memory,
    owner: str,
    *,
    status: str | None = None,
    tag: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Iterator[Session]:
    """Every session of an owner, page by page, newest activity first."""
    cursor: str | None = None
    while True:
        page = memory.sessions(owner=owner, status=status, tag=tag, since=since, until=until, limit=PAGE, cursor=cursor)
        yield from page
        cursor = page.next
        if cursor is None:
            return


def is_blank(session: Session) -> bool:
    """Whether nothing was ever said in a session: lists leave it out. One that was emptied has its title still.

    >>> import recollect
    >>> is_blank(recollect.open("memory://").chat(owner="u1").info())
    True
    """
    return not session.message_count and not session.title


def named_session(memory: Memory, owner: str, name: str, *, deleted: bool = False, sure: bool = False) -> Session:
    """The one session that is meant, with `deleted` also among those. The id itself comes before a title, a title before a
    part of either, which is not enough where it must be `sure`; an ellipsis, as lists print it, stands for the rest."""
    try:
        return memory.chat(owner=owner, session=name).info()
    except (NotFound, InvalidInput):
        pass
    sessions = list(all_sessions(memory, owner))
    if deleted:
        sessions += all_sessions(memory, owner, status="deleted")
    for found in _candidates(sessions, name, sure):
        if len(found) == 1:
            return found[0]
        if found:
            raise NotFound(f"{name!r} could be {_some(found)}: say the id")
    raise NotFound(f"owner {owner!r} has no session {name!r}; `recollect sessions` lists them")


def _candidates(sessions: list[Session], name: str, sure: bool) -> Iterator[list[Session]]:
    """Those that may be meant, the surest kind first."""
    wanted = printable(name).removeprefix("…").removesuffix("…").rstrip().casefold()
    if not wanted:
        return
    titles = {session.id: printable(session.title or "").casefold() for session in sessions}
    yield [session for session in sessions if session.id == name]
    yield [session for session in sessions if titles[session.id] == wanted]
    if not sure or len(wanted) >= SHORT:
        yield [session for session in sessions if session.id.casefold().startswith(wanted)
               or session.id.casefold().endswith(wanted)]  # fmt: skip
    if not sure:
        yield [session for session in sessions if wanted in titles[session.id]]


def _some(found: list[Session]) -> str:
    named = [f"{short(one.id)} ({fitted(printable(one.title or 'no title'), 30)})" for one in found[:SHOWN]]
    more = len(found) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more else "")
