"""Schemas of sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from keepsaid.server.schemas.base import Json, Name, NewId, RequestBody, ResponseBody, StrictBoolean, Tags, Text


class SessionResponse(ResponseBody):
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
    expired: bool = Field(description="Whether retention deleted it, not a user. Then its facts stay.")
    expires_at: datetime | None = Field(
        description="When it expires, or for a deleted session, when it is purged; null for never."
    )


class SessionPage(ResponseBody):
    """A page of sessions, newest activity first."""

    items: list[SessionResponse]
    next: str | None = Field(description="The cursor of the next page, if there is one.")


class _SessionFields(RequestBody):
    id: NewId | None = None
    title: Text | None = None
    tags: Tags = []
    metadata: Json = {}
    system_prompt: Text | None = None


class NewSession(_SessionFields):
    """A session to create. An existing one is returned unchanged."""

    temporary: Annotated[Literal[False], StrictBoolean] = False
    pool: Name | None = None


class NewTemporarySession(_SessionFields):
    """A session that is never written to disk. It cannot be in a pool, because no other user could read it."""

    temporary: Annotated[Literal[True], StrictBoolean]
    pool: None = None


class SessionChanges(RequestBody):
    """Changes of a session; fields left out stay as they are."""

    title: Text | None = None
    tags: Tags | None = None
    metadata: Json | None = None
    system_prompt: Text | None = None
    pinned: bool | None = None


class ForkRequest(RequestBody):
    """A fork: a new session with the messages up to and including `at`; by default up to the last."""

    at: Name | None = None
    title: Text | None = None


class SwitchRequest(RequestBody):
    """The message to switch to; with `onward`, the newest end of its branch."""

    message: Name
    onward: bool = False


class MessageVersions(ResponseBody):
    """The versions of one message of the active path, oldest first."""

    message: str
    versions: list[str]


class MessageVersionList(ResponseBody):
    """The messages of the active path that have other versions."""

    items: list[MessageVersions]
