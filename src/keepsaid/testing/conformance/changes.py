"""Conformance tests of changes."""

from __future__ import annotations

import threading

from keepsaid.memory import Memory
from keepsaid.ports import Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance.base import COUNTER, StorageFixtures
from keepsaid.types import ChangePosition, MemoryChange, MessageDraft, Scope


class ChangeConformance(StorageFixtures):
    """Tests of the change feed and of settings that are stored once."""

    def test_every_change_advances_the_position(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        first = chat.add("user", "one")
        steps = (
            lambda: chat.add("user", "two"),
            lambda: chat.rename("x"),
            lambda: chat.pin(first.id),
            lambda: chat.edit(first.id, "ONE"),
            lambda: chat.erase(first.id),
            lambda: chat.delete(),
        )
        seen = memory.position(owner="u1").revision
        for step in steps:
            step()
            now = memory.position(owner="u1").revision
            assert now > seen
            seen = now
        assert memory.position(owner="u2").revision == 0

    def test_second_memory_sees_changes(self, memory: Memory, storage: Storage, clock: ManualClock) -> None:
        other = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        chat = memory.chat(owner="u1")
        elsewhere = memory.chat(owner="u1")
        with other.watch(owner="u1", session=chat.id) as session, other.watch(owner="u1") as everything:
            elsewhere.add("user", "not for the session's watcher")
            chat.add("user", "hello")
            chat.rename("Greeting")
            seen = [session.get(timeout=10), session.get(timeout=10)]
            assert [(c.kind, c.message.text if c.message else None) for c in seen if c] == [
                ("message", "hello"),
                ("session", None),
            ]
            assert [c.kind for c in (everything.get(timeout=10) for _ in range(3)) if c] == ["message", "message", "session"]
            assert everything.get(timeout=0.1) is None
        other._services.dispatcher.close()  # pyright: ignore[reportPrivateUsage]  # the storage is the fixture's to close

    def test_follower_can_resume_from_any_change(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1")
        messages = chat.add_many([MessageDraft("user", text) for text in ("one", "two", "three")])
        chat.pin(messages[0].id)
        chat.edit(messages[1].id, "TWO")
        chat.erase(messages[2].id)
        chat.add("user", "four")
        scope, last = Scope("u1"), storage.last_position(Scope("u1"))
        everything, reached = storage.changes(scope, ChangePosition(), 100)
        assert reached == everything[-1].position == last
        for place, change in enumerate(everything):
            assert storage.changes(scope, change.position, 100) == (everything[place + 1 :], last)
        received, mark = list[MemoryChange](), ChangePosition()
        while mark != last:
            some, mark = storage.changes(scope, mark, 2)
            assert some[-1].position == mark
            received += some
        assert received == everything
        for wrong in (last._replace(life=last.life + 1), last._replace(messages=99), last._replace(changes=99)):
            assert storage.changes(scope, wrong, 100) == ([MemoryChange("reset", position=last)], last)

    def test_last_positions_of_many_scopes(self, memory: Memory, storage: Storage) -> None:
        team = memory.create_pool("team", owner="u1")
        for owner in ("u1", "u2"):
            chat = memory.chat(owner=owner)
            chat.erase(chat.add("user", "one").id)
        memory.chat(owner="u1", pool=team).add("user", "two")
        scopes = [
            Scope("u2"),
            Scope("u1", None, team),
            Scope("nobody"),
            Scope("u1"),
            Scope("u2"),
            Scope("u1", documents=True),
        ]
        assert storage.last_positions(scopes) == [storage.last_position(scope) for scope in scopes]
        assert storage.last_positions([Scope("u2", None, team), Scope("u2")]) == [None, storage.last_position(Scope("u2"))]
        assert storage.last_positions([]) == []

    def test_failing_listener_does_not_fail_the_save(self, memory: Memory, storage: Storage) -> None:
        def fail() -> None:
            raise RuntimeError("a bug of the listener")

        notified = threading.Event()
        storage.on_commit(fail)
        storage.on_commit(notified.set)
        chat = memory.chat(owner="u1")
        chat.add("user", "Hello")
        assert notified.wait(10)
        assert [message.text for message in chat.messages()] == ["Hello"]

    def test_setting_is_stored_once(self, storage: Storage) -> None:
        assert storage.settle("colour", "blue") == "blue"
        assert storage.settle("colour", "red") == "blue"
