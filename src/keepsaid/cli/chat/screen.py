"""Output of the chat: to a styled or plain terminal, or to a pipe, with everything but the answer on stderr."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from keepsaid.cli.chat.inline_markdown import StyledPiece
from keepsaid.cli.output.control_codes import strip_controls

WARNING_STYLE = "yellow"
NOTE_STYLE = "dim"


class ChatScreen:
    """Prints answers and notes, to two streams with `apart`. Markup in texts is not interpreted."""

    def __init__(self, styled: bool, *, apart: bool = False) -> None:
        self.styled = styled
        self._answers = _console(styled)
        self._notes = _console(styled, stderr=True) if apart else self._answers

    @property
    def width(self) -> int:
        """The current width of the terminal in columns."""
        # rich assumes 80 columns for every plain terminal.
        return max(20, self._answers.width if self.styled else shutil.get_terminal_size().columns)

    @property
    def wraps(self) -> bool:
        """Whether answers are wrapped between words: on a plain terminal, which would split words, but not in a pipe."""
        return not self.styled and self._answers.file.isatty()

    def line(self, text: str | Text = "", style: str = "") -> None:
        """Print a line."""
        shown = text if isinstance(text, Text) else Text(strip_controls(text), style)
        if not self.styled and not self._notes.file.isatty():
            self._notes.print(shown, soft_wrap=True)
            return
        indent = len(shown.plain) - len(shown.plain.lstrip(" "))
        # Wrapped lines keep the indentation of the first.
        below = Padding(shown[indent:], (0, 0, 0, indent)) if indent and shown.cell_len > self.width else shown
        self._notes.print(below, width=self.width)

    def copyable_line(self, text: str) -> None:
        """Print a line to be copied, without wrapping it."""
        self._notes.print(Text(strip_controls(text), NOTE_STYLE), soft_wrap=True)

    def lines(self, texts: Iterable[str | Text]) -> None:
        """Print several lines."""
        for text in texts:
            self.line(text)

    def note(self, text: str) -> None:
        """Print a note."""
        self.line(text, NOTE_STYLE)

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.line(text, WARNING_STYLE)

    def answer(self, pieces: Iterable[StyledPiece]) -> None:
        """Print more of an answer and flush."""
        text = Text.assemble(*pieces)
        if text:
            self._answers.print(text, end="", soft_wrap=True)
            self._answers.file.flush()

    def raw_answer(self, text: str) -> None:
        """Print more of an answer without styles, for a file, a program or a plain terminal."""
        self._answers.file.write(strip_controls(text))
        self._answers.file.flush()

    @contextmanager
    def waiting(self, words: str) -> Generator[StatusSpinner]:
        """Show a spinner on a styled terminal until the block ends."""
        waiting = StatusSpinner(self._notes if self.styled else None, words)
        try:
            yield waiting
        finally:
            waiting.stop()


class StatusSpinner:
    """A spinner with a text; does nothing without a console."""

    def __init__(self, console: Console | None, words: str) -> None:
        self._status = (
            None if console is None else console.status(Text(words, NOTE_STYLE), spinner="dots", spinner_style=NOTE_STYLE)
        )
        self._shown = False
        self.update(words)

    def update(self, words: str) -> None:
        """Show the spinner with this text."""
        if self._status is not None:
            self._status.update(Text(strip_controls(words), NOTE_STYLE))
            if not self._shown:
                self._status.start()
                self._shown = True

    def stop(self) -> None:
        """Remove the spinner."""
        if self._status is not None and self._shown:
            self._status.stop()
            self._shown = False


def is_plain_terminal(environment: Mapping[str, str]) -> bool:
    """Whether a terminal should get plain text only. NO_COLOR alone does not make it plain.

    >>> (is_plain_terminal({"TERM": "dumb"}), is_plain_terminal({"TERM": "xterm", "NO_COLOR": "1"}),
    ...  is_plain_terminal({"TERM": "xterm"}))
    (True, False, False)
    """
    return environment.get("TERM", "dumb") in ("dumb", "unknown", "")


def can_be_styled() -> bool:
    """Whether stdin and stdout are a terminal with styles."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_plain_terminal(os.environ)


def _console(styled: bool, *, stderr: bool = False) -> Console:
    if styled:
        return Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    return Console(
        stderr=stderr, markup=False, emoji=False, highlight=False, color_system=None, force_terminal=False, no_color=True
    )
