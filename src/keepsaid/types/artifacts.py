"""What is derived from messages: summaries, facts and notes on tool results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from keepsaid.types.time import Microseconds, to_datetime


class ArtifactSource(NamedTuple):
    """What an artifact was made from: characters `start` to `end` of the owner's message with this number.

    >>> ArtifactSource(7, 0, 26).number
    7
    """

    number: int
    start: int = 0
    end: int = 0


ArtifactKind = Literal["summary", "fact", "tool", "label"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something derived from messages: a rolling summary, a fact, a note on a tool result, or a session's label.

    It never replaces its sources. When a message is erased, everything made from it is erased too. `session` is None for
    what was written by hand. A summary covers the path of its session up to `upto`.

    >>> Artifact("a1", "fact", "User's sister lives in Lisbon", 7, created=0).is_current
    True
    """

    id: str
    kind: ArtifactKind
    text: str
    tokens: int
    created: Microseconds
    session: str | None = None
    sources: tuple[ArtifactSource, ...] = ()
    valid_from: Microseconds = 0
    valid_to: Microseconds | None = None
    pinned: bool = False
    upto: int = 0
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_current(self) -> bool:
        """Whether nothing newer replaced it.

        >>> Artifact("a1", "fact", "User lives in Porto", 5, created=0, valid_to=9).is_current
        False
        """
        return self.valid_to is None

    def was_true(self, moment: Microseconds) -> bool:
        """Whether it was valid at a time.

        >>> home = Artifact("a1", "fact", "User lives in Porto", 5, created=0, valid_from=2, valid_to=9)
        >>> home.was_true(1), home.was_true(2), home.was_true(9)
        (False, True, False)
        """
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a conversation, up to a message.

    >>> Summary("a1", "s1", "Travel", "Moved to Lisbon in May.", 7, 0, messages=30).created_at.year
    1970
    """

    id: str
    session: str
    title: str | None
    """The title of the conversation."""
    text: str
    tokens: int
    created: Microseconds
    messages: int = 0
    """How many messages it covers."""
    upto: str | None = None
    """The id of the last message that it covers, if known."""

    @property
    def created_at(self) -> datetime:
        """When it was written."""
        return to_datetime(self.created)
