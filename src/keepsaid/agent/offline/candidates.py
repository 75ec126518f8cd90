"""Candidate quotes of an offline answer: from the prompt, from this conversation, and from a second search."""

from __future__ import annotations

from collections.abc import Iterable

from keepsaid.agent.answer import Cited
from keepsaid.agent.offline.selection import LONG_MESSAGE, MAX_QUOTES, OfflineQuestion, QuoteCandidate
from keepsaid.agent.sources import list_sources
from keepsaid.engine.text.terms import terms
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.services.prompts.known_facts import PINNED_REASON
from keepsaid.types import Fact, Message, SearchHit
from keepsaid.types.prompts import Context

OTHER_NAME_SCORE = 0.5
"""Score of a fact that was found by another name of the people in the question."""


def collect_candidates(
    memory: Memory, chat: Chat, user_message: Message, context: Context, question: OfflineQuestion, reach: str
) -> list[QuoteCandidate]:
    """Return everything that may be quoted. `reach` is where memories may come from."""
    found = [*_from_prompt(context, question), *_from_conversation(memory, chat, user_message, context, question)]
    if reach == "owner":
        found += (_search_again if question.is_question else _from_statement)(memory, chat, user_message, context, question)
    changed = {quote.cited.id: quote.replaced_by for quote in found if quote.replaced_by}
    return [quote._replace(replaced_by=quote.replaced_by or changed.get(quote.cited.id, "")) for quote in found]


def _from_prompt(context: Context, question: OfflineQuestion) -> Iterable[QuoteCandidate]:
    items = {item.id: item for item in context.items}
    for one in list_sources(context):
        item = items[one.id]
        if item.kind != "summary":
            shared = question.content_words.intersection(
                terms(f"{item.title} {item.text}" if item.kind != "message" else item.text)
            )
            about = item.kind == "fact" and item.reason != PINNED_REASON
            yield QuoteCandidate(one, shared, item.signals.get("meaning", 0.0), item.changed, about)


def _from_conversation(
    memory: Memory, chat: Chat, user_message: Message, context: Context, question: OfflineQuestion
) -> Iterable[QuoteCandidate]:
    """Return quotes from this conversation. The prompt's search leaves these out because the prompt has them anyway."""
    recent = {item.id: item for item in context.items if item.section == "recent"}
    if not recent or not question.content_words:
        return []
    if chat.info().temporary:
        here = [one for one in chat.messages() if one.id in recent and one.id != user_message.id and not one.private]
        return [quote for one in here if (quote := _quote_from_message(one, question)).shared]
    hits = memory.search(_as_question(context.searched_for), owner=chat.owner, session=chat.id, limit=2 * MAX_QUOTES)
    instead = {item.at: item.text for item in context.items if item.kind == "fact"}
    return [
        _from_hit(hit, question)._replace(replaced_by=_replacing_fact(memory, chat, hit.message, instead))
        for hit in hits
        if hit.message.id in recent and hit.message.id != user_message.id
    ]


def _quote_from_message(one: Message, question: OfflineQuestion) -> QuoteCandidate:
    shared = question.content_words.intersection(terms(one.text))
    score = len(shared) / len(question.content_words)
    why = "said in this conversation"
    return QuoteCandidate(Cited("message", one.id, "", one.text, "", score, why, one.created_at, one.session), shared)


def _replacing_fact(memory: Memory, chat: Chat, message: Message, instead: dict[int | None, str]) -> str:
    """Return the fact in the prompt that has replaced a fact based on this message."""
    facts = memory.facts(message.text, owner=chat.owner, history=True)
    ended = [fact for fact in facts if message.id in fact.messages and not fact.is_current]
    return next((instead[fact.valid_to] for fact in ended if fact.valid_to in instead), "")


def _search_again(
    memory: Memory, chat: Chat, user_message: Message, context: Context, question: OfflineQuestion
) -> list[QuoteCandidate]:
    """Search again with other names of the people in the question, or because the prompt recalled nothing, as it may for
    questions that are not in English."""
    if not question.other_names and any(item.section == "recalled" for item in context.items):
        return []
    text = " ".join([context.searched_for.rstrip("?!. "), *question.other_names])
    hits = memory.search(_as_question(text), owner=chat.owner, limit=2 * MAX_QUOTES)
    recent = {item.id for item in context.items if item.section == "recent"}
    facts = (
        memory.facts(" ".join(question.other_names), owner=chat.owner, limit=2 * MAX_QUOTES) if question.other_names else []
    )
    return [
        *(_from_hit(hit, question) for hit in hits if hit.message.id not in recent and hit.message.id != user_message.id),
        *(quote_from_fact(fact, OTHER_NAME_SCORE, question) for fact in facts if user_message.id not in fact.messages),
    ]


def _from_statement(
    memory: Memory, chat: Chat, user_message: Message, context: Context, question: OfflineQuestion
) -> list[QuoteCandidate]:
    """Return quotes that share words with a statement. The prompt has few of them, because it was not a question."""
    if len(user_message.text) > LONG_MESSAGE or not question.content_words:
        return []
    hits = memory.search(_as_question(user_message.text), owner=chat.owner, limit=2 * MAX_QUOTES)
    recent = {item.id for item in context.items if item.section == "recent"}
    return [_from_hit(hit, question) for hit in hits if hit.message.id not in recent and hit.message.id != user_message.id]


def _as_question(text: str) -> str:
    """Add a question mark, so that dashes and colons are not search operators."""
    return f"{text.rstrip('?! ')}?"


def _from_hit(hit: SearchHit, question: OfflineQuestion) -> QuoteCandidate:
    message = hit.message
    title = hit.title or ""
    cited = Cited("message", message.id, title, message.text, "", hit.score, hit.reason, hit.at, hit.session)
    return QuoteCandidate(cited, question.content_words.intersection(terms(message.text)), hit.signals.get("meaning", 0.0))


def quote_from_fact(fact: Fact, score: float | None, question: OfflineQuestion | None = None) -> QuoteCandidate:
    """Return a fact as a candidate quote."""
    shared = frozenset[str]() if question is None else question.content_words.intersection(terms(fact.text))
    cited = Cited("fact", fact.id, "", fact.text, "", score, "a fact about you", fact.since, fact.session)
    return QuoteCandidate(cited, shared, is_on_topic=True)
