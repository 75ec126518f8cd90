"""Finds a conversation by its id, the start or end of the id, its title or a part of the title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from keepsaid.cli.memory.lookup import shorten_id

if TYPE_CHECKING:
    from keepsaid.types import Session


def match_sessions(sessions: Sequence[Session], wanted: str) -> list[Session]:
    """Return the sessions that match: one, if the id matches exactly or only one id starts or ends so; else those with
    exactly this title; else all with it in their title.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> for title in ("Lisbon", "Lisbon again", "Porto"):
    ...     _ = memory.chat(owner="u1", title=title)
    >>> everything = list(memory.sessions(owner="u1"))
    >>> [[found.title for found in match_sessions(everything, wanted)] for wanted in ("lisbon", "again", "rome")]
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


def shortest_id_to_type(session: Session) -> str:
    """Return the part of an id that a user has to type.

    >>> import keepsaid
    >>> shortest_id_to_type(keepsaid.open("memory://").chat(owner="u1", session="trip", create=True).info())
    'trip'
    """
    shown = shorten_id(session.id)
    return session.id[-len(shown) + 1 :] if shown.startswith("…") else session.id
