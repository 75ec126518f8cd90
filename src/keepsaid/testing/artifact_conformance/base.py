"""Fixtures and helper functions of the conformance suite for artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from keepsaid.engine.text.terms import terms
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import ArtifactChanges, ArtifactQuery, Storage, StoredReceipt, WorkLease
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance import COUNTER, WITH_RETENTION
from keepsaid.testing.index_conformance import MINUTE
from keepsaid.types import Artifact, ArtifactKind, MessageDraft, ReadWindow, Scope, SearchFilters

NOTES_LINE = "notes 1"
OWNER_SCOPE = Scope("u1")


def make_artifact(id: str, kind: ArtifactKind = "fact", text: str = "User likes tea", **fields: Any) -> Artifact:
    """Return an artifact with defaults for the fields that a test does not need."""
    return Artifact(id, kind, text, fields.pop("tokens", 5), fields.pop("created", 1), **fields)


def make_receipt(id: str, session: str, leaf: int, question: str | None = None, **fields: Any) -> StoredReceipt:
    """Return a receipt with defaults for the fields that a test does not need."""
    values: dict[str, Any] = {"created": 1, "rewritten": None, "system": None, "data": {}, **fields}
    return StoredReceipt(id, session, leaf=leaf, question=question, **values)


def claim_notes_task(storage: Storage, limit: int = 100, scope: Scope | None = None) -> WorkLease:
    """Claim the next messages of the notes queue."""
    storage.begin_notes(NOTES_LINE)
    task = storage.claim(NOTES_LINE, "w1", 0, MINUTE, limit, scope)
    assert task is not None
    return task


def settle_notes_task(storage: Storage, *made: Artifact, scope: Scope = OWNER_SCOPE) -> None:
    """Claim the next messages of the notes queue and store artifacts for them, as the extraction worker does."""
    assert storage.settle_notes(claim_notes_task(storage, scope=scope), ArtifactChanges(made), 0)


def find_artifact_ids(storage: Storage, kind: ArtifactKind = "fact", scope: Scope = OWNER_SCOPE, **query: Any) -> list[str]:
    """Return the ids of the artifacts that match a query."""
    return [one.id for one in storage.artifacts(scope, ArtifactQuery(kind, **query))]


def list_summary_ends(storage: Storage, session: str, owner: str = "u1") -> list[int]:
    """Return the ends of the summaries of a session's active path."""
    return [one.upto for one in storage.snapshot(Scope(owner, session), ReadWindow(last=1)).summaries]


def find_message_ids(storage: Storage, query: str) -> list[str]:
    """Return the ids of the messages that a keyword search finds."""
    wanted = list(dict.fromkeys(terms(query)))
    return [seen.message.id for seen in storage.find(OWNER_SCOPE, wanted, SearchFilters(), 500).messages]


class ArtifactFixtures:
    """Fixtures of the conformance suite for artifacts. A subclass implements `storage`."""

    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        """Yield an empty storage; the subclass implements it."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> ManualClock:
        """Return a clock that the test controls."""
        return ManualClock()

    @pytest.fixture
    def memory(self, storage: Storage, clock: ManualClock) -> Memory:
        """Return a memory over the storage, for adding messages. The storage fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=WITH_RETENTION)

    @pytest.fixture
    def chat(self, memory: Memory) -> Chat:
        """Return a conversation of ten messages with the ids m1 to m10."""
        chat = memory.chat(owner="u1", session="s", create=True)
        chat.add_many([MessageDraft("user", f"message {number}", id=f"m{number}") for number in range(1, 11)])
        return chat

    @pytest.fixture(autouse=True)
    def assert_healthy_afterwards(self, storage: Storage) -> Iterator[None]:
        """Check after every test that artifacts and receipts agree with the messages."""
        yield
        assert storage.check().findings == ()
