"""Tools for one owner's memory: search it, remember facts and forget facts.

Their results are private, because saving retrieved memories as new ones would duplicate them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from keepsaid.agent.tools import Tool, ToolError
from keepsaid.engine.prompt.block_texts import format_day
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.errors import KeepsaidError
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Fact, SearchHit

DEFAULT_RESULTS = 5
MAX_RESULTS = 20
REMEMBER_TOOL = "remember"
"""The tool that saves facts. Private turns do not get it."""
MAX_LISTED_FACTS = 10
"""Maximum facts that are listed to choose from."""

_SEARCH = (
    "Searches everything the user ever said or was told, in all conversations, and the user's documents. Use it when the"
    " answer may lie in what was said before and is not in front of you."
)
_REMEMBER = "Keeps a short fact about the user for good. Use it when the user asks you to remember something."
_FORGET = "Removes a fact about the user. Use it only when the user asks you to forget something."


def memory_tools(memory: Memory, chat: Chat, question_id: str = "", recall: str = "owner") -> tuple[Tool, ...]:
    """Return the memory tools for one conversation. A temporary one only gets the search.

    `question_id` is the id of the message that is being answered: searches leave it out, or it would be the best match of
    itself. `recall` selects where memories may come from, as for prompts: with `session` only this conversation is searched,
    with `off` there is no search.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> [tool.name for tool in memory_tools(memory, memory.chat(owner="u1"))]
    ['search_memory', 'remember', 'forget']
    """
    tools = _MemoryToolFunctions(memory, chat, question_id, recall)
    search = () if recall == "off" else (Tool.of(tools.search_memory, description=_SEARCH, private=True),)
    if chat.info().temporary:
        return search
    return (
        *search,
        Tool.of(tools.remember, description=_REMEMBER, private=True),
        Tool.of(tools.forget, description=_FORGET, private=True),
    )


class _MemoryToolFunctions:
    """The functions of the memory tools, limited to one owner."""

    def __init__(self, memory: Memory, chat: Chat, question_id: str, recall: str) -> None:
        self._session_filter = chat.id if recall == "session" else None
        self._memory = memory
        self._question_id = question_id
        self._owner = chat.owner
        self._session = chat.id

    def search_memory(
        self,
        query: Annotated[str, "What to look for, as a question or in a few words."],
        limit: Annotated[int, "How many results at the most."] = DEFAULT_RESULTS,
    ) -> str:
        limit = max(1, min(limit, MAX_RESULTS))
        try:
            hits = self._memory.search(query, owner=self._owner, session=self._session_filter, limit=limit + 1)
            pieces = self._memory.search_documents(query, owner=self._owner, session=self._session, limit=limit)
        except KeepsaidError as error:
            raise ToolError(f"Error: {error}") from None
        facts = self._memory.facts(query, owner=self._owner, limit=limit)
        facts = [fact for fact in facts if self._session_filter in (None, fact.session) and not fact.hidden]
        hits = [hit for hit in hits if hit.message.id != self._question_id][:limit]
        lines = [f"- {fact.text} (since {format_day(fact.valid_from)})" for fact in facts]
        lines += [_format_message_hit(hit) for hit in hits]
        lines += [_format_document_hit(hit) for hit in pieces]
        return "\n".join(lines) or "nothing found"

    def remember(self, text: Annotated[str, "The fact, as a short sentence about the user."]) -> str:
        text = " ".join(text.split())
        known = [fact for fact in self._memory.facts(text, owner=self._owner) if _is_same_text(fact.text, text)]
        if known:
            return f"known already: {known[0].text}"
        try:
            return f"remembered: {self._memory.remember(text, owner=self._owner).text}"
        except KeepsaidError as error:
            raise ToolError(f"Error: {error}") from None

    def forget(self, text: Annotated[str, "The fact to forget, in its own words."]) -> str:
        found = self._memory.facts(text, owner=self._owner)
        exact = [fact for fact in found if _is_same_text(fact.text, text)]
        meant = exact or _unambiguous_facts(found, text)
        if not meant:
            return _format_choices(
                found, "no fact says that" if not found else "several facts could be meant; none was removed"
            )
        for fact in meant:
            self._memory.forget_fact(fact.id, owner=self._owner)
        forgotten = "; ".join(dict.fromkeys(fact.text for fact in meant))
        return f"forgotten: {forgotten}. What was said in conversations stays; the user can erase it."


def _unambiguous_facts(found: Sequence[Fact], text: str) -> list[Fact]:
    """Return the facts that contain all words of a text, if these are all the same fact."""
    wanted = set(content_words(terms(text)))
    having = [fact for fact in found if wanted <= set(terms(fact.text))]
    return having if len({fact.text.casefold() for fact in having}) == 1 else []


def _format_choices(found: Sequence[Fact], why: str) -> str:
    lines = [f"- {fact.text}" for fact in found[:MAX_LISTED_FACTS]]
    return "\n".join([f"{why}. Say exactly one of these:" if lines else why, *lines])


def _is_same_text(one: str, other: str) -> bool:
    return " ".join(one.split()).rstrip(".!").casefold() == " ".join(other.split()).rstrip(".!").casefold()


def _format_message_hit(hit: SearchHit) -> str:
    where = f", “{hit.title}”" if hit.title else ""
    return f"- [{format_day(hit.message.created)}, {hit.message.role.value}{where}] {' '.join(hit.passage.split())}"


def _format_document_hit(hit: SearchHit) -> str:
    where = ", ".join(str(part) for part in (hit.title, hit.message.metadata.get("place")) if part)
    return f"- [{where}] {' '.join(hit.message.text.split())}"
