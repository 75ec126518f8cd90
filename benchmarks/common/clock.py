"""Timing on a noisy machine: the measured calls take turns, and the best round of each counts."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter


def best_times(rounds: int, *runs: Callable[[], object]) -> list[float]:
    """Return the seconds of each run's best round. Noise only adds time, so the smallest value is the most accurate."""
    found = [math.inf] * len(runs)
    for _ in range(rounds):
        for number, run in enumerate(runs):
            start = perf_counter()
            run()
            found[number] = min(found[number], perf_counter() - start)
    return found


def repeat_call(times: int, call: Callable[[], object]) -> Callable[[], None]:
    """Return a round of many calls, for calls that are too short to be timed alone."""

    def run() -> None:
        for _ in range(times):
            call()

    return run


def time_in_new_interpreter(rounds: int, setup: str, statement: str, *arguments: str) -> float:
    """Return the seconds a statement takes in a new interpreter, without the start of the interpreter."""
    program = (
        f"import sys, time\n{setup}\n_start = time.perf_counter()\n{statement}\n"
        "print(time.perf_counter() - _start, flush=True)"
    )
    command = [sys.executable, "-c", program, *arguments]
    # The user's own settings (a key, another store) must not affect the measurement.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KEEPSAID_")}
    return min(_printed(command, environment) for _ in range(rounds))


def _printed(command: list[str], environment: dict[str, str]) -> float:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # our own text
    return float(done.stdout)
