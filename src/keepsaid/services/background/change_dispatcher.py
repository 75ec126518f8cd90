"""The change feed: watchers receive the changes in a scope, whether this process makes them or another.

One dispatcher thread serves all watchers of a store. A commit of this process wakes it at once; for other processes it polls
the store's stamp, which takes a few microseconds, forty times a second. It ends when the last watcher leaves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from keepsaid.errors import KeepsaidError, StorageError, StoreClosed
from keepsaid.ports import Storage
from keepsaid.types import ChangePosition, MemoryChange, Scope

INTERVAL = 0.025
BATCH = 500
"""How many changes are read at once. A watcher with this many unread changes gets no more until some are read."""

TOO_FAR = 10_000
"""A watcher that missed more changes than this gets a `reset`: reading everything again is less than what was missed."""

ChangeDelivery = MemoryChange | KeepsaidError | None
"""What a watcher receives: a change, an error that ends the watch, or None at its end."""


@dataclass(slots=True, eq=False)
class ChangeWatcher:
    """A subscription: the scope, the start position, and how changes are delivered."""

    scope: Scope
    start: ChangePosition
    deliver: Callable[[ChangeDelivery], None]
    reached: tuple[ChangePosition, int] = field(init=False)
    """A position up to which every change was delivered or is out of scope, and how many were delivered by then. One tuple,
    because other threads read it during delivery."""

    taken: int = field(default=0, init=False)
    """How many of the delivered changes the reader has taken."""

    def __post_init__(self) -> None:
        self.reached = self.start, 0

    @property
    def is_full(self) -> bool:
        """Whether too many changes are unread. Further ones are not queued: they are read from the store later."""
        return self.reached[1] - self.taken >= BATCH

    @property
    def position(self) -> ChangePosition:
        """The position up to which changes were delivered."""
        return self.reached[0]

    def tell(self, changes: Iterable[MemoryChange], reached: ChangePosition) -> None:
        """Deliver those of the changes that are in scope; `reached` is the position after the last one."""
        session, sent = self.scope.session, self.reached[1]
        for change in changes:
            if session is None or change.session is None or change.session == session:
                self.deliver(change)
                sent += 1
        self.reached = reached, sent


class ChangeDispatcher:
    """Delivers the changes of all watched owners of a store."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._watchers: list[ChangeWatcher] = []
        self._joined = 0
        self._hooked = False

    def subscribe(
        self, scope: Scope, deliver: Callable[[ChangeDelivery], None], after: ChangePosition | None = None
    ) -> ChangeWatcher:
        """Deliver every change in the scope, from now on or after a position, until the watcher leaves."""
        last = self._storage.last_position(_whose(scope))
        watcher = ChangeWatcher(scope, last if after is None else after, deliver)
        if last.revision - watcher.position.revision > TOO_FAR:
            watcher.tell([MemoryChange("reset", position=last)], last)
        with self._lock:
            self._watchers.append(watcher)
            self._joined += 1
            if not self._hooked:
                self._storage.on_commit(self._wake.set)
                self._hooked = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="keepsaid-watch", daemon=True)
                self._thread.start()
        self._wake.set()
        return watcher

    def leave(self, leaving: list[ChangeWatcher]) -> None:
        """Stop delivering to these watchers."""
        with self._lock:
            self._watchers = [watcher for watcher in self._watchers if watcher not in leaving]
        self._wake.set()

    def close(self) -> None:
        """End all watches."""
        with self._lock:
            watchers, self._watchers = self._watchers, []
            thread = self._thread
        for watcher in watchers:
            watcher.deliver(None)
        self._wake.set()
        if thread and thread is not threading.current_thread():
            thread.join(timeout=5)

    def _run(self) -> None:
        seen: object = None
        while True:
            self._wake.wait(INTERVAL)
            self._wake.clear()
            with self._lock:
                if not self._watchers:
                    self._thread = None
                    return
                watchers, joined = list(self._watchers), self._joined
            try:
                now = self._storage.stamp(), joined
                ready = [watcher for watcher in watchers if not watcher.is_full]
                groups = [] if now == seen else self._behind(ready)
            except Exception as error:
                self._fail(watchers, error)
                continue
            caught_up = [self._catch_up(group) for group in groups]
            # Full watchers have changes to fetch from the store, even if nothing new happens.
            seen = now if all(caught_up) and len(ready) == len(watchers) else None

    def _behind(self, watchers: list[ChangeWatcher]) -> list[list[ChangeWatcher]]:
        """Return the watchers that may have new changes, grouped by owner and position."""
        groups: dict[tuple[Scope, ChangePosition], list[ChangeWatcher]] = {}
        for watcher in watchers:
            groups.setdefault((_whose(watcher.scope), watcher.position), []).append(watcher)
        if len(groups) == 1:
            return list(groups.values())
        last = self._storage.last_positions([whose for whose, _ in groups])
        return [group for (_, mark), group, reached in zip(groups, groups.values(), last, strict=True) if mark != reached]

    def _catch_up(self, watchers: list[ChangeWatcher]) -> bool:
        """Deliver to watchers of one owner at the same position; return False if some are full and have changes left."""
        whose, mark = _whose(watchers[0].scope), watchers[0].position
        while True:
            try:
                changes, reached = self._storage.changes(whose, mark, BATCH)
            except Exception as error:
                self._fail(watchers, error)
                return True
            for watcher in watchers:
                watcher.tell(changes, reached)
            if reached == mark or len(changes) < BATCH:
                return True
            if any(watcher.is_full for watcher in watchers):
                return False  # the others continue in the next round
            mark = reached

    def _fail(self, watchers: list[ChangeWatcher], error: Exception) -> None:
        """Report an error to watchers and end their watches; the dispatcher continues for the others."""
        self.leave(watchers)
        known = error if isinstance(error, KeepsaidError) else StorageError(f"the watch failed: {error!r}")
        for watcher in watchers:
            watcher.deliver(None if isinstance(error, StoreClosed) else known)


def _whose(scope: Scope) -> Scope:
    return Scope(scope.owner, None, scope.pool)
