"""Schemas of prompts, receipts and chat turns."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from keepsaid.config.settings import PRESETS, RECALLS
from keepsaid.engine.prompt.budget import MIN_BUDGET
from keepsaid.server.schemas.base import Name, NonBlankText, RequestBody, ResponseBody, Tags, Text, WholeNumber
from keepsaid.server.schemas.memories import FactResponse
from keepsaid.server.schemas.messages import MessageResponse

Budget = Annotated[int, Field(ge=MIN_BUDGET, le=10_000_000), WholeNumber] | Literal["4k", "12k", "128k", "262k"]
Recall = Literal["owner", "session", "off"]
Strategy = Literal["hybrid", "summary", "window"]
assert set(Budget.__args__[1].__args__) == set(PRESETS)
assert set(Recall.__args__) == set(RECALLS)


class ContextRequest(RequestBody):
    """A prompt to build."""

    session: Name
    question: Text | None = Field(None, description="Left out: the last message of the user.")
    budget: Budget | None = None
    strategy: Strategy | None = None
    system: Text | None = None
    model: Name | None = Field(None, description="The model whose tokenizer counts the tokens.")
    recall: Recall | None = None
    pools: Tags = []


class PromptItemResponse(ResponseBody):
    """An item considered for a prompt, its tokens, and why it was included or dropped."""

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


class ContextResponse(ResponseBody):
    """The prompt for a turn, with the items it was built from."""

    messages: list[dict[str, Any]]
    sections: dict[str, int]
    tokens: int
    budget: int
    question: str
    searched_for: str
    items: list[PromptItemResponse]
    dropped: list[PromptItemResponse]
    fallbacks: list[str]
    redacted: dict[str, int]
    receipt_id: str | None


class ReceiptEntryResponse(ResponseBody):
    """An item of a receipt: included in the prompt, or considered for it."""

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


class ReceiptSummary(ResponseBody):
    """A receipt in a list."""

    id: str
    session: str
    created_at: datetime
    question: str | None
    tokens: int
    budget: int
    used: int


class ReceiptPage(ResponseBody):
    """The newest receipts."""

    items: list[ReceiptSummary]


class ReceiptResponse(ResponseBody):
    """The record of a turn: its exact prompt, what was included and why, and what was considered and dropped."""

    id: str
    session: str
    created_at: datetime
    question: str | None
    budget: int
    tokens: int
    strategy: str
    sections: dict[str, int]
    messages: list[dict[str, Any]] = Field(description="The exact prompt, except what was erased since.")
    intact: bool
    missing: list[str]
    profile: list[ReceiptEntryResponse] = Field(
        description="The lines of the standing profile, which every prompt includes."
    )
    used: list[ReceiptEntryResponse] = Field(description="What was found for the question, including profile lines.")
    considered: list[ReceiptEntryResponse]
    fallbacks: list[str]
    timeline: dict[str, float] = Field(description="Milliseconds of each step.")


class SourceResponse(ResponseBody):
    """A source in the prompt of an answer. `named`: the answer cites it."""

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


class _TurnOptions(RequestBody):
    memory: Literal["on", "read_only", "off"] = Field(
        "on", description="read_only: the turn is not remembered in other conversations; off: nothing is recalled either."
    )
    system: Text | None = None
    stream: bool = Field(False, description="Stream the turn as server-sent events.")
    debug: bool = Field(False, description="Comment lines MEMORY_DEBUG, RAG_DEBUG and SEARCH_DEBUG between the events.")


class NewTurn(_TurnOptions):
    """A new message of the user."""

    message: NonBlankText
    session: Name | None = Field(None, description="Left out: a new conversation.")
    temporary: bool = Field(False, description="A new conversation that is never written to disk.")


class EditTurn(_TurnOptions):
    """A new text for an earlier message of the user; the old one stays on its own branch."""

    session: Name
    edit: Name = Field(description="The message to replace.")
    message: NonBlankText


class RegenerateTurn(_TurnOptions):
    """Another answer to the same message, on a new branch."""

    session: Name
    regenerate: Name = Field(description="The answer to replace.")


ChatRequest = NewTurn | EditTurn | RegenerateTurn


class ChatResponse(ResponseBody):
    """A finished turn. `model` is null for an answer composed from memory without a language model."""

    session: str
    text: str
    message: MessageResponse | None
    sources: list[SourceResponse]
    receipt_id: str | None
    model: str | None
    finish: str
    steps: int
    fallbacks: list[str]
    tokens: int
    used: int
    duration_ms: float
    noted: list[FactResponse] = Field([], description="Facts extracted from the user's message.")
