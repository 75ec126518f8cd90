"""Messages: as they are sent, as they are stored, and where they stand in a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from keepsaid.types.time import Microseconds, to_datetime


class Role(StrEnum):
    """Who speaks in a message.

    >>> Role("user") == "user"
    True
    """

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ContentPart:
    """One piece of a message that is more than plain text: text, an image or file reference, or anything a provider has.

    >>> ContentPart("image", uri="https://example.org/cat.png", media_type="image/png").kind
    'image'
    """

    kind: str
    text: str | None = None
    uri: str | None = None
    media_type: str | None = None
    name: str | None = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the assistant asked for; `arguments` is the JSON text exactly as the model wrote it.

    >>> ToolCall("call_1", "weather", '{"city": "Lisbon"}').name
    'weather'
    """

    id: str
    name: str
    arguments: str = "{}"


ADAPTER_FIELDS = "adapters"
"""The metadata key under which adapters keep an original message whose details our fields would lose."""


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A message as the caller gives it, before it is saved. Only the role is required.

    >>> MessageDraft("user", "Hello").content
    'Hello'
    """

    role: str
    content: str | tuple[ContentPart, ...] = ""
    id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    metadata: Mapping[str, Any] | None = None
    importance: float | None = None
    pinned: bool = False
    created_at: datetime | None = None
    private: bool | None = None
    """Private: part of its conversation only, never recalled elsewhere. None: decided from the text."""


class MessageAddition(NamedTuple):
    """A message to save, and the conversation to save it in.

    >>> MessageAddition("u1", "trip", MessageDraft("user", "Hello")).session
    'trip'
    """

    owner: str
    session: str
    draft: MessageDraft
    pool: str | None = None


class Message(NamedTuple):
    """One stored message. `seq` orders it in its session; `parent` is the `seq` of the message it follows (0 for none).

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     message = memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
    >>> message.role, message.text, message.seq, message.parent
    (<Role.USER: 'user'>, 'My sister moved to Lisbon.', 1, 0)
    """

    id: str
    session: str
    seq: int
    parent: int
    role: Role
    text: str
    tokens: int
    created: Microseconds
    importance: float
    pinned: bool
    metadata: Mapping[str, Any]
    parts: tuple[ContentPart, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    author: str | None = None
    private: bool = False

    @property
    def created_at(self) -> datetime:
        """When the message was said.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory:
        ...     memory.chat(owner="u1").add("user", "Hello").created_at.tzname()
        'UTC'
        """
        return to_datetime(self.created)

    @property
    def content(self) -> str | tuple[ContentPart, ...]:
        """The content as it was given: text, or parts.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory:
        ...     memory.chat(owner="u1").add("user", "Hello").content
        'Hello'
        """
        return self.parts or self.text


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a conversation. `leaf` is the id of its last message; None for a cleared session.

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     question = chat.add("user", "Tea or coffee?")
    ...     _ = chat.edit(question.id, "Tea or water?")
    ...     [(branch.messages, branch.active) for branch in chat.branches()]
    [(1, False), (1, True)]
    """

    leaf: str | None
    messages: int
    tokens: int
    active: bool


@dataclass(frozen=True, slots=True)
class MessageWindow:
    """Messages around one message. `older` is a cursor for `Chat.page(newest_first=True)`, `newer` one for `Chat.page`.

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     said = [chat.add("user", f"message {number}") for number in range(5)]
    ...     around = chat.around(said[2].id, limit=3)
    ...     [message.text for message in around.items], [m.text for m in chat.page(cursor=around.newer)]
    (['message 1', 'message 2', 'message 3'], ['message 4'])
    """

    items: tuple[Message, ...]
    older: str | None = None
    newer: str | None = None


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """Which messages of the active path to read, in order.

    >>> ReadWindow(last=20).last
    20
    """

    last: int | None = None
    max_tokens: int | None = None
    after: int | None = None
    before: int | None = None
    first: int | None = None
