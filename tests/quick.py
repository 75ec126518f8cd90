"""Processor time of a call: of this thread alone, the best of several, because other work only ever adds."""

import time
from collections.abc import Callable


def seconds(call: Callable[[], object], rounds: int = 3) -> float:
    taken = []
    for _ in range(rounds):
        start = time.thread_time()
        call()
        taken.append(time.thread_time() - start)
    return min(taken)
