"""Copy everything from one storage to another, and verify the result.

First both are compared: nothing is written to a target that has different data for the same owners. Then the missing data is
written in an order that can be resumed: if a copy is stopped, the next one continues from there. Finally both are compared
again. The source is only read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from keepsaid.errors import NotFound
from keepsaid.ports import Clock, Storage
from keepsaid.services.container import system_clock
from keepsaid.transfer.copy import blobs, derived, store_settings, work_progress
from keepsaid.transfer.copy.compare import StoreComparison, with_documents
from keepsaid.transfer.copy.pools import PoolCopier, raise_conflicts
from keepsaid.transfer.copy.report import CopyReport
from keepsaid.transfer.copy.session_copier import SessionCopier
from keepsaid.transfer.copy.storage_pair import StoragePair
from keepsaid.transfer.fork_order import list_all_sessions
from keepsaid.types import Scope, to_microseconds

StageProgress = Callable[[str, int, int], object]
"""Called with the name of the current stage, the amount done, and the total."""

CONFLICT_HINT = "copy into an empty store, or erase them there first"


class StoreCopier:
    """Copies one storage to another, or only one owner's data if `owner` is given.

    >>> from keepsaid.storage.inmemory.storage import MemoryStorage
    >>> StoreCopier(MemoryStorage(), MemoryStorage()).copy().is_whole
    True
    """

    def __init__(
        self,
        source: Storage,
        target: Storage,
        *,
        owner: str | None = None,
        clock: Clock = system_clock,
        tell: StageProgress | None = None,
    ) -> None:
        self._one_owner = owner is not None
        wanted = (one for one in source.everyone() if owner is None or (one.pool is None and one.owner == owner))
        # Sorted, so that equal stores have equal hashes.
        self._scopes = sorted(wanted, key=lambda one: (one.pool or "", one.owner))
        admins = {scope.pool: scope.owner for scope in self._scopes if scope.pool is not None}
        self._pair = StoragePair(source, target, admins)
        self._now = to_microseconds(clock())
        self._pools = PoolCopier(self._pair, self._now)
        self._tell = tell or _ignore_progress

    def compare(self, what: str = "Comparing") -> CopyReport:
        """Compare the target with the source; change nothing."""
        return self._compared(what).report()

    def copy(self) -> CopyReport:
        """Copy what the target lacks. Raise `Conflict` if the target has different data for the same owners."""
        before = self._compared("Comparing", with_vectors=False)
        raise_conflicts(before.differences, CONFLICT_HINT)
        store_settings.copy_settings(self._pair, keys=not self._one_owner)
        work_progress.begin_complete_generations(self._pair)
        try:
            self._pools.begin()
            planting = self._plant(before)
            work_progress.begin_other_generations(self._pair)
            self._carry_derived()
        finally:
            # Former members were granted access to write their messages; revoke it, even after an error.
            self._pools.settle()
        report = self.compare("Verifying")
        return replace(report, copied_sessions=planting.sessions, copied_messages=planting.messages)

    def _compared(self, what: str, *, with_vectors: bool = True) -> StoreComparison:
        comparison = StoreComparison(self._pair, self._progress_counter(what, self._size()), with_vectors)
        comparison.differences += [
            *self._pools.find_conflicts(),
            *store_settings.find_setting_conflicts(self._pair, keys=not self._one_owner),
        ]
        comparison.missing_items += [
            *self._pools.find_missing_grants(),
            *store_settings.find_missing_settings(self._pair, keys=not self._one_owner),
        ]
        for scope in with_documents(self._scopes):
            comparison.compare_scope(scope)
        return comparison

    def _size(self) -> int:
        """The approximate number of messages and sessions: messages off the active paths are not counted."""
        sessions = (one for scope in with_documents(self._scopes) for one in list_all_sessions(self._pair.source, scope))
        return sum(session.message_count + 1 for session in sessions)

    def _progress_counter(self, what: str, total: int) -> Callable[[int], None]:
        done = 0

        def advance(more: int) -> None:
            nonlocal done
            done += more
            self._tell(what, min(done, total), total)

        self._tell(what, 0, total)
        return advance

    def _plant(self, before: StoreComparison) -> SessionCopier:
        missing = sum(one.total - (one.there or 0) for some in before.todo.values() for one in some.values())
        planting = SessionCopier(self._pair, self._pools, self._progress_counter("Copying messages", missing))
        for scope, todo in before.todo.items():
            planting.copy_sessions(scope, todo)
        return planting

    def _carry_derived(self) -> None:
        spaces = list(with_documents(self._scopes))
        advance = self._progress_counter("Copying derived data", len(spaces))
        for scope in spaces:
            for session in _listed(self._pair.source, scope):
                derived.copy_receipts(self._pair, self._pools, scope.of(session))
            derived.copy_artifacts(self._pair, scope, self._now)
            blobs.copy_blobs(self._pair, self._pools, scope)
            work_progress.copy_progress(self._pair, scope, self._now)
            advance(1)


def _ignore_progress(what: str, done: int, total: int) -> None:
    """The default progress callback: does nothing."""


def _listed(storage: Storage, scope: Scope) -> list[str]:
    try:
        return [session.id for session in list_all_sessions(storage, scope)]
    except NotFound:
        return []
