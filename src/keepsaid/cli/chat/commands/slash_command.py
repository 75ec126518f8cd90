"""The type of a slash command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from keepsaid.cli.chat.state import ChatState

CompletionKind = Literal["", "conversations", "commands", "statuses", "files"]


class SlashCommand(NamedTuple):
    """A command with its help and the kind of completion for its argument."""

    name: str
    arguments: str
    help: str
    run: Callable[[ChatState, str], None]
    completes: CompletionKind = ""
    more: str = ""
    """Further help, which `/help COMMAND` shows."""

    @property
    def usage(self) -> str:
        """The command as it is typed, with its arguments."""
        return f"/{self.name} {self.arguments}".rstrip()
