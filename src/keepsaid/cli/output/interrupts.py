"""Ends long-running commands on Ctrl-C and SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event


@contextmanager
def interruptible() -> Generator[Event]:
    """Make Ctrl-C and SIGTERM raise `KeyboardInterrupt` and set the event.

    The exception alone can be lost: a library that is being imported may turn it into an error of its own.
    """
    requested = Event()

    def stop(*_: object) -> None:
        requested.set()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield requested
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
