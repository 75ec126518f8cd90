"""Key presses during an answer: not echoed into it, but kept for the next input line."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def suppress_echo(wanted: bool) -> Generator[None]:
    """Turn terminal echo off. Keys pressed meanwhile stay queued for the next read; Ctrl-C works as usual."""
    try:
        import termios
    except ImportError:  # not available on Windows
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
