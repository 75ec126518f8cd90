"""Processor time of a call: of this thread alone, and the least of several rounds, because other work only adds to it."""

import time
from collections.abc import Callable


def seconds(call: Callable[[], object], rounds: int = 3) -> float:
    taken = []
    for _ in range(rounds):
        start = time.thread_time()
        call()
        taken.append(time.thread_time() - start)
    return min(taken)
