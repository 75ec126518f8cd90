"""Conformance tests of life cycle, retention and erase."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from keepsaid.errors import Erased, InvalidTransition, NotFound
from keepsaid.memory import Memory
from keepsaid.ports import Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance.base import COUNTER, WITH_RETENTION, StorageFixtures, find_messages
from keepsaid.types import Scope, SearchFilters, SessionStatus


class RetentionConformance(StorageFixtures):
    """Tests of life cycle, retention and erase."""

    def test_only_legal_status_changes_are_allowed(self, memory: Memory) -> None:
        legal = {
            ("active", "archive"): "archived",
            ("active", "delete"): "deleted",
            ("archived", "unarchive"): "active",
            ("archived", "delete"): "deleted",
            ("deleted", "restore"): "active",
        }
        ways = {"active": [], "archived": ["archive"], "deleted": ["delete"]}
        for status, way in ways.items():
            for step in ("archive", "unarchive", "delete", "restore"):
                chat = memory.chat(owner="u1")
                for previous in way:
                    getattr(chat, previous)()
                if (status, step) in legal:
                    assert getattr(chat, step)().status == legal[status, step]
                else:
                    with pytest.raises(InvalidTransition):
                        getattr(chat, step)()
                    assert chat.info().status == status

    def test_deleted_session_is_hidden_until_restored(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "zebra")
        chat.delete()
        assert not memory.sessions(owner="u1").items
        assert not find_messages(memory, "zebra", owner="u1")
        for use in (chat.messages, lambda: chat.add("user", "x"), lambda: memory.chat(owner="u1", session=chat.id)):
            with pytest.raises(NotFound):
                use()
        memory.restore(owner="u1", session=chat.id)
        assert [m.text for m in chat.messages()] == ["zebra"]
        assert len(find_messages(memory, "zebra", owner="u1")) == 1

    def test_archived_session_is_read_only(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "zebra")
        chat.archive()
        with pytest.raises(InvalidTransition):
            chat.add("user", "more")
        assert len(chat.messages()) == len(find_messages(memory, "zebra", owner="u1")) == 1

    def test_nothing_expires_by_default(self, storage: Storage, clock: ManualClock) -> None:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        active, archived, deleted = (memory.chat(owner="u1") for _ in range(3))
        archived.archive()
        clock.advance(days=3650)
        deleted.delete()
        assert memory.retention(dry_run=False).total == 0
        assert [chat.info().expires_at for chat in (active, archived)] == [None, None]
        assert deleted.info().expires_at == clock() + timedelta(days=30)
        clock.advance(days=31)
        report = memory.retention(dry_run=False)
        assert (report.total, report.purged) == (1, 1)

    def test_expired_flag_is_set_only_by_retention(self, memory: Memory, clock: ManualClock) -> None:
        expired, deleted = memory.chat(owner="u1", session="e", create=True), memory.chat(owner="u1")
        deleted.delete()
        clock.advance(days=31)
        memory.retention(dry_run=False)
        listed = memory.sessions(owner="u1", status="deleted")
        assert [(session.id, session.expired) for session in listed] == [("e", True)]
        expired.restore()
        assert not expired.info().expired
        expired.update(title="Back")
        expired.delete()
        assert not expired.info().expired

    def test_look_includes_expired_sessions_on_request(self, memory: Memory, storage: Storage, clock: ManualClock) -> None:
        chat, other = (memory.chat(owner="u1", session=id, create=True) for id in ("s", "o"))
        message = chat.add("user", "tea")
        fork = chat.fork(message.id, session="f")
        chat.edit(message.id, "coffee")
        other.add("user", "milk")
        clock.advance(days=31)
        fork.delete()
        other.delete()
        assert memory.retention(dry_run=False).total == 1
        assert storage.look(Scope("u1"), [1, 2, 3]) == []
        seen = storage.look(Scope("u1"), [1, 2, 3], 1, SearchFilters(expired=True))
        assert [(one.number, one.message.text, one.message.session) for one in seen] == [(2, "coffee", "s")]
        assert storage.look(Scope("u1"), [2], 0, SearchFilters(sessions=("o",), expired=True)) == []

    def test_retention_counts_from_last_activity(self, memory: Memory, clock: ManualClock) -> None:
        chat = memory.chat(owner="u1")
        clock.advance(days=29)
        chat.add("user", "still here")
        clock.advance(days=29)
        assert memory.retention(dry_run=False).total == 0
        clock.advance(days=2)
        assert memory.retention(dry_run=True).expired == 1
        assert chat.info().status == SessionStatus.ACTIVE
        assert memory.retention(dry_run=False).expired == 1
        assert chat.info().status == SessionStatus.DELETED
        assert memory.retention(dry_run=False).total == 0
        clock.advance(days=31)
        report = memory.retention(dry_run=False)
        assert (report.purged, report.messages_purged) == (1, 1)
        with pytest.raises(NotFound):
            chat.info()

    def test_imported_old_session_does_not_expire_at_once(self, memory: Memory, clock: ManualClock) -> None:
        long_ago = datetime(2020, 1, 1, tzinfo=UTC)
        chat = memory.chat(owner="u1", created_at=long_ago)
        chat.add("user", "from the archive", created_at=long_ago)
        assert chat.info().updated_at == long_ago
        assert memory.retention(dry_run=False).total == 0
        clock.advance(days=31)
        assert memory.retention(dry_run=False).expired == 1

    def test_retention_of_pinned_archived_and_restored_sessions(self, memory: Memory, clock: ManualClock) -> None:
        pinned, archived, restored = (memory.chat(owner="u1") for _ in range(3))
        pinned.update(pinned=True)
        archived.archive()
        restored.delete()
        clock.advance(days=29)
        restored.restore()
        clock.advance(days=29)
        assert memory.retention(dry_run=False).total == 0
        clock.advance(days=33)
        report = memory.retention(dry_run=False)
        assert (report.expired, report.expired_archived) == (1, 1)
        assert pinned.info().status == SessionStatus.ACTIVE
        assert pinned.info().expires_at is None

    def test_first_retention_run_is_a_dry_run(self, memory: Memory, clock: ManualClock) -> None:
        memory.chat(owner="u1")
        clock.advance(days=40)
        first, second = memory.retention(), memory.retention()
        assert (first.first_dry_run, first.dry_run, first.expired) == (True, True, 1)
        assert (second.first_dry_run, second.dry_run, second.expired) == (False, False, 1)

    def test_changed_retention_policy_has_a_dry_run(self, memory: Memory, storage: Storage, clock: ManualClock) -> None:
        without = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        without.chat(owner="u1")
        assert [without.retention().first_dry_run for _ in range(2)] == [True, False]
        clock.advance(days=40)
        first, second = memory.retention(), memory.retention()
        assert (first.first_dry_run, first.expired, second.first_dry_run, second.expired) == (True, 1, False, 1)

    def test_retention_processes_many_batches(self, storage: Storage, clock: ManualClock) -> None:
        settings = replace(WITH_RETENTION, retention_batch=3)
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=settings)
        for _ in range(10):
            memory.chat(owner="u1").add("user", "x")
        clock.advance(days=31)
        assert memory.retention(dry_run=False).expired == 10

    # -- erase

    def test_erased_message_is_removed_and_cannot_return(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", text, id=text) for text in ("one", "two", "three")]
        receipt = chat.erase(messages[1].id)
        assert (receipt.messages, receipt.sessions, receipt.pending) == (1, 0, "")
        assert "rows" in receipt.verified
        assert [m.text for m in chat.messages()] == ["one", "three"]
        assert chat.info().message_count == 2
        assert not find_messages(memory, "two", owner="u1")
        with pytest.raises(NotFound):
            chat.message("two")
        with pytest.raises(Erased):
            chat.add("user", "two", id="two")
        assert chat.add("user", "four").seq == 4

    def test_erase_session_removes_messages_from_forks(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", session="s1", create=True)
        last = [chat.add("user", text) for text in ("one", "two")][-1]
        fork = chat.fork(at=last.id)
        fork.add("user", "three")
        assert memory.erase(owner="u1", session="s1").messages == 2
        assert [m.text for m in fork.messages()] == ["three"]
        assert fork.info().message_count == 1
        # The id can be used again, and nothing of the old session is left under it.
        assert memory.chat(owner="u1", session="s1", create=True).messages() == []

    def test_erased_owner_can_start_again(self, memory: Memory) -> None:
        for owner in ("u1", "u2"):
            chat = memory.chat(owner=owner, session="s1", create=True)
            chat.add("user", "zebra", id="m1")
            chat.fork()
        receipt = memory.erase(owner="u1")
        assert (receipt.sessions, receipt.messages) == (2, 1)
        assert not memory.sessions(owner="u1").items
        assert not find_messages(memory, "zebra", owner="u1")
        assert len(find_messages(memory, "zebra", owner="u2")) == 1
        with pytest.raises(Erased):
            memory.chat(owner="u1").add("user", "zebra", id="m1")
        assert memory.chat(owner="u1").add("user", "hello").seq == 1
        assert memory.erase(owner="nobody").messages == 0
