"""Which conversation is meant: by its id, an end of it, its title or a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.cli.lookup import short

if TYPE_CHECKING:
    from recollect.types import Session


def matching(sessions: Sequence[Session], wanted: str) -> list[Session]:
    """Those that may be meant: one, if only one id begins or ends so or a title is just this; else all that have it in
    their title.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> for title in ("Lisbon", "Lisbon again", "Porto"):
    ...     _ = memory.chat(owner="u1", title=title)
    >>> everything = list(memory.sessions(owner="u1"))
    >>> [[found.title for found in matching(everything, wanted)] for wanted in ("lisbon", "again", "rome")]
    [['Lisbon'], ['Lisbon again'], []]
    """
    word = wanted.strip().removeprefix("…").casefold()
    if not word:
        return []
    exact = [session for session in sessions if session.id == wanted]
    by_id = [session for session in sessions if session.id.startswith(word) or session.id.endswith(word)]
    titled = [session for session in sessions if (session.title or "").casefold() == word]
    partly = [session for session in sessions if word in (session.title or "").casefold()]
    return exact or (by_id if len(by_id) == 1 else []) or titled or partly or by_id


def typed_id(session: Session) -> str:
    """As much of an id as a person has to type.

    >>> import recollect
    >>> typed_id(recollect.open("memory://").chat(owner="u1", session="trip", create=True).info())
    'trip'
    """
    shown = short(session.id)
    return session.id[-len(shown) + 1 :] if shown.startswith("…") else session.id
