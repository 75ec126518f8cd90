"""Writers that use a language model: summaries, facts, titles, completed questions.

Their output goes through the same checks as that of the rules. Where the model fails, the rules are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from keepsaid.engine.facts.claim import FactClaim
from keepsaid.engine.redaction import redact
from keepsaid.engine.summary import ExtractiveSummary
from keepsaid.engine.titles import SessionLabel
from keepsaid.errors import LLMError
from keepsaid.ports import LLM
from keepsaid.types import Message

TokenCountFunction = Callable[[str], int]

ANSWER_TOKENS = 800
"""Tokens that a model may use for an answer, beyond the length it is asked for."""


class ConversationCondenser(Protocol):
    """Condenses a conversation: DSPy's way, or an application's own."""

    def condense(self, history: str, query: str) -> tuple[str, tuple[str, ...]]: ...


@dataclass(frozen=True, slots=True)
class LLMWriters:
    """The language-model writers of a memory; each is None if there is no model for it."""

    llm: LLM | None = None
    condenser: ConversationCondenser | None = None
    summarizes: bool = True
    rewrites: bool = False
    redact: tuple[str, ...] = ()
    """Kinds of personal data that are removed before anything is sent to a model."""

    def summarizer(self, count: TokenCountFunction) -> LLMSummaryWriter | None:
        """Return the writer of summaries, if there is one."""
        if self.condenser is not None:
            return LLMSummaryWriter(count, None, self.condenser, self.redact)
        return LLMSummaryWriter(count, self._model, None, self.redact) if self.summarizes and self.llm is not None else None

    @property
    def extractor(self) -> LLMFactExtractor | None:
        """The writer of facts, if there is one."""
        return None if self._model is None else LLMFactExtractor(self._model)

    @property
    def title_writer(self) -> LLMTitleWriter | None:
        """The writer of titles, if there is one."""
        return None if self._model is None else LLMTitleWriter(self._model)

    @property
    def rewriter(self) -> LLMQuestionRewriter | None:
        """The writer that completes follow-up questions, if there is one."""
        return LLMQuestionRewriter(self._model) if self._model is not None and self.rewrites else None

    @property
    def _model(self) -> WriterModel | None:
        return None if self.llm is None else WriterModel(self.llm, self.redact)


class WriterModel(NamedTuple):
    """A language model with the checks that all writers need."""

    llm: LLM
    redact: tuple[str, ...]

    def answer(self, instructions: Sequence[Mapping[str, Any]], most: int = ANSWER_TOKENS) -> str:
        """Return a complete answer. Personal data is not sent. An answer that was cut off or refused raises `LLMError`."""
        asked = [{**one, "content": redact(one["content"], self.redact).text} for one in instructions]
        made = self.llm.complete(asked, max_tokens=most)
        if made.finish != "stop":
            raise LLMError(f"{self.llm.name} gave no complete answer: it ended with {made.finish!r}")
        return made.text


class LLMSummaryWriter:
    """Writes summaries, and restores exact values that the model lost."""

    def __init__(
        self,
        count: TokenCountFunction,
        model: WriterModel | None,
        condenser: ConversationCondenser | None,
        redact: tuple[str, ...],
    ) -> None:
        self._count = count
        self._model = model
        self._condenser = condenser
        self._redact = redact

    @property
    def name(self) -> str:
        """Name of the model or of the condenser."""
        return self._model.llm.name if self._model is not None else "condenser"

    def write(self, previous: str, messages: Sequence[Message], made: ExtractiveSummary, limit: int) -> str:
        """Return the summary of an earlier summary and the messages since, within the limit."""
        from keepsaid.engine.summary.llm import build_summary_instructions, find_lost_lines, restore_lost_lines

        if self._condenser is not None:
            history = "\n".join([previous, *(f"{message.role}: {message.text}" for message in messages)])
            text = self._condense(self._condenser, history, messages[-1].text)
        else:
            assert self._model is not None
            text = self._model.answer(build_summary_instructions(previous, messages, limit), limit + ANSWER_TOKENS)
        return restore_lost_lines(text, find_lost_lines(text, made), self._count, limit)

    def _condense(self, condenser: ConversationCondenser, history: str, query: str) -> str:
        try:
            return condenser.condense(*(redact(text, self._redact).text for text in (history, query)))[0]
        except Exception as error:  # external code may fail in any way
            raise LLMError(f"the conversation could not be condensed: {error}") from error


class LLMFactExtractor:
    """Extracts facts from messages. A claim whose words do not occur in the message is rejected."""

    def __init__(self, model: WriterModel) -> None:
        self._model = model

    def extract(self, messages: Sequence[Message]) -> list[tuple[int, FactClaim]]:
        """Return claims, each with the index of its message."""
        from keepsaid.engine.facts.llm import build_extraction_prompt, parse_extracted_claims

        answer = self._model.answer(build_extraction_prompt(messages))
        if "{" not in answer and "[" not in answer:
            raise LLMError("the answer has no list of facts, not even an empty one")
        return parse_extracted_claims(answer, messages)


class LLMTitleWriter:
    """Makes a session's title and tags."""

    def __init__(self, model: WriterModel) -> None:
        self._model = model

    def label(self, messages: Sequence[Message]) -> SessionLabel | None:
        """Return a label, or None if the answer contains none."""
        from keepsaid.engine.titles import build_label_prompt, parse_label

        return parse_label(self._model.answer(build_label_prompt(messages)))


class LLMQuestionRewriter:
    """Completes a follow-up question from the conversation before it."""

    def __init__(self, model: WriterModel) -> None:
        self._model = model

    def rewrite(self, question: str, recent: Sequence[Message]) -> str | None:
        """Return the question in a form that can be searched on its own, or None if the model's answer cannot be trusted."""
        from keepsaid.engine.follow_up import build_question_instructions, parse_rewritten_question

        return parse_rewritten_question(self._model.answer(build_question_instructions(question, recent)), question, recent)
