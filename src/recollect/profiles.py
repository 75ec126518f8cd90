"""The standing profile of an owner: reads their facts, and what they said since notes were last taken."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from recollect.engine.compile.layout import profile_block, profile_line
from recollect.engine.compile.profile import (
    EARLIER_KINDS,
    GROUPS,
    NEVER_ENDS,
    URGENT,
    ProfileBoundary,
    ProfileEntry,
    ProfileSelection,
    in_group_order,
    lines_of,
    profile_candidates,
    select_profile,
    stored_id,
)
from recollect.factbook import BEFORE, FactBook
from recollect.kit import Kit
from recollect.notes import LINE
from recollect.ports import ArtifactQuery, Seen, Storage, Vectors, soon
from recollect.prompt import Profile, ProfileLine
from recollect.types import Artifact, Fact, FactKind, Message, Scope

READ_AHEAD = 64
"""The newest messages among which those are read ahead that wait for their notes."""

AT_ONCE = 64
"""Candidates whose messages are looked up together."""


def _kinds(*kinds: FactKind) -> tuple[str, ...]:
    return (*kinds, *(earlier for earlier, kind in EARLIER_KINDS.items() if kind in kinds))


QUERIES = (
    ArtifactQuery("fact", pinned=True, as_of=NEVER_ENDS, limit=500),
    ArtifactQuery("fact", fact_kinds=_kinds(*URGENT), as_of=NEVER_ENDS, limit=500),
    ArtifactQuery("fact", fact_kinds=_kinds(*(set(GROUPS) - set(URGENT))), as_of=NEVER_ENDS, limit=1_000),
)
"""What is read for a profile. The limits keep a prompt quick for owners with very many facts."""


class KnownFacts(NamedTuple):
    """Current facts that may stand in a profile, and the ids of stored ones that are over by what was said last."""

    facts: Sequence[Artifact] = ()
    ended: frozenset[str] = frozenset()


class Profiles:
    """Makes the profiles of one storage's owners."""

    def __init__(self, kit: Kit, storage: Storage, book: FactBook, kinds: Collection[str], *, notes: bool) -> None:
        self._kit = kit
        self._storage = storage
        self._book = book
        self._kinds = frozenset(kinds)
        self._notes = notes and isinstance(storage, Vectors)
        """Whether notes are taken, so that messages wait for them."""

    def foresee(self, scope: Scope) -> None:
        """Tells the storage what a prompt will want of it."""
        space = Scope(scope.owner)
        for query in QUERIES:
            soon(self._storage, "artifacts", space, query)
        if self._notes:
            soon(self._storage, "waiting", space, LINE)
            soon(self._storage, "last_mark", space)

    def known_facts(self, scope: Scope, question: Message | None = None) -> KnownFacts:
        """Return an owner's current facts: the stored ones, and what rules find in messages that wait for their notes.
        `question` is one that was not saved; nothing is noted of it, but it may end a fact."""
        space = Scope(scope.owner)
        stored = {fact.id: fact for query in QUERIES for fact in self._book.artifacts.artifacts(space, query)}
        noted = {source.number for fact in stored.values() for source in fact.sources}
        said, before = self._waiting(space)
        if question is not None:
            said.append(Seen(0, question))
        settled = self._book.read_ahead(space, said, before, stored.values())
        new = [fact for fact in settled.made if all(0 < source.number not in noted for source in fact.sources)]
        current = [fact for fact in stored.values() if fact.id not in settled.ended]
        return KnownFacts([*current, *new], frozenset(settled.ended))

    def _waiting(self, space: Scope) -> tuple[list[Seen], Mapping[int, Sequence[Message]]]:
        """The newest messages that wait for their notes, and for each the few before it."""
        waiting = self._storage.waiting(space, LINE) if self._notes and isinstance(self._storage, Vectors) else 0
        if not waiting:
            return [], {}
        last = self._storage.last_mark(space).messages
        numbers = list(range(max(1, last - READ_AHEAD + 1), last + 1))
        seen = sorted(self._storage.look(space, numbers), key=lambda one: one.number)
        # The last ones may be gone or out of sight: rather one too many is read than one too few.
        first = seen[-1].number - waiting if seen else 0
        recent: dict[str, list[Message]] = {}
        before: dict[int, Sequence[Message]] = {}
        for one in seen:
            earlier = recent.setdefault(one.message.session, [])
            before[one.number] = tuple(earlier[-BEFORE:])
            earlier.append(one.message)
        return [one for one in seen if one.number > first], before

    def candidates(self, scope: Scope, known: KnownFacts, boundary: ProfileBoundary) -> list[list[Artifact]]:
        """Return the facts that may stand in a profile, and tell the storage which messages will be looked up for them."""
        found = profile_candidates(known.facts, boundary, self._kinds)
        if numbers := sorted({source.number for group in found[:AT_ONCE] for fact in group for source in fact.sources}):
            soon(self._storage, "look", Scope(scope.owner), numbers, 0, self._book.filters)
        return found

    def select(
        self,
        scope: Scope,
        candidates: Sequence[Sequence[Artifact]],
        limit: int,
        count: Callable[[str], int],
        render: Callable[[Artifact], str] = profile_line,
    ) -> ProfileSelection:
        """Return the profile within a number of tokens, of facts whose messages can be seen. They are looked up as many at a
        time as may fit."""
        space = Scope(scope.owner)
        visible: list[list[Artifact]] = []
        selection = ProfileSelection()
        for start in range(0, len(candidates), AT_ONCE):
            some = candidates[start : start + AT_ONCE]
            seen = {fact.id for fact in self._book.visible(space, [fact for group in some for fact in group])}
            visible += filter(None, ([fact for fact in group if fact.id in seen] for group in some))
            selection = select_profile(visible, limit, count, render)
            if selection.left_out:
                break
        return selection

    def profile(self, scope: Scope, limit: int) -> Profile:
        """Return the profile as a new conversation would have it."""
        count = self._kit.counter.count
        candidates = self.candidates(scope, self.known_facts(scope), ProfileBoundary())
        selection = self.select(scope, candidates, limit, count)
        entries = in_group_order(selection.taken)
        shown = self._book.shown(Scope(scope.owner), [entry.fact for entry in entries])
        lines = [_line(entry, fact) for entry, fact in zip(entries, shown, strict=True)]
        text = profile_block(lines_of(selection.taken))
        return Profile(tuple(lines), text, count(text), limit)


def _line(entry: ProfileEntry, fact: Fact) -> ProfileLine:
    return ProfileLine(
        stored_id(entry.fact), entry.kind, entry.line.removeprefix("- "), fact.valid_from, fact.pinned, fact.messages,
        fact.session, fact.text,
    )  # fmt: skip
