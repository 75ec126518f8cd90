"""What the chat prints on: a terminal with styles, one without, or a pipe for the answer and stderr for all else."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from recollect.cli.chat.inline import Piece
from recollect.cli.clean import harmless

TROUBLE = "yellow"
NOTE = "dim"


class Screen:
    """Two places to print on, which are one where both are a terminal. Nothing but our own styles is interpreted."""

    def __init__(self, styled: bool, *, apart: bool = False) -> None:
        self.styled = styled
        self._answers = _console(styled)
        self._notes = _console(styled, stderr=True) if apart else self._answers

    @property
    def width(self) -> int:
        """Cells of a line, as it is now."""
        # rich takes every plain terminal to have 80.
        return max(20, self._answers.width if self.styled else shutil.get_terminal_size().columns)

    @property
    def wraps(self) -> bool:
        """Whether an answer is wrapped word by word: a plain terminal would cut them, a program wants it as it is."""
        return not self.styled and self._answers.file.isatty()

    def line(self, text: str | Text = "", style: str = "") -> None:
        """A line of ours."""
        shown = text if isinstance(text, Text) else Text(harmless(text), style)
        if not self.styled and not self._notes.file.isatty():
            self._notes.print(shown, soft_wrap=True)
            return
        indent = len(shown.plain) - len(shown.plain.lstrip(" "))
        # A long line goes on below its own beginning.
        below = Padding(shown[indent:], (0, 0, 0, indent)) if indent and shown.cell_len > self.width else shown
        self._notes.print(below, width=self.width)

    def to_copy(self, text: str) -> None:
        """A line to be copied, which only the terminal itself may wrap."""
        self._notes.print(Text(harmless(text), NOTE), soft_wrap=True)

    def lines(self, texts: Iterable[str | Text]) -> None:
        """Some lines of ours."""
        for text in texts:
            self.line(text)

    def note(self, text: str) -> None:
        """A line for whoever wants to know."""
        self.line(text, NOTE)

    def trouble(self, text: str) -> None:
        """A line for everybody: something went wrong."""
        self.line(text, TROUBLE)

    def answer(self, pieces: Iterable[Piece]) -> None:
        """Some more of an answer, at once."""
        text = Text.assemble(*pieces)
        if text:
            self._answers.print(text, end="", soft_wrap=True)
            self._answers.file.flush()

    def raw_answer(self, text: str) -> None:
        """The same for a reader that wants the text as it came: a file, a program, a plain terminal."""
        self._answers.file.write(harmless(text))
        self._answers.file.flush()

    @contextmanager
    def waiting(self, words: str) -> Generator[Waiting]:
        """Shows that something goes on, where that can be taken away again."""
        waiting = Waiting(self._notes if self.styled else None, words)
        try:
            yield waiting
        finally:
            waiting.over()


class Waiting:
    """A line that moves while nothing else does."""

    def __init__(self, console: Console | None, words: str) -> None:
        self._status = None if console is None else console.status(Text(words, NOTE), spinner="dots", spinner_style=NOTE)
        self._shown = False
        self.say(words)

    def say(self, words: str) -> None:
        """What is being waited for now."""
        if self._status is not None:
            self._status.update(Text(harmless(words), NOTE))
            if not self._shown:
                self._status.start()
                self._shown = True

    def over(self) -> None:
        """Takes the line away."""
        if self._status is not None and self._shown:
            self._status.stop()
            self._shown = False


def is_plain(environment: Mapping[str, str]) -> bool:
    """Whether a terminal is to be given text alone. One without colours can still do all else.

    >>> is_plain({"TERM": "dumb"}), is_plain({"TERM": "xterm", "NO_COLOR": "1"}), is_plain({"TERM": "xterm"})
    (True, False, False)
    """
    return environment.get("TERM", "dumb") in ("dumb", "unknown", "")


def can_be_styled() -> bool:
    """Whether there is a terminal on both sides that knows more than text."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_plain(os.environ)


def _console(styled: bool, *, stderr: bool = False) -> Console:
    if styled:
        return Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    return Console(
        stderr=stderr, markup=False, emoji=False, highlight=False, color_system=None, force_terminal=False, no_color=True
    )
