"""Answers without a language model: what is remembered about a question, quoted, with dates and where it is from."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence

from recollect.agent.answer import Answer, Cited, Delta, Event, Finished, Retrieved
from recollect.agent.options import Options
from recollect.agent.prompting import Prompting
from recollect.agent.quoting import quotation
from recollect.agent.sources import sources
from recollect.chat import Chat
from recollect.engine.digest.sentences import sentences
from recollect.engine.query import understand
from recollect.engine.rank import is_question
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.prompt import Context, Item
from recollect.types import Message, Role, moment

QUOTES = 5
CLOSE = 0.5
"""How close in meaning something is that shares no word with a question and is quoted all the same."""
SURE = 0.1
"""The score that it has besides: from here on a memory is taken to have something on a question."""

LITTLE = 4
"""Telling words: with fewer, a message means nothing without those around it."""

REMEMBERED = "From memory:"
NOTHING = "I remember nothing about that."
NOTED = "Saved. Ask me about it any time, here or in a new conversation."


def offline_turn(memory: Memory, chat: Chat, said: Message, options: Options, stop: threading.Event) -> Iterator[Event]:
    """A turn without a model. Its answer is private: quotes are no new knowledge, and are not to be found again."""
    context = Prompting(memory, chat, options).prompt(())
    found = sources(context)
    yield Retrieved(context, found)
    quoted = () if stop.is_set() else quotes(memory, chat, said, context)
    text = _reply(memory, chat, said, context.searched_for, quoted)
    yield Delta(text)
    metadata = {
        "model": None,
        "memory_only": True,
        "finish": "stop",
        "sources": [one.id for one in quoted],
        "receipt": context.receipt_id,
    }
    saved = chat.add("assistant", text, metadata=metadata, private=True)
    everything = {one.id: one for one in (*quoted, *found)}
    yield Finished(
        Answer(
            chat.id, text, tuple(everything.values()), context.receipt_id, saved, context, fallbacks=context.fallbacks
        )
    )  # fmt: skip


def _reply(memory: Memory, chat: Chat, said: Message, searched_for: str, quoted: Sequence[Cited]) -> str:
    if not quoted:
        asks = searched_for.strip() and understand(searched_for, said.created_at, plain=True).kind != "statement"
        return NOTHING if asks else NOTED
    wanted = set(telling(terms(searched_for)))
    lines = [quotation(one, _speaker(memory, chat, one), chat.id, wanted) for one in quoted]
    return "\n".join([REMEMBERED, *(f"- {line}" for line in lines)])


def _speaker(memory: Memory, chat: Chat, one: Cited) -> Role | None:
    if one.kind != "message" or one.session is None:
        return None
    try:
        there = chat if one.session == chat.id else memory.chat(owner=chat.owner, session=one.session)
        return there.message(one.id).role
    except NotFound:
        return None  # it went away since it was found, or was said in a pool


# -- what to quote


def quotes(memory: Memory, chat: Chat, said: Message, context: Context) -> tuple[Cited, ...]:
    """What is about the question, best first: of what the prompt found, and of what was said in this very conversation."""
    wanted = set(telling(terms(context.searched_for)))
    items = {item.id: item for item in context.items}
    about = [one for one in sources(context) if _is_about(items[one.id], wanted)]
    about += _said_here(memory, chat, said, context, wanted)
    kept = {_plain(said.text): None}
    best: list[Cited] = []
    for one in sorted(about, key=lambda one: -(one.score or 0.0)):
        text = _plain(one.text)
        if text not in kept and not _only_asks(one) and not _says_little(one):
            kept[text] = None
            best.append(one)
    return tuple(best[:QUOTES])


def _is_about(item: Item, wanted: set[str]) -> bool:
    if item.kind == "summary":
        return False
    return _is_near(f"{item.title} {item.text}", wanted, item.signals.get("meaning", 0.0), item.score or 0.0)


def _is_near(text: str, wanted: set[str], meaning: float, score: float) -> bool:
    return bool(wanted.intersection(terms(text))) or (meaning >= CLOSE and score >= SURE)


def _only_asks(one: Cited) -> bool:
    return one.kind == "message" and all(sentence.rstrip().endswith("?") for sentence in sentences(one.text))


def _says_little(one: Cited) -> bool:
    """Whether something that is quoted only because of what was said next to it is not worth it."""
    return one.kind == "message" and one.score is None and (is_question(one.text) or len(telling(terms(one.text))) < LITTLE)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _said_here(memory: Memory, chat: Chat, said: Message, context: Context, wanted: set[str]) -> Iterable[Cited]:
    """What was said earlier in this conversation: it is in the prompt anyway, so it was not looked for."""
    recent = {item.id: item for item in context.items if item.section == "recent"}
    if not recent or not wanted:
        return []
    if chat.info().temporary:
        return [_from_item(item, wanted) for item in recent.values() if wanted.intersection(terms(item.text))]
    # With a question mark, a dash or a colon in it is no instruction.
    hits = memory.search(f"{context.searched_for.rstrip('?! ')}?", owner=chat.owner, session=chat.id, limit=2 * QUOTES)
    return [
        Cited("message", hit.message.id, "", hit.message.text, "", hit.score, hit.reason, hit.at, hit.session)
        for hit in hits
        if hit.message.id in recent and hit.message.id != said.id
        if _is_near(hit.message.text, wanted, hit.signals.get("meaning", 0.0), hit.score)
    ]


def _from_item(item: Item, wanted: set[str]) -> Cited:
    shared = len(wanted.intersection(terms(item.text))) / len(wanted)
    at = None if item.at is None else moment(item.at)
    return Cited("message", item.id, "", item.text, "", shared, "said in this conversation", at, item.session)
