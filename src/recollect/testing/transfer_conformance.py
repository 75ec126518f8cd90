"""What every storage owes to exports and imports: sessions read and planted with all their branches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.chat import Chat
from recollect.errors import MessageConflict, NotFound
from recollect.memory import Memory
from recollect.ports import Known, Planted, Storage
from recollect.storage.memory import MemoryStorage
from recollect.testing.clock import HandClock
from recollect.tokens import counter_for
from recollect.types import Message, Role, Scope, Status

HERE = Scope("u1", "s1")


def _said(id: str, seq: int = 0, text: str = "hello") -> Message:
    return Message(id, "", seq, 0, Role.USER, text, 5, 1_000, 0.5, False, {})


class TransferConformance:
    """Every test is one promise."""

    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        """An empty storage; the subclass makes it."""
        raise NotImplementedError

    @pytest.fixture
    def memory(self, storage: Storage) -> Memory:
        """The door through which conversations are held."""
        return Memory(storage, MemoryStorage(), counter_for("o200k_base"), clock=HandClock())

    @pytest.fixture
    def chat(self, memory: Memory) -> Chat:
        """An empty conversation."""
        return memory.chat(owner="u1", session="s1", create=True)

    def test_a_tree_has_all_branches_by_seq(self, storage: Storage, chat: Chat) -> None:
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

    def test_a_tree_is_read_whatever_became_of_the_session(self, storage: Storage, chat: Chat) -> None:
        chat.add("user", "one")
        chat.delete()
        tree = storage.tree(HERE)
        assert ([m.text for m in tree.messages], tree.session.status) == (["one"], Status.DELETED)
        chat.erase()
        with pytest.raises(NotFound):
            storage.tree(HERE)
        with pytest.raises(NotFound):
            storage.tree(Scope("u2", "s1"))

    def test_a_fork_tells_where_its_messages_are_at_home(self, storage: Storage, chat: Chat) -> None:
        for text in ("one", "two"):
            chat.add("user", text)
        fork = chat.fork()
        fork.add("user", "three")
        assert [m.session for m in storage.tree(HERE.of(fork.id)).messages] == ["s1", "s1", fork.id]

    def test_a_message_whose_parent_was_erased_follows_the_one_before(self, storage: Storage, chat: Chat) -> None:
        said = [chat.add("user", text) for text in ("one", "two", "three")]
        chat.erase(said[1].id)
        assert [(m.seq, m.parent) for m in storage.tree(HERE).messages] == [(1, 0), (3, 1)]

    def test_ids_are_known_here_elsewhere_and_as_erased(self, storage: Storage, memory: Memory, chat: Chat) -> None:
        mine, gone = chat.add("user", "one"), chat.add("user", "two")
        other = memory.chat(owner="u1").add("user", "three")
        chat.erase(gone.id)
        found = storage.known(HERE, [mine.id, other.id, gone.id, "new"])
        assert {id: known.where for id, known in found.items()} == {
            mine.id: "here",
            other.id: "elsewhere",
            gone.id: "erased",
        }
        everywhere = storage.known(Scope("u1"), [mine.id])
        assert everywhere == {mine.id: Known("elsewhere", found[mine.id].number)}
        assert storage.fetch(Scope("u1"), [found[mine.id].number])[0].message.id == mine.id
        assert storage.known(Scope("u2"), [mine.id]) == {}

    def test_planted_messages_keep_their_places(self, storage: Storage, chat: Chat) -> None:
        storage.plant(
            HERE,
            [
                Planted(_said("a", 2, "first"), None),
                Planted(_said("b", 5, "second"), "a"),
                Planted(_said("c", 6, "other"), "a"),
                Planted(_said("d", 7, "later"), "b"),
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

    def test_a_seq_that_is_taken_is_not_used_again(self, storage: Storage, chat: Chat) -> None:
        chat.add("user", "one", id="m1")
        storage.plant(HERE, [Planted(_said("a", 1), "m1"), Planted(_said("b", 2), "a")], "b", 10)
        assert [m.seq for m in chat.messages()] == [1, 2, 3]

    def test_planting_is_all_or_nothing(self, storage: Storage, chat: Chat) -> None:
        chat.add("user", "one", id="m1")
        before = storage.tree(HERE)
        for planted, leaf, error in (
            ([Planted(_said("a"), None), Planted(_said("m1"), "a")], "a", MessageConflict),
            ([Planted(_said("a"), None), Planted(_said("a"), "a")], "a", MessageConflict),
            ([Planted(_said("a"), None), Planted(_said("b"), "nowhere")], "a", NotFound),
            ([Planted(_said("a"), None)], "nowhere", NotFound),
        ):
            with pytest.raises(error):
                storage.plant(HERE, planted, leaf, 10)
            assert storage.tree(HERE) == before

    def test_what_is_planted_is_found(self, storage: Storage, memory: Memory, chat: Chat) -> None:
        storage.plant(HERE, [Planted(_said("a", text="zebra"), None)], "a", 10)
        assert [hit.message.id for hit in memory.search("zebra", owner="u1", mode="words")] == ["a"]

    def test_a_deleted_session_can_be_planted_and_forked(self, storage: Storage, memory: Memory, chat: Chat) -> None:
        chat.delete()
        storage.plant(HERE, [Planted(_said("a"), None)], "a", 10)
        new = chat.info()._replace(id="s2", status=Status.ARCHIVED, revision=1)
        storage.create_session(HERE.of("s2"), new, ("s1", "a"))
        storage.plant(HERE.of("s2"), [Planted(_said("b"), "a")], "b", 10)
        assert [m.id for m in memory.chat(owner="u1", session="s2").messages()] == ["a", "b"]
        assert chat.info().status == Status.DELETED
