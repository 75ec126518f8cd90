"""`Chat`: one conversation."""

from __future__ import annotations

from keepsaid.memory.chat.branches import BranchVerbs
from keepsaid.memory.chat.session import SessionVerbs


class Chat(BranchVerbs, SessionVerbs):
    """One conversation of one owner. Get one from `Memory.chat`; all state is in the store.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> chat = memory.chat(owner="u1")
    >>> _ = chat.add("user", "My sister moved to Lisbon in May.")
    >>> _ = chat.add("assistant", "Noted!", metadata={"model": "x", "duration_ms": 812})
    >>> [message.text for message in chat.messages(last=20)]
    ['My sister moved to Lisbon in May.', 'Noted!']
    """
