"""Tools over the memory itself, for one owner: searching it, remembering and forgetting facts.

What they return is private: to remember what was remembered would make two memories of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from recollect.agent.tools import Tool, ToolFailed
from recollect.chat import Chat
from recollect.engine.compile.layout import day
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.errors import RecollectError
from recollect.memory import Memory
from recollect.types import Fact, Hit

FOUND = 5
MOST = 20
REMEMBER = "remember"
"""The tool that keeps something, which a turn that is not to be remembered goes without."""
LISTED = 10
"""Facts that are shown to choose from."""

_SEARCH = (
    "Searches everything the user ever said or was told, in all conversations, and the user's documents. Use it when the"
    " answer may lie in what was said before and is not in front of you."
)
_REMEMBER = "Keeps a short fact about the user for good. Use it when the user asks you to remember something."
_FORGET = "Removes a fact about the user. Use it only when the user asks you to forget something."


def memory_tools(memory: Memory, chat: Chat, asked: str = "", recall: str = "owner") -> tuple[Tool, ...]:
    """The tools for one conversation of one owner. In a temporary one nothing can be kept or removed. `asked` is the id of
    the message that is being answered: it is not found, though nothing matches it as well as it does itself. `recall` says
    where memories may come from, as for prompts: with `session` only this one is searched, with `off` none.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> [tool.name for tool in memory_tools(memory, memory.chat(owner="u1"))]
    ['search_memory', 'remember', 'forget']
    """
    desk = _Desk(memory, chat, asked, recall)
    search = () if recall == "off" else (Tool.of(desk.search_memory, description=_SEARCH, private=True),)
    if chat.info().temporary:
        return search
    return (
        *search,
        Tool.of(desk.remember, description=_REMEMBER, private=True),
        Tool.of(desk.forget, description=_FORGET, private=True),
    )


class _Desk:
    """Does the work. It knows one owner and can name no other."""

    def __init__(self, memory: Memory, chat: Chat, asked: str, recall: str) -> None:
        self._only = chat.id if recall == "session" else None
        self._memory = memory
        self._asked = asked
        self._owner = chat.owner
        self._session = chat.id

    def search_memory(
        self,
        query: Annotated[str, "What to look for, as a question or in a few words."],
        limit: Annotated[int, "How many results at the most."] = FOUND,
    ) -> str:
        limit = max(1, min(limit, MOST))
        try:
            hits = self._memory.search(query, owner=self._owner, session=self._only, limit=limit + 1)
            pieces = self._memory.search_documents(query, owner=self._owner, session=self._session, limit=limit)
        except RecollectError as error:
            raise ToolFailed(f"Error: {error}") from None
        facts = self._memory.facts(query, owner=self._owner, limit=limit)
        facts = [fact for fact in facts if self._only in (None, fact.session) and not fact.hidden]
        hits = [hit for hit in hits if hit.message.id != self._asked][:limit]
        lines = [f"- {fact.text} (since {day(fact.valid_from)})" for fact in facts]
        lines += [_said(hit) for hit in hits]
        lines += [_read(hit) for hit in pieces]
        return "\n".join(lines) or "nothing found"

    def remember(self, text: Annotated[str, "The fact, as a short sentence about the user."]) -> str:
        text = " ".join(text.split())
        known = [fact for fact in self._memory.facts(text, owner=self._owner) if _same(fact.text, text)]
        if known:
            return f"known already: {known[0].text}"
        try:
            return f"remembered: {self._memory.remember(text, owner=self._owner).text}"
        except RecollectError as error:
            raise ToolFailed(f"Error: {error}") from None

    def forget(self, text: Annotated[str, "The fact to forget, in its own words."]) -> str:
        found = self._memory.facts(text, owner=self._owner)
        exact = [fact for fact in found if _same(fact.text, text)]
        meant = exact or _clearly(found, text)
        if not meant:
            return _choice(found, "no fact says that" if not found else "several facts could be meant; none was removed")
        for fact in meant:
            self._memory.forget_fact(fact.id, owner=self._owner)
        told = "; ".join(dict.fromkeys(fact.text for fact in meant))
        return f"forgotten: {told}. What was said in conversations stays; the user can erase it."


def _clearly(found: Sequence[Fact], text: str) -> list[Fact]:
    """The only fact that has all words of a text, if there is one."""
    wanted = set(telling(terms(text)))
    having = [fact for fact in found if wanted <= set(terms(fact.text))]
    return having if len({fact.text.casefold() for fact in having}) == 1 else []


def _choice(found: Sequence[Fact], why: str) -> str:
    lines = [f"- {fact.text}" for fact in found[:LISTED]]
    return "\n".join([f"{why}. Say exactly one of these:" if lines else why, *lines])


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).rstrip(".!").casefold() == " ".join(other.split()).rstrip(".!").casefold()


def _said(hit: Hit) -> str:
    where = f", “{hit.title}”" if hit.title else ""
    return f"- [{day(hit.message.created)}, {hit.message.role.value}{where}] {' '.join(hit.passage.split())}"


def _read(hit: Hit) -> str:
    where = ", ".join(str(part) for part in (hit.title, hit.message.metadata.get("place")) if part)
    return f"- [{where}] {' '.join(hit.message.text.split())}"
