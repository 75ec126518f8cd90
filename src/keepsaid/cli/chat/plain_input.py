"""Input from a plain terminal, line by line."""

from __future__ import annotations

import sys

import click


class PlainReader:
    """Reads lines from stdin. The terminal does the editing and gets no escape codes."""

    def message(self) -> str:
        """Read the user's next message."""
        line = self._line("> ")
        if not line:
            raise EOFError
        return line.rstrip("\n")

    def ask(self, question: str) -> str:
        """Ask a question and return the answer."""
        try:
            return self._line(question).rstrip("\n")
        except KeyboardInterrupt:
            click.echo(err=True)
            return ""

    def forget(self) -> None:
        """Do nothing: this reader keeps no history."""

    def _line(self, prompt: str) -> str:
        # With stdout redirected to a file, the prompt must not end up in it.
        click.echo(prompt, nl=False, err=not sys.stdout.isatty())
        return sys.stdin.readline()
