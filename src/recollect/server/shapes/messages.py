"""Messages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from recollect.server.shapes.basis import Incoming, Json, Moment, Name, NewId, Outgoing, Share, Text, at_most
from recollect.types import Draft, Part, ToolCall

RoleName = Literal["system", "user", "assistant", "tool"]


class PartShape(Outgoing):
    """One piece of a message that is more than plain text."""

    kind: str
    text: str | None = None
    uri: str | None = None
    media_type: str | None = None
    name: str | None = None
    data: dict[str, Any] | None = None


class ToolCallShape(Outgoing):
    """A tool that the assistant asked for; `arguments` is JSON exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


class MessageShape(Outgoing):
    """One stored message. `seq` orders it in its session; `parent` is the `seq` of the message it follows."""

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
    tool_calls: list[ToolCallShape]
    parts: list[PartShape]
    metadata: dict[str, Any]


class MessagePage(Outgoing):
    """Some messages of the active path."""

    items: list[MessageShape]
    next: str | None = Field(description="The cursor of the page behind this one, if there is one.")
    previous: str | None = Field(None, description="With `around`: the cursor for older ones, with order=desc.")


class NewPart(Incoming):
    """One piece of a message that is more than plain text."""

    kind: Name
    text: Text | None = None
    uri: Text | None = None
    media_type: Text | None = None
    name: Text | None = None
    data: Json | None = None


Parts = Annotated[list[NewPart], Field(max_length=1000), at_most(1000)]


class NewToolCall(Incoming):
    """A tool that the assistant asked for."""

    id: Name
    name: Name
    arguments: Text = "{}"


class NewMessage(Incoming):
    """A message to be saved. The same id again, with the same content, changes nothing."""

    role: RoleName
    content: Text | Parts = ""
    id: NewId | None = None
    tool_calls: Annotated[list[NewToolCall], Field(max_length=1000), at_most(1000)] = []
    tool_call_id: Name | None = None
    name: Name | None = None
    metadata: Json = {}
    importance: Share | None = None
    pinned: bool = False
    private: bool | None = Field(None, description="Never to be remembered. If nothing is said, the words decide.")
    created_at: Moment | None = None

    def draft(self, id: str | None = None) -> Draft:
        """The same as the library takes it; `id` is for one that has none."""
        calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in self.tool_calls)
        return Draft(
            self.role, parts_of(self.content), self.id or id, calls, self.tool_call_id, self.name, self.metadata,
            self.importance, self.pinned, self.created_at, self.private,
        )  # fmt: skip


class NewMessages(Incoming):
    """Several messages, all or none. `after` goes on behind an earlier message, on a branch of its own."""

    messages: Annotated[list[NewMessage], Field(min_length=1, max_length=1000), at_most(1000)]
    after: Name | None = None


class MessageChanges(Incoming):
    """What to change of a message; what it says is changed by `edit`."""

    pinned: bool | None = None
    importance: Share | None = None
    private: bool | None = None


class EditedMessage(Incoming):
    """A message said differently. The old one and what followed it stay, on their own branch."""

    content: Text | Parts


def parts_of(content: str | list[NewPart]) -> str | tuple[Part, ...]:
    """Content as the library takes it."""
    if isinstance(content, str):
        return content
    return tuple(Part(part.kind, part.text, part.uri, part.media_type, part.name, part.data) for part in content)
