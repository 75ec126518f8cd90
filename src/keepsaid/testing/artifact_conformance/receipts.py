"""Conformance tests of receipts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import Storage
from keepsaid.testing.artifact_conformance.base import OWNER_SCOPE, ArtifactFixtures, make_receipt
from keepsaid.types import Scope


class ReceiptConformance(ArtifactFixtures):
    """Tests of receipts."""

    def test_receipt_round_trip(self, chat: Chat, storage: Storage) -> None:
        data = {"summary": "s1", "recalled": [[3, 0.25], None], "hash": "ü"}
        stored = [
            make_receipt(f"r{number}", "s", number, f"question {number}", created=number // 2, system="Be brief.", data=data)
            for number in range(6)
        ]
        storage.keep_receipts(OWNER_SCOPE, stored)
        storage.keep_receipts(
            OWNER_SCOPE, [make_receipt("r9", "s", 9, None, created=9, system="Be long.", rewritten="in full")]
        )
        assert storage.receipt(OWNER_SCOPE, "r3") == replace(stored[3], author="u1")
        assert storage.receipt(Scope("u1", "s"), "r9").system == "Be long."
        assert [one.id for one in storage.receipts(OWNER_SCOPE)] == ["r9", "r5", "r4", "r3", "r2", "r1", "r0"]
        assert [one.id for one in storage.receipts(Scope("u1", "s"), before=2, limit=3)] == ["r3", "r2", "r1"]
        storage.keep_receipts(OWNER_SCOPE, [make_receipt("r3", "s", 3, "asked anew", created=1)])
        assert (storage.receipt(OWNER_SCOPE, "r3").question, storage.receipt(OWNER_SCOPE, "r3").system) == (
            "asked anew",
            None,
        )
        assert len(storage.receipts(OWNER_SCOPE)) == 7

    def test_receipts_belong_to_sessions(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u1", session="other", create=True)
        storage.keep_receipts(OWNER_SCOPE, [make_receipt("r", "s", 1), make_receipt("gone", "unknown", 1)])
        assert storage.receipts(Scope("u1", "other")) == []
        for use in (
            lambda: storage.receipt(OWNER_SCOPE, "gone"),
            lambda: storage.receipt(OWNER_SCOPE, "unknown"),
            lambda: storage.receipt(Scope("u1", "other"), "r"),
            lambda: storage.receipts(Scope("u1", "unknown")),
        ):
            with pytest.raises(NotFound):
                use()
        chat.delete()
        assert storage.receipts(OWNER_SCOPE) == []
        with pytest.raises(NotFound):
            storage.receipt(OWNER_SCOPE, "r")
        chat.restore()
        assert storage.receipt(OWNER_SCOPE, "r").session == "s"

    def test_erase_message_redacts_receipts(self, chat: Chat, storage: Storage) -> None:
        chat.fork("m10", session="f")
        storage.keep_receipts(
            OWNER_SCOPE,
            [
                make_receipt("before", "s", 3, "what was three?", rewritten="before"),
                make_receipt("for", "s", 4, "five, but asked otherwise", rewritten="for it"),
                make_receipt("same", "s", 2, "message 5", rewritten="the same words"),
                make_receipt("after", "s", 8, "and then?", rewritten="what came after five?"),
                make_receipt("fork", "f", 10, "in the fork", rewritten="in the fork, after five"),
            ],
        )
        chat.erase("m5")
        left = {one.id: (one.question, one.rewritten) for one in storage.receipts(OWNER_SCOPE)}
        assert left == {
            "before": ("what was three?", "before"),
            "for": (None, None),
            "same": (None, None),
            "after": ("and then?", None),
            "fork": ("in the fork", None),
        }

    def test_drop_old_receipts(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u2", session="s", create=True)
        storage.keep_receipts(OWNER_SCOPE, [make_receipt(f"r{number}", "s", 1, created=number) for number in range(5)])
        storage.keep_receipts(Scope("u2"), [make_receipt("r", "s", 1, created=2)])
        assert storage.drop_receipts(0, 10) == 0
        assert storage.drop_receipts(3, 2) == 2
        assert storage.drop_receipts(3, 10) == 2
        assert [one.id for one in storage.receipts(OWNER_SCOPE)] == ["r4", "r3"]
        assert storage.receipts(Scope("u2")) == []
