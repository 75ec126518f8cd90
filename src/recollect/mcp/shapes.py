"""What the tools answer with. Everything has an end: texts that were cut say by how much, lists what comes behind them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from recollect.engine.compile.border import MEMORY
from recollect.mcp.limits import (
    LONGEST_ARGUMENTS,
    LONGEST_BACKGROUND,
    LONGEST_FACT,
    LONGEST_NAME,
    LONGEST_PASSAGE,
    LONGEST_TEXT,
    MOST_NAMED,
    beyond,
    cut,
)
from recollect.prompt import ProfileLine
from recollect.types import Fact, Hit, Message, Part, Session


class Call(BaseModel):
    """A tool that the assistant asked for."""

    name: str
    arguments: str


class Said(BaseModel):
    """A message of a conversation."""

    id: str
    role: str
    at: datetime
    text: str
    left_out: int = Field(0, description="Characters of the text that are not shown, because it is too long.")
    tool_calls: list[Call] = []
    attachments: list[str] = Field([], description="What it has besides text, by kind and name.")
    more: int = Field(0, description="How many tool calls and attachments it has besides these.")


class SessionInfo(BaseModel):
    """A conversation, without its messages."""

    id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    status: str
    messages: int
    tags: list[str]
    more_tags: int = Field(0, description="How many tags it has besides these.")
    expires_at: datetime | None = Field(None, description="When it expires, if it does.")


class SessionList(BaseModel):
    """Conversations, newest activity first."""

    sessions: list[SessionInfo]
    next: str | None = Field(None, description="The cursor of what comes behind these, if there is more.")


class SessionPage(BaseModel):
    """A piece of a conversation."""

    session: SessionInfo
    messages: list[Said]
    next: str | None = Field(None, description="The cursor of what comes behind these, if there is more.")


class Found(BaseModel):
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


class FoundList(BaseModel):
    """What was found, best first: what was said, then what documents say."""

    found: list[Found]
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
    more_messages: int = Field(0, description="How many messages it rests on besides these.")


class FactList(BaseModel):
    """Facts that are true now, newest first."""

    facts: list[FactInfo]
    more: bool = Field(description="Whether there are more than these.")


class ProfileFact(BaseModel):
    """A fact of the profile."""

    fact: str = Field(description="Its id; empty for something said a moment ago.")
    kind: str
    text: str
    left_out: int = Field(0, description="Characters of the text that are not shown, because it is too long.")
    since: datetime
    pinned: bool
    messages: list[str] = Field(description="The ids of the messages it rests on.")
    more_messages: int = Field(0, description="How many messages it rests on besides these.")


class ProfileInfo(BaseModel):
    """What holds for the user whatever is asked."""

    lines: list[ProfileFact]
    tokens: int


class Remembered(BaseModel):
    """What was kept."""

    kind: Literal["fact", "message"]
    id: str
    session: str | None
    known_already: bool = False


class Background(BaseModel):
    """What memory has on a question."""

    text: str = Field(description="Ready to be put before the question; empty if nothing is known, cut if it is too long.")
    tokens: int
    sections: dict[str, int] = Field(description="The tokens of each part of it.")
    left_out: int = Field(description="How many things had no room.")
    fallbacks: list[str] = []


class Forgotten(BaseModel):
    """What was removed for good."""

    kind: Literal["fact", "message", "session"]
    id: str
    messages: int = Field(description="How many messages went.")
    note: str = ""


def said(message: Message) -> Said:
    """A message as it is shown."""
    text, left_out = cut(message.text, LONGEST_TEXT)
    calls = [
        Call(name=_name(call.name), arguments=cut(call.arguments, LONGEST_ARGUMENTS)[0])
        for call in message.tool_calls[:MOST_NAMED]
    ]
    besides = [part for part in message.parts if part.kind not in ("text", "reasoning")]
    attachments = [_attachment(part) for part in besides[:MOST_NAMED]]
    return Said(
        id=message.id, role=message.role.value, at=message.created_at, text=text, left_out=left_out, tool_calls=calls,
        attachments=attachments, more=beyond(message.tool_calls) + beyond(besides),
    )  # fmt: skip


def session_info(session: Session) -> SessionInfo:
    """A session as it is shown."""
    return SessionInfo(
        id=session.id, title=_title(session.title), created_at=session.created_at, updated_at=session.updated_at,
        status=session.status.value, messages=session.message_count,
        tags=[_name(tag) for tag in session.tags[:MOST_NAMED]], more_tags=beyond(session.tags),
        expires_at=session.expires_at,
    )  # fmt: skip


def found_messages(hits: Iterable[Hit]) -> list[Found]:
    """What was said, as it is shown."""
    return [_found(hit, "message", hit.passage or hit.message.text) for hit in hits]


def found_pieces(hits: Iterable[Hit]) -> list[Found]:
    """Pieces of documents as they are shown."""
    return [_found(hit, "document", hit.message.text) for hit in hits]


def _found(hit: Hit, kind: Literal["message", "document"], words: str) -> Found:
    passage, left_out = cut(words, LONGEST_PASSAGE)
    is_message = kind == "message"
    return Found(
        kind=kind, id=hit.message.id, session=hit.session if is_message else None, title=_title(hit.title),
        role=hit.message.role.value if is_message else None, at=hit.at, passage=passage, left_out=left_out,
        score=round(hit.score, 3), place="" if is_message else _name(str(hit.message.metadata.get("place", ""))),
    )  # fmt: skip


def fact_info(fact: Fact) -> FactInfo:
    """A fact as it is shown."""
    text, left_out = cut(fact.text, LONGEST_FACT)
    return FactInfo(
        id=fact.id, text=text, left_out=left_out, kind=fact.kind, since=fact.since, pinned=fact.pinned, session=fact.session,
        messages=list(fact.messages[:MOST_NAMED]), more_messages=beyond(fact.messages),
    )  # fmt: skip


def profile_line(line: ProfileLine) -> ProfileFact:
    """A line of the profile as it is shown."""
    text, left_out = cut(line.text, LONGEST_FACT)
    return ProfileFact(
        fact=line.fact, kind=line.kind, text=text, left_out=left_out, since=line.since_at, pinned=line.pinned,
        messages=list(line.messages[:MOST_NAMED]), more_messages=beyond(line.messages),
    )  # fmt: skip


def background(text: str) -> str:
    """The text of a context; one that is cut still says where memory ends."""
    shown, left_out = cut(text, LONGEST_BACKGROUND)
    return f"{shown}\n</{MEMORY}>" if left_out else shown


def _title(title: str | None) -> str | None:
    return None if title is None else _name(title)


def _name(name: str) -> str:
    return cut(name, LONGEST_NAME)[0]


def _attachment(part: Part) -> str:
    return _name(" ".join(word for word in (part.kind, part.name) if word))
