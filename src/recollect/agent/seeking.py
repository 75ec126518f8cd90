"""What a memory-only answer may quote: what the prompt found, what was said in this conversation, and a second look."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.agent.answer import Cited
from recollect.agent.choosing import LONG, QUOTES, Asked, Quote
from recollect.agent.sources import sources
from recollect.chat import Chat
from recollect.engine.terms import terms
from recollect.knowledge import PINNED
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.types import Fact, Hit, Message

FOLLOWED = 0.5
"""What a fact is worth that was found by another word for what is asked."""


def candidates(memory: Memory, chat: Chat, said: Message, context: Context, asked: Asked, reach: str) -> list[Quote]:
    """All that may be quoted. `reach` is where memories may come from."""
    found = [*_in_prompt(context, asked), *_said_here(memory, chat, said, context, asked)]
    if reach == "owner":
        found += (_looked_again if asked.is_question else _related)(memory, chat, said, context, asked)
    changed = {quote.cited.id: quote.changed for quote in found if quote.changed}
    return [quote._replace(changed=quote.changed or changed.get(quote.cited.id, "")) for quote in found]


def _in_prompt(context: Context, asked: Asked) -> Iterable[Quote]:
    items = {item.id: item for item in context.items}
    for one in sources(context):
        item = items[one.id]
        if item.kind != "summary":
            shared = asked.wanted.intersection(terms(f"{item.title} {item.text}" if item.kind != "message" else item.text))
            about = item.kind == "fact" and item.reason != PINNED
            yield Quote(one, shared, item.signals.get("meaning", 0.0), item.changed, about)


def _said_here(memory: Memory, chat: Chat, said: Message, context: Context, asked: Asked) -> Iterable[Quote]:
    """What was said earlier in this conversation: it is in the prompt anyway, so it was not looked for."""
    recent = {item.id: item for item in context.items if item.section == "recent"}
    if not recent or not asked.wanted:
        return []
    if chat.info().temporary:
        here = [one for one in chat.messages() if one.id in recent and one.id != said.id and not one.private]
        return [quote for one in here if (quote := _quote_here(one, asked)).shared]
    hits = memory.search(_as_question(context.searched_for), owner=chat.owner, session=chat.id, limit=2 * QUOTES)
    instead = {item.at: item.text for item in context.items if item.kind == "fact"}
    return [
        _from_hit(hit, asked)._replace(changed=_changed(memory, chat, hit.message, instead))
        for hit in hits
        if hit.message.id in recent and hit.message.id != said.id
    ]


def _quote_here(one: Message, asked: Asked) -> Quote:
    shared = asked.wanted.intersection(terms(one.text))
    score = len(shared) / len(asked.wanted)
    why = "said in this conversation"
    return Quote(Cited("message", one.id, "", one.text, "", score, why, one.created_at, one.session), shared)


def _changed(memory: Memory, chat: Chat, message: Message, instead: dict[int | None, str]) -> str:
    """The fact in the prompt that has taken the place of one that rests on a message."""
    facts = memory.facts(message.text, owner=chat.owner, history=True)
    ended = [fact for fact in facts if message.id in fact.messages and not fact.is_current]
    return next((instead[fact.valid_to] for fact in ended if fact.valid_to in instead), "")


def _looked_again(memory: Memory, chat: Chat, said: Message, context: Context, asked: Asked) -> list[Quote]:
    """What is found by other words for those whom a question is about; and for a question whose words mean nothing to the
    prompt, because they are not English."""
    if not asked.others and any(item.section == "recalled" for item in context.items):
        return []
    text = " ".join([context.searched_for.rstrip("?!. "), *asked.others])
    hits = memory.search(_as_question(text), owner=chat.owner, limit=2 * QUOTES)
    recent = {item.id for item in context.items if item.section == "recent"}
    facts = memory.facts(" ".join(asked.others), owner=chat.owner, limit=2 * QUOTES) if asked.others else []
    return [
        *(_from_hit(hit, asked) for hit in hits if hit.message.id not in recent and hit.message.id != said.id),
        *(from_fact(fact, FOLLOWED, asked) for fact in facts if said.id not in fact.messages),
    ]


def _related(memory: Memory, chat: Chat, said: Message, context: Context, asked: Asked) -> list[Quote]:
    """What shares words with something that is told: a prompt has little of it, since nobody asked."""
    if len(said.text) > LONG or not asked.wanted:
        return []
    hits = memory.search(_as_question(said.text), owner=chat.owner, limit=2 * QUOTES)
    recent = {item.id for item in context.items if item.section == "recent"}
    return [_from_hit(hit, asked) for hit in hits if hit.message.id not in recent and hit.message.id != said.id]


def _as_question(text: str) -> str:
    """With a question mark, a dash or a colon in it is no instruction."""
    return f"{text.rstrip('?! ')}?"


def _from_hit(hit: Hit, asked: Asked) -> Quote:
    message = hit.message
    title = hit.title or ""
    cited = Cited("message", message.id, title, message.text, "", hit.score, hit.reason, hit.at, hit.session)
    return Quote(cited, asked.wanted.intersection(terms(message.text)), hit.signals.get("meaning", 0.0))


def from_fact(fact: Fact, score: float | None, asked: Asked | None = None) -> Quote:
    """A fact as it may be quoted."""
    shared = frozenset[str]() if asked is None else asked.wanted.intersection(terms(fact.text))
    cited = Cited("fact", fact.id, "", fact.text, "", score, "a fact about you", fact.since, fact.session)
    return Quote(cited, shared, chosen=True)
