"""Copies everything from one storage to another, and proves that it is there.

First everything is compared: nothing is written to a target that has other things for the same owners. Then comes what is
missing, in an order that leaves nothing half done for good: wherever a copy is stopped, the next one goes on from there.
Last everything is compared again. The source is only ever read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recollect.copier import belongings, derived, drawers, lines
from recollect.copier.compare import Comparison, everything
from recollect.copier.planting import Planting
from recollect.copier.pools import Pools, refuse
from recollect.copier.report import CopyReport
from recollect.copier.whole import Pair, whole
from recollect.errors import NotFound
from recollect.kit import system_clock
from recollect.lineage import listed
from recollect.ports import Clock, Storage
from recollect.types import Scope, microseconds

Tell = Callable[[str, int, int], object]
"""Is told what is being done, how much of it is done, and of how much."""

HINT = "copy into an empty store, or erase them there first"


class Copier:
    """Copies one storage to another; of one owner alone, if one is named.

    >>> from recollect.storage.memory import MemoryStorage
    >>> Copier(MemoryStorage(), MemoryStorage()).copy().is_whole
    True
    """

    def __init__(
        self,
        source: Storage,
        target: Storage,
        *,
        owner: str | None = None,
        clock: Clock = system_clock,
        tell: Tell | None = None,
    ) -> None:
        here, there = whole(source, "source"), whole(target, "target")
        self._alone = owner is not None
        wanted = (one for one in here.everyone() if owner is None or (one.pool is None and one.owner == owner))
        # In an order of their own, so that one hash stands for the same memory wherever it is.
        self._scopes = sorted(wanted, key=lambda one: (one.pool or "", one.owner))
        admins = {scope.pool: scope.owner for scope in self._scopes if scope.pool is not None}
        self._pair = Pair(here, there, admins)
        self._now = microseconds(clock())
        self._pools = Pools(self._pair, self._now)
        self._tell = tell or _tell_nobody

    def compare(self, what: str = "Comparing") -> CopyReport:
        """How the target stands to the source; changes nothing."""
        return self._compared(what).report()

    def copy(self) -> CopyReport:
        """Brings what the target lacks. A target that has other things for the same owners is a `Conflict`."""
        before = self._compared("Comparing", with_vectors=False)
        refuse(before.differences, HINT)
        belongings.carry(self._pair, keys=not self._alone)
        lines.begin_complete(self._pair)
        try:
            self._pools.begin()
            planting = self._plant(before)
            lines.begin_rest(self._pair)
            self._carry_derived()
        finally:
            # Former members whose messages were planted must not stay members, however it ends.
            self._pools.settle()
        report = self.compare("Verifying")
        return replace(report, copied_sessions=planting.sessions, copied_messages=planting.messages)

    def _compared(self, what: str, *, with_vectors: bool = True) -> Comparison:
        comparison = Comparison(self._pair, self._counting(what, self._size()), with_vectors)
        comparison.differences += [*self._pools.wrong(), *belongings.wrong(self._pair, keys=not self._alone)]
        comparison.waiting += [*self._pools.behind(), *belongings.behind(self._pair, keys=not self._alone)]
        for scope in everything(self._scopes):
            comparison.look(scope)
        return comparison

    def _size(self) -> int:
        """Messages and sessions, about: those off the active paths are not counted."""
        sessions = (one for scope in everything(self._scopes) for one in listed(self._pair.source, scope))
        return sum(session.message_count + 1 for session in sessions)

    def _counting(self, what: str, total: int) -> Callable[[int], None]:
        done = 0

        def told(more: int) -> None:
            nonlocal done
            done += more
            self._tell(what, min(done, total), total)

        self._tell(what, 0, total)
        return told

    def _plant(self, before: Comparison) -> Planting:
        missing = sum(one.total - (one.there or 0) for some in before.todo.values() for one in some.values())
        planting = Planting(self._pair, self._pools, self._counting("Copying messages", missing))
        for scope, todo in before.todo.items():
            planting.carry(scope, todo)
        return planting

    def _carry_derived(self) -> None:
        spaces = list(everything(self._scopes))
        told = self._counting("Copying what was made of them", len(spaces))
        for scope in spaces:
            for session in _listed(self._pair.source, scope):
                derived.carry_receipts(self._pair, self._pools, scope.of(session))
            derived.carry_artifacts(self._pair, scope, self._now)
            drawers.carry(self._pair, self._pools, scope)
            lines.carry(self._pair, scope, self._now)
            told(1)


def _tell_nobody(what: str, done: int, total: int) -> None:
    """Where nobody wants to know."""


def _listed(storage: Storage, scope: Scope) -> list[str]:
    try:
        return [session.id for session in listed(storage, scope)]
    except NotFound:
        return []
