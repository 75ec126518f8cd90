"""The values of import and export: conversations, documents and artifacts independent of any store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from keepsaid.types import Artifact, MessageDraft, SessionStatus

CLEARED = ""
"""As a leaf: the current position is at the beginning, before all messages."""


@dataclass(frozen=True, slots=True)
class ConversationNode:
    """A message in the tree of a conversation. `parent` is the id of the message it follows, or None.

    >>> ConversationNode("m1", None, MessageDraft("user", "Hello")).draft.content
    'Hello'
    """

    id: str
    parent: str | None
    draft: MessageDraft
    seq: int = 0
    """Its position among the session's messages, if the export has it; else messages are numbered as they are read."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with all its branches. `nodes` can be iterated once; each node comes after its parent.

    `leaf` is the id of the current node: None for the last one, `CLEARED` for none. `fork` is the session that it continues
    and the message after which it starts: the messages before are not repeated.

    >>> hello = ConversationNode("m1", None, MessageDraft("user", "Hello"))
    >>> Conversation("c1", [hello], title="Greetings").title
    'Greetings'
    """

    id: str
    nodes: Iterable[ConversationNode]
    leaf: str | None = None
    title: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    status: SessionStatus = SessionStatus.ACTIVE
    pinned: bool = False
    tags: tuple[str, ...] = ()
    system_prompt: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fork: tuple[str, str] | None = None
    expired: bool = False
    """Whether retention deleted it."""


@dataclass(slots=True)
class ImportTally:
    """Counts of what an import leaves out or repairs, by reason, and its warnings.

    >>> tally = ImportTally()
    >>> tally.skip("hidden messages", 2)
    >>> dict(tally.skipped)
    {'hidden messages': 2}
    """

    skipped: Counter[str] = field(default_factory=Counter[str])
    """How many things were left out, by reason: a plural noun, such as "empty messages"."""
    repaired: Counter[str] = field(default_factory=Counter[str])
    """How many things were changed, such as "characters that no text may have"."""
    warnings: list[str] = field(default_factory=list[str])
    """Errors and their places, such as a truncated file."""

    def skip(self, what: str, number: int = 1) -> None:
        """Count something that is left out."""
        if number:
            self.skipped[what] += number

    def repair(self, what: str, number: int = 1) -> None:
        """Count something that is changed."""
        if number:
            self.repaired[what] += number


@dataclass(frozen=True, slots=True)
class ExportedDocument:
    """A document: its parts are the messages of a conversation in the documents space."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class SourceReference:
    """A source of an artifact: characters `start` to `end` of the message with this id."""

    message: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class ExportedArtifact:
    """A summary, fact, tool note or label. Its sources are by message id, because numbers differ between stores."""

    artifact: Artifact
    rests: tuple[SourceReference, ...] = ()


ExportItem = Conversation | ExportedDocument | ExportedArtifact
"""One item of an export."""
