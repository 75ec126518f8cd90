"""The change feed: watchers are told of what happens in a scope, by this process or another.

One dispatcher thread serves all watchers of a store. A commit of this process wakes it at once; for other processes it looks
at the store's stamp, which costs a few microseconds, forty times a second. It ends when the last watcher leaves.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from types import TracebackType

from recollect.errors import RecollectError, StoreClosed
from recollect.ports import Storage
from recollect.types import Change, Mark, Scope

INTERVAL = 0.025
BATCH = 500

Delivery = Change | RecollectError | None
"""What a watcher is handed: a change, an error that ends the watch, or None at its end."""


class Dispatcher:
    """Follows the owners that somebody watches, and hands out their changes."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._followed: dict[Scope, tuple[Mark, list[tuple[str | None, Callable[[Delivery], None]]]]] = {}
        self._hooked = False

    def subscribe(self, scope: Scope, deliver: Callable[[Delivery], None]) -> Callable[[], None]:
        """Hands every change in the scope to `deliver` from now on, until the returned function is called."""
        key, entry = Scope(scope.owner, None, scope.pool), (scope.session, deliver)
        mark = self._storage.last_mark(key)
        with self._lock:
            self._followed.setdefault(key, (mark, []))[1].append(entry)
            if not self._hooked:
                self._storage.on_commit(self._wake.set)
                self._hooked = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="recollect-watch", daemon=True)
                self._thread.start()
        self._wake.set()
        return lambda: self._unsubscribe(key, entry)

    def _unsubscribe(self, key: Scope, entry: tuple[str | None, Callable[[Delivery], None]]) -> None:
        with self._lock:
            if key in self._followed and entry in self._followed[key][1]:
                self._followed[key][1].remove(entry)
                if not self._followed[key][1]:
                    del self._followed[key]
        self._wake.set()

    def close(self) -> None:
        """Ends all watches."""
        with self._lock:
            entries = [entry for _, watchers in self._followed.values() for entry in watchers]
            self._followed.clear()
            thread = self._thread
        for _, deliver in entries:
            deliver(None)
        self._wake.set()
        if thread and thread is not threading.current_thread():
            thread.join(timeout=5)

    def _run(self) -> None:
        seen: object = None
        while True:
            self._wake.wait(INTERVAL)
            self._wake.clear()
            with self._lock:
                if not self._followed:
                    self._thread = None
                    return
                followed = list(self._followed)
            try:
                stamp = self._storage.stamp()
            except RecollectError as error:
                self._fail(followed, error)
                continue
            if stamp != seen:
                seen = stamp
                for key in followed:
                    self._catch_up(key)

    def _catch_up(self, key: Scope) -> None:
        while True:
            with self._lock:
                if key not in self._followed:
                    return
                mark, watchers = self._followed[key]
                watchers = list(watchers)
            try:
                changes, reached = self._storage.changes(key, mark, BATCH)
            except RecollectError as error:
                self._fail([key], error)
                return
            with self._lock:
                if key in self._followed:
                    self._followed[key] = (reached, self._followed[key][1])
            for change in changes:
                for session, deliver in watchers:
                    if session is None or change.session is None or change.session == session:
                        deliver(change)
            if reached == mark or len(changes) < BATCH:
                return

    def _fail(self, keys: list[Scope], error: RecollectError) -> None:
        with self._lock:
            ended = [self._followed.pop(key)[1] for key in keys if key in self._followed]
        for watchers in ended:
            for _, deliver in watchers:
                deliver(None if isinstance(error, StoreClosed) else error)


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
