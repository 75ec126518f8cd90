"""The events of a turn and the answer at its end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from keepsaid.types import Fact, Message, ToolCall
from keepsaid.types.prompts import Context


@dataclass(frozen=True, slots=True)
class Cited:
    """A source that was in the prompt, so that an answer may be based on it.

    `kind` is `document`, `message`, `fact`, `tool` or `summary`; `title` is the document's name or the conversation's title.
    `named` means that the text of the answer names it.

    >>> Cited("document", "d1", "guide.md", "Run setup.exe.", place="§ Install").place
    '§ Install'
    """

    kind: str
    id: str
    title: str
    text: str
    place: str = ""
    score: float | None = None
    reason: str = ""
    at: datetime | None = None
    session: str | None = None
    named: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a turn.

    `model` is None for an answer that was made from memory alone. `finish` is "stop", or why the answer ended early:
    "length" (the model's limit), "stopped" (by the caller), "steps" (the step limit), "error".

    >>> Answer("s1", "In Lisbon.").finish
    'stop'
    """

    session: str
    text: str
    sources: tuple[Cited, ...] = ()
    receipt_id: str | None = None
    message: Message | None = None
    """The answer as saved."""
    context: Context | None = None
    """The last prompt of the turn."""
    model: str | None = None
    finish: str = "stop"
    steps: int = 0
    fallbacks: tuple[str, ...] = ()
    noted: tuple[Fact, ...] = ()
    """Facts that were extracted from the user's message."""


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The user's message is saved."""

    session: str
    message: Message


@dataclass(frozen=True, slots=True)
class ContextRetrieved:
    """The prompt of a step is built."""

    context: Context
    sources: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call has started."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call has succeeded or failed; its result is saved."""

    call: ToolCall
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The turn has ended and is saved."""

    answer: Answer


TurnEvent = TurnStarted | ContextRetrieved | TextDelta | ToolStarted | ToolFinished | TurnFinished
