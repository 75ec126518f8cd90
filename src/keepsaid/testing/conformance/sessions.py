"""Conformance tests of sessions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from keepsaid.errors import NotFound, RevisionConflict
from keepsaid.memory import Memory
from keepsaid.ports import Storage
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance.base import StorageFixtures, find_messages
from keepsaid.types import Scope, SessionStatus


class SessionConformance(StorageFixtures):
    """Tests of sessions, also of temporary ones."""

    def test_session_round_trip(self, memory: Memory) -> None:
        chat = memory.chat(
            owner="u1", title="Trip", system_prompt="Be brief.", tags=["a", "b"], metadata={"topic": {"files": ["x.pdf"]}}
        )
        session = memory.chat(owner="u1", session=chat.id).info()
        assert (session.title, session.system_prompt, session.tags) == ("Trip", "Be brief.", ("a", "b"))
        assert session.metadata == {"topic": {"files": ["x.pdf"]}}
        assert (session.message_count, session.token_count, session.status) == (0, 0, SessionStatus.ACTIVE)

    def test_titles_of_many_sessions(self, memory: Memory, storage: Storage) -> None:
        named, unnamed = memory.chat(owner="u1", title="Trip"), memory.chat(owner="u1")
        gone = memory.chat(owner="u1", title="Gone")
        gone.add("user", "Hello")
        gone.erase()
        memory.chat(owner="u2", session="theirs", create=True, title="Secret")
        ids = [named.id, unnamed.id, gone.id, "theirs", "none"]
        assert storage.titles(Scope("u1"), ids) == {named.id: "Trip", unnamed.id: None}
        assert storage.titles(Scope("u1"), []) == {}
        with pytest.raises(NotFound):
            storage.titles(Scope("u1", None, "no such pool"), ids)

    def test_unknown_session_is_refused_or_created(self, memory: Memory) -> None:
        with pytest.raises(NotFound):
            memory.chat(owner="u1", session="nope")
        assert memory.chat(owner="u1", session="nope", create=True).id == "nope"
        assert memory.chat(owner="u1", session="nope").id == "nope"

    def test_sessions_are_listed_by_newest_activity(self, memory: Memory, clock: ManualClock) -> None:
        for name in ("old", "middle", "new"):
            memory.chat(owner="u1", session=name, create=True)
            clock.advance(hours=1)
        memory.chat(owner="u1", session="old").add("user", "again")
        assert [s.id for s in memory.sessions(owner="u1")] == ["old", "new", "middle"]

    def test_a_thousand_sessions_can_be_paged_through(self, memory: Memory, clock: ManualClock) -> None:
        names = [f"s{number:04}" for number in range(1000)]
        for number, name in enumerate(names):
            clock.advance(seconds=number % 3)  # some have the same time
            memory.chat(owner="u1", session=name, create=True)
        seen: list[str] = []
        page = memory.sessions(owner="u1", limit=37)
        while True:
            seen += [session.id for session in page]
            if page.next is None:
                break
            page = memory.sessions(owner="u1", limit=37, cursor=page.next)
        assert sorted(seen) == names
        assert len(memory.sessions(owner="u1")) == 20

    def test_sessions_can_be_filtered(self, memory: Memory, clock: ManualClock) -> None:
        first = memory.chat(owner="u1", tags=["work"])
        clock.advance(days=1)
        second = memory.chat(owner="u1", tags=["work", "urgent"])
        second.archive()
        third = memory.chat(owner="u1")
        third.delete()
        first.update(pinned=True)
        day = datetime(2026, 5, 2, tzinfo=UTC)
        listed = {
            "all": memory.sessions(owner="u1"),
            "active": memory.sessions(owner="u1", status="active"),
            "archived": memory.sessions(owner="u1", status="archived"),
            "deleted": memory.sessions(owner="u1", status="deleted"),
            "urgent": memory.sessions(owner="u1", tag="urgent"),
            "pinned": memory.sessions(owner="u1", pinned=True),
            "loose": memory.sessions(owner="u1", pinned=False),
            "since": memory.sessions(owner="u1", since=day),
            "until": memory.sessions(owner="u1", until=day),
        }
        assert {name: {s.id for s in page} for name, page in listed.items()} == {
            "all": {first.id, second.id},
            "active": {first.id},
            "archived": {second.id},
            "deleted": {third.id},
            "urgent": {second.id},
            "pinned": {first.id},
            "loose": {second.id},
            "since": {second.id},
            "until": {first.id},
        }

    def test_session_update_checks_expected_revision(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        revision = chat.info().revision
        changed = chat.update(title="one", expected_revision=revision)
        assert changed.revision > revision
        with pytest.raises(RevisionConflict):
            chat.update(title="two", expected_revision=revision)
        assert chat.info().title == "one"

    def test_tags_can_be_added_and_removed(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", tags=["a"])
        assert chat.tag("b", "a").tags == ("a", "b")
        assert chat.untag("a").tags == ("b",)
        assert not memory.sessions(owner="u1", tag="a").items
        assert len(memory.sessions(owner="u1", tag="b")) == 1

    # -- temporary sessions

    def test_temporary_session_is_not_stored(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1", temporary=True)
        chat.add("user", "zebra")
        assert [m.text for m in memory.chat(owner="u1", session=chat.id).messages()] == ["zebra"]
        assert chat.info().temporary
        assert not memory.sessions(owner="u1").items
        assert not find_messages(memory, "zebra", owner="u1")
        assert memory.position(owner="u1").revision == 0
        with pytest.raises(NotFound):
            memory.chat(owner="u2", session=chat.id)
        fork = chat.fork()
        assert [m.text for m in memory.chat(owner="u1", session=fork.id).messages()] == ["zebra"]
        assert memory.position(owner="u1").revision == 0
        memory.erase(owner="u1", session=chat.id)
        with pytest.raises(NotFound):
            memory.chat(owner="u1", session=chat.id)

    def test_session_name_does_not_make_it_temporary(self, memory: Memory) -> None:
        memory.chat(owner="u1", session="temporary-notes", create=True).add("user", "kept")
        assert [s.id for s in memory.sessions(owner="u1")] == ["temporary-notes"]

    def test_returned_metadata_is_a_copy(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", metadata={"a": 1})
        chat.add("user", "x", metadata={"b": [1]})
        chat.messages()[0].metadata["b"].append(2)
        chat.info().metadata["a"] = 2  # pyright: ignore[reportIndexIssue]
        assert chat.messages()[0].metadata == {"b": [1]}
        assert chat.info().metadata == {"a": 1}
