"""After an erasure, adapters send a model no tool result without its call, and no call without its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keepsaid
from keepsaid import Chat, Memory, Message, MessageDraft, ToolCall
from keepsaid.adapters.common import drop_unpaired_messages
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.transfer.copy import StoreCopier
from keepsaid.types import ReadWindow, Role, Scope


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off", background=False) as opened:
        yield opened


def calls(*ids: str, text: str = "") -> MessageDraft:
    return MessageDraft("assistant", text, tool_calls=tuple(ToolCall(id, "weather", "{}") for id in ids))


def result(id: str | None) -> MessageDraft:
    return MessageDraft("tool", f"result of {id}", tool_call_id=id)


def describe_messages(messages: Sequence[Message]) -> list[str]:
    return [message.text or "+".join(call.id for call in message.tool_calls) for message in messages]


TURN = [
    MessageDraft("user", "Weather?"),
    calls("c1", "c2"),
    result("c1"),
    result("c2"),
    MessageDraft("assistant", "It is 21."),
]


@pytest.mark.parametrize("erased", [1, 2, 3], ids=["call", "first result", "last result"])
def test_erasing_call_or_result_drops_rest_of_its_group(memory: Memory, erased: int) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many([*TURN, MessageDraft("user", "And there?"), calls("c3"), result("c3")])
    assert drop_unpaired_messages(chat.messages()) == said
    chat.erase(said[erased].id)
    assert describe_messages(drop_unpaired_messages(chat.messages())) == [
        "Weather?",
        "It is 21.",
        "And there?",
        "c3",
        "result of c3",
    ]


def test_unpaired_results_at_start_are_dropped(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many(TURN)
    chat.erase(said[0].id)
    chat.erase(said[1].id)
    assert describe_messages(drop_unpaired_messages(chat.messages())) == ["It is 21."]


def test_unpaired_results_are_dropped_after_store_copy(memory: Memory) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.erase(chat.add_many(TURN)[1].id)
    copy = MemoryStorage()
    StoreCopier(memory._services.storage, copy).copy()
    assert describe_messages(drop_unpaired_messages(copy.read(Scope("u1", "s1"), ReadWindow()))) == ["Weather?", "It is 21."]


def test_open_calls_at_end_are_kept(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many([MessageDraft("user", "Weather?"), calls("c1", "c2")])
    assert drop_unpaired_messages(chat.messages()) == said
    said += chat.add_many([result("c2")])
    assert drop_unpaired_messages(chat.messages()) == said


@pytest.mark.parametrize(
    "given_so",
    [
        [result("c1")],
        [MessageDraft("user", "Hi"), result("c1"), MessageDraft("assistant", "Hello")],
        [calls("c1", text="I look."), MessageDraft("user", "Never mind.")],
        [calls("c1"), result("c2"), result(None), MessageDraft("assistant", "")],
    ],
)
def test_messages_added_unpaired_are_kept(memory: Memory, given_so: list[MessageDraft]) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many(given_so)
    assert drop_unpaired_messages(chat.messages()) == said


def test_erasing_unrelated_message_drops_nothing(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many(
        [
            MessageDraft("user", "Hi"),
            MessageDraft("user", "Hello?"),
            calls("c1"),
            MessageDraft("user", "Stop."),
            result("c2"),
        ]
    )
    chat.erase(said[1].id)
    assert [message.id for message in drop_unpaired_messages(chat.messages())] == [
        message.id for message in (said[0], *said[2:])
    ]


def test_results_on_another_branch_drop_nothing(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many(TURN)
    chat.add_many([result("c1"), result("c2"), MessageDraft("assistant", "Again.")], after=said[1].id)
    assert describe_messages(drop_unpaired_messages(chat.messages())) == [
        "Weather?",
        "c1+c2",
        "result of c1",
        "result of c2",
        "Again.",
    ]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.data())
def test_any_erasure_leaves_only_paired_messages(turns: list[int], data: st.DataObject) -> None:
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        chat = memory.chat(owner="u1")
        for turn, tools in enumerate(turns):
            ids = [f"c{turn}.{number}" for number in range(tools)]
            chat.add("user", f"Question {turn}")
            if ids:
                chat.add_many([calls(*ids), *map(result, ids)])
            chat.add("assistant", f"Answer {turn}")
        said = [message.id for message in chat.messages()]
        for message in data.draw(st.sets(st.sampled_from(said[:-1]))):
            chat.erase(message)
        left = drop_unpaired_messages(chat.messages())
        assert_paired(left)
        # What is whole is all there: nothing else went along.
        assert [m.id for m in left if m.role is Role.USER] == [m.id for m in chat.messages() if m.role is Role.USER]


def assert_paired(messages: Sequence[Message]) -> None:
    waiting: list[str] = []
    for message in messages:
        if message.role is Role.TOOL:
            waiting.remove(message.tool_call_id or "")
            continue
        assert not waiting
        waiting = [call.id for call in message.tool_calls]
    assert not waiting


def test_long_paired_conversation_is_kept_completely(memory: Memory) -> None:
    chat: Chat = memory.chat(owner="u1")
    for number in range(50):
        chat.add_many([MessageDraft("user", "?"), calls(f"c{number}"), result(f"c{number}"), MessageDraft("assistant", "!")])
    assert drop_unpaired_messages(chat.messages()) == chat.messages()
