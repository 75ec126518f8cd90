"""The fair queue: no owner takes all threads, and waiting owners take turns."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from keepsaid.errors import StoreClosed
from keepsaid.server.fair_queue import FairQueue, QueueLimits
from keepsaid.server.problems import RequestRefusal

LIMITS = QueueLimits(running=2, running_of_one=1, waiting_of_one=3, setting="server_jobs_waiting")


class Bench:
    """Work that goes on until it is told to end, and notes who began in which order."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self.end = threading.Event()

    def work(self, name: str) -> Callable[[], str]:
        def do() -> str:
            self.began.append(name)
            assert self.end.wait(10)
            return name

        return do

    def until_begun(self, count: int) -> None:
        limit = time.monotonic() + 10
        while len(self.began) < count:
            assert time.monotonic() < limit, self.began
            time.sleep(0.001)


def test_queue_limits_running_jobs_per_owner():
    queue, bench = FairQueue("test", LIMITS), Bench()
    mine = [queue.submit("ann", bench.work(f"ann-{number}")) for number in range(3)]
    bob = queue.submit("bob", bench.work("bob"))
    bench.until_begun(2)
    time.sleep(0.05)
    assert sorted(bench.began) == ["ann-0", "bob"]
    bench.end.set()
    assert [one.result(10) for one in (*mine, bob)] == ["ann-0", "ann-1", "ann-2", "bob"]
    queue.close()


def test_queue_alternates_between_waiting_owners():
    queue, bench = FairQueue("test", LIMITS._replace(running=1)), Bench()
    calls = [queue.submit(owner, bench.work(owner)) for owner in ("ann", "ann", "ann", "bob", "cat")]
    bench.end.set()
    assert [one.result(10) for one in calls] == ["ann", "ann", "ann", "bob", "cat"]
    assert bench.began[:4] in (["ann", "ann", "bob", "cat"], ["ann", "bob", "cat", "ann"], ["ann", "bob", "ann", "cat"])
    queue.close()


def test_queue_refuses_jobs_over_waiting_limit_and_names_setting():
    queue, bench = FairQueue("test", LIMITS), Bench()
    for number in range(4):
        queue.submit("ann", bench.work(f"ann-{number}"))
    with pytest.raises(RequestRefusal, match=r"3 requests of this owner wait already \(server_jobs_waiting\)") as refused:
        queue.submit("ann", bench.work("one more"))
    assert refused.value.kind.status == 429
    assert refused.value.headers["Retry-After"]
    with pytest.raises(RequestRefusal):
        queue.check("ann")
    queue.check("bob")
    queue.submit("ann", bench.work("must be done"), always=True)
    queue.submit("bob", bench.work("bob"))
    bench.end.set()
    queue.close()
    assert sorted(bench.began) == ["ann-0", "ann-1", "ann-2", "ann-3", "bob", "must be done"]


def test_shared_queue_runs_one_job_per_owner_beside_others():
    queue, bench = FairQueue("test", LIMITS._replace(running=4, running_of_one=3, shared=True)), Bench()
    queue.note_owner("bob")
    for number in range(3):
        queue.submit("ann", bench.work(f"ann-{number}"))
    bench.until_begun(1)
    time.sleep(0.05)
    assert bench.began == ["ann-0"]
    bench.end.set()
    queue.close()
    alone, bench = FairQueue("test", LIMITS._replace(running=4, running_of_one=3, shared=True)), Bench()
    for number in range(3):
        alone.submit("ann", bench.work(f"ann-{number}"))
    bench.until_begun(3)
    bench.end.set()
    alone.close()


def test_failed_job_frees_slot_and_cancelled_job_never_starts():
    queue, bench = FairQueue("test", LIMITS._replace(running=1)), Bench()
    failing = queue.submit("ann", lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failing.result(10)
    held = queue.submit("ann", bench.work("held"))
    bench.until_begun(1)
    waiting = [queue.submit("ann", bench.work(name)) for name in ("left", "dropped")]
    assert waiting[0].cancel()
    ending = threading.Timer(0.05, bench.end.set)
    ending.start()
    queue.close(cancel=True)
    assert held.result(0) == "held"
    assert bench.began == ["held"]
    assert waiting[1].cancelled()
    with pytest.raises(StoreClosed):
        queue.submit("ann", bench.work("late"))
