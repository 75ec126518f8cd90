"""Ways through a conversation that went several: versions of a message, their ends, and the messages around one."""

import random

import pytest
from places import mirrored, searching

import recollect
from recollect.errors import InvalidCursor, InvalidInput, NotFound


def talk(chat: recollect.Chat, count: int) -> list[recollect.Message]:
    return [chat.add("user" if number % 2 == 0 else "assistant", f"m{number}", id=f"m{number}") for number in range(count)]


def texts(chat: recollect.Chat) -> list[str]:
    return [message.text for message in chat.messages()]


class TestAlternatives:
    def test_a_straight_conversation_has_none_and_reads_no_tree(self, memory: recollect.Memory, monkeypatch):
        chat = memory.chat(owner="u1")
        assert chat.alternatives() == {}
        talk(chat, 4)
        monkeypatch.setattr(type(memory._storage), "tree", None)
        assert chat.alternatives() == {}

    def test_an_edit_and_another_answer(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        chat.edit("m2", "m2 again", id="e2")
        assert chat.alternatives() == {"e2": ("m2", "e2")}
        chat.add("assistant", "one", id="a1")
        chat.switch("e2")
        chat.add("assistant", "two", id="a2")
        chat.switch("e2")
        chat.add("assistant", "three", id="a3")
        assert chat.alternatives() == {"e2": ("m2", "e2"), "a3": ("a1", "a2", "a3")}
        chat.switch("m3")
        assert chat.alternatives() == {"m2": ("m2", "e2")}

    def test_an_edit_of_the_first_message(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 3)
        chat.edit("m0", "m0 again", id="e0")
        assert chat.alternatives() == {"e0": ("m0", "e0")}

    def test_after_pop_and_clear(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 3)
        chat.pop()
        assert chat.alternatives() == {}
        chat.clear()
        assert chat.alternatives() == {}
        chat.add("user", "anew", id="n0")
        assert chat.alternatives() == {"n0": ("m0", "n0")}

    def test_a_fork_knows_its_own_versions_alone(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        fork = chat.fork(at="m2")
        chat.edit("m2", "in the origin", id="e2")
        assert fork.alternatives() == {}
        fork.edit("m1", "in the fork", id="f1")
        assert fork.alternatives() == {"f1": ("m1", "f1")}
        assert chat.alternatives() == {"e2": ("m2", "e2")}

    def test_where_a_message_was_erased(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        chat.edit("m3", "m3 again", id="e3")
        chat.erase("m2")
        assert chat.alternatives() == {"e3": ("m3", "e3")}
        chat.erase("m3")
        assert chat.alternatives() == {}

    @searching(reason="hundreds of messages")
    def test_of_a_large_tree(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        chat.add_many([{"role": "user", "content": f"n{n}", "id": f"n{n}"} for n in range(1500)])
        chat.edit("n1499", "last", id="e")
        chat.switch("n1499")
        assert chat.alternatives() == {"n1499": ("n1499", "e")}

    def test_of_a_deleted_session_there_are_none(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        chat.delete()
        with pytest.raises(NotFound):
            chat.alternatives()


class TestOnward:
    def test_goes_to_the_newest_end(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        chat.edit("m2", "again", id="e2")
        chat.add("assistant", "answer", id="e3")
        assert chat.switch("m2", onward=True).message_count == 4
        assert texts(chat) == ["m0", "m1", "m2", "m3"]
        chat.switch("m0", onward=True)
        assert texts(chat) == ["m0", "m1", "again", "answer"]
        chat.switch("m3", onward=True)
        assert texts(chat)[-1] == "m3"
        with pytest.raises(NotFound):
            chat.switch("nowhere", onward=True)

    def test_in_a_fork_and_after_a_clear(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        fork = chat.fork(at="m2")
        fork.clear()
        fork.switch("m0", onward=True)
        assert texts(fork) == ["m0", "m1", "m2"]


class TestAround:
    @pytest.fixture
    def chat(self, memory: recollect.Memory) -> recollect.Chat:
        chat = memory.chat(owner="u1")
        talk(chat, 20)
        return chat

    @pytest.mark.parametrize(
        ("at", "limit", "first", "last"),
        [
            (10, 5, 8, 12), (0, 5, 0, 4), (1, 5, 0, 4), (19, 5, 15, 19), (18, 5, 15, 19), (7, 1, 7, 7), (3, 50, 0, 19),
            (9, 4, 8, 11),
        ],
    )  # fmt: skip
    @mirrored(reason="many messages of one kind")
    def test_has_what_is_before_and_behind(self, chat: recollect.Chat, at: int, limit: int, first: int, last: int):
        around = chat.around(f"m{at}", limit=limit)
        assert [message.text for message in around.items] == [f"m{number}" for number in range(first, last + 1)]
        assert (around.older is None, around.newer is None) == (first == 0, last == 19)

    def test_cursors_go_on_without_gap_or_repetition(self, chat: recollect.Chat):
        for at in range(20):
            around = chat.around(f"m{at}", limit=random.Random(at).randint(1, 7))
            found = list(around.items)
            cursor = around.older
            while cursor:
                page = chat.page(limit=3, cursor=cursor, newest_first=True)
                found, cursor = [*reversed(page.items), *found], page.next
            cursor = around.newer
            while cursor:
                page = chat.page(limit=3, cursor=cursor)
                found, cursor = [*found, *page.items], page.next
            assert [message.text for message in found] == [f"m{number}" for number in range(20)]
        with pytest.raises(InvalidCursor):
            chat.page(cursor=around.older or chat.around("m9", limit=1).older)

    def test_across_branches(self, chat: recollect.Chat):
        chat.edit("m10", "again", id="e10")
        chat.add("assistant", "answer", id="e11")
        assert [message.text for message in chat.around("m9", limit=5).items] == ["m7", "m8", "m9", "again", "answer"]
        with pytest.raises(NotFound, match="'m15' is on another branch: switch to it first"):
            chat.around("m15")
        with pytest.raises(NotFound, match="is on another branch"):
            chat.around("m10")
        chat.switch("m15", onward=True)
        assert [message.text for message in chat.around("m15", limit=3).items] == ["m14", "m15", "m16"]

    def test_refuses_what_is_not_there(self, chat: recollect.Chat):
        with pytest.raises(NotFound):
            chat.around("nowhere")
        with pytest.raises(InvalidInput):
            chat.around("m3", limit=0)


def test_what_was_private_stays_so_in_other_words(memory: recollect.Memory):
    chat = memory.chat(owner="u1")
    chat.add("user", "My PIN is 4711.", id="pin", private=True)
    assert chat.edit("pin", "My PIN is 4712.").private
    assert not chat.edit("pin", "I have a PIN.", private=False).private
    assert chat.edit(chat.add("user", "Hello").id, "My PIN is 4713.", private=True).private
