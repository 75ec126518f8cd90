"""A terminal as a person has it: keys go in, and there is a screen to look at."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pexpect
import pyte

PATIENCE = 45.0
"""Seconds to wait for something to appear: the machine may be busy with other things."""

ENTER, TAB, CTRL_C, CTRL_D, ALT_ENTER, UP = "\r", "\t", "\x03", "\x04", "\x1b\r", "\x1b[A"


class Terminal:
    """A program in a terminal of some size. What was scrolled off the screen is kept in `above`."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        columns: int = 80,
        rows: int = 24,
        folder: Path | None = None,
    ) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=5000, ratio=0.5)
        self.screen.write_process_input = self._reply
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._child: pexpect.spawn = pexpect.spawn(
            command[0], list(command[1:]), env=dict(environment), dimensions=(rows, columns), cwd=folder, timeout=PATIENCE
        )
        self._child.delaybeforesend = None

    def _reply(self, data: str) -> None:
        """A terminal answers when it is asked where its cursor is."""
        self._child.send(data)

    def type(self, text: str, *, enter: bool = True) -> None:
        self._child.send(text + (ENTER if enter else ""))

    def press(self, key: str) -> None:
        self._child.send(key)

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def wait_for(self, text: str, *, times: int = 1) -> str:
        """Waits until a text is on the screen or above it, so many times; returns all that is there, on one line."""
        self._wait(lambda: self.flat.count(_flat(text)) >= times, f"{text!r} ({times} times)")
        return self.flat

    def wait_until(self, holds: Callable[[str], bool], what: str) -> str:
        self._wait(lambda: holds(self.everything), what)
        return self.everything

    def wait_for_prompt(self, prompt: str = "›") -> str:
        """Wait until the program reads a line: the cursor is after an empty prompt."""

        def ready() -> bool:
            cursor = self.screen.cursor
            return self.screen.display[cursor.y].rstrip() == prompt and cursor.x == len(prompt) + 1

        self._wait(ready, "an empty prompt")
        return self.flat

    def wait_for_end(self) -> int:
        """Waits until the program ends; its exit code."""
        self._wait(lambda: not self._read(0.05) and not self._child.isalive(), "the end")
        self._child.close()
        return self._child.exitstatus if self._child.exitstatus is not None else -1

    @property
    def shown(self) -> str:
        """The screen as it is now."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    @property
    def everything(self) -> str:
        """The screen, and what was scrolled off it."""
        above = ["".join(line[column].data for column in range(self.screen.columns)).rstrip() for line in self._above()]
        return "\n".join([*above, self.shown])

    @property
    def flat(self) -> str:
        """The same on one line: where lines are wrapped is not what most tests are about."""
        return _flat(self.everything)

    def _above(self) -> list[Mapping[int, pyte.screens.Char]]:
        return list(self.screen.history.top)

    def close(self) -> None:
        self._child.close(force=True)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, seconds: float) -> bool:
        """Takes what the program has printed; whether there was anything."""
        try:
            data = self._child.read_nonblocking(65536, seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        self.raw += data
        self._stream.feed(data)
        return True

    def _wait(self, holds: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if not self._read(0.05) and not self._child.isalive() and not self._read(0.05) and not holds():
                raise AssertionError(f"the program ended before there was {what}:\n{self.everything}")
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {what}:\n{self.everything}")


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def environment(home: Path, **more: str) -> dict[str, str]:
    """An empty home, and nothing of the developer's settings."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")}
    return {**kept, "HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONUTF8": "1", **more}
