"""Standing profile: chooses which facts about a user appear in the head of every prompt.

It is a function of the facts and of a boundary, the time from which new facts are left to retrieval. So the head of a prompt
stays identical until the next compaction, and nothing has to be stored for that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from keepsaid.engine.prompt.block_texts import profile_block
from keepsaid.types import Artifact, FactKind, Microseconds

GROUPS: tuple[FactKind, ...] = ("instruction", "constraint", "identity", "person", "preference", "possession", "project")
"""Kinds of facts in a profile, in their order there. Pinned facts of any other kind come after them."""

URGENT: tuple[FactKind, ...] = GROUPS[:2]
"""Kinds that are included before all others."""

EARLIER_KINDS: Mapping[str, FactKind] = {"relation": "person", "decision": "project", "task": "project"}
"""Current names of kinds in older stores."""

NEVER_ENDS: Microseconds = 1 << 62


class ProfileBoundary(NamedTuple):
    """Which facts a profile may have: those that rest on messages before this number, and those written by hand by this
    time. Without a number, the time decides for all."""

    number: int | None = None
    time: Microseconds = NEVER_ENDS


class ProfileEntry(NamedTuple):
    """A fact as it appears in a profile."""

    fact: Artifact
    kind: FactKind
    line: str
    tokens: int
    times_said: int
    """How many times the user said it."""

    @property
    def reason(self) -> str:
        """Why the fact is in the profile."""
        said = f", said {self.times_said} times" if self.times_said > 1 else ""
        return f"standing profile: {self.kind}{', pinned' if self.fact.pinned else ''}{said}"


class ProfileSelection(NamedTuple):
    """The entries that fit, the most needed first, and those that do not."""

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
"""Key in the data of a fact that is not stored yet: the index of its claim in the message."""


def stored_id(fact: Artifact) -> str:
    """Return the id of a stored fact; empty for one that is not stored yet."""
    return "" if NTH in fact.data else fact.id


def is_hidden(fact: Artifact) -> bool:
    """Whether a person has hidden a fact from prompts."""
    return fact.data.get("hidden") is True


def set_hidden(fact: Artifact, hidden: bool) -> Artifact:
    """Return a fact that is hidden from prompts, or not hidden."""
    data = {name: value for name, value in fact.data.items() if name != "hidden"}
    return replace(fact, data={**data, **({"hidden": True} if hidden else {})})


def is_same_statement(one: Artifact, other: Artifact) -> bool:
    """Whether two facts are one line of a profile because the user said the same more than once.

    >>> said = Artifact("a1", "fact", "Likes tea", 2, 0, data={"kind": "preference", "subject": "user"})
    >>> is_same_statement(said, replace(said, id="a2", text="likes tea"))
    True
    """
    return _statement_key(one) == _statement_key(other)


def _statement_key(fact: Artifact) -> tuple[str, str, str]:
    return fact_kind(fact), str(fact.data.get("subject", "")).casefold(), fact.text.casefold()


def is_known_at(fact: Artifact, boundary: ProfileBoundary) -> bool:
    """Whether a fact was known at a boundary.

    >>> is_known_at(Artifact("a1", "fact", "Likes tea", 2, created=5), ProfileBoundary(9, 4))
    False
    """
    if fact.sources and boundary.number is not None:
        return all(source.number < boundary.number for source in fact.sources)
    return fact.created <= boundary.time


NO_BOUNDARY = ProfileBoundary()


def profile_candidates(
    facts: Iterable[Artifact], boundary: ProfileBoundary = NO_BOUNDARY, kinds: Collection[str] | None = None
) -> list[list[Artifact]]:
    """Return the facts that may be part of a profile, the most needed first. Repeated facts are grouped, and the first of
    each group stands for all. `kinds` are the enabled kinds; None means all."""
    same: dict[tuple[str, str, str], list[Artifact]] = {}
    usable = (
        fact
        for fact in facts
        if fact.is_current and not is_hidden(fact) and is_known_at(fact, boundary) and _is_wanted(fact, kinds)
    )
    for fact in sorted(usable, key=_age_key):
        same.setdefault(_statement_key(fact), []).append(fact)
    return list(_order_by_need([sorted(some, key=lambda fact: not fact.pinned) for some in same.values()]))


def _is_wanted(fact: Artifact, kinds: Collection[str] | None) -> bool:
    kind = fact_kind(fact)
    return (kinds is None or kind in kinds) and (kind in GROUPS or fact.pinned)


def _age_key(fact: Artifact) -> tuple[Microseconds, int, str]:
    return fact.valid_from, max((source.number for source in fact.sources), default=0), fact.text


def _order_by_need(same: Iterable[list[Artifact]]) -> Iterator[list[Artifact]]:
    """Yield pinned facts, then the urgent groups one after the other, then one fact of each other group in turn."""
    ranked = sorted(same, key=lambda some: _age_key(some[-1]), reverse=True)
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

    >>> from keepsaid.engine.prompt.block_texts import profile_line
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
    while taken and count(profile_block(list_profile_lines(taken))) > limit:
        left_out.insert(0, taken.pop())
    return ProfileSelection(tuple(taken), tuple(left_out))


def list_profile_lines(entries: Iterable[ProfileEntry]) -> list[str]:
    """Return the lines of some entries, group by group."""
    return [entry.line for entry in sort_by_group(entries)]


def sort_by_group(entries: Iterable[ProfileEntry]) -> list[ProfileEntry]:
    """Return entries in their order in the block."""
    return sorted(entries, key=lambda entry: GROUPS.index(entry.kind) if entry.kind in GROUPS else len(GROUPS))
