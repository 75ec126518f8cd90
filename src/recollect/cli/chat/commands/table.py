"""What a slash command is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from recollect.cli.chat.talk import Talk

Completes = Literal["", "conversations", "commands", "statuses", "files"]


class Command(NamedTuple):
    """A command: /help, the completion and the documentation are made of these."""

    name: str
    arguments: str
    help: str
    run: Callable[[Talk, str], None]
    completes: Completes = ""
    more: str = ""
    """What /help says besides, when asked about this one."""

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"/{self.name} {self.arguments}".rstrip()
