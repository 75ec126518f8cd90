"""Completion of commands and of what they take: titles, names of commands, files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, PathCompleter
from prompt_toolkit.completion import Completion as Choice
from prompt_toolkit.document import Document

from recollect.cli.chat.choosing import matching, typed_id
from recollect.cli.chat.commands import BY_NAME, COMMANDS
from recollect.cli.chat.talk import UNTITLED
from recollect.cli.text import printable

if TYPE_CHECKING:
    from recollect.cli.chat.talk import Talk

TITLES = 50
"""Conversations looked at for a completion: the newest ones."""


class Completion(Completer):
    """Completes lines that begin with a slash, and no others."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
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
        found = self._talk.memory.sessions(owner=self._talk.owner, limit=TITLES)
        for session in found:
            title = printable(session.title or "")
            if typed.casefold() in title.casefold() and title:
                yield Choice(title, -len(typed), display_meta=f"{session.updated_at.astimezone():%Y-%m-%d}")
            elif typed and matching([session], typed):
                yield Choice(typed_id(session), -len(typed), display_meta=title or UNTITLED)


def _commands(typed: str) -> Iterable[Choice]:
    for command in COMMANDS:
        if command.name.startswith(typed.casefold()):
            yield Choice(command.name, -len(typed), display=f"/{command.name}", display_meta=command.help)
