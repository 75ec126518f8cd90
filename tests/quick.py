"""How long something takes: of the processor's time, and the best of several, because noise only ever adds."""

import time
from collections.abc import Callable


def seconds(call: Callable[[], object], rounds: int = 3) -> float:
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken)
