"""Sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from recollect.server.shapes.basis import Incoming, Json, Name, NewId, Outgoing, Tags, Text, Truth


class SessionShape(Outgoing):
    """A conversation, without its messages. Counts follow the active path."""

    id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    status: Literal["active", "archived", "deleted"]
    message_count: int
    token_count: int
    pinned: bool
    revision: int
    system_prompt: str | None
    summary: str | None
    summary_at: datetime | None
    tags: list[str]
    metadata: dict[str, Any]
    pool: str | None
    temporary: bool
    expired: bool = Field(description="Whether retention deleted it, not a person. Then its facts stay.")
    expires_at: datetime | None = Field(
        description="When it expires, or if it is deleted, when it is purged; null for never."
    )


class SessionPage(Outgoing):
    """Some sessions, newest activity first."""

    items: list[SessionShape]
    next: str | None = Field(description="The cursor of the page behind this one, if there is one.")


class _AnySession(Incoming):
    id: NewId | None = None
    title: Text | None = None
    tags: Tags = []
    metadata: Json = {}
    system_prompt: Text | None = None


class NewSession(_AnySession):
    """A session to be made. One that is there already comes back as it is."""

    temporary: Annotated[Literal[False], Truth] = False
    pool: Name | None = None


class NewTemporarySession(_AnySession):
    """A session of which nothing is ever written. It cannot be in a pool: nobody else could read it."""

    temporary: Annotated[Literal[True], Truth]
    pool: None = None


class SessionChanges(Incoming):
    """What to change; what is left out stays."""

    title: Text | None = None
    tags: Tags | None = None
    metadata: Json | None = None
    system_prompt: Text | None = None
    pinned: bool | None = None


class ForkOrder(Incoming):
    """A new session that begins as this one, up to and with a message; by default the last."""

    at: Name | None = None
    title: Text | None = None


class SwitchOrder(Incoming):
    """Where to go: to a message, or onward from it to the newest end of its branch."""

    message: Name
    onward: bool = False


class Versions(Outgoing):
    """The versions of one message of the active path, oldest first."""

    message: str
    versions: list[str]


class Alternatives(Outgoing):
    """The messages of the active path that have other versions."""

    items: list[Versions]
