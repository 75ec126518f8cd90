"""Compare two stores, session by session: what is equal, what is missing, and what differs in the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

from keepsaid.errors import NotFound
from keepsaid.ports import Storage
from keepsaid.transfer.copy import blobs, derived, fingerprint, work_progress
from keepsaid.transfer.copy.report import CopyReport
from keepsaid.transfer.copy.storage_pair import StoragePair, describe_scope
from keepsaid.transfer.fork_order import iterate_messages, list_all_sessions
from keepsaid.types import Scope, Session

MessageProgress = Callable[[int], object]
"""Called with the number of further messages done."""


class SessionComparison(NamedTuple):
    """How one session in the target compares to the source."""

    total: int
    there: int | None
    """How many of its messages are in the target; None if the session is not."""
    hash: bytes
    target_hash: bytes
    is_incomplete: bool
    """Whether some of it is not copied yet."""
    wrong: str = ""
    """What differs in the target; empty if nothing."""


@dataclass(slots=True)
class StoreComparison:
    """Compares one memory after the other, and counts the results."""

    pair: StoragePair
    report_progress: MessageProgress
    with_vectors: bool = True
    """Whether to compare vectors, too: there may be many."""
    todo: dict[Scope, dict[str, SessionComparison]] = field(default_factory=dict[Scope, dict[str, SessionComparison]])
    """The sessions that are not completely in the target, by memory."""
    differences: list[str] = field(default_factory=list[str])
    missing_items: list[str] = field(default_factory=list[str])
    owners: set[tuple[str | None, str]] = field(default_factory=set[tuple[str | None, str]])
    sessions: int = 0
    messages: int = 0
    artifacts: int = 0
    receipts: int = 0
    passages: int = 0
    blobs: int = 0
    hashes: list[bytes] = field(default_factory=list[bytes])
    target_hashes: list[bytes] = field(default_factory=list[bytes])

    def report(self) -> CopyReport:
        """The report of the comparison."""
        missing = sum(map(len, self.todo.values()))
        wrong = sum(standing.wrong != "" for some in self.todo.values() for standing in some.values())
        return CopyReport(
            len(self.owners), self.sessions, self.messages, self.artifacts, self.receipts, self.passages, self.blobs,
            self.sessions - missing, missing - wrong, tuple(self.missing_items), tuple(self.differences),
            fingerprint.combine_hashes(self.hashes), fingerprint.combine_hashes(self.target_hashes),
        )  # fmt: skip

    def compare_scope(self, scope: Scope) -> None:
        """Compare an owner's (or pool's) conversations or documents, and the data derived from them."""
        here, there = (
            list_all_sessions(self.pair.source, scope),
            {one.id: one for one in _list_sessions(self.pair.target, scope)},
        )
        if here or there:
            self.owners.add((scope.pool, "" if scope.pool else scope.owner))
        makers = _creators(self.pair.source, scope), _creators(self.pair.target, scope)
        for session in here:
            self._compare_session(scope, session, there.pop(session.id, None), makers)
        self.differences += [f"{describe_scope(scope.of(id))}: only the target has it" for id in there]
        self._compare_artifacts(scope)
        self._compare_blobs(scope)
        if self.with_vectors:
            self._compare_progress(scope)

    def _compare_session(
        self, scope: Scope, session: Session, there: Session | None, makers: tuple[dict[str, str], dict[str, str]]
    ) -> None:
        space, scope = scope, scope.of(session.id)
        standing = self._compare_messages(scope, session, there, makers)
        receipts = derived.compare_receipts(self.pair, scope, is_there=there is not None)
        self.receipts += receipts.total
        if standing.wrong or receipts.wrong:
            self.differences.append(f"{describe_scope(scope)}: {standing.wrong or receipts.wrong}")
        is_incomplete = standing.is_incomplete or receipts.is_incomplete or standing.wrong != "" or receipts.wrong != ""
        if is_incomplete:
            wrong = standing.wrong or receipts.wrong
            self.todo.setdefault(space, {})[session.id] = standing._replace(wrong=wrong)
        self.sessions += 1
        self.messages += standing.total
        self.hashes.append(standing.hash)
        self.target_hashes.append(standing.target_hash)
        self.report_progress(session.message_count + 1)

    def _compare_messages(
        self, scope: Scope, session: Session, there: Session | None, makers: tuple[dict[str, str], dict[str, str]]
    ) -> SessionComparison:
        mine, theirs = fingerprint.MessageFingerprint(), fingerprint.MessageFingerprint()
        total, known, wrong = 0, 0, ""
        their_messages = () if there is None else iterate_messages(self.pair.target, scope)
        for one, other in zip_longest(iterate_messages(self.pair.source, scope), their_messages):
            own = None if one is None else mine.add(one)
            total += one is not None
            if other is None:
                continue
            known += 1
            if theirs.add(other) != own and not wrong:
                wrong = f"message {other.id!r} differs in the target"
        own_fields = fingerprint.session_fields(session, _leaf(self.pair.source, scope), makers[0].get(session.id))
        if there is None:
            return SessionComparison(total, None, _session_hash(own_fields, mine), b"", True)
        their_fields = fingerprint.session_fields(there, _leaf(self.pair.target, scope), makers[1].get(session.id))
        if own_fields["created"] != their_fields["created"] and not wrong:
            wrong = "it has another creation time in the target"
        is_incomplete = known < total or _without_creator(own_fields) != _without_creator(their_fields)
        return SessionComparison(
            total, known, _session_hash(own_fields, mine), _session_hash(their_fields, theirs), is_incomplete, wrong
        )

    def _compare_artifacts(self, scope: Scope) -> None:
        found = derived.compare_artifacts(self.pair, scope)
        self.artifacts += found.total
        self._record(scope, found, "notes")

    def _compare_blobs(self, scope: Scope) -> None:
        found = blobs.compare_blobs(self.pair, scope)
        self.blobs += found.total
        self._record(scope, found, "blobs")

    def _compare_progress(self, scope: Scope) -> None:
        for name, found in work_progress.compare_progress(self.pair, scope):
            self.passages += found.total
            self._record(scope, found, name)

    def _record(self, scope: Scope, found: derived.DerivedComparison, what: str) -> None:
        if found.wrong:
            self.differences.append(f"{describe_scope(scope)}: {found.wrong}")
        elif found.is_incomplete:
            self.missing_items.append(f"{describe_scope(scope)}: {what} are not copied yet")


def _list_sessions(storage: Storage, scope: Scope) -> list[Session]:
    try:
        return list_all_sessions(storage, scope)
    except NotFound:
        return []  # a pool that does not exist yet


def _creators(storage: Storage, scope: Scope) -> dict[str, str]:
    if scope.pool is None:
        return {}
    try:
        return storage.makers(scope)
    except NotFound:
        return {}


def _leaf(storage: Storage, scope: Scope) -> str | None:
    return storage.tree(scope, limit=0).leaf


def _without_creator(own_fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out the creator: it cannot be set later, and is unknown if that owner was erased."""
    return {name: value for name, value in own_fields.items() if name != "maker"}


def _session_hash(own_fields: dict[str, Any], talk: fingerprint.MessageFingerprint) -> bytes:
    return fingerprint.hash_value([_without_creator(own_fields), talk.hash.hex()])


def with_documents(scopes: Iterable[Scope]) -> Iterator[Scope]:
    """Each memory, and then the documents of each."""
    chosen = list(scopes)
    yield from chosen
    yield from (scope._replace(documents=True) for scope in chosen)
