"""Answers without a language model: what is remembered about a question, quoted, with dates and where it is from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.agent.answer import Answer, Cited, Delta, Event, Finished, Retrieved
from recollect.agent.choosing import Asked, Quote, chosen
from recollect.agent.following import other_words
from recollect.agent.options import Options
from recollect.agent.overview import Overview, overview
from recollect.agent.prompting import Prompting
from recollect.agent.quoting import quotation
from recollect.agent.seeking import candidates
from recollect.agent.sources import sources
from recollect.agent.stop import Stop
from recollect.chat import Chat
from recollect.engine.asks import asks
from recollect.errors import BudgetTooSmall, NotFound
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.types import Message, Role

REMEMBERED = "From memory:"
RELATED = "This may be related:"
CONVERSATIONS = "Conversations:"
NOTHING = "I remember nothing about that."
NOTED = (
    "Saved. Ask me about it any time, here or in a new conversation.",
    "Noted. You can ask me about it whenever you like.",
    "Saved. I will have it when you ask.",
)
NOTED_HERE = "Noted for this conversation; nothing of it is kept."
NOT_KEPT = "I will not remember that beyond this conversation."

ROOM = 4_000
"""Tokens for what is found, besides a message that is longer than the budget: nobody is sent the prompt."""


def offline_turn(memory: Memory, chat: Chat, said: Message, options: Options, stop: Stop) -> Iterator[Event]:
    """A turn without a model. Its answer is private: quotes are no new knowledge, and are not to be found again."""
    prompting = Prompting(memory, chat, options)
    context = _context(memory, chat, options, prompting)
    found = sources(context)
    yield Retrieved(context, found)
    reply = _Reply(memory, chat, said, context)
    text, quoted = reply.made(prompting.reach) if not stop.is_set() else (NOTHING, ())
    yield Delta(text)
    metadata = {
        "model": None,
        "memory_only": True,
        "finish": "stop",
        "sources": [one.id for one in quoted],
        "receipt": context.receipt_id,
    }
    saved = chat.add("assistant", text, metadata=metadata, private=True)
    everything = {one.id: one for one in found} | {one.id: one for one in quoted}
    order = dict.fromkeys([*(one.id for one in quoted), *everything])
    cited = tuple(everything[id] for id in order)
    yield Finished(Answer(chat.id, text, cited, context.receipt_id, saved, context, fallbacks=context.fallbacks))


def _context(memory: Memory, chat: Chat, options: Options, prompting: Prompting) -> Context:
    try:
        return prompting.prompt(())
    except BudgetTooSmall as error:
        return Prompting(memory, chat, replace(options, budget=error.needed + ROOM)).prompt(())


class _Reply:
    """Puts one answer together."""

    def __init__(self, memory: Memory, chat: Chat, said: Message, context: Context) -> None:
        self._memory = memory
        self._chat = chat
        self._said = said
        self._context = context
        self._asked = Asked.of(said, context.searched_for)

    def made(self, reach: str) -> tuple[str, Sequence[Cited]]:
        """The answer, and what it quotes."""
        broad = overview(self._memory, self._chat, self._said, reach)
        if broad is not None:
            return self._told(broad)
        asked = self._asked
        if asked.is_question and reach == "owner":
            asked = asked.also(other_words(self._memory, self._chat.owner, self._context.searched_for))
        found = candidates(self._memory, self._chat, self._said, self._context, asked, reach)
        quotes = chosen(found, asked, self._said, lambda one: self._speaker(one) is Role.USER)
        lines = self._lines(quotes)
        if asked.is_question and (lines or asks(self._said.text)):
            text = "\n".join([REMEMBERED, *lines]) if lines else NOTHING
        else:
            text = "\n".join([self._noted(), *([RELATED, *lines] if lines else ())])
        return text, _cited(quotes)

    def _told(self, broad: Overview) -> tuple[str, Sequence[Cited]]:
        lines = [broad.heading, *self._lines(broad.quotes)]
        if broad.lines:
            lines += [CONVERSATIONS, *(f"- {line}" for line in broad.lines)]
        return "\n".join(lines), _cited(broad.quotes)

    def _lines(self, quotes: Sequence[Quote]) -> list[str]:
        wanted, here = set(self._asked.wanted), self._chat.id
        return [f"- {quotation(one.cited, self._speaker(one.cited), here, wanted, one.changed)}" for one in quotes]

    def _speaker(self, one: Cited) -> Role | None:
        if one.kind != "message" or one.session is None:
            return None
        chat = self._chat
        try:
            there = chat if one.session == chat.id else self._memory.chat(owner=chat.owner, session=one.session)
            return there.message(one.id).role
        except NotFound:
            return None  # it went away since it was found, or was said in a pool

    def _noted(self) -> str:
        """That something was saved, if it was: in other words each time, and the same for the same message."""
        if self._chat.info().temporary:
            return NOTED_HERE
        return NOT_KEPT if self._said.private else NOTED[self._said.seq // 2 % len(NOTED)]


def _cited(quotes: Sequence[Quote]) -> tuple[Cited, ...]:
    return tuple(replace(one.cited, named=True) for one in quotes)
