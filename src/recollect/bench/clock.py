"""Measuring on a noisy machine: contestants take turns, and each one's best round counts."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter


def best(rounds: int, *runs: Callable[[], object]) -> list[float]:
    """The seconds of each run's best round. Noise only ever adds time, so the smallest is the truest."""
    found = [math.inf] * len(runs)
    for _ in range(rounds):
        for number, run in enumerate(runs):
            start = perf_counter()
            run()
            found[number] = min(found[number], perf_counter() - start)
    return found


def repeated(times: int, call: Callable[[], object]) -> Callable[[], None]:
    """A round of many calls, for those too short to be timed alone."""

    def run() -> None:
        for _ in range(times):
            call()

    return run


def fresh(rounds: int, setup: str, statement: str, *arguments: str) -> float:
    """The seconds a statement takes in a new interpreter, whose own start is not counted."""
    program = (
        f"import sys, time\n{setup}\n_start = time.perf_counter()\n{statement}\n"
        "print(time.perf_counter() - _start, flush=True)"
    )
    command = [sys.executable, "-c", program, *arguments]
    # The user's own settings (a key, another store) are not what is measured.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return min(_printed(command, environment) for _ in range(rounds))


def _printed(command: list[str], environment: dict[str, str]) -> float:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603  # our own text
    return float(done.stdout)
