"""Completion of slash commands and their arguments: titles, command names, files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, PathCompleter
from prompt_toolkit.completion import Completion as Choice
from prompt_toolkit.document import Document

from keepsaid.cli.chat.choose_session import match_sessions, shortest_id_to_type
from keepsaid.cli.chat.commands import BY_NAME, COMMANDS
from keepsaid.cli.chat.state import UNTITLED
from keepsaid.cli.output.text import to_printable

if TYPE_CHECKING:
    from keepsaid.cli.chat.state import ChatState

TITLES = 50
"""How many of the newest conversations are offered."""


class SlashCommandCompleter(Completer):
    """Completes lines that begin with a slash."""

    def __init__(self, state: ChatState) -> None:
        self._state = state
        self._files = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Choice]:
        line = document.text_before_cursor
        if not line.startswith("/") or line.startswith("//") or "\n" in line:
            return
        name, space, argument = line[1:].partition(" ")
        if not space:
            yield from _commands(name)
            return
        command = BY_NAME.get(name.casefold())
        completes = command.completes if command else ""
        if completes == "conversations":
            yield from self._titles(argument)
        elif completes == "commands":
            yield from _commands(argument)
        elif completes == "statuses":
            for status in ("all", "archived", "deleted"):
                if status.startswith(argument):
                    yield Choice(status, -len(argument))
        elif completes == "files":
            yield from self._files.get_completions(Document(argument), complete_event)

    def _titles(self, typed: str) -> Iterable[Choice]:
        found = self._state.memory.sessions(owner=self._state.owner, limit=TITLES)
        for session in found:
            title = to_printable(session.title or "")
            if typed.casefold() in title.casefold() and title:
                yield Choice(title, -len(typed), display_meta=f"{session.updated_at.astimezone():%Y-%m-%d}")
            elif typed and match_sessions([session], typed):
                yield Choice(shortest_id_to_type(session), -len(typed), display_meta=title or UNTITLED)


def _commands(typed: str) -> Iterable[Choice]:
    for command in COMMANDS:
        if command.name.startswith(typed.casefold()):
            yield Choice(command.name, -len(typed), display=f"/{command.name}", display_meta=command.help)
