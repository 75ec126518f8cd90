"""Answers without a language model: quotes from memory with their dates and sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from keepsaid.agent.answer import Answer, Cited, ContextRetrieved, TextDelta, TurnEvent, TurnFinished
from keepsaid.agent.offline.candidates import collect_candidates
from keepsaid.agent.offline.name_lookup import find_other_names
from keepsaid.agent.offline.overview import MemoryOverview, build_overview
from keepsaid.agent.offline.quotes import format_quote
from keepsaid.agent.offline.selection import OfflineQuestion, QuoteCandidate, select_quotes
from keepsaid.agent.options import AgentTurnOptions
from keepsaid.agent.prompts import TurnPromptBuilder
from keepsaid.agent.sources import list_sources
from keepsaid.agent.stop import StopSignal
from keepsaid.engine.query.question_detection import is_question_text
from keepsaid.errors import BudgetTooSmall, NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, Role
from keepsaid.types.prompts import Context

MEMORY_HEADING = "From memory:"
RELATED_HEADING = "This may be related:"
CONVERSATIONS_HEADING = "Conversations:"
NOTHING_FOUND = "I remember nothing about that."
SAVED_REPLIES = (
    "Saved. Ask me about it any time, here or in a new conversation.",
    "Noted. You can ask me about it whenever you like.",
    "Saved. I will have it when you ask.",
)
SAVED_TEMPORARILY = "Noted for this conversation; nothing of it is kept."
SAVED_PRIVATELY = "I will not remember that beyond this conversation."

EXTRA_TOKENS = 4_000
"""Extra tokens for retrieved items if the message exceeds the budget. This is safe because no model gets the prompt."""


def run_offline_turn(
    memory: Memory, chat: Chat, user_message: Message, options: AgentTurnOptions, stop: StopSignal
) -> Iterator[TurnEvent]:
    """Run a turn without a model. Its answer is private: quotes are not new information and should not be found again."""
    prompt_builder = TurnPromptBuilder(memory, chat, options)
    context = _context(memory, chat, options, prompt_builder)
    found = list_sources(context)
    yield ContextRetrieved(context, found)
    answer_builder = _OfflineAnswerBuilder(memory, chat, user_message, context)
    text, cited_sources = answer_builder.build(prompt_builder.recall_scope) if not stop.is_set() else (NOTHING_FOUND, ())
    yield TextDelta(text)
    metadata = {
        "model": None,
        "memory_only": True,
        "finish": "stop",
        "sources": [one.id for one in cited_sources],
        "receipt": context.receipt_id,
    }
    saved = chat.add("assistant", text, metadata=metadata, private=True)
    everything = {one.id: one for one in found} | {one.id: one for one in cited_sources}
    order = dict.fromkeys([*(one.id for one in cited_sources), *everything])
    cited = tuple(everything[id] for id in order)
    yield TurnFinished(Answer(chat.id, text, cited, context.receipt_id, saved, context, fallbacks=context.fallbacks))


def _context(memory: Memory, chat: Chat, options: AgentTurnOptions, prompt_builder: TurnPromptBuilder) -> Context:
    try:
        return prompt_builder.build(())
    except BudgetTooSmall as error:
        return TurnPromptBuilder(memory, chat, replace(options, budget=error.needed + EXTRA_TOKENS)).build(())


class _OfflineAnswerBuilder:
    """Build one answer from memory."""

    def __init__(self, memory: Memory, chat: Chat, user_message: Message, context: Context) -> None:
        self._memory = memory
        self._chat = chat
        self._user_message = user_message
        self._context = context
        self._question = OfflineQuestion.from_message(user_message, context.searched_for)

    def build(self, reach: str) -> tuple[str, Sequence[Cited]]:
        """Return the answer and the sources that it quotes."""
        overview = build_overview(self._memory, self._chat, self._user_message, reach)
        if overview is not None:
            return self._format_overview(overview)
        question = self._question
        if question.is_question and reach == "owner":
            question = question.with_other_names(
                find_other_names(self._memory, self._chat.owner, self._context.searched_for)
            )
        found = collect_candidates(self._memory, self._chat, self._user_message, self._context, question, reach)
        quotes = select_quotes(found, question, self._user_message, lambda one: self._speaker(one) is Role.USER)
        lines = self._lines(quotes)
        if question.is_question and (lines or is_question_text(self._user_message.text)):
            text = "\n".join([MEMORY_HEADING, *lines]) if lines else NOTHING_FOUND
        else:
            text = "\n".join([self._confirmation(), *([RELATED_HEADING, *lines] if lines else ())])
        return text, _quoted_sources(quotes)

    def _format_overview(self, overview: MemoryOverview) -> tuple[str, Sequence[Cited]]:
        lines = [overview.heading, *self._lines(overview.quotes)]
        if overview.lines:
            lines += [CONVERSATIONS_HEADING, *(f"- {line}" for line in overview.lines)]
        return "\n".join(lines), _quoted_sources(overview.quotes)

    def _lines(self, quotes: Sequence[QuoteCandidate]) -> list[str]:
        wanted, here = set(self._question.content_words), self._chat.id
        return [f"- {format_quote(one.cited, self._speaker(one.cited), here, wanted, one.replaced_by)}" for one in quotes]

    def _speaker(self, one: Cited) -> Role | None:
        if one.kind != "message" or one.session is None:
            return None
        chat = self._chat
        try:
            there = chat if one.session == chat.id else self._memory.chat(owner=chat.owner, session=one.session)
            return there.message(one.id).role
        except NotFound:
            return None  # it was removed since it was found, or is in a pool

    def _confirmation(self) -> str:
        """Return the confirmation that a message was saved. Its wording varies by message, but is stable for each one."""
        if self._chat.info().temporary:
            return SAVED_TEMPORARILY
        return (
            SAVED_PRIVATELY
            if self._user_message.private
            else SAVED_REPLIES[self._user_message.seq // 2 % len(SAVED_REPLIES)]
        )


def _quoted_sources(quotes: Sequence[QuoteCandidate]) -> tuple[Cited, ...]:
    return tuple(replace(one.cited, named=True) for one in quotes)
