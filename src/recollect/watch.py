"""The change feed: watchers are told of what happens in a scope, by this process or another.

One dispatcher thread serves all watchers of a store. A commit of this process wakes it at once; for other processes it looks
at the store's stamp, which costs a few microseconds, forty times a second. It ends when the last watcher leaves.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType

from recollect.errors import RecollectError, StorageError, StoreClosed
from recollect.ports import Marks, Storage
from recollect.types import Change, Mark, Scope

INTERVAL = 0.025
BATCH = 500
"""Changes that are read together. Whoever has so many before him is told no more until he has taken some."""

TOO_FAR = 10_000
"""Changes behind which a follower who comes back is told to read anew, which is less to read than what he missed."""

Delivery = Change | RecollectError | None
"""What a watcher is handed: a change, an error that ends the watch, or None at its end."""


@dataclass(slots=True, eq=False)
class Watcher:
    """Someone who watches: what, from where on, and how to tell him."""

    scope: Scope
    start: Mark
    deliver: Callable[[Delivery], None]
    reached: tuple[Mark, int] = field(init=False)
    """A mark up to which everything was sent or is not for him, and how many changes were sent by then. They are one value,
    because others look at it while we send."""

    taken: int = field(default=0, init=False)
    """How many of them he has taken."""

    def __post_init__(self) -> None:
        self.reached = self.start, 0

    @property
    def is_full(self) -> bool:
        """Whether he is slower than what happens: the store keeps it for him, so nobody else has to."""
        return self.reached[1] - self.taken >= BATCH

    @property
    def mark(self) -> Mark:
        """How far he was told."""
        return self.reached[0]

    def tell(self, changes: Iterable[Change], reached: Mark) -> None:
        """Hands him what he wants of some changes, which end at a mark."""
        session, sent = self.scope.session, self.reached[1]
        for change in changes:
            if session is None or change.session is None or change.session == session:
                self.deliver(change)
                sent += 1
        self.reached = reached, sent


class Dispatcher:
    """Follows the owners that somebody watches, and hands out their changes."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._watchers: list[Watcher] = []
        self._joined = 0
        self._hooked = False

    def subscribe(self, scope: Scope, deliver: Callable[[Delivery], None], after: Mark | None = None) -> Watcher:
        """Hands every change in the scope to `deliver`, from now on or behind a mark, until the watcher leaves."""
        last = self._storage.last_mark(_whose(scope))
        watcher = Watcher(scope, last if after is None else after, deliver)
        if last.revision - watcher.mark.revision > TOO_FAR:
            watcher.tell([Change("reset", mark=last)], last)
        with self._lock:
            self._watchers.append(watcher)
            self._joined += 1
            if not self._hooked:
                self._storage.on_commit(self._wake.set)
                self._hooked = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="recollect-watch", daemon=True)
                self._thread.start()
        self._wake.set()
        return watcher

    def leave(self, leaving: list[Watcher]) -> None:
        """Tells them nothing more."""
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
            # Those who were full have something waiting for them in the store, though nothing more may happen.
            seen = now if all(caught_up) and len(ready) == len(watchers) else None

    def _behind(self, watchers: list[Watcher]) -> list[list[Watcher]]:
        """Those for whom there may be something new, by owner and mark."""
        groups: dict[tuple[Scope, Mark], list[Watcher]] = {}
        for watcher in watchers:
            groups.setdefault((_whose(watcher.scope), watcher.mark), []).append(watcher)
        if len(groups) == 1 or not isinstance(self._storage, Marks):
            return list(groups.values())
        last = self._storage.last_marks([whose for whose, _ in groups])
        return [group for (_, mark), group, reached in zip(groups, groups.values(), last, strict=True) if mark != reached]

    def _catch_up(self, watchers: list[Watcher]) -> bool:
        """Tells watchers of one owner who have seen the same, nearly always all of his; whether each of them knows all."""
        whose, mark = _whose(watchers[0].scope), watchers[0].mark
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
                return False  # the others go on in the next round
            mark = reached

    def _fail(self, watchers: list[Watcher], error: Exception) -> None:
        """Whatever went wrong, those who wait are told, and the dispatcher lives on for the others."""
        self.leave(watchers)
        known = error if isinstance(error, RecollectError) else StorageError(f"the watch failed: {error!r}")
        for watcher in watchers:
            watcher.deliver(None if isinstance(error, StoreClosed) else known)


def _whose(scope: Scope) -> Scope:
    return Scope(scope.owner, None, scope.pool)


class Place:
    """How far a reader has come who takes what a watcher is sent."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._mark = watcher.start

    def take(self, change: Change) -> Change:
        """Notes that he has taken a change."""
        self._watcher.taken += 1
        self._mark = change.mark
        return change

    @property
    def mark(self) -> Mark:
        """Everything up to here he has taken, or it is not for him."""
        reached, sent = self._watcher.reached
        # If he has taken fewer, some wait for him; if more, he is already past that mark.
        if sent == self._watcher.taken:
            self._mark = reached
        return self._mark


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

    def __init__(self, dispatcher: Dispatcher, scope: Scope, after: Mark | None = None) -> None:
        self._queue: queue.SimpleQueue[Delivery] = queue.SimpleQueue()
        self._watcher = dispatcher.subscribe(scope, self._queue.put, after)
        self._dispatcher = dispatcher
        self._place = Place(self._watcher)
        self._ended = False

    @property
    def mark(self) -> Mark:
        """Where to go on from, with `Memory.watch(after=…)`. It moves on with what `get` returns, and also while others do
        what this watch is not told of.

        >>> import recollect
        >>> with recollect.open("memory://") as memory, memory.watch(owner="u1") as changes:
        ...     _ = memory.chat(owner="u1")
        ...     changes.get(timeout=5).mark == changes.mark
        True
        """
        return self._place.mark

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
            return self._place.take(delivery)
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
            self._dispatcher.leave([self._watcher])
            self._queue.put(None)

    def __iter__(self) -> Iterator[Change]:
        while (change := self.get()) is not None:
            yield change

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
