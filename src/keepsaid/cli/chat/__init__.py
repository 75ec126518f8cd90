"""The terminal chat: `keepsaid chat`."""

from keepsaid.cli.chat.command import chat

__all__ = ["chat"]
