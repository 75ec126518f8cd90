"""The verbs for summaries, facts and the profile."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, get_args

from keepsaid.engine.messages.validation import clean_datetime, clean_limit, clean_name, clean_text
from keepsaid.engine.query.query_words import find_search_terms
from keepsaid.errors import InvalidInput
from keepsaid.memory.base import MemoryBase
from keepsaid.ports import ArtifactQuery
from keepsaid.types import Fact, FactChange, FactKind, Summary, to_microseconds

if TYPE_CHECKING:
    from keepsaid.types.prompts import Profile

FACT_KINDS: tuple[FactKind, ...] = get_args(FactKind)


class FactVerbs(MemoryBase):
    """The verbs for summaries, facts and the profile."""

    def summaries(
        self,
        query: str | None = None,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int = 50,
    ) -> list[Summary]:
        """Return summaries of conversations, latest activity first; with a query those that share words with it, best first.

        Each is the newest summary of the conversation's active branch. Short conversations have none.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://", background=False)
        >>> chat = memory.chat(owner="u1")
        >>> for number in range(40):
        ...     _ = chat.add("user", f"I bought {number} books about Lisbon for 20 euros.")
        >>> _ = memory.maintain()
        >>> [summary.session == chat.id for summary in memory.summaries("Lisbon", owner="u1")]
        [True]
        """
        words = () if query is None else find_search_terms(clean_text(query, "query"))
        if query is not None and not words:
            return []
        return self._services.summaries.list_summaries(self._scope(owner, session, pool), words, clean_limit(limit, "limit"))

    def facts(
        self,
        query: str | None = None,
        *,
        owner: str,
        pool: str | None = None,
        as_of: datetime | None = None,
        history: bool = False,
        limit: int = 200,
    ) -> list[Fact]:
        """Return current facts about the owner, newest first; with a query those that share words with it.

        `as_of` selects the facts that were true at that time; `history` includes facts that are no longer true.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://", background=False)
        >>> _ = memory.chat(owner="u1").add("user", "I live in Lisbon.")
        >>> _ = memory.maintain()
        >>> [fact.text for fact in memory.facts(owner="u1")]
        ['User lives in Lisbon']
        """
        moment = self._services.clock() if as_of is None else clean_datetime(as_of, "as_of")
        words = () if query is None else find_search_terms(clean_text(query, "query"))
        if query is not None and not words:
            return []
        when = None if history else to_microseconds(moment)
        found = ArtifactQuery("fact", terms=words, as_of=when, limit=clean_limit(limit, "limit"))
        return self._services.facts.list_facts(self._scope(owner, None, pool), found)

    def remember(
        self,
        text: str,
        *,
        owner: str,
        pool: str | None = None,
        kind: FactKind = "identity",
        subject: str = "user",
        about: str = "",
        pinned: bool = False,
    ) -> Fact:
        """Save a fact by hand.

        With `about`, it replaces an older fact about the same thing. A pinned fact is in every prompt.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.remember("Allergic to nuts", owner="u1", pinned=True).pinned
        True
        """
        if kind not in FACT_KINDS:
            raise InvalidInput(f"unknown kind {kind!r}: use one of {', '.join(FACT_KINDS)}")
        scope = self._scope(owner, None, pool)
        words = clean_text(text, "text"), kind, clean_text(subject, "subject"), clean_text(about, "about")
        if not text.strip():
            raise InvalidInput("the fact is empty")
        return self._services.fact_editor.remember(scope, *words, bool(pinned))

    def edit_fact(self, fact: str, text: str, *, owner: str, pool: str | None = None) -> Fact:
        """Replace the text of a fact. The old fact stays in the history and ends now.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> fact = memory.remember("Likes tea", owner="u1")
        >>> memory.edit_fact(fact.id, "Likes green tea", owner="u1").text, len(memory.facts(owner="u1", history=True))
        ('Likes green tea', 2)
        """
        scope = self._scope(owner, None, pool)
        return self._services.fact_editor.edit(scope, clean_name(fact, "fact id"), clean_text(text, "text"))

    def pin_fact(self, fact: str, pinned: bool = True, *, owner: str, pool: str | None = None) -> Fact:
        """Pin a fact, so that every prompt contains it, or unpin it.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.pin_fact(memory.remember("Likes tea", owner="u1").id, owner="u1").pinned
        True
        """
        return self._services.fact_editor.pin(self._scope(owner, None, pool), clean_name(fact, "fact id"), bool(pinned))

    def forget_fact(self, fact: str, *, owner: str, pool: str | None = None, reopen: bool = False) -> None:
        """Remove a fact permanently. The messages it is based on stay; `erase` removes those.

        With `reopen`, facts that it had replaced are current again.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.forget_fact(memory.remember("Likes tea", owner="u1").id, owner="u1")
        >>> memory.facts(owner="u1")
        []
        """
        self._services.fact_editor.forget(self._scope(owner, None, pool), clean_name(fact, "fact id"), reopen)

    def hide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Keep a fact out of all prompts. It stays in the list of facts, marked as hidden.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.hide_fact(memory.remember("Likes tea", owner="u1").id, owner="u1").hidden
        True
        """
        return self._services.fact_editor.hide(self._scope(owner, None, pool), clean_name(fact, "fact id"), True)

    def unhide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Allow a hidden fact in prompts again.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> fact = memory.hide_fact(memory.remember("Likes tea", owner="u1").id, owner="u1")
        >>> memory.unhide_fact(fact.id, owner="u1").hidden
        False
        """
        return self._services.fact_editor.hide(self._scope(owner, None, pool), clean_name(fact, "fact id"), False)

    def fact_history(self, *, owner: str, fact: str | None = None, pool: str | None = None) -> list[FactChange]:
        """Return changes made to the owner's facts by hand, newest first; with `fact`, those of it and its predecessors.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> fact = memory.edit_fact(memory.remember("Likes tea", owner="u1").id, "Likes green tea", owner="u1")
        >>> [(change.what, change.before, change.after) for change in memory.fact_history(owner="u1", fact=fact.id)]
        [('edited', 'Likes tea', 'Likes green tea')]
        """
        wanted = None if fact is None else clean_name(fact, "fact id")
        return self._services.fact_editor.history(self._scope(owner, None, pool), wanted)

    def undo_fact_change(self, change: str, *, owner: str, pool: str | None = None) -> Fact:
        """Undo a change of a fact and return the resulting fact.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> fact = memory.edit_fact(memory.remember("Likes tea", owner="u1").id, "Likes green tea", owner="u1")
        >>> memory.undo_fact_change(memory.fact_history(owner="u1")[0].id, owner="u1").text
        'Likes tea'
        """
        return self._services.fact_editor.undo(self._scope(owner, None, pool), clean_name(change, "change id"))

    def noted_facts(self, message: str, *, owner: str) -> list[Fact]:
        """Return the facts that were extracted from a message of the owner's own conversations.

        If the message is still waiting for extraction, it is done first, unless a language model extracts facts or the queue
        is long.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> message = memory.chat(owner="u1").add("user", "I live in Lisbon.")
        >>> [fact.text for fact in memory.noted_facts(message.id, owner="u1")]
        ['User lives in Lisbon']
        """
        scope, id = self._scope(owner, None, None), clean_name(message, "message id")
        known = self._services.storage.known(scope, [id]).get(id)
        if known is None or not known.number:
            return []
        self._services.extract_now(scope)
        query = ArtifactQuery("fact", numbers=(known.number,), as_of=self._services.now())
        return self._services.facts.list_facts(scope, query)

    def profile(self, *, owner: str, budget: int | None = None) -> Profile:
        """Return what holds for the owner whatever the question, within `budget` tokens.

        That is: standing instructions and constraints, identity, close people, lasting preferences, possessions and current
        projects. A new conversation has it at the beginning of its prompts.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "I live in Lisbon. From now on use metric units.")
        >>> [line.text for line in memory.profile(owner="u1").lines]
        ['The user asks: "From now on use metric units"', 'User lives in Lisbon']
        """
        limit = self._services.settings.profile_tokens if budget is None else clean_limit(budget, "budget")
        return self._services.profiles.build_profile(self._scope(owner, None, None), limit)
