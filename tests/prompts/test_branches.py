"""Branched conversations: versions of a message, switching to the end of a branch, and the messages around one."""

import random

import pytest
from backends import replicated, searching

import keepsaid
from keepsaid.errors import InvalidCursor, InvalidInput, NotFound


def talk(chat: keepsaid.Chat, count: int) -> list[keepsaid.Message]:
    return [chat.add("user" if number % 2 == 0 else "assistant", f"m{number}", id=f"m{number}") for number in range(count)]


def texts(chat: keepsaid.Chat) -> list[str]:
    return [message.text for message in chat.messages()]


class TestAlternatives:
    def test_unbranched_conversation_is_empty_without_reading_tree(self, memory: keepsaid.Memory, monkeypatch):
        chat = memory.chat(owner="u1")
        assert chat.alternatives() == {}
        talk(chat, 4)
        monkeypatch.setattr(type(memory._services.storage), "tree", None)
        assert chat.alternatives() == {}

    def test_lists_versions_of_edited_and_regenerated_messages(self, memory: keepsaid.Memory):
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

    def test_lists_versions_of_edited_first_message(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 3)
        chat.edit("m0", "m0 again", id="e0")
        assert chat.alternatives() == {"e0": ("m0", "e0")}

    def test_excludes_popped_and_includes_cleared_messages(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 3)
        chat.pop()
        assert chat.alternatives() == {}
        chat.clear()
        assert chat.alternatives() == {}
        chat.add("user", "anew", id="n0")
        assert chat.alternatives() == {"n0": ("m0", "n0")}

    def test_fork_and_origin_list_only_their_own_versions(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        fork = chat.fork(at="m2")
        chat.edit("m2", "in the origin", id="e2")
        assert fork.alternatives() == {}
        fork.edit("m1", "in the fork", id="f1")
        assert fork.alternatives() == {"f1": ("m1", "f1")}
        assert chat.alternatives() == {"e2": ("m2", "e2")}

    def test_excludes_erased_messages(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        chat.edit("m3", "m3 again", id="e3")
        chat.erase("m2")
        assert chat.alternatives() == {"e3": ("m3", "e3")}
        chat.erase("m3")
        assert chat.alternatives() == {}

    @searching(reason="hundreds of messages")
    def test_finds_versions_in_large_tree(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        chat.add_many([{"role": "user", "content": f"n{n}", "id": f"n{n}"} for n in range(1500)])
        chat.edit("n1499", "last", id="e")
        chat.switch("n1499")
        assert chat.alternatives() == {"n1499": ("n1499", "e")}

    def test_deleted_session_raises_not_found(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        chat.delete()
        with pytest.raises(NotFound):
            chat.alternatives()


class TestSwitchOnward:
    def test_switches_to_newest_leaf_of_message(self, memory: keepsaid.Memory):
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

    def test_reaches_fork_point_after_clear_in_fork(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        talk(chat, 4)
        fork = chat.fork(at="m2")
        fork.clear()
        fork.switch("m0", onward=True)
        assert texts(fork) == ["m0", "m1", "m2"]


class TestAround:
    @pytest.fixture
    def chat(self, memory: keepsaid.Memory) -> keepsaid.Chat:
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
    @replicated(reason="many messages of one kind")
    def test_returns_messages_before_and_after(self, chat: keepsaid.Chat, at: int, limit: int, first: int, last: int):
        around = chat.around(f"m{at}", limit=limit)
        assert [message.text for message in around.items] == [f"m{number}" for number in range(first, last + 1)]
        assert (around.older is None, around.newer is None) == (first == 0, last == 19)

    def test_cursors_continue_without_gaps_or_repeats(self, chat: keepsaid.Chat):
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

    def test_follows_active_branch_and_rejects_other_branches(self, chat: keepsaid.Chat):
        chat.edit("m10", "again", id="e10")
        chat.add("assistant", "answer", id="e11")
        assert [message.text for message in chat.around("m9", limit=5).items] == ["m7", "m8", "m9", "again", "answer"]
        with pytest.raises(NotFound, match="'m15' is on another branch: switch to it first"):
            chat.around("m15")
        with pytest.raises(NotFound, match="is on another branch"):
            chat.around("m10")
        chat.switch("m15", onward=True)
        assert [message.text for message in chat.around("m15", limit=3).items] == ["m14", "m15", "m16"]

    def test_rejects_unknown_message_and_zero_limit(self, chat: keepsaid.Chat):
        with pytest.raises(NotFound):
            chat.around("nowhere")
        with pytest.raises(InvalidInput):
            chat.around("m3", limit=0)


def test_edit_keeps_message_private_unless_told_otherwise(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1")
    chat.add("user", "My PIN is 4711.", id="pin", private=True)
    assert chat.edit("pin", "My PIN is 4712.").private
    assert not chat.edit("pin", "I have a PIN.", private=False).private
    assert chat.edit(chat.add("user", "Hello").id, "My PIN is 4713.", private=True).private
