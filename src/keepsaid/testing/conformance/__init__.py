"""The conformance suite: tests that every storage must pass. Subclass it and give it a `storage` fixture.

The tests use the storage through `Memory`, as users do. `other` is a second memory over the same storage, as in another part
of a program.
"""

from __future__ import annotations

from keepsaid.testing.conformance.base import COUNTER, WITH_RETENTION, find_messages
from keepsaid.testing.conformance.changes import ChangeConformance
from keepsaid.testing.conformance.messages import MessageConformance
from keepsaid.testing.conformance.pools import PoolConformance
from keepsaid.testing.conformance.retention import RetentionConformance
from keepsaid.testing.conformance.search import SearchConformance
from keepsaid.testing.conformance.sessions import SessionConformance
from keepsaid.testing.transfer_conformance import TransferConformance

__all__ = ["COUNTER", "WITH_RETENTION", "StorageConformance", "find_messages"]


class StorageConformance(
    SessionConformance,
    RetentionConformance,
    MessageConformance,
    SearchConformance,
    PoolConformance,
    ChangeConformance,
    TransferConformance,
):
    """Tests of sessions, messages, branches, search, erase, pools and changes."""
