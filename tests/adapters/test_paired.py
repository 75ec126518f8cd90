"""What doors give to models when something was erased: no result of a tool without its call, no call without its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect import Chat, Draft, Memory, Message, ToolCall
from recollect.adapters.common import paired
from recollect.copier import Copier
from recollect.storage.memory import MemoryStorage
from recollect.types import Role, Scope, Window


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with recollect.open(url, embedder="off", background=False) as opened:
        yield opened


def calls(*ids: str, text: str = "") -> Draft:
    return Draft("assistant", text, tool_calls=tuple(ToolCall(id, "weather", "{}") for id in ids))


def result(id: str | None) -> Draft:
    return Draft("tool", f"result of {id}", tool_call_id=id)


def shown(messages: Sequence[Message]) -> list[str]:
    return [message.text or "+".join(call.id for call in message.tool_calls) for message in messages]


TURN = [Draft("user", "Weather?"), calls("c1", "c2"), result("c1"), result("c2"), Draft("assistant", "It is 21.")]


@pytest.mark.parametrize("erased", [1, 2, 3], ids=["call", "first result", "last result"])
def test_a_half_goes_where_the_other_was_erased(memory: Memory, erased: int) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many([*TURN, Draft("user", "And there?"), calls("c3"), result("c3")])
    assert paired(chat.messages()) == said
    chat.erase(said[erased].id)
    assert shown(paired(chat.messages())) == ["Weather?", "It is 21.", "And there?", "c3", "result of c3"]


def test_a_half_at_the_beginning_goes_too(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many(TURN)
    chat.erase(said[0].id)
    chat.erase(said[1].id)
    assert shown(paired(chat.messages())) == ["It is 21."]


def test_so_it_is_after_a_copy(memory: Memory) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.erase(chat.add_many(TURN)[1].id)
    copy = MemoryStorage()
    Copier(memory._storage, copy).copy()
    assert shown(paired(copy.read(Scope("u1", "s1"), Window()))) == ["Weather?", "It is 21."]


def test_a_call_may_wait_for_its_result(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many([Draft("user", "Weather?"), calls("c1", "c2")])
    assert paired(chat.messages()) == said
    said += chat.add_many([result("c2")])
    assert paired(chat.messages()) == said


@pytest.mark.parametrize(
    "given_so",
    [
        [result("c1")],
        [Draft("user", "Hi"), result("c1"), Draft("assistant", "Hello")],
        [calls("c1", text="I look."), Draft("user", "Never mind.")],
        [calls("c1"), result("c2"), result(None), Draft("assistant", "")],
    ],
)
def test_what_was_given_in_halves_is_given_back(memory: Memory, given_so: list[Draft]) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many(given_so)
    assert paired(chat.messages()) == said


def test_an_erased_message_elsewhere_changes_nothing(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many([Draft("user", "Hi"), Draft("user", "Hello?"), calls("c1"), Draft("user", "Stop."), result("c2")])
    chat.erase(said[1].id)
    assert [message.id for message in paired(chat.messages())] == [message.id for message in (said[0], *said[2:])]


def test_another_branch_is_no_erasure_of_what_is_whole(memory: Memory) -> None:
    chat = memory.chat(owner="u1")
    said = chat.add_many(TURN)
    chat.add_many([result("c1"), result("c2"), Draft("assistant", "Again.")], after=said[1].id)
    assert shown(paired(chat.messages())) == ["Weather?", "c1+c2", "result of c1", "result of c2", "Again."]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.data())
def test_whatever_is_erased_no_half_is_left_before_the_end(turns: list[int], data: st.DataObject) -> None:
    with recollect.open("memory://", embedder="off", background=False) as memory:
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
        left = paired(chat.messages())
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


def test_nothing_is_lost_of_a_long_conversation(memory: Memory) -> None:
    chat: Chat = memory.chat(owner="u1")
    for number in range(50):
        chat.add_many([Draft("user", "?"), calls(f"c{number}"), result(f"c{number}"), Draft("assistant", "!")])
    assert paired(chat.messages()) == chat.messages()
