"""Conformance tests for exports and imports: sessions are read and written with all their branches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from keepsaid.errors import MessageConflict, NotFound
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import KnownMessageId, PlacedMessage, Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.types import Message, Role, Scope, SessionStatus

HERE = Scope("u1", "s1")


def _message(id: str, seq: int = 0, text: str = "hello") -> Message:
    return Message(id, "", seq, 0, Role.USER, text, 5, 1_000, 0.5, False, {})


class TransferConformance:
    """Tests of reading and writing session trees."""

    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        """Yield an empty storage; the subclass implements it."""
        raise NotImplementedError

    @pytest.fixture
    def memory(self, storage: Storage) -> Memory:
        """Return a memory over the storage."""
        return Memory(storage, MemoryStorage(), counter_for("o200k_base"), clock=ManualClock())

    @pytest.fixture
    def chat(self, memory: Memory) -> Chat:
        """Return an empty conversation."""
        return memory.chat(owner="u1", session="s1", create=True)

    def test_tree_returns_all_branches_by_seq(self, storage: Storage, chat: Chat) -> None:
        one, two = (chat.add("user", text) for text in ("one", "two"))
        chat.edit(two.id, "TWO")
        tree = storage.tree(HERE)
        assert [(m.text, m.seq, m.parent, m.session) for m in tree.messages] == [
            ("one", 1, 0, "s1"),
            ("two", 2, 1, "s1"),
            ("TWO", 3, 1, "s1"),
        ]
        assert tree.leaf == chat.messages()[-1].id
        assert [m.seq for m in storage.tree(HERE, 1, 1).messages] == [2]
        chat.clear()
        assert storage.tree(HERE, limit=0).leaf is None
        assert storage.tree(HERE, one.seq).session.message_count == 0

    def test_tree_of_deleted_session_can_be_read(self, storage: Storage, chat: Chat) -> None:
        chat.add("user", "one")
        chat.delete()
        tree = storage.tree(HERE)
        assert ([m.text for m in tree.messages], tree.session.status) == (["one"], SessionStatus.DELETED)
        chat.erase()
        with pytest.raises(NotFound):
            storage.tree(HERE)
        with pytest.raises(NotFound):
            storage.tree(Scope("u2", "s1"))

    def test_tree_of_fork_names_original_sessions(self, storage: Storage, chat: Chat) -> None:
        for text in ("one", "two"):
            chat.add("user", text)
        fork = chat.fork()
        fork.add("user", "three")
        assert [m.session for m in storage.tree(HERE.of(fork.id)).messages] == ["s1", "s1", fork.id]

    def test_tree_replaces_erased_parent(self, storage: Storage, chat: Chat) -> None:
        messages = [chat.add("user", text) for text in ("one", "two", "three")]
        chat.erase(messages[1].id)
        assert [(m.seq, m.parent) for m in storage.tree(HERE).messages] == [(1, 0), (3, 1)]

    def test_known_reports_same_session_other_session_and_erased(self, storage: Storage, memory: Memory, chat: Chat) -> None:
        mine, gone = chat.add("user", "one"), chat.add("user", "two")
        other = memory.chat(owner="u1").add("user", "three")
        chat.erase(gone.id)
        found = storage.known(HERE, [mine.id, other.id, gone.id, "new"])
        assert {id: known.where for id, known in found.items()} == {
            mine.id: "same_session",
            other.id: "other_session",
            gone.id: "erased",
        }
        everywhere = storage.known(Scope("u1"), [mine.id])
        assert everywhere == {mine.id: KnownMessageId("other_session", found[mine.id].number)}
        assert storage.fetch(Scope("u1"), [found[mine.id].number])[0].message.id == mine.id
        assert storage.known(Scope("u2"), [mine.id]) == {}

    def test_planted_messages_keep_seq_and_parent(self, storage: Storage, chat: Chat) -> None:
        storage.plant(
            HERE,
            [
                PlacedMessage(_message("a", 2, "first"), None),
                PlacedMessage(_message("b", 5, "second"), "a"),
                PlacedMessage(_message("c", 6, "other"), "a"),
                PlacedMessage(_message("d", 7, "later"), "b"),
            ],
            "c",
            10,
        )
        assert [(m.id, m.seq, m.parent) for m in storage.tree(HERE).messages] == [
            ("a", 2, 0),
            ("b", 5, 2),
            ("c", 6, 2),
            ("d", 7, 5),
        ]
        assert [m.text for m in chat.messages()] == ["first", "other"]
        assert (chat.info().message_count, chat.info().token_count) == (2, 10)
        assert [m.text for m in chat.messages(last=1)] == ["other"]
        chat.switch("d")
        assert [m.text for m in chat.messages()] == ["first", "second", "later"]
        assert chat.add("user", "next").seq == 8

    def test_plant_does_not_reuse_a_seq(self, storage: Storage, chat: Chat) -> None:
        chat.add("user", "one", id="m1")
        storage.plant(HERE, [PlacedMessage(_message("a", 1), "m1"), PlacedMessage(_message("b", 2), "a")], "b", 10)
        assert [m.seq for m in chat.messages()] == [1, 2, 3]

    def test_plant_is_atomic(self, storage: Storage, chat: Chat) -> None:
        chat.add("user", "one", id="m1")
        before = storage.tree(HERE)
        for planted, leaf, error in (
            ([PlacedMessage(_message("a"), None), PlacedMessage(_message("m1"), "a")], "a", MessageConflict),
            ([PlacedMessage(_message("a"), None), PlacedMessage(_message("a"), "a")], "a", MessageConflict),
            ([PlacedMessage(_message("a"), None), PlacedMessage(_message("b"), "nowhere")], "a", NotFound),
            ([PlacedMessage(_message("a"), None)], "nowhere", NotFound),
        ):
            with pytest.raises(error):
                storage.plant(HERE, planted, leaf, 10)
            assert storage.tree(HERE) == before

    def test_planted_messages_are_searchable(self, storage: Storage, memory: Memory, chat: Chat) -> None:
        storage.plant(HERE, [PlacedMessage(_message("a", text="zebra"), None)], "a", 10)
        assert [hit.message.id for hit in memory.search("zebra", owner="u1", mode="words")] == ["a"]

    def test_plant_and_fork_work_on_deleted_session(self, storage: Storage, memory: Memory, chat: Chat) -> None:
        chat.delete()
        storage.plant(HERE, [PlacedMessage(_message("a"), None)], "a", 10)
        new = chat.info()._replace(id="s2", status=SessionStatus.ARCHIVED, revision=1)
        storage.create_session(HERE.of("s2"), new, ("s1", "a"))
        storage.plant(HERE.of("s2"), [PlacedMessage(_message("b"), "a")], "b", 10)
        assert [m.id for m in memory.chat(owner="u1", session="s2").messages()] == ["a", "b"]
        assert chat.info().status == SessionStatus.DELETED
