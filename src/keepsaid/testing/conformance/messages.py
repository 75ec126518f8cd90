"""Conformance tests of messages and branches."""

from __future__ import annotations

import pytest

from keepsaid.errors import MessageConflict, NotFound
from keepsaid.memory import Memory
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance.base import StorageFixtures, find_messages
from keepsaid.types import ContentPart, Message, MessageDraft, Role, ToolCall


class MessageConformance(StorageFixtures):
    """Tests of messages and branches."""

    def test_message_round_trip(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        parts = (
            ContentPart("text", "look:"),
            ContentPart("image", uri="file:///cat.png", media_type="image/png", data={"w": 3}),
        )
        call = ToolCall("c1", "weather", '{"city":"Lisbon"}')
        messages = [
            chat.add("human", "My sister moved to Lisbon.", metadata={"model": "x", "n": [1, 2.5, None, "ü"]}),
            chat.add("ai", "", tool_calls=[call], pinned=True),
            chat.add("tool", "22 °C", tool_call_id="c1", name="weather"),
            chat.add("user", parts, importance=0.75),
            chat.add("system", ""),
        ]
        assert chat.messages() == messages
        assert [m.role for m in messages] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.SYSTEM]
        assert messages[0].metadata == {"model": "x", "n": [1, 2.5, None, "ü"]}
        assert messages[1].tool_calls == (call,)
        assert messages[1].pinned
        assert (messages[2].tool_call_id, messages[2].name) == ("c1", "weather")
        assert messages[3].content == parts
        assert (messages[3].text, messages[3].importance) == ("look:", 0.75)

    def test_message_order_does_not_depend_on_the_clock(self, memory: Memory, clock: ManualClock) -> None:
        chat = memory.chat(owner="u1")
        for number in range(5):
            chat.add("user", str(number))
            clock.advance(hours=-1)
        assert [(m.seq, m.text) for m in chat.messages()] == [(n + 1, str(n)) for n in range(5)]

    def test_add_many_is_atomic(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "taken", id="m1")
        with pytest.raises(MessageConflict):
            chat.add_many([MessageDraft("user", "new", id="m2"), MessageDraft("user", "other", id="m1")])
        assert [m.id for m in chat.messages()] == ["m1"]

    def test_adding_the_same_id_again_is_a_no_op(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        first = chat.add("user", "hello", id="m1")
        assert chat.add("user", "hello", id="m1") == first
        mixed = chat.add_many(
            [
                MessageDraft("user", "hello", id="m1"),
                MessageDraft("user", "new", id="m2"),
                MessageDraft("user", "new", id="m2"),
            ]
        )
        assert [m.seq for m in mixed] == [1, 2, 2]
        assert chat.info().message_count == 2
        with pytest.raises(MessageConflict):
            memory.chat(owner="u1").add("user", "hello", id="m1")
        assert memory.chat(owner="u2").add("user", "mine", id="m1").text == "mine"

    def test_messages_returns_the_newest_that_fit(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", f"message number {number}") for number in range(30)]
        cost = messages[0].tokens
        assert chat.messages(max_tokens=cost * 4 + 1) == messages[-4:]
        assert chat.messages(max_tokens=cost - 1) == []
        assert chat.messages(last=0) == []
        assert chat.messages(last=3) == messages[-3:]
        assert chat.messages(last=99) == messages
        assert chat.messages(last=2, max_tokens=cost * 4 + 1) == messages[-2:]
        assert chat.messages(last=9, max_tokens=cost * 4 + 1) == messages[-4:]
        assert chat.info().token_count == sum(m.tokens for m in messages)

    def test_messages_can_be_paged_in_both_directions(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        messages = chat.add_many([MessageDraft("user", str(number)) for number in range(1000)])
        for newest_first in (False, True):
            seen: list[Message] = []
            cursor = None
            while True:
                page = chat.page(limit=97, cursor=cursor, newest_first=newest_first)
                seen += page.items
                cursor = page.next
                if cursor is None:
                    break
            assert seen == (messages[::-1] if newest_first else messages)

    def test_importance_and_pin_can_be_set(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        message = chat.add("user", "ok")
        assert message.importance == 0.0
        assert chat.rate(message.id, 0.9).importance == 0.9
        assert chat.pin(message.id).pinned
        stored = chat.message(message.id)
        assert (stored.importance, stored.pinned) == (0.9, True)
        assert not chat.pin(message.id, False).pinned

    # -- branches

    def test_edit_adds_a_sibling(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        first = chat.add("user", "one")
        second = chat.add("user", "two")
        third = chat.add("assistant", "three")
        edited = chat.edit(second.id, "TWO")
        assert [m.text for m in chat.messages()] == ["one", "TWO"]
        assert edited.parent == second.parent == first.seq
        assert edited.seq > third.seq
        assert [(b.leaf, b.messages, b.active) for b in chat.branches()] == [(third.id, 3, False), (edited.id, 2, True)]
        assert chat.switch(third.id).message_count == 3
        assert [m.text for m in chat.messages()] == ["one", "two", "three"]
        assert chat.message(edited.id).text == "TWO"

    def test_popped_and_cleared_messages_can_be_restored(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", text) for text in ("one", "two")]
        assert chat.pop() == messages[1]
        assert chat.info().message_count == 1
        third = chat.add("user", "three")
        assert third.seq == 3
        assert [m.text for m in chat.messages()] == ["one", "three"]
        assert chat.clear().message_count == 0
        assert chat.messages() == []
        assert chat.pop() is None
        assert not find_messages(memory, "one", owner="u1")
        assert chat.switch(messages[1].id).message_count == 2
        assert [m.text for m in chat.messages()] == ["one", "two"]

    def test_order_after_many_pops(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "first")
        for number in range(40):
            chat.add("user", f"try {number}")
            if number % 2:
                chat.pop()
        texts = [m.text for m in chat.messages()]
        assert texts == ["first", *(f"try {number}" for number in range(0, 40, 2))]
        assert [m.text for m in chat.messages(last=5)] == texts[-5:]
        assert chat.info().message_count == len(texts)

    def test_fork_does_not_change_its_origin(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", title="Trip")
        messages = [chat.add("user", text) for text in ("one", "two", "three")]
        fork = chat.fork(at=messages[1].id)
        fork.add("user", "other")
        assert [m.text for m in fork.messages()] == ["one", "two", "other"]
        assert [m.text for m in chat.messages()] == ["one", "two", "three"]
        assert fork.info().title == "Trip"
        assert (fork.info().message_count, chat.info().message_count) == (3, 3)
        with pytest.raises(NotFound):
            fork.message(messages[2].id)

    def test_fork_survives_purge_of_its_origin(self, memory: Memory, clock: ManualClock) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", text) for text in ("one", "two", "three")]
        fork = chat.fork(at=messages[1].id)
        fork.update(pinned=True)
        chat.delete()
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert [m.text for m in fork.messages()] == ["one", "two"]
        assert [hit.message.session for hit in find_messages(memory, "two", owner="u1")] == [fork.id]
        assert not find_messages(memory, "three", owner="u1")
