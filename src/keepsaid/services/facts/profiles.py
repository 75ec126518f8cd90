"""Build an owner's standing profile from their facts and from messages that the extraction job has not processed yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from keepsaid.engine.prompt.block_texts import profile_block, profile_line
from keepsaid.engine.prompt.profile import (
    EARLIER_KINDS,
    GROUPS,
    NEVER_ENDS,
    URGENT,
    ProfileBoundary,
    ProfileEntry,
    ProfileSelection,
    list_profile_lines,
    profile_candidates,
    select_profile,
    sort_by_group,
    stored_id,
)
from keepsaid.ports import ArtifactQuery, Storage, VisibleMessage, prefetch
from keepsaid.services.facts.extraction_job import EXTRACTION_LINE
from keepsaid.services.facts.fact_store import CONTEXT_MESSAGES, FactStore
from keepsaid.types import Artifact, Fact, FactKind, Message, Scope
from keepsaid.types.prompts import Profile, ProfileLine

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

READ_AHEAD = 64
"""The newest messages, among which those not yet processed are searched for facts."""

AT_ONCE = 64
"""Candidates whose messages are looked up together."""


def _kinds(*kinds: FactKind) -> tuple[str, ...]:
    return (*kinds, *(earlier for earlier, kind in EARLIER_KINDS.items() if kind in kinds))


QUERIES = (
    ArtifactQuery("fact", pinned=True, as_of=NEVER_ENDS, limit=500),
    ArtifactQuery("fact", fact_kinds=_kinds(*URGENT), as_of=NEVER_ENDS, limit=200),
    ArtifactQuery("fact", fact_kinds=_kinds(*(set(GROUPS) - set(URGENT))), as_of=NEVER_ENDS, limit=200),
)
"""What is read for a profile. The limits keep prompts fast for owners with very many facts."""


class CurrentFacts(NamedTuple):
    """Current facts that may be part of a profile, and the ids of stored facts that recent messages have ended."""

    facts: Sequence[Artifact] = ()
    ended: frozenset[str] = frozenset()


class ProfileBuilder:
    """Builds the profiles of the owners of one storage."""

    def __init__(
        self, services: ServiceContainer, storage: Storage, facts: FactStore, kinds: Collection[str], *, notes: bool
    ) -> None:
        self._services = services
        self._storage = storage
        self._facts = facts
        self._kinds = frozenset(kinds)
        self._notes = notes
        """Whether the extraction job runs, so that messages may be pending."""

    def prefetch(self, scope: Scope) -> None:
        """Prefetch what a prompt will read for its profile."""
        space = Scope(scope.owner)
        for query in QUERIES:
            prefetch(self._storage, "artifacts", space, query)
        if self._notes:
            prefetch(self._storage, "waiting", space, EXTRACTION_LINE)
            prefetch(self._storage, "last_position", space)

    def read_current_facts(self, scope: Scope, question: Message | None = None) -> CurrentFacts:
        """Return an owner's current facts: the stored ones, and what the rules find in messages that are not processed yet.

        `question` is one that is not saved. No fact is made from it, but it may end one.
        """
        space = Scope(scope.owner)
        stored = {fact.id: fact for query in QUERIES for fact in self._facts.artifacts.artifacts(space, query)}
        noted = {source.number for fact in stored.values() for source in fact.sources}
        unprocessed, before = self._read_unprocessed(space)
        if question is not None:
            unprocessed.append(VisibleMessage(0, question))
        settled = self._facts.preview_facts(space, unprocessed, before, stored.values())
        new = [fact for fact in settled.made if all(0 < source.number not in noted for source in fact.sources)]
        current = [fact for fact in stored.values() if fact.id not in settled.ended]
        return CurrentFacts([*current, *new], frozenset(settled.ended))

    def _read_unprocessed(self, space: Scope) -> tuple[list[VisibleMessage], Mapping[int, Sequence[Message]]]:
        """Return the newest messages that are not processed yet, and for each the few messages before it."""
        waiting = self._storage.waiting(space, EXTRACTION_LINE) if self._notes else 0
        if not waiting:
            return [], {}
        last = self._storage.last_position(space).messages
        numbers = list(range(max(1, last - READ_AHEAD + 1), last + 1))
        seen = sorted(self._storage.look(space, numbers), key=lambda one: one.number)
        # The last messages may be erased or invisible: better to read one too many than one too few.
        first = seen[-1].number - waiting if seen else 0
        recent: dict[str, list[Message]] = {}
        before: dict[int, Sequence[Message]] = {}
        for one in seen:
            earlier = recent.setdefault(one.message.session, [])
            before[one.number] = tuple(earlier[-CONTEXT_MESSAGES:])
            earlier.append(one.message)
        return [one for one in seen if one.number > first], before

    def candidates(self, scope: Scope, known: CurrentFacts, boundary: ProfileBoundary) -> list[list[Artifact]]:
        """Return the facts that may be part of a profile, and prefetch the messages they rest on."""
        found = profile_candidates(known.facts, boundary, self._kinds)
        if numbers := sorted({source.number for group in found[:AT_ONCE] for fact in group for source in fact.sources}):
            prefetch(self._storage, "look", Scope(scope.owner), numbers, 0, self._facts.filters)
        return found

    def select(
        self,
        scope: Scope,
        candidates: Sequence[Sequence[Artifact]],
        limit: int,
        count: Callable[[str], int],
        render: Callable[[Artifact], str] = profile_line,
    ) -> ProfileSelection:
        """Return the profile within a number of tokens, from facts whose messages are visible. They are looked up in groups
        until the profile is full."""
        space = Scope(scope.owner)
        visible: list[list[Artifact]] = []
        selection = ProfileSelection()
        for start in range(0, len(candidates), AT_ONCE):
            some = candidates[start : start + AT_ONCE]
            seen = {fact.id for fact in self._facts.filter_visible(space, [fact for group in some for fact in group])}
            visible += filter(None, ([fact for fact in group if fact.id in seen] for group in some))
            selection = select_profile(visible, limit, count, render)
            if selection.left_out:
                break
        return selection

    def build_profile(self, scope: Scope, limit: int) -> Profile:
        """Return the profile that a new conversation would have."""
        count = self._services.counter.count
        candidates = self.candidates(scope, self.read_current_facts(scope), ProfileBoundary())
        selection = self.select(scope, candidates, limit, count)
        entries = sort_by_group(selection.taken)
        shown = self._facts.to_public_facts(Scope(scope.owner), [entry.fact for entry in entries])
        lines = [_to_profile_line(entry, fact) for entry, fact in zip(entries, shown, strict=True)]
        text = profile_block(list_profile_lines(selection.taken))
        return Profile(tuple(lines), text, count(text), limit)


def _to_profile_line(entry: ProfileEntry, fact: Fact) -> ProfileLine:
    return ProfileLine(
        stored_id(entry.fact), entry.kind, entry.line.removeprefix("- "), fact.valid_from, fact.pinned, fact.messages,
        fact.session, fact.text,
    )  # fmt: skip
