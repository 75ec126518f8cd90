"""Prompts: contexts, receipts, chat turns."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from recollect.config.settings import PRESETS, RECALLS
from recollect.engine.compile.budget import SMALLEST
from recollect.server.shapes.basis import Incoming, Name, Outgoing, Sayable, Tags, Text, Whole
from recollect.server.shapes.memories import FactShape
from recollect.server.shapes.messages import MessageShape

Budget = Annotated[int, Field(ge=SMALLEST, le=10_000_000), Whole] | Literal["4k", "12k", "128k", "262k"]
Recall = Literal["owner", "session", "off"]
Strategy = Literal["hybrid", "summary", "window"]
assert set(Budget.__args__[1].__args__) == set(PRESETS)
assert set(Recall.__args__) == set(RECALLS)


class ContextOrder(Incoming):
    """A prompt to be made."""

    session: Name
    question: Text | None = Field(None, description="Left out: the last thing the user said.")
    budget: Budget | None = None
    strategy: Strategy | None = None
    system: Text | None = None
    model: Name | None = Field(None, description="The model whose tokenizer counts.")
    recall: Recall | None = None
    pools: Tags = []


class ItemShape(Outgoing):
    """One thing that was considered for a prompt, what it costs, and why it is in or out."""

    section: str
    kind: str
    id: str
    tokens: int
    reason: str
    text: str
    score: float | None
    signals: dict[str, float]
    session: str | None
    at: datetime | None
    whole: bool
    title: str
    place: str
    changed: str


class ContextShape(Outgoing):
    """The prompt for a turn, and why it is what it is."""

    messages: list[dict[str, Any]]
    sections: dict[str, int]
    tokens: int
    budget: int
    question: str
    searched_for: str
    items: list[ItemShape]
    dropped: list[ItemShape]
    fallbacks: list[str]
    redacted: dict[str, int]
    receipt_id: str | None


class EntryShape(Outgoing):
    """Something that a prompt was given, or nearly."""

    section: str
    kind: str
    id: str | None
    session: str | None
    text: str
    tokens: int
    score: float | None
    signals: dict[str, float]
    reason: str
    at: datetime | None
    title: str
    place: str


class ReceiptLine(Outgoing):
    """A receipt in a list."""

    id: str
    session: str
    created_at: datetime
    question: str | None
    tokens: int
    budget: int
    used: int


class ReceiptPage(Outgoing):
    """The newest receipts."""

    items: list[ReceiptLine]


class ReceiptShape(Outgoing):
    """What a turn was given: the exact prompt, what was injected and why, and what was considered and dropped."""

    id: str
    session: str
    created_at: datetime
    question: str | None
    budget: int
    tokens: int
    strategy: str
    sections: dict[str, int]
    messages: list[dict[str, Any]] = Field(description="The prompt, word for word, as far as nothing of it was erased.")
    intact: bool
    missing: list[str]
    profile: list[EntryShape] = Field(description="The lines of the standing profile, which every prompt has.")
    used: list[EntryShape] = Field(description="What was found for the question, also where it is a line of the profile.")
    considered: list[EntryShape]
    fallbacks: list[str]
    timeline: dict[str, float] = Field(description="Milliseconds of each step.")


class CitedShape(Outgoing):
    """Something that an answer could rest on, because the prompt had it. `named`: the answer itself names it."""

    kind: str
    id: str
    title: str
    text: str
    place: str
    score: float | None
    reason: str
    at: datetime | None
    session: str | None
    named: bool


class _Turn(Incoming):
    memory: Literal["on", "read_only", "off"] = Field(
        "on", description="read_only: what is said is not remembered elsewhere; off: and nothing is recalled."
    )
    system: Text | None = None
    stream: bool = Field(False, description="Server-sent events, as it happens.")
    debug: bool = Field(False, description="Comment lines MEMORY_DEBUG, RAG_DEBUG and SEARCH_DEBUG between the events.")


class Say(_Turn):
    """Something that a user says."""

    message: Sayable
    session: Name | None = Field(None, description="Left out: a new conversation.")
    temporary: bool = Field(False, description="A new conversation of which nothing is ever written.")


class SayDifferently(_Turn):
    """Something that the user said before, in other words; what was stays on its own branch."""

    session: Name
    edit: Name = Field(description="The message that this takes the place of.")
    message: Sayable


class AnswerAgain(_Turn):
    """An answer that is wanted anew, on a new branch."""

    session: Name
    regenerate: Name = Field(description="The answer.")


ChatOrder = Say | SayDifferently | AnswerAgain


class AnswerShape(Outgoing):
    """The end of a turn. `model` is null for an answer that was put together from memory alone."""

    session: str
    text: str
    message: MessageShape | None
    sources: list[CitedShape]
    receipt_id: str | None
    model: str | None
    finish: str
    steps: int
    fallbacks: list[str]
    tokens: int
    used: int
    duration_ms: float
    noted: list[FactShape] = Field([], description="Facts that were noted of what the user said.")
