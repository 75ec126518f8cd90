"""The nouns of interchange: a conversation as it travels between stores and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.types import Artifact, Draft, Status

CLEARED = ""
"""As a leaf: the conversation stands at its beginning, before all of its messages."""


@dataclass(frozen=True, slots=True)
class Node:
    """A message in the tree of a conversation. `parent` is the id of the one it follows, None for one that follows nothing.

    >>> Node("m1", None, Draft("user", "Hello")).draft.content
    'Hello'
    """

    id: str
    parent: str | None
    draft: Draft
    seq: int = 0
    """Its place among the session's messages, where the export tells it; else they are counted as they come."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with all its branches. Nodes come one by one, and none before its parent; they are read once.

    `leaf` is the node that the conversation stands at: None for the last one, `CLEARED` for none. `fork` says which session
    it continues, from which message on: those messages are not repeated.

    >>> hello = Node("m1", None, Draft("user", "Hello"))
    >>> Conversation("c1", [hello], title="Greetings").title
    'Greetings'
    """

    id: str
    nodes: Iterable[Node]
    leaf: str | None = None
    title: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    status: Status = Status.ACTIVE
    pinned: bool = False
    tags: tuple[str, ...] = ()
    system_prompt: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fork: tuple[str, str] | None = None
    expired: bool = False
    """Whether retention deleted it."""


@dataclass(slots=True)
class Tally:
    """What is not taken over as it stands, counted while reading: what was left out and why, and what was mended.

    >>> tally = Tally()
    >>> tally.skip("hidden messages", 2)
    >>> dict(tally.skipped)
    {'hidden messages': 2}
    """

    skipped: Counter[str] = field(default_factory=Counter[str])
    """How many things were left out, by the reason: a plural noun, such as "empty messages"."""
    mended: Counter[str] = field(default_factory=Counter[str])
    """How many things were changed, such as "characters that no text may have"."""
    warnings: list[str] = field(default_factory=list[str])
    """What went wrong and where, such as a file that ends in the middle."""

    def skip(self, what: str, number: int = 1) -> None:
        """Counts something that is left out."""
        if number:
            self.skipped[what] += number

    def mend(self, what: str, number: int = 1) -> None:
        """Counts something that is changed."""
        if number:
            self.mended[what] += number


@dataclass(frozen=True, slots=True)
class Shelved:
    """A document: its pieces are the messages of a conversation on the shelf."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class Rest:
    """What an artifact rests on, by the message's id: characters `start` to `end` of it."""

    message: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """A summary, fact, tool note or label. Numbers differ from store to store, so what it rests on is named by id."""

    artifact: Artifact
    rests: tuple[Rest, ...] = ()


Item = Conversation | Shelved | Made
"""One thing that an export holds."""
