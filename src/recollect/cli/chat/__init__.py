"""The terminal chat: `recollect chat`."""

from recollect.cli.chat.command import chat

__all__ = ["chat"]
