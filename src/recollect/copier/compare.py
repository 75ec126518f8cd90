"""Compares two stores, session by session: what is the same, what is still to come, and what is another in the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

from recollect.copier import derived, drawers, fingerprint, lines
from recollect.copier.report import CopyReport
from recollect.copier.whole import Pair, Whole, place
from recollect.errors import NotFound
from recollect.lineage import listed, messages
from recollect.types import Scope, Session

Told = Callable[[int], object]
"""Is told of so many messages more."""


class Standing(NamedTuple):
    """How far one session has come in the target."""

    total: int
    there: int | None
    """How many of its messages are in the target; None if the session is not."""
    hash: bytes
    target_hash: bytes
    behind: bool
    """Whether something of it is still to come."""
    wrong: str = ""
    """What is another in the target."""


@dataclass(slots=True)
class Comparison:
    """Looks at one memory after the other, and keeps count."""

    pair: Pair
    told: Told
    with_vectors: bool = True
    """Whether to compare vectors, too: there may be much of them."""
    todo: dict[Scope, dict[str, Standing]] = field(default_factory=dict[Scope, dict[str, Standing]])
    """By memory, the sessions that are not wholly in the target."""
    differences: list[str] = field(default_factory=list[str])
    waiting: list[str] = field(default_factory=list[str])
    owners: set[tuple[str | None, str]] = field(default_factory=set[tuple[str | None, str]])
    sessions: int = 0
    messages: int = 0
    made: int = 0
    receipts: int = 0
    passages: int = 0
    blobs: int = 0
    hashes: list[bytes] = field(default_factory=list[bytes])
    target_hashes: list[bytes] = field(default_factory=list[bytes])

    def report(self) -> CopyReport:
        """What was found."""
        missing = sum(map(len, self.todo.values()))
        wrong = sum(standing.wrong != "" for some in self.todo.values() for standing in some.values())
        return CopyReport(
            len(self.owners), self.sessions, self.messages, self.made, self.receipts, self.passages, self.blobs,
            self.sessions - missing, missing - wrong, tuple(self.waiting), tuple(self.differences),
            fingerprint.together(self.hashes), fingerprint.together(self.target_hashes),
        )  # fmt: skip

    def look(self, scope: Scope) -> None:
        """Compares an owner's (or pool's) conversations or documents, and what was made of them."""
        here, there = listed(self.pair.source, scope), {one.id: one for one in _listed(self.pair.target, scope)}
        if here or there:
            self.owners.add((scope.pool, "" if scope.pool else scope.owner))
        makers = _makers(self.pair.source, scope), _makers(self.pair.target, scope)
        for session in here:
            self._look_at(scope, session, there.pop(session.id, None), makers)
        self.differences += [f"{place(scope.of(id))}: only the target has it" for id in there]
        self._look_at_made(scope)
        self._look_at_blobs(scope)
        if self.with_vectors:
            self._look_at_lines(scope)

    def _look_at(
        self, scope: Scope, session: Session, there: Session | None, makers: tuple[dict[str, str], dict[str, str]]
    ) -> None:
        space, scope = scope, scope.of(session.id)
        standing = self._standing(scope, session, there, makers)
        receipts = derived.compared_receipts(self.pair, scope, is_there=there is not None)
        self.receipts += receipts.total
        if standing.wrong or receipts.wrong:
            self.differences.append(f"{place(scope)}: {standing.wrong or receipts.wrong}")
        behind = standing.behind or receipts.behind or standing.wrong != "" or receipts.wrong != ""
        if behind:
            wrong = standing.wrong or receipts.wrong
            self.todo.setdefault(space, {})[session.id] = standing._replace(wrong=wrong)
        self.sessions += 1
        self.messages += standing.total
        self.hashes.append(standing.hash)
        self.target_hashes.append(standing.target_hash)
        self.told(session.message_count + 1)

    def _standing(
        self, scope: Scope, session: Session, there: Session | None, makers: tuple[dict[str, str], dict[str, str]]
    ) -> Standing:
        mine, theirs = fingerprint.Talk(), fingerprint.Talk()
        total, known, wrong = 0, 0, ""
        their_messages = () if there is None else messages(self.pair.target, scope)
        for one, other in zip_longest(messages(self.pair.source, scope), their_messages):
            own = None if one is None else mine.add(one)
            total += one is not None
            if other is None:
                continue
            known += 1
            if theirs.add(other) != own and not wrong:
                wrong = f"message {other.id!r} is another in the target"
        told = fingerprint.fields(session, _leaf(self.pair.source, scope), makers[0].get(session.id))
        if there is None:
            return Standing(total, None, _sealed(told, mine), b"", True)
        told_there = fingerprint.fields(there, _leaf(self.pair.target, scope), makers[1].get(session.id))
        if told["created"] != told_there["created"] and not wrong:
            wrong = "it was made at another time in the target"
        behind = known < total or _without_maker(told) != _without_maker(told_there)
        return Standing(total, known, _sealed(told, mine), _sealed(told_there, theirs), behind, wrong)

    def _look_at_made(self, scope: Scope) -> None:
        found = derived.compared_artifacts(self.pair, scope)
        self.made += found.total
        self._note(scope, found, "notes")

    def _look_at_blobs(self, scope: Scope) -> None:
        found = drawers.compared(self.pair, scope)
        self.blobs += found.total
        self._note(scope, found, "blobs")

    def _look_at_lines(self, scope: Scope) -> None:
        for name, found in lines.compared(self.pair, scope):
            self.passages += found.total
            self._note(scope, found, name)

    def _note(self, scope: Scope, found: derived.Compared, what: str) -> None:
        if found.wrong:
            self.differences.append(f"{place(scope)}: {found.wrong}")
        elif found.behind:
            self.waiting.append(f"{place(scope)}: {what} are still to come")


def _listed(storage: Whole, scope: Scope) -> list[Session]:
    try:
        return listed(storage, scope)
    except NotFound:
        return []  # a pool that is not there yet


def _makers(storage: Whole, scope: Scope) -> dict[str, str]:
    if scope.pool is None:
        return {}
    try:
        return storage.makers(scope)
    except NotFound:
        return {}


def _leaf(storage: Whole, scope: Scope) -> str | None:
    return storage.tree(scope, limit=0).leaf


def _without_maker(told: dict[str, Any]) -> dict[str, Any]:
    """Nobody can be made the maker of a session afterwards, and one who was erased cannot be told."""
    return {name: value for name, value in told.items() if name != "maker"}


def _sealed(told: dict[str, Any], talk: fingerprint.Talk) -> bytes:
    return fingerprint.digest([_without_maker(told), talk.hash.hex()])


def everything(scopes: Iterable[Scope]) -> Iterator[Scope]:
    """Each memory, and behind all of them their documents."""
    chosen = list(scopes)
    yield from chosen
    yield from (scope._replace(shelf=True) for scope in chosen)
