"""A thread pool that is fair between owners: no owner can take all threads, and waiting owners take turns."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from keepsaid.errors import StoreClosed
from keepsaid.server.problems import TOO_OFTEN, RequestRefusal

Result = TypeVar("Result")

NO_OWNER = ""
"""The owner that the server's own work is counted for."""
REQUEST_OWNER: ContextVar[str] = ContextVar("request_owner", default=NO_OWNER)
"""The owner of the request that the current task answers."""


ACTIVE_SECONDS = 3.0
"""Seconds that an owner counts as active after a request."""


class QueueLimits(NamedTuple):
    """How many calls run at a time, in all and per owner, and how many of one owner may wait.

    `setting` is the name of the setting that limits waiting calls, for the error message. With `shared`, an owner gets only
    one thread while others are active: for work that computes, and so slows down every other request.
    """

    running: int
    running_of_one: int
    waiting_of_one: int
    setting: str
    shared: bool = False


class _QueuedCall(NamedTuple):
    owner: str
    call: Callable[[], Any]
    future: Future[Any]


class FairQueue:
    """Runs calls in threads, round-robin over the waiting owners.

    >>> queue = FairQueue("example", QueueLimits(2, 1, 10, "server_waiting"))
    >>> queue.submit("ann", lambda: 1 + 1).result()
    2
    >>> queue.close()
    """

    def __init__(self, name: str, limits: QueueLimits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.running, thread_name_prefix=f"keepsaid-{name}")
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, deque[_QueuedCall]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._closed = False

    async def run(self, call: Callable[[], Result], owner: str | None = None) -> Result:
        """Run a call for an owner (by default the one of the current request), and wait for it."""
        return await asyncio.wrap_future(self.submit(REQUEST_OWNER.get() if owner is None else owner, call))

    def submit(self, owner: str, call: Callable[[], Result], *, always: bool = False) -> Future[Result]:
        """Queue a call. Refuse it while too many of the same owner wait, unless `always` is set."""
        future: Future[Result] = Future()
        with self._lock:
            if self._closed:
                raise StoreClosed("the server is closing")
            self._check_waiting(owner, always)
            self._note_seen(owner)
            self._waiting.setdefault(owner, deque()).append(_QueuedCall(owner, call, future))
            self._start_next()
        return future

    def check(self, owner: str) -> None:
        """Raise if a call of an owner would be refused, to check before an upload is received."""
        with self._lock:
            self._check_waiting(owner, always=False)

    def note_owner(self, owner: str) -> None:
        """Count an owner as active."""
        with self._lock:
            self._note_seen(owner)

    def close(self, *, cancel: bool = False) -> None:
        """Finish the running calls, and the waiting ones unless they are to be cancelled."""
        with self._lock:
            self._closed = True
            dropped = [one for calls in self._waiting.values() for one in calls] if cancel else []
            if cancel:
                self._waiting.clear()
            while not cancel and self._waiting:
                # No round-robin any more: the pool runs the rest.
                owner, calls = self._waiting.popitem(last=False)
                for one in calls:
                    self._running[owner] += 1
                    self._threads.submit(self._execute, one)
        for one in dropped:
            one.future.cancel()
        self._threads.shutdown(wait=True)

    def _check_waiting(self, owner: str, always: bool) -> None:
        limit = self._limits.waiting_of_one
        if not always and len(self._waiting.get(owner, ())) >= limit:
            why = f"{limit} requests of this owner wait already ({self._limits.setting}): try again when some are done"
            raise RequestRefusal(TOO_OFTEN, why, {"Retry-After": "5"})

    def _note_seen(self, owner: str) -> None:
        """Remember the active owners: those with a request within the last seconds."""
        now = time.monotonic()
        self._seen[owner] = now
        self._seen.move_to_end(owner)
        while next(iter(self._seen.values())) < now - ACTIVE_SECONDS:
            self._seen.popitem(last=False)

    def _share(self) -> int:
        """Return how many calls of one owner may run now."""
        is_alone = not self._limits.shared or len(self._seen) <= 1
        return self._limits.running_of_one if is_alone else 1

    def _start_next(self) -> None:
        """Start the calls that may run: of each owner in turn, and no more of one than their share."""
        while self._waiting and self._running.total() < self._limits.running:
            share = self._share()
            owner = next((one for one in self._waiting if self._running[one] < share), None)
            if owner is None:
                return
            calls = self._waiting[owner]
            queued = calls.popleft()
            self._waiting.move_to_end(owner)
            if not calls:
                del self._waiting[owner]
            if queued.future.set_running_or_notify_cancel():
                self._running[owner] += 1
                self._threads.submit(self._execute, queued)

    def _execute(self, queued: _QueuedCall) -> None:
        result, failure = None, None
        try:
            result = queued.call()
        except BaseException as error:
            failure = error
        # Free the slot before the result is set, so that the owner's next call finds it free.
        with self._lock:
            self._running[queued.owner] -= 1
            if not self._running[queued.owner]:
                del self._running[queued.owner]
            if not self._closed:
                self._start_next()
        if failure is None:
            queued.future.set_result(result)
        else:
            queued.future.set_exception(failure)
