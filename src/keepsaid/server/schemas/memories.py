"""Schemas of search hits, facts, summaries and documents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from keepsaid.server.schemas.base import (
    Name,
    NonBlankText,
    RequestBody,
    ResponseBody,
    Tags,
    Text,
    Timestamp,
    WholeNumber,
    limit_entries,
)
from keepsaid.server.schemas.messages import RoleName

SearchKind = Literal["messages", "summaries", "facts", "documents"]
FactText = Annotated[NonBlankText, Field(max_length=10_000)]
FactKindName = Literal["instruction", "constraint", "identity", "person", "preference", "possession", "project", "event"]


class MemorySearchRequest(RequestBody):
    """A search. The query may have role:user tag:work session:… before:2026-05-01 after:… "a phrase" -word."""

    query: NonBlankText
    kinds: Annotated[list[SearchKind], Field(min_length=1, max_length=4), limit_entries(4)] = ["messages"]
    session: Name | None = None
    roles: Annotated[list[RoleName], Field(max_length=10), limit_entries(10)] = []
    tags: Tags = []
    since: Timestamp | None = None
    until: Timestamp | None = None
    limit: Annotated[int, Field(ge=1, le=200), WholeNumber] = 20
    mode: Literal["full", "words", "meaning"] = "full"
    now: Timestamp | None = Field(None, description="The caller's time with UTC offset: the reference for `last week`.")


class SearchHitResponse(ResponseBody):
    """A search hit with its score, signals, and a short reason."""

    kind: Literal["message", "summary", "fact", "document"]
    id: str
    session: str | None
    title: str | None
    at: datetime | None
    role: str | None
    passage: str
    score: float | None
    signals: dict[str, float]
    reason: str
    place: str = ""


class SearchHitList(ResponseBody):
    """Search hits, best first. `fallbacks` lists what the search could not use."""

    hits: list[SearchHitResponse]
    fallbacks: list[str]


class FactResponse(ResponseBody):
    """A short statement about a user, with its time and its source messages (none if it was entered by hand)."""

    id: str
    text: str
    kind: FactKindName
    subject: str
    confidence: float
    since: datetime
    until: datetime | None
    pinned: bool
    session: str | None
    messages: list[str]
    hidden: bool


class FactList(ResponseBody):
    """Facts, newest first."""

    items: list[FactResponse]


class NewFact(RequestBody):
    """A fact entered by hand."""

    text: FactText
    kind: FactKindName = "identity"
    subject: Text = "user"
    about: Text = Field("", description="The topic: an older fact about the same topic no longer holds.")
    pinned: bool = False


class FactTextChange(RequestBody):
    """A new text for a fact."""

    text: FactText
    pinned: bool | None = None


class FactPinChange(RequestBody):
    """Whether every prompt includes a fact."""

    pinned: bool


class FactVisibilityChange(RequestBody):
    """Whether a fact is excluded from prompts."""

    hidden: bool


FactChanges = FactTextChange | FactPinChange | FactVisibilityChange


class FactChangeResponse(ResponseBody):
    """A change of a fact by hand. `before` and `after` are the texts of an edited or ended fact, null if they were erased
    since; for pinning and hiding they are true or false."""

    id: str
    fact: str
    what: Literal["edited", "pinned", "hidden", "ended"]
    changed_at: datetime
    before: str | bool | None
    after: str | bool | None
    undone: bool


class FactChangeList(ResponseBody):
    """Changes of facts, newest first."""

    items: list[FactChangeResponse]


class ProfileLineResponse(ResponseBody):
    """A fact in the profile, with its source messages. `text` is the line as the model reads it, `fact_text` the text of the
    fact itself."""

    fact: str = Field(description="The id of the fact; empty for a recent statement not saved as a fact yet.")
    kind: FactKindName
    text: str
    since: datetime = Field(validation_alias="since_at")
    pinned: bool
    messages: list[str]
    session: str | None
    fact_text: str


class ProfileResponse(ResponseBody):
    """The standing profile of a user, independent of the question. `text` is the block at the start of prompts."""

    lines: list[ProfileLineResponse]
    text: str
    tokens: int
    limit: int = Field(description="The most tokens that the block may have.")


class SummaryResponse(ResponseBody):
    """The rolling summary of a session, and the last message it covers."""

    id: str
    session: str
    title: str | None
    text: str
    tokens: int
    created_at: datetime
    messages: int
    upto: str | None


class SummaryList(ResponseBody):
    """Summaries, newest first."""

    items: list[SummaryResponse]


class DocumentResponse(ResponseBody):
    """An ingested document, in its newest version."""

    id: str
    name: str
    version: int
    chunks: int
    tokens: int
    media_type: str | None
    added_at: datetime
    session: str | None
    title: str
    notices: list[str]


class DocumentList(ResponseBody):
    """Documents, by name."""

    items: list[DocumentResponse]


class ChunkResponse(ResponseBody):
    """A chunk of a document, and its place in the document."""

    id: str
    text: str
    tokens: int
    place: str


class ChunkPage(ResponseBody):
    """A page of the chunks of a document, in order."""

    items: list[ChunkResponse]
    next: str | None
