"""The standing profile: which facts about a user stand in the head of every prompt.

It is a function of the facts and of a boundary, the moment from which on new facts are left to retrieval. So the head of a
prompt stays the same to the byte until the next compaction, and nothing has to be stored for that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from recollect.engine.compile.layout import profile_block
from recollect.types import Artifact, FactKind, Microseconds

GROUPS: tuple[FactKind, ...] = ("instruction", "constraint", "identity", "person", "preference", "possession", "project")
"""Kinds of facts in a profile, in the order they stand in it. Pinned facts of any other kind come after them."""

URGENT: tuple[FactKind, ...] = GROUPS[:2]
"""Kinds that go in before all others."""

EARLIER_KINDS: Mapping[str, FactKind] = {"relation": "person", "decision": "project", "task": "project"}
"""What the kinds of older stores are called now."""

NEVER_ENDS: Microseconds = 1 << 62


class ProfileBoundary(NamedTuple):
    """Which facts a profile may have: those that rest on messages before this number, and those written by hand that were
    created by this time. Without a number, the time decides for all."""

    number: int | None = None
    time: Microseconds = NEVER_ENDS


class ProfileEntry(NamedTuple):
    """A fact as it stands in a profile."""

    fact: Artifact
    kind: FactKind
    line: str
    tokens: int
    times: int
    """How many times the user said so."""

    @property
    def reason(self) -> str:
        """Return why it is in the profile."""
        said = f", said {self.times} times" if self.times > 1 else ""
        return f"standing profile: {self.kind}{', pinned' if self.fact.pinned else ''}{said}"


class ProfileSelection(NamedTuple):
    """The entries that fit, the most needed first, and those that did not."""

    taken: Sequence[ProfileEntry] = ()
    left_out: Sequence[ProfileEntry] = ()


def fact_kind(fact: Artifact) -> FactKind:
    """Return the kind of a stored fact by its current name.

    >>> fact_kind(Artifact("a1", "fact", "User's sister is Ana", 6, 0, data={"kind": "relation"}))
    'person'
    """
    kind = fact.data.get("kind", "identity")
    return EARLIER_KINDS.get(kind, kind)


NTH = "nth"
"""In the data of a fact that no note was taken of yet: which claim of its message it is."""


def stored_id(fact: Artifact) -> str:
    """Return the id of a stored fact; nothing for one that no note was taken of yet."""
    return "" if NTH in fact.data else fact.id


def is_hidden(fact: Artifact) -> bool:
    """Return whether a person keeps a fact out of prompts."""
    return fact.data.get("hidden") is True


def with_hidden(fact: Artifact, hidden: bool) -> Artifact:
    """Return a fact that is kept out of prompts, or is not."""
    data = {name: value for name, value in fact.data.items() if name != "hidden"}
    return replace(fact, data={**data, **({"hidden": True} if hidden else {})})


def says_same(one: Artifact, other: Artifact) -> bool:
    """Return whether two facts are one line of a profile: the user said it more than once.

    >>> said = Artifact("a1", "fact", "Likes tea", 2, 0, data={"kind": "preference", "subject": "user"})
    >>> says_same(said, replace(said, id="a2", text="likes tea"))
    True
    """
    return _saying(one) == _saying(other)


def _saying(fact: Artifact) -> tuple[str, str, str]:
    return fact_kind(fact), str(fact.data.get("subject", "")).casefold(), fact.text.casefold()


def existed_at(fact: Artifact, boundary: ProfileBoundary) -> bool:
    """Return whether a fact was known at a boundary.

    >>> existed_at(Artifact("a1", "fact", "Likes tea", 2, created=5), ProfileBoundary(9, 4))
    False
    """
    if fact.sources and boundary.number is not None:
        return all(source.number < boundary.number for source in fact.sources)
    return fact.created <= boundary.time


NO_BOUNDARY = ProfileBoundary()


def profile_candidates(
    facts: Iterable[Artifact], boundary: ProfileBoundary = NO_BOUNDARY, kinds: Collection[str] | None = None
) -> list[list[Artifact]]:
    """Return the facts that may stand in a profile, the most needed first. Those that say the same are together, and the
    first of them stands for all. `kinds` are those that are switched on; None means all."""
    same: dict[tuple[str, str, str], list[Artifact]] = {}
    for fact in sorted(facts, key=_age):
        if fact.is_current and not is_hidden(fact) and existed_at(fact, boundary) and _is_wanted(fact, kinds):
            same.setdefault(_saying(fact), []).append(fact)
    return list(_by_need([sorted(some, key=lambda fact: not fact.pinned) for some in same.values()]))


def _is_wanted(fact: Artifact, kinds: Collection[str] | None) -> bool:
    kind = fact_kind(fact)
    return (kinds is None or kind in kinds) and (kind in GROUPS or fact.pinned)


def _age(fact: Artifact) -> tuple[Microseconds, int, str]:
    return fact.valid_from, max((source.number for source in fact.sources), default=0), fact.text


def _by_need(same: Iterable[list[Artifact]]) -> Iterator[list[Artifact]]:
    """Pinned facts, then the urgent groups one after the other, then one of each other group in turn."""
    ranked = sorted(same, key=lambda some: _age(some[-1]), reverse=True)
    ranked.sort(key=lambda some: -len(some))
    yield from (some for some in ranked if some[0].pinned)
    groups: dict[str, list[list[Artifact]]] = {kind: [] for kind in GROUPS}
    for some in ranked:
        if not some[0].pinned:
            groups[fact_kind(some[0])].append(some)
    for kind in URGENT:
        yield from groups.pop(kind)
    for row in zip_longest(*groups.values()):
        yield from (some for some in row if some)


def select_profile(
    candidates: Iterable[Sequence[Artifact]],
    limit: int,
    count: Callable[[str], int],
    render: Callable[[Artifact], str],
) -> ProfileSelection:
    """Return as many of the candidates as fit a number of tokens, heading included.

    >>> from recollect.engine.compile.layout import profile_line
    >>> fact = Artifact("a1", "fact", "User is a nurse", 4, 0, data={"kind": "identity", "about": "job"})
    >>> made = select_profile(profile_candidates([fact]), 100, lambda text: len(text.split()), profile_line)
    >>> [entry.line for entry in made.taken], made.left_out
    (['- User is a nurse'], ())
    """
    room = limit - count(profile_block([""]))
    taken: list[ProfileEntry] = []
    left_out: list[ProfileEntry] = []
    for some in candidates:
        line = render(some[0])
        entry = ProfileEntry(some[0], fact_kind(some[0]), line, 1 + count(line), len(some))
        if entry.tokens <= room:
            taken.append(entry)
            room -= entry.tokens
        else:
            left_out.append(entry)
    while taken and count(profile_block(lines_of(taken))) > limit:
        left_out.insert(0, taken.pop())
    return ProfileSelection(tuple(taken), tuple(left_out))


def lines_of(entries: Iterable[ProfileEntry]) -> list[str]:
    """Return the lines of some entries, group by group."""
    return [entry.line for entry in in_group_order(entries)]


def in_group_order(entries: Iterable[ProfileEntry]) -> list[ProfileEntry]:
    """Return entries as they stand in the block."""
    return sorted(entries, key=lambda entry: GROUPS.index(entry.kind) if entry.kind in GROUPS else len(GROUPS))
