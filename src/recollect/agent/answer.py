"""The nouns of a turn: what happens while it lasts, and the answer at its end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.prompt import Context
from recollect.types import Fact, Message, ToolCall


@dataclass(frozen=True, slots=True)
class Cited:
    """Something that an answer could rest on, because the prompt had it.

    `kind` is `document`, `message`, `fact`, `tool` or `summary`; `title` is the document's name or the conversation's title.
    `named` says that the answer itself names it.

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
    """The end of a turn.

    `model` is None for an answer that was put together from memory alone. `finish` is "stop", or why it ended early:
    "length" (the model's limit), "stopped" (by the reader), "steps" (the step limit), "error".

    >>> Answer("s1", "In Lisbon.").finish
    'stop'
    """

    session: str
    text: str
    sources: tuple[Cited, ...] = ()
    receipt_id: str | None = None
    message: Message | None = None
    """The answer as it was saved."""
    context: Context | None = None
    """The last prompt of the turn."""
    model: str | None = None
    finish: str = "stop"
    steps: int = 0
    fallbacks: tuple[str, ...] = ()
    noted: tuple[Fact, ...] = ()
    """Facts that were noted of what the user said."""


@dataclass(frozen=True, slots=True)
class Started:
    """The user's words are saved."""

    session: str
    message: Message


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The prompt of a step is made."""

    context: Context
    sources: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    """Some more of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool is being used."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool answered, or failed; its result is saved."""

    call: ToolCall
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """The turn is over and everything of it saved."""

    answer: Answer


Event = Started | Retrieved | Delta | ToolStarted | ToolFinished | Finished
