"""What a search looks for, and what it finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from keepsaid.types.messages import Message, Role
from keepsaid.types.time import Microseconds


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message that a search found, with its best passage, score, signals and the reason in a few words.

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     _ = memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon.")
    ...     hit = memory.search("sister", owner="u1")[0]
    >>> hit.message.text, hit.title, hit.session == hit.message.session, hit.at.tzname()
    ('My sister moved to Lisbon.', 'Family', True, 'UTC')
    """

    message: Message
    score: float
    passage: str = ""
    signals: Mapping[str, float] = field(default_factory=dict[str, float])
    reason: str = ""
    title: str | None = None
    also: tuple[Message, ...] = ()
    """Other messages with the same text, which are not hits of their own."""
    number: int = 0
    """Its number among the owner's messages; numbers are never reused."""
    newer: Message | None = None
    """A later message among the best hits that seems to change what this one says."""

    @property
    def session(self) -> str:
        """The id of its session.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory:
        ...     _ = memory.chat(owner="u1", session="trip", create=True).add("user", "Lisbon!")
        ...     memory.search("lisbon", owner="u1")[0].session
        'trip'
        """
        return self.message.session

    @property
    def at(self) -> datetime:
        """When the message was said.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory:
        ...     said = memory.chat(owner="u1").add("user", "Lisbon!")
        ...     memory.search("lisbon", owner="u1")[0].at == said.created_at
        True
        """
        return self.message.created_at


class SearchHits(list[SearchHit]):
    """The hits of a search, best first. `fallbacks` says what the search had to do without, if anything.

    >>> SearchHits([], ("searched by words alone: the model is gone",)).fallbacks
    ('searched by words alone: the model is gone',)
    """

    def __init__(self, hits: Iterable[SearchHit] = (), fallbacks: tuple[str, ...] = ()) -> None:
        super().__init__(hits)
        self.fallbacks = fallbacks


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Which messages a search may find. An empty field does not filter; `until` is exclusive.

    >>> SearchFilters(roles=(Role.USER,)).tags
    ()
    """

    sessions: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    tags: tuple[str, ...] = ()
    since: Microseconds | None = None
    until: Microseconds | None = None
    importance: float = 0.0
    excluded_sessions: tuple[str, ...] = ()
    """Sessions whose messages are left out."""
    expired: bool = False
    """For `Storage.look`: whether to include sessions that retention deleted."""

    @property
    def are_light(self) -> bool:
        """Whether it is faster to check found messages against the filters than to list all that pass.

        >>> SearchFilters(roles=(Role.USER,)).are_light, SearchFilters(tags=("work",)).are_light
        (True, False)
        """
        return not (self.sessions or self.tags or self.excluded_sessions or self.since is not None or self.until is not None)

    def let_through(self, role: Role, importance: float) -> bool:
        """Whether a message of this role and importance passes the filters on these two.

        >>> SearchFilters(roles=(Role.USER,)).let_through(Role.ASSISTANT, 1.0)
        False
        """
        return importance >= self.importance and (not self.roles or role in self.roles)
