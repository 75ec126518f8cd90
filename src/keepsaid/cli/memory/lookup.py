"""Finds a session by its id, a part of the id, or its title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from keepsaid.cli.output.text import to_printable, truncate_to_width
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.types import Session

if TYPE_CHECKING:
    from datetime import datetime

    from keepsaid.memory import Memory

PAGE = 1000
SHORT = 6
"""Characters at the end of an id that tell sessions apart: the end is random, the start is the time."""
MAX_ID_LENGTH = 16
"""Characters shown of an id that the caller chose."""
_GENERATED_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SHOWN = 3


def shorten_id(id: str) -> str:
    """Return an id as lists show it.

    >>> shorten_id("019a8f3b2c4d5e6f708192a3b4c5d6e7"), shorten_id("trip-to-lisbon")
    ('…c5d6e7', 'trip-to-lisbon')
    """
    return "…" + id[-SHORT:] if _GENERATED_ID.fullmatch(id) else truncate_to_width(to_printable(id), MAX_ID_LENGTH)


def all_sessions(
    memory: Memory,
    owner: str,
    *,
    status: str | None = None,
    tag: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Iterator[Session]:
    """Yield every session of an owner, newest activity first."""
    cursor: str | None = None
    while True:
        page = memory.sessions(owner=owner, status=status, tag=tag, since=since, until=until, limit=PAGE, cursor=cursor)
        yield from page
        cursor = page.next
        if cursor is None:
            return


def is_blank(session: Session) -> bool:
    """Whether a session never had a message: lists omit it. A session that was emptied still has its title.

    >>> import keepsaid
    >>> is_blank(keepsaid.open("memory://").chat(owner="u1").info())
    True
    """
    return not session.message_count and not session.title


def find_session(memory: Memory, owner: str, name: str, *, deleted: bool = False, sure: bool = False) -> Session:
    """Return the one session with this id or title, or a part of either; with `deleted`, deleted ones are searched too. An
    exact id wins over a title, a title over a part. With `sure`, a part of a title or a short part of an id does not match.
    The ellipsis that lists print may be included."""
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
            raise NotFound(f"{name!r} could be {_list_some(found)}: use the id")
    raise NotFound(f"owner {owner!r} has no session {name!r}; `keepsaid sessions` lists them")


def _candidates(sessions: list[Session], name: str, sure: bool) -> Iterator[list[Session]]:
    """Yield the matching sessions, the most certain kind of match first."""
    wanted = to_printable(name).removeprefix("…").removesuffix("…").rstrip().casefold()
    if not wanted:
        return
    titles = {session.id: to_printable(session.title or "").casefold() for session in sessions}
    yield [session for session in sessions if session.id == name]
    yield [session for session in sessions if titles[session.id] == wanted]
    if not sure or len(wanted) >= SHORT:
        yield [session for session in sessions if session.id.casefold().startswith(wanted)
               or session.id.casefold().endswith(wanted)]  # fmt: skip
    if not sure:
        yield [session for session in sessions if wanted in titles[session.id]]


def _list_some(found: list[Session]) -> str:
    named = [
        f"{shorten_id(one.id)} ({truncate_to_width(to_printable(one.title or 'no title'), 30)})" for one in found[:SHOWN]
    ]
    more = len(found) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more else "")
