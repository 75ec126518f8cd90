"""The answers of the tools. All are limited in size: cut texts say by how much, lists have a cursor for the rest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from keepsaid.engine.prompt.escaping import MEMORY
from keepsaid.mcp.limits import (
    MAX_ARGUMENTS_LENGTH,
    MAX_BACKGROUND_LENGTH,
    MAX_FACT_LENGTH,
    MAX_NAME_LENGTH,
    MAX_NAMED_ITEMS,
    MAX_PASSAGE_LENGTH,
    MAX_TEXT_LENGTH,
    count_hidden,
    truncate,
)
from keepsaid.types import ContentPart, Fact, Message, SearchHit, Session
from keepsaid.types.prompts import ProfileLine


class ToolCallInfo(BaseModel):
    """A tool that the assistant asked for."""

    name: str
    arguments: str


class MessageInfo(BaseModel):
    """A message of a conversation."""

    id: str
    role: str
    at: datetime
    text: str
    left_out: int = Field(0, description="Characters of the text that are not shown, because it is too long.")
    tool_calls: list[ToolCallInfo] = []
    attachments: list[str] = Field([], description="What it has besides text, by kind and name.")
    more: int = Field(0, description="The number of its other tool calls and attachments.")


class SessionInfo(BaseModel):
    """A conversation, without its messages."""

    id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    status: str
    messages: int
    tags: list[str]
    more_tags: int = Field(0, description="The number of its other tags.")
    expires_at: datetime | None = Field(None, description="When it expires, if it does.")


class SessionListResult(BaseModel):
    """Conversations, newest activity first."""

    sessions: list[SessionInfo]
    next: str | None = Field(None, description="The cursor for the next page, if there is more.")


class SessionReadResult(BaseModel):
    """A piece of a conversation."""

    session: SessionInfo
    messages: list[MessageInfo]
    next: str | None = Field(None, description="The cursor for the next page, if there is more.")


class PassageInfo(BaseModel):
    """A passage that answers, and where it is from."""

    kind: Literal["message", "document"]
    id: str
    session: str | None = Field(description="The conversation it was said in.")
    title: str | None = Field(description="That of the conversation, or the document's name.")
    role: str | None
    at: datetime
    passage: str
    left_out: int = Field(0, description="Characters of the passage that are not shown, because it is too long.")
    score: float
    place: str = Field("", description="Where in the document.")


class RecallResult(BaseModel):
    """What was found, best first: what was said, then what documents say."""

    found: list[PassageInfo]
    left_out: int = Field(0, description="How many more were found that had no room.")
    fallbacks: list[str] = Field([], description="What the search had to do without.")


class FactInfo(BaseModel):
    """Something known about the user."""

    id: str
    text: str
    left_out: int = Field(0, description="Characters of the text that are not shown, because it is too long.")
    kind: str
    since: datetime
    pinned: bool
    session: str | None = Field(description="The conversation it is from; none for one that was written down.")
    messages: list[str] = Field(description="The ids of the messages it rests on.")
    more_messages: int = Field(0, description="The number of other messages it is based on.")


class FactsResult(BaseModel):
    """Facts that are true now, newest first."""

    facts: list[FactInfo]
    more: bool = Field(description="Whether there are more than these.")


class ProfileLineInfo(BaseModel):
    """A fact of the profile."""

    fact: str = Field(description="Its id; empty for something said a moment ago.")
    kind: str
    text: str
    left_out: int = Field(0, description="Characters of the text that are not shown, because it is too long.")
    since: datetime
    pinned: bool
    messages: list[str] = Field(description="The ids of the messages it rests on.")
    more_messages: int = Field(0, description="The number of other messages it is based on.")


class ProfileResult(BaseModel):
    """What holds for the user whatever is asked."""

    lines: list[ProfileLineInfo]
    tokens: int


class RememberResult(BaseModel):
    """What was kept."""

    kind: Literal["fact", "message"]
    id: str
    session: str | None
    known_already: bool = False


class ContextResult(BaseModel):
    """What memory has on a question."""

    text: str = Field(description="Ready to be put before the question; empty if nothing is known, cut if it is too long.")
    tokens: int
    sections: dict[str, int] = Field(description="The tokens of each part of it.")
    left_out: int = Field(description="How many things had no room.")
    fallbacks: list[str] = []


class ForgetResult(BaseModel):
    """What was removed for good."""

    kind: Literal["fact", "message", "session"]
    id: str
    messages: int = Field(description="How many messages went.")
    note: str = ""


def message_info(message: Message) -> MessageInfo:
    """Return a message as the tools show it."""
    text, left_out = truncate(message.text, MAX_TEXT_LENGTH)
    calls = [
        ToolCallInfo(name=_name(call.name), arguments=truncate(call.arguments, MAX_ARGUMENTS_LENGTH)[0])
        for call in message.tool_calls[:MAX_NAMED_ITEMS]
    ]
    others = [part for part in message.parts if part.kind not in ("text", "reasoning")]
    attachments = [_attachment(part) for part in others[:MAX_NAMED_ITEMS]]
    return MessageInfo(
        id=message.id, role=message.role.value, at=message.created_at, text=text, left_out=left_out, tool_calls=calls,
        attachments=attachments, more=count_hidden(message.tool_calls) + count_hidden(others),
    )  # fmt: skip


def session_info(session: Session) -> SessionInfo:
    """Return a session as the tools show it."""
    return SessionInfo(
        id=session.id, title=_title(session.title), created_at=session.created_at, updated_at=session.updated_at,
        status=session.status.value, messages=session.message_count,
        tags=[_name(tag) for tag in session.tags[:MAX_NAMED_ITEMS]], more_tags=count_hidden(session.tags),
        expires_at=session.expires_at,
    )  # fmt: skip


def message_passages(hits: Iterable[SearchHit]) -> list[PassageInfo]:
    """Return message hits as the tools show them."""
    return [_found(hit, "message", hit.passage or hit.message.text) for hit in hits]


def document_passages(hits: Iterable[SearchHit]) -> list[PassageInfo]:
    """Return document hits as the tools show them."""
    return [_found(hit, "document", hit.message.text) for hit in hits]


def _found(hit: SearchHit, kind: Literal["message", "document"], words: str) -> PassageInfo:
    passage, left_out = truncate(words, MAX_PASSAGE_LENGTH)
    is_message = kind == "message"
    return PassageInfo(
        kind=kind, id=hit.message.id, session=hit.session if is_message else None, title=_title(hit.title),
        role=hit.message.role.value if is_message else None, at=hit.at, passage=passage, left_out=left_out,
        score=round(hit.score, 3), place="" if is_message else _name(str(hit.message.metadata.get("place", ""))),
    )  # fmt: skip


def fact_info(fact: Fact) -> FactInfo:
    """Return a fact as the tools show it."""
    text, left_out = truncate(fact.text, MAX_FACT_LENGTH)
    return FactInfo(
        id=fact.id, text=text, left_out=left_out, kind=fact.kind, since=fact.since, pinned=fact.pinned, session=fact.session,
        messages=list(fact.messages[:MAX_NAMED_ITEMS]), more_messages=count_hidden(fact.messages),
    )  # fmt: skip


def profile_line(line: ProfileLine) -> ProfileLineInfo:
    """Return a profile line as the tools show it."""
    text, left_out = truncate(line.text, MAX_FACT_LENGTH)
    return ProfileLineInfo(
        fact=line.fact, kind=line.kind, text=text, left_out=left_out, since=line.since_at, pinned=line.pinned,
        messages=list(line.messages[:MAX_NAMED_ITEMS]), more_messages=count_hidden(line.messages),
    )  # fmt: skip


def truncate_background(text: str) -> str:
    """Return the text of a context. If it is cut, the closing tag is added again."""
    shown, left_out = truncate(text, MAX_BACKGROUND_LENGTH)
    return f"{shown}\n</{MEMORY}>" if left_out else shown


def _title(title: str | None) -> str | None:
    return None if title is None else _name(title)


def _name(name: str) -> str:
    return truncate(name, MAX_NAME_LENGTH)[0]


def _attachment(part: ContentPart) -> str:
    return _name(" ".join(word for word in (part.kind, part.name) if word))
