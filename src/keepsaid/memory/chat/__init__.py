"""`Chat`: one conversation. Each file has the verbs for one noun."""

from keepsaid.memory.chat.chat import Chat

__all__ = ["Chat"]
