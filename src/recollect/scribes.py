"""Those who write with a language model: summaries, facts, titles, completed questions. Each goes through the same checks as
what rules make, and where the model fails, rules do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from recollect.engine.digest import Digest
from recollect.engine.facts.claim import Claim
from recollect.engine.redact import redacted
from recollect.engine.title import Label
from recollect.errors import LLMError
from recollect.ports import LLM
from recollect.types import Message

Count = Callable[[str], int]

ANSWER = 800
"""Tokens that a model may answer with, beyond what it is asked for."""


class Condenser(Protocol):
    """Condenses a conversation: DSPy's way, or an application's own."""

    def condense(self, history: str, query: str) -> tuple[str, tuple[str, ...]]: ...


@dataclass(frozen=True, slots=True)
class Scribes:
    """Who writes for a memory; None of them where there is no model."""

    llm: LLM | None = None
    condenser: Condenser | None = None
    summarizes: bool = True
    rewrites: bool = False
    redact: tuple[str, ...] = ()
    """Kinds of personal data that none of them is told."""

    def summarizer(self, count: Count) -> Summarizer | None:
        """Writes summaries."""
        if self.condenser is not None:
            return Summarizer(count, None, self.condenser, self.redact)
        return Summarizer(count, self._model, None, self.redact) if self.summarizes and self.llm is not None else None

    @property
    def extractor(self) -> Extractor | None:
        """Finds facts."""
        return None if self._model is None else Extractor(self._model)

    @property
    def namer(self) -> Namer | None:
        """Finds titles."""
        return None if self._model is None else Namer(self._model)

    @property
    def rewriter(self) -> QuestionWriter | None:
        """Completes follow-up questions."""
        return QuestionWriter(self._model) if self._model is not None and self.rewrites else None

    @property
    def _model(self) -> Model | None:
        return None if self.llm is None else Model(self.llm, self.redact)


class Model(NamedTuple):
    """A language model, asked in the one way that all scribes ask it."""

    llm: LLM
    redact: tuple[str, ...]

    def answer(self, instructions: Sequence[Mapping[str, Any]], most: int = ANSWER) -> str:
        """A whole answer. One that was cut off or refused is none, and personal data is not sent."""
        asked = [{**one, "content": redacted(one["content"], self.redact).text} for one in instructions]
        made = self.llm.complete(asked, max_tokens=most)
        if made.finish != "stop":
            raise LLMError(f"{self.llm.name} gave no whole answer: it ended with {made.finish!r}")
        return made.text


class Summarizer:
    """Writes a summary, and puts back in what it lost of the exact values."""

    def __init__(self, count: Count, model: Model | None, condenser: Condenser | None, redact: tuple[str, ...]) -> None:
        self._count = count
        self._model = model
        self._condenser = condenser
        self._redact = redact

    @property
    def name(self) -> str:
        """Who it is."""
        return self._model.llm.name if self._model is not None else "condenser"

    def write(self, previous: str, messages: Sequence[Message], made: Digest, limit: int) -> str:
        """The summary of an earlier one and of the messages since, within the limit."""
        from recollect.engine.digest.llm import instructions, lost, repaired

        if self._condenser is not None:
            history = "\n".join([previous, *(f"{message.role}: {message.text}" for message in messages)])
            text = self._condensed(self._condenser, history, messages[-1].text)
        else:
            assert self._model is not None
            text = self._model.answer(instructions(previous, messages, limit), limit + ANSWER)
        return repaired(text, lost(text, made), self._count, limit)

    def _condensed(self, condenser: Condenser, history: str, query: str) -> str:
        try:
            return condenser.condense(*(redacted(text, self._redact).text for text in (history, query)))[0]
        except Exception as error:  # somebody else's code may fail in any way
            raise LLMError(f"the conversation could not be condensed: {error}") from error


class Extractor:
    """Finds facts in messages. A claim whose words the message does not have is refused."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def extract(self, messages: Sequence[Message]) -> list[tuple[int, Claim]]:
        """Claims, each with the place of its message among these."""
        from recollect.engine.facts.llm import instructions, parsed

        answer = self._model.answer(instructions(messages))
        if "{" not in answer and "[" not in answer:
            raise LLMError("the answer has no list of facts, not even an empty one")
        return parsed(answer, messages)


class Namer:
    """Finds a session's title and tags."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def label(self, messages: Sequence[Message]) -> Label | None:
        """A label, or None if the answer is none."""
        from recollect.engine.title import instructions, parsed

        return parsed(self._model.answer(instructions(messages)))


class QuestionWriter:
    """Completes a follow-up question from the talk before it."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def ask(self, question: str, recent: Sequence[Message]) -> str | None:
        """The question as it can be searched for alone, or None if the model's answer cannot be trusted."""
        from recollect.engine.rewrite import accepted, instructions

        return accepted(self._model.answer(instructions(question, recent)), question, recent)
