"""What is remembered: hits, facts, summaries, documents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from recollect.server.shapes.basis import Incoming, Moment, Name, Outgoing, Sayable, Tags, Text, Whole, at_most
from recollect.server.shapes.messages import RoleName

Kind = Literal["messages", "summaries", "facts", "documents"]
FactText = Annotated[Sayable, Field(max_length=10_000)]
FactKindName = Literal["instruction", "constraint", "identity", "person", "preference", "possession", "project", "event"]


class SearchOrder(Incoming):
    """What to look for. The query may say role:user tag:work session:… before:2026-05-01 after:… "a phrase" -word."""

    query: Sayable
    kinds: Annotated[list[Kind], Field(min_length=1, max_length=4), at_most(4)] = ["messages"]
    session: Name | None = None
    roles: Annotated[list[RoleName], Field(max_length=10), at_most(10)] = []
    tags: Tags = []
    since: Moment | None = None
    until: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=200), Whole] = 20
    mode: Literal["full", "words", "meaning"] = "full"
    now: Moment | None = Field(None, description="The caller's time, with his offset: what `last week` counts from.")


class HitShape(Outgoing):
    """Something that was found, how well, by which signals, and why in a few words."""

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


class HitList(Outgoing):
    """What was found, best first. `fallbacks` says what the search had to do without."""

    hits: list[HitShape]
    fallbacks: list[str]


class FactShape(Outgoing):
    """A short bullet about a user, with its time and the messages it rests on (none if it was written by hand)."""

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


class FactList(Outgoing):
    """Facts, newest first."""

    items: list[FactShape]


class NewFact(Incoming):
    """A fact to be written down by hand."""

    text: FactText
    kind: FactKindName = "identity"
    subject: Text = "user"
    about: Text = Field("", description="What it is about: an older fact about the same is over.")
    pinned: bool = False


class FactReworded(Incoming):
    """A fact in other words."""

    text: FactText
    pinned: bool | None = None


class FactPinned(Incoming):
    """Whether every prompt has a fact."""

    pinned: bool


class FactHidden(Incoming):
    """Whether a fact is kept out of prompts."""

    hidden: bool


FactChanges = FactReworded | FactPinned | FactHidden


class FactChangeShape(Outgoing):
    """What a person changed about a fact. `before` and `after` are texts of an edited or ended fact, null where they were
    erased since; for a pin or for hiding they are truth values."""

    id: str
    fact: str
    what: Literal["edited", "pinned", "hidden", "ended"]
    changed_at: datetime
    before: str | bool | None
    after: str | bool | None
    undone: bool


class FactChangeList(Outgoing):
    """Changes of facts, newest first."""

    items: list[FactChangeShape]


class ProfileLineShape(Outgoing):
    """A fact as it stands in the profile, with the messages it rests on. `text` is the line as the model reads it,
    `fact_text` what the fact itself says."""

    fact: str = Field(description="Its id; empty for something said a moment ago, of which no note was taken yet.")
    kind: FactKindName
    text: str
    since: datetime = Field(validation_alias="since_at")
    pinned: bool
    messages: list[str]
    session: str | None
    fact_text: str


class ProfileShape(Outgoing):
    """What holds for a user whatever is asked. `text` is the block in the head of prompts."""

    lines: list[ProfileLineShape]
    text: str
    tokens: int
    limit: int = Field(description="The most tokens that it may take.")


class SummaryShape(Outgoing):
    """The rolling summary of a session, and how far it goes."""

    id: str
    session: str
    title: str | None
    text: str
    tokens: int
    created_at: datetime
    messages: int
    upto: str | None


class SummaryList(Outgoing):
    """Summaries, newest first."""

    items: list[SummaryShape]


class DocumentShape(Outgoing):
    """A document that was ingested: the newest version of its name."""

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


class DocumentList(Outgoing):
    """Documents, by name."""

    items: list[DocumentShape]


class ChunkShape(Outgoing):
    """A piece of a document, and where in it that is."""

    id: str
    text: str
    tokens: int
    place: str


class ChunkPage(Outgoing):
    """Some pieces of a document, in order."""

    items: list[ChunkShape]
    next: str | None
