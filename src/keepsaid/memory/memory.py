"""`Memory`: all conversations of a store."""

from __future__ import annotations

from keepsaid.memory.conversations import ConversationVerbs
from keepsaid.memory.documents import DocumentVerbs
from keepsaid.memory.facts import FactVerbs
from keepsaid.memory.maintenance import MaintenanceVerbs
from keepsaid.memory.pools import PoolVerbs
from keepsaid.memory.receipts import ReceiptVerbs
from keepsaid.memory.search import SearchVerbs


class Memory(ConversationVerbs, SearchVerbs, DocumentVerbs, FactVerbs, ReceiptVerbs, PoolVerbs, MaintenanceVerbs):
    """All conversations of a store. Create one with `keepsaid.open`; close it, or use it in a `with` statement.

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     _ = chat.add("user", "My sister moved to Lisbon in May.")
    ...     [session.message_count for session in memory.sessions(owner="u1")]
    [1]
    """
