"""How a command that stays comes to its end."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event


@contextmanager
def stoppable() -> Generator[Event]:
    """Ctrl-C and SIGTERM interrupt whatever is at work, at a safe place; the event says that somebody asked for it.

    An interruption alone can be lost: a library that is just being loaded makes an error of its own of it.
    """
    asked = Event()

    def stop(*_: object) -> None:
        asked.set()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
