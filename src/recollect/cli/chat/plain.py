"""Reading from a terminal that knows nothing but lines."""

from __future__ import annotations

import sys

import click


class PlainReader:
    """Lines from the keyboard. The terminal itself lets them be edited, and gets no escape codes from us."""

    def message(self) -> str:
        """What the user says next."""
        line = self._line("> ")
        if not line:
            raise EOFError
        return line.rstrip("\n")

    def ask(self, question: str) -> str:
        """The answer to a question of ours."""
        try:
            return self._line(question).rstrip("\n")
        except KeyboardInterrupt:
            click.echo(err=True)
            return ""

    def forget(self) -> None:
        """Nothing typed is kept here."""

    def _line(self, prompt: str) -> str:
        # Where the answer goes to a file, the question must not.
        click.echo(prompt, nl=False, err=not sys.stdout.isatty())
        return sys.stdin.readline()
