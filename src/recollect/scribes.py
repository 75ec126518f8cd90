"""Those who write with a language model: summaries, facts, titles, completed questions. Each goes through the same checks as
what rules make, and where the model fails, rules do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from recollect.engine.digest import Digest
from recollect.engine.facts.claim import Claim
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

    def summarizer(self, count: Count) -> Summarizer | None:
        """Writes summaries."""
        if self.condenser is not None:
            return Summarizer(count, condenser=self.condenser)
        return Summarizer(count, self.llm) if self.llm is not None and self.summarizes else None

    @property
    def extractor(self) -> Extractor | None:
        """Finds facts."""
        return None if self.llm is None else Extractor(self.llm)

    @property
    def namer(self) -> Namer | None:
        """Finds titles."""
        return None if self.llm is None else Namer(self.llm)

    @property
    def rewriter(self) -> QuestionWriter | None:
        """Completes follow-up questions."""
        return QuestionWriter(self.llm) if self.llm is not None and self.rewrites else None


class Summarizer:
    """Writes a summary, and puts back in what it lost of the exact values."""

    def __init__(self, count: Count, llm: LLM | None = None, condenser: Condenser | None = None) -> None:
        self._count = count
        self._llm = llm
        self._condenser = condenser

    @property
    def name(self) -> str:
        """Who it is."""
        return self._llm.name if self._llm is not None else "condenser"

    def write(self, previous: str, messages: Sequence[Message], made: Digest, limit: int) -> str:
        """The summary of an earlier one and of the messages since, within the limit."""
        from recollect.engine.digest.llm import instructions, lost, repaired

        if self._condenser is not None:
            history = "\n".join([previous, *(f"{message.role}: {message.text}" for message in messages)])
            text = self._condensed(self._condenser, history, messages[-1].text)
        else:
            assert self._llm is not None
            text = self._llm.complete(instructions(previous, messages, limit), max_tokens=limit + ANSWER).text
        return repaired(text, lost(text, made), self._count, limit)

    def _condensed(self, condenser: Condenser, history: str, query: str) -> str:
        try:
            return condenser.condense(history, query)[0]
        except Exception as error:  # somebody else's code may fail in any way
            raise LLMError(f"the conversation could not be condensed: {error}") from error


class Extractor:
    """Finds facts in messages. A claim whose words the message does not have is refused."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def extract(self, messages: Sequence[Message]) -> list[tuple[int, Claim]]:
        """Claims, each with the place of its message among these."""
        from recollect.engine.facts.llm import instructions, parsed

        answer = self._llm.complete(instructions(messages), max_tokens=ANSWER).text
        if "{" not in answer and "[" not in answer:
            raise LLMError("the answer has no list of facts, not even an empty one")
        return parsed(answer, messages)


class Namer:
    """Finds a session's title and tags."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def label(self, messages: Sequence[Message]) -> Label | None:
        """A label, or None if the answer is none."""
        from recollect.engine.title import instructions, parsed

        return parsed(self._llm.complete(instructions(messages), max_tokens=ANSWER).text)


class QuestionWriter:
    """Completes a follow-up question from the talk before it."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def ask(self, question: str, recent: Sequence[Message]) -> str | None:
        """The question as it can be searched for alone, or None if the model's answer cannot be trusted."""
        from recollect.engine.rewrite import accepted, instructions

        answer: Any = self._llm.complete(instructions(question, recent), max_tokens=ANSWER)
        return accepted(answer.text, question, recent)
