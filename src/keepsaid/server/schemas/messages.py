"""Schemas of messages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from keepsaid.server.schemas.base import (
    Json,
    Name,
    NewId,
    RequestBody,
    ResponseBody,
    Text,
    Timestamp,
    UnitFraction,
    limit_entries,
)
from keepsaid.types import ContentPart, MessageDraft, ToolCall

RoleName = Literal["system", "user", "assistant", "tool"]


class MessagePartResponse(ResponseBody):
    """A part of a message that is not just plain text."""

    kind: str
    text: str | None = None
    uri: str | None = None
    media_type: str | None = None
    name: str | None = None
    data: dict[str, Any] | None = None


class ToolCallResponse(ResponseBody):
    """A tool call of the assistant; `arguments` is JSON exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


class MessageResponse(ResponseBody):
    """A stored message. `seq` is its number in the session; `parent` is the `seq` of the message it follows."""

    id: str
    session: str
    seq: int
    parent: int
    role: RoleName
    text: str
    tokens: int
    created_at: datetime
    importance: float
    pinned: bool
    private: bool
    name: str | None
    author: str | None
    tool_call_id: str | None
    tool_calls: list[ToolCallResponse]
    parts: list[MessagePartResponse]
    metadata: dict[str, Any]


class MessagePage(ResponseBody):
    """A page of messages of the active path."""

    items: list[MessageResponse]
    next: str | None = Field(description="The cursor of the next page, if there is one.")
    previous: str | None = Field(None, description="With `around`: the cursor for older messages, with order=desc.")


class NewMessagePart(RequestBody):
    """A part of a message that is not just plain text."""

    kind: Name
    text: Text | None = None
    uri: Text | None = None
    media_type: Text | None = None
    name: Text | None = None
    data: Json | None = None


Parts = Annotated[list[NewMessagePart], Field(max_length=1000), limit_entries(1000)]


class NewToolCall(RequestBody):
    """A tool call of the assistant."""

    id: Name
    name: Name
    arguments: Text = "{}"


class NewMessage(RequestBody):
    """A message to save. Saving the same id with the same content again changes nothing."""

    role: RoleName
    content: Text | Parts = ""
    id: NewId | None = None
    tool_calls: Annotated[list[NewToolCall], Field(max_length=1000), limit_entries(1000)] = []
    tool_call_id: Name | None = None
    name: Name | None = None
    metadata: Json = {}
    importance: UnitFraction | None = None
    pinned: bool = False
    private: bool | None = Field(None, description="Exclude from memory. Left out: the text of the message decides.")
    created_at: Timestamp | None = None

    def draft(self, id: str | None = None) -> MessageDraft:
        """Return the message as the library takes it; `id` is the default id."""
        calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in self.tool_calls)
        return MessageDraft(
            self.role, message_parts_of(self.content), self.id or id, calls, self.tool_call_id, self.name, self.metadata,
            self.importance, self.pinned, self.created_at, self.private,
        )  # fmt: skip


class NewMessages(RequestBody):
    """Several messages, all or none. `after` continues after an earlier message, on a new branch."""

    messages: Annotated[list[NewMessage], Field(min_length=1, max_length=1000), limit_entries(1000)]
    after: Name | None = None


class MessageChanges(RequestBody):
    """Changes of a message. Its content is changed by `edit`."""

    pinned: bool | None = None
    importance: UnitFraction | None = None
    private: bool | None = None


class MessageEdit(RequestBody):
    """New content for a message. The old message and its successors stay on their own branch."""

    content: Text | Parts


def message_parts_of(content: str | list[NewMessagePart]) -> str | tuple[ContentPart, ...]:
    """Return message content as the library takes it."""
    if isinstance(content, str):
        return content
    return tuple(ContentPart(part.kind, part.text, part.uri, part.media_type, part.name, part.data) for part in content)
