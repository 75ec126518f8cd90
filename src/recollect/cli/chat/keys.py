"""Keys that are pressed while an answer comes: not shown in the middle of it, but kept for the next line."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def unechoed(wanted: bool) -> Generator[None]:
    """The terminal shows no keys inside, and gives those pressed to whoever reads next. Ctrl-C works as always."""
    try:
        import termios
    except ImportError:  # Windows has no such thing
        wanted = False
    if not wanted or not sys.stdin.isatty():
        yield
        return
    import termios

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    quiet = termios.tcgetattr(keyboard)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(keyboard, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)
