"""`Watch`: changes as they happen."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from types import TracebackType

from keepsaid.services.background.change_dispatcher import ChangeDelivery, ChangeDispatcher, ChangeWatcher
from keepsaid.types import ChangePosition, MemoryChange, Scope


class WatchPosition:
    """How far a reader has come in the changes delivered to a watcher."""

    def __init__(self, watcher: ChangeWatcher) -> None:
        self._watcher = watcher
        self._mark = watcher.start

    def take(self, change: MemoryChange) -> MemoryChange:
        """Record that a change was taken."""
        self._watcher.taken += 1
        self._mark = change.position
        return change

    @property
    def position(self) -> ChangePosition:
        """The position up to which every change was taken or is out of scope."""
        reached, sent = self._watcher.reached
        # With fewer taken, some are still queued; with more, the reader is past that position already.
        if sent == self._watcher.taken:
            self._mark = reached
        return self._mark


class Watch:
    """Changes as they happen: iterate over it, or call `get`. Close it, or use it in a `with` statement.

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     with chat.watch() as changes:
    ...         _ = chat.add("user", "Hello")
    ...         changes.get(timeout=5).message.text
    'Hello'
    """

    def __init__(self, dispatcher: ChangeDispatcher, scope: Scope, after: ChangePosition | None = None) -> None:
        self._queue: queue.SimpleQueue[ChangeDelivery] = queue.SimpleQueue()
        self._watcher = dispatcher.subscribe(scope, self._queue.put, after)
        self._dispatcher = dispatcher
        self._place = WatchPosition(self._watcher)
        self._ended = False

    @property
    def position(self) -> ChangePosition:
        """Return the position from which to resume, with `Memory.watch(after=…)`.

        It advances with the changes that `get` returns, and also with changes outside the scope of this watch.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory, memory.watch(owner="u1") as changes:
        ...     _ = memory.chat(owner="u1")
        ...     changes.get(timeout=5).position == changes.position
        True
        """
        return self._place.position

    @property
    def ended(self) -> bool:
        """Whether the watch has ended, by `close`, by an error or because the memory was closed.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory, memory.watch(owner="u1") as changes:
        ...     changes.ended
        False
        """
        return self._ended

    def get(self, timeout: float | None = None) -> MemoryChange | None:
        """Return the next change; None after `timeout` seconds or if the watch has ended.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory, memory.watch(owner="u1") as changes:
        ...     changes.get(timeout=0.01) is None
        True
        """
        if self._ended:
            return None
        try:
            delivery = self._queue.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(delivery, MemoryChange):
            return self._place.take(delivery)
        self.close()
        if delivery is not None:
            raise delivery
        return None

    def close(self) -> None:
        """End the watch, also for a thread that is waiting in it.

        >>> import keepsaid
        >>> with keepsaid.open("memory://") as memory:
        ...     changes = memory.watch(owner="u1")
        ...     changes.close()
        ...     list(changes)
        []
        """
        if not self._ended:
            self._ended = True
            self._dispatcher.leave([self._watcher])
            self._queue.put(None)

    def __iter__(self) -> Iterator[MemoryChange]:
        while (change := self.get()) is not None:
            yield change

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
