"""The change feed: watchers are told of what happens in a scope, by this process or another.

One dispatcher thread serves all watchers of a store. A commit of this process wakes it at once; for other processes it looks
at the store's stamp, which costs a few microseconds, forty times a second. It ends when the last watcher leaves.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType

from recollect.errors import RecollectError, StorageError, StoreClosed
from recollect.ports import Storage
from recollect.types import Change, Mark, Scope

INTERVAL = 0.025
BATCH = 500

Delivery = Change | RecollectError | None
"""What a watcher is handed: a change, an error that ends the watch, or None at its end."""


@dataclass(slots=True, eq=False)
class _Watcher:
    """Someone who watches: what, from where on, and how to tell him."""

    scope: Scope
    mark: Mark
    deliver: Callable[[Delivery], None]

    def wants(self, change: Change) -> bool:
        session = self.scope.session
        return session is None or change.session is None or change.session == session


class Dispatcher:
    """Follows the owners that somebody watches, and hands out their changes."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._watchers: list[_Watcher] = []
        self._hooked = False

    def subscribe(self, scope: Scope, deliver: Callable[[Delivery], None]) -> Callable[[], None]:
        """Hands every change in the scope to `deliver` from now on, until the returned function is called."""
        watcher = _Watcher(scope, self._storage.last_mark(_whose(scope)), deliver)
        with self._lock:
            self._watchers.append(watcher)
            if not self._hooked:
                self._storage.on_commit(self._wake.set)
                self._hooked = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="recollect-watch", daemon=True)
                self._thread.start()
        self._wake.set()
        return lambda: self._leave([watcher])

    def _leave(self, leaving: list[_Watcher]) -> None:
        with self._lock:
            self._watchers = [watcher for watcher in self._watchers if watcher not in leaving]
        self._wake.set()

    def close(self) -> None:
        """Ends all watches."""
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
        watched = 0
        while True:
            self._wake.wait(INTERVAL)
            self._wake.clear()
            with self._lock:
                if not self._watchers:
                    self._thread = None
                    return
                watchers = list(self._watchers)
            try:
                stamp = self._storage.stamp()
            except Exception as error:
                self._fail(watchers, error)
                continue
            if (stamp, len(watchers)) != (seen, watched):
                seen, watched = stamp, len(watchers)
                for group in _by_owner_and_mark(watchers):
                    self._catch_up(group)

    def _catch_up(self, watchers: list[_Watcher]) -> None:
        """Watchers of one owner who have seen the same: nearly always all of his."""
        whose, mark = _whose(watchers[0].scope), watchers[0].mark
        while True:
            try:
                changes, reached = self._storage.changes(whose, mark, BATCH)
            except Exception as error:
                self._fail(watchers, error)
                return
            for watcher in watchers:
                watcher.mark = reached
                for change in filter(watcher.wants, changes):
                    watcher.deliver(change)
            if reached == mark or len(changes) < BATCH:
                return
            mark = reached

    def _fail(self, watchers: list[_Watcher], error: Exception) -> None:
        """Whatever went wrong, those who wait are told, and the dispatcher lives on for the others."""
        self._leave(watchers)
        known = error if isinstance(error, RecollectError) else StorageError(f"the watch failed: {error!r}")
        for watcher in watchers:
            watcher.deliver(None if isinstance(error, StoreClosed) else known)


def _whose(scope: Scope) -> Scope:
    return Scope(scope.owner, None, scope.pool)


def _by_owner_and_mark(watchers: list[_Watcher]) -> list[list[_Watcher]]:
    groups: dict[tuple[Scope, Mark], list[_Watcher]] = {}
    for watcher in watchers:
        groups.setdefault((_whose(watcher.scope), watcher.mark), []).append(watcher)
    return list(groups.values())


class Watch:
    """Changes as they happen: iterate over it, or ask with a timeout. Close it, or use it in a `with`.

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     with chat.watch() as changes:
    ...         _ = chat.add("user", "Hello")
    ...         changes.get(timeout=5).message.text
    'Hello'
    """

    def __init__(self, dispatcher: Dispatcher, scope: Scope) -> None:
        self._queue: queue.SimpleQueue[Delivery] = queue.SimpleQueue()
        self._leave = dispatcher.subscribe(scope, self._queue.put)
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether the watch is over, by `close` or because the memory was closed.

        >>> import recollect
        >>> with recollect.open("memory://") as memory, memory.watch(owner="u1") as changes:
        ...     changes.ended
        False
        """
        return self._ended

    def get(self, timeout: float | None = None) -> Change | None:
        """The next change; None when the time is up or the watch has ended.

        >>> import recollect
        >>> with recollect.open("memory://") as memory, memory.watch(owner="u1") as changes:
        ...     changes.get(timeout=0.01) is None
        True
        """
        if self._ended:
            return None
        try:
            delivery = self._queue.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(delivery, Change):
            return delivery
        self.close()
        if delivery is not None:
            raise delivery
        return None

    def close(self) -> None:
        """Ends the watch, also for a thread that waits in it.

        >>> import recollect
        >>> with recollect.open("memory://") as memory:
        ...     changes = memory.watch(owner="u1")
        ...     changes.close()
        ...     list(changes)
        []
        """
        if not self._ended:
            self._ended = True
            self._leave()
            self._queue.put(None)

    def __iter__(self) -> Iterator[Change]:
        while (change := self.get()) is not None:
            yield change

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
