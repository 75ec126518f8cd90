"""The adapter for the OpenAI Agents SDK, beyond the SDK's own tests, which tests/compat runs against it."""

from __future__ import annotations

import asyncio
import copy
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import ContentPart, ToolCall
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.interchange.formats import openai_items

framework("agents")

from agents import Agent, Runner, function_tool  # noqa: E402  # may be missing
from agents.memory import Session  # noqa: E402
from agents.models.chatcmpl_converter import Converter  # noqa: E402
from agents.testing import ScriptedModel  # noqa: E402
from openai.types.responses import (  # noqa: E402
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from keepsaid.adapters.openai_agents import KeepsaidSession  # noqa: E402

TEXT = {"type": "output_text", "text": "In Lisbon.", "annotations": [], "logprobs": []}
CITED = {"type": "url_citation", "url": "https://example.org", "title": "A", "start_index": 0, "end_index": 2}

ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi"},
    {"role": "user", "content": "Hi", "type": "message"},
    {"role": "user", "content": ""},
    {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "https://example.org/cat.png", "detail": "low"}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "https://example.org/cat.png"}]},
    {"role": "user", "content": [{"type": "input_file", "filename": "a.pdf", "file_data": "data:text/plain;base64,AA"}]},
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]},
    {"role": "user", "content": [{"type": "input_new", "deep": {"er": [1, None]}}], "unheard_of": True},
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": "Be brief."},
    {"role": "assistant", "content": "In Lisbon."},
    {"role": "assistant", "content": [TEXT], "id": "msg_1", "status": "completed", "type": "message"},
    {"role": "assistant", "content": [TEXT], "id": "msg_1", "status": "x", "type": "message", "phase": "commentary"},
    {"role": "assistant", "content": [TEXT | {"annotations": [CITED]}], "id": "msg_1", "status": None, "type": "message"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "bare"}], "id": "__fake_id__", "type": "message"},
    {"role": "assistant", "content": [TEXT, {"type": "refusal", "refusal": "No."}], "id": "msg_1", "type": "message"},
    {"role": "critic", "content": "of a role that nobody knows"},
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather", "arguments": '{"city":  1}',
     "status": "completed", "provider_data": {"model": "x"}},
    {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "call_1", "output": "19 °C"},
    {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "19 °C"}]},
    {"type": "function_call_output", "call_id": "call_1", "id": "fco_1", "status": "completed",
     "output": [{"type": "input_image", "image_url": "https://example.org/sky.png", "detail": "auto"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": None},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "Lisbon"}},
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"},
    {"type": "item_reference", "id": "msg_1"},
    {"type": "something_new", "id": "new_1", "deep": {"er": [1, None, "x"]}, "output": ["y"], "content": "z"},
    {"type": "message", "role": "user"},
    {"type": "function_call", "call_id": "call_1"},
    {"__enc__": 1, "payload": "no item at all"},
]  # fmt: skip


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    place = "memory://" if request.param == "memory" else tmp_path / "chat.db"
    with keepsaid.open(place, embedder="off", background=False) as memory:
        yield memory


@pytest.fixture
def session(memory: keepsaid.Memory) -> KeepsaidSession:
    return KeepsaidSession(memory, owner="u1", session="trip")


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"call_{name}", "name": name, "arguments": "{}", **more}


def output(name: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": f"call_{name}", "output": f"{name}!"}


def run(awaitable: Any) -> Any:
    async def main() -> Any:
        return await awaitable

    return asyncio.run(main())


def get(session: KeepsaidSession, limit: int | None = None) -> list[Any]:
    return run(session.get_items(limit))


def test_keepsaid_session_implements_session_protocol(session: KeepsaidSession) -> None:
    assert isinstance(session, Session)
    assert session.session_id == "trip"


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.get('type', item.get('role'))}-{ITEMS.index(item)}")
def test_item_round_trips_unchanged(session: KeepsaidSession, item: dict[str, Any]) -> None:
    given = copy.deepcopy(item)
    run(session.add_items([given]))
    assert given == item
    assert get(session) == [item]
    assert run(session.pop_item()) == item
    assert get(session) == []


def test_many_items_round_trip_with_any_limit(session: KeepsaidSession) -> None:
    run(session.add_items(copy.deepcopy(ITEMS)))
    assert get(session) == ITEMS
    for limit in range(len(ITEMS) + 2):
        assert get(session, limit) == ITEMS[len(ITEMS) - min(limit, len(ITEMS)) :]
    assert [run(session.pop_item()) for _ in ITEMS] == ITEMS[::-1]
    assert run(session.pop_item()) is None


def test_get_items_returns_copies(session: KeepsaidSession) -> None:
    run(session.add_items(copy.deepcopy(ITEMS)))
    for item in get(session):
        item.clear()
    assert get(session) == ITEMS


def test_item_text_is_not_duplicated_in_metadata(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    run(session.add_items(copy.deepcopy(ITEMS[14:16])))
    for message in memory.chat(owner="u1", session="trip").messages():
        assert message.text == "In Lisbon."
        assert "Lisbon" not in json.dumps(message.metadata)


def test_items_with_same_id_are_all_kept(session: KeepsaidSession) -> None:
    items = [{"role": "assistant", "content": word, "id": "__fake_id__"} for word in ("one", "two")]
    run(session.add_items(items))
    run(session.add_items(items))
    assert get(session) == [*items, *items]


CALLS = [call("a", id="fc_1"), call("b", status="completed"), call("c")]


def test_consecutive_calls_share_message_but_stay_separate_items(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    items = [{"role": "user", "content": "Do it."}, *CALLS, *map(output, "abc")]
    run(session.add_items(items))
    messages = memory.chat(owner="u1", session="trip").messages()
    assert [message.role.value for message in messages] == ["user", "assistant", "tool", "tool", "tool"]
    assert [message.name for message in messages[2:]] == ["a", "b", "c"]
    for limit in range(1, 8):
        assert get(session, limit) == items[-limit:]


@pytest.mark.parametrize("calls", [CALLS, [call("a", arguments=None), *CALLS, call("", call_id=None)]])
def test_pop_item_removes_one_call_of_several(
    memory: keepsaid.Memory, session: KeepsaidSession, calls: list[dict[str, Any]]
) -> None:
    run(session.add_items(calls))
    for left in range(len(calls) - 1, -1, -1):
        assert run(session.pop_item()) == calls[left]
        assert get(session) == calls[:left]
    assert memory.chat(owner="u1", session="trip").messages() == []


def test_pop_item_removes_one_call_of_chat_message(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    chat = memory.chat(owner="u1", session="trip", create=True)
    said = chat.add(
        "assistant", [ContentPart("text", "Look:"), ContentPart("image", uri="https://example.org/x.png")], name="ana",
        tool_calls=[ToolCall("c1", "look"), ToolCall("c2", "see")], metadata={"source": "web"}, pinned=True,
    )  # fmt: skip
    assert run(session.pop_item()) == {"type": "function_call", "call_id": "c2", "name": "see", "arguments": "{}"}
    (left,) = chat.messages()
    assert left.tool_calls == said.tool_calls[:1]
    assert (left.parts, left.name, left.metadata, left.pinned) == (said.parts, "ana", {"source": "web"}, True)
    assert left.created_at == said.created_at


def test_get_items_converts_messages_written_by_chat(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("system", "Be brief.")
    chat.add("user", "Hello", metadata={"source": "web"})
    chat.add(
        "user",
        [ContentPart("text", "and"), ContentPart("image", uri="https://example.org/x.png", data={"other_door": {"a": 1}})],
    )
    chat.add(
        "user",
        [
            ContentPart("file", uri="data:text/plain;base64,QQ==", name="a.txt"),
            ContentPart("audio", uri="data:audio/mp3;base64,Q"),
        ],
    )
    chat.add(
        "assistant",
        [ContentPart("reasoning", data={"signature": "x"}), ContentPart("text", "Hm.")],
        tool_calls=[ToolCall("c1", "look")],
    )
    chat.add("tool", "seen", tool_call_id="c1", name="look")
    chat.add("assistant", "Done.")
    assert get(session) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {"role": "user", "content": [
            {"type": "input_text", "text": "and"},
            {"type": "input_image", "image_url": "https://example.org/x.png", "detail": "auto"},
        ]},
        {"role": "user", "content": [
            {"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,QQ=="},
            {"type": "input_audio", "input_audio": {"data": "Q", "format": "mp3"}},
        ]},
        {"role": "assistant", "type": "message", "id": "__fake_id__", "status": "completed", "content": [
            {"type": "output_text", "text": "Hm.", "annotations": [], "logprobs": []},
        ]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "seen"},
        {"role": "assistant", "content": "Done."},
    ]  # fmt: skip
    # The SDK's own translation for models behind chat completions takes them.
    assert len(Converter.items_to_messages(get(session))) == 7


def test_chat_reads_items_written_by_session(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    run(session.add_items([ITEMS[0], *CALLS[:2], *map(output, "ab"), ITEMS[14]]))
    chat = memory.chat(owner="u1", session="trip")
    asked, called, *results, told = chat.messages()
    assert (asked.text, told.text, told.parts) == ("Hi", "In Lisbon.", ())
    assert called.tool_calls == (ToolCall("call_a", "a", "{}"), ToolCall("call_b", "b", "{}"))
    assert [(result.tool_call_id, result.text) for result in results] == [("call_a", "a!"), ("call_b", "b!")]
    assert [message["role"] for message in chat.context("And?", budget=1_000).messages] == [
        "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    assert memory.search("lisbon", owner="u1")[0].message == told


def test_session_and_server_conversations_read_each_other(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    items = [item for item in ITEMS if item.get("id") in ("rs_1", "ws_1", "fc_1", "new_1")] + [ITEMS[12], ITEMS[15]]
    run(session.add_items(items))
    chat = memory.chat(owner="u1", session="trip")
    served = [item for message in chat.messages() for item in openai_items.items_of(message)]
    assert len({item["id"] for item in served}) == len(items)  # where ids must be unique, they are the messages'
    for there, here in zip(served, items, strict=True):
        plain = {name: value for name, value in here.items() if name not in ("id", "content")}
        assert plain.items() <= there.items()
    chat = memory.chat(owner="u1", session="served", create=True)
    chat.add_many(openai_items.drafts_of(items))
    here = get(KeepsaidSession(memory, owner="u1", session="served"))
    assert [{**item, "id": None} for item in here[:4]] == [{**item, "id": None} for item in items[:4]]
    assert here[4:] == [ITEMS[12], {"role": "assistant", "content": "In Lisbon.", "phase": "commentary"}]


def test_get_items_returns_edited_text(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    odd = {"role": "user", "content": [{"type": "input_text", "text": "Hi"}], "odd": None, "status": None}
    run(session.add_items([odd]))
    chat = memory.chat(owner="u1", session="trip")
    chat.edit(chat.messages()[0].id, "Hello", metadata=chat.messages()[0].metadata)
    assert json.dumps(get(session)).count("Hello") == 1
    assert "Hi" not in json.dumps(get(session))


@pytest.mark.parametrize("nonsense", ["x", [], {"openai_agents": "x"}, {"openai_agents": [1]}, {"openai_agents": [{}, {}]}])
def test_get_items_ignores_malformed_adapter_metadata(
    memory: keepsaid.Memory, session: KeepsaidSession, nonsense: Any
) -> None:
    memory.chat(owner="u1", session="trip", create=True).add("user", "Hi", metadata={"adapters": nonsense})
    assert get(session) == [{"role": "user", "content": "Hi"}]


def test_get_items_returns_redacted_text(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db", embedder="off", redact_stored=("mail",)) as memory:
        session = KeepsaidSession(memory, owner="u1", session="trip")
        secret = TEXT | {"text": "Write to ana@example.org!"}
        run(session.add_items([{"role": "assistant", "content": [secret], "id": "msg_1", "type": "message"}]))
        assert get(session) == [{"role": "assistant", "content": "Write to [mail removed]!"}]


def test_items_are_separate_per_owner_session_and_pool(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    run(session.add_items([ITEMS[0]]))
    pool = memory.create_pool("team", owner="u1")
    others = [
        KeepsaidSession(memory, owner="u2", session="trip"),
        KeepsaidSession(memory, owner="u1", session="other"),
        KeepsaidSession(memory, owner="u1", session="trip", pool=pool),
    ]
    assert [get(other) for other in others] == [[], [], []]
    run(others[2].add_items([ITEMS[13]]))
    assert (get(session), get(others[2])) == ([ITEMS[0]], [ITEMS[13]])
    with pytest.raises(NotFound):
        run(KeepsaidSession(memory, owner="u3", session="trip", pool=pool).add_items([ITEMS[0]]))


def test_session_requires_owner(memory: keepsaid.Memory) -> None:
    with pytest.raises(TypeError, match="owner"):
        KeepsaidSession(memory, session="trip")  # type: ignore[call-arg]


def test_reading_and_clearing_create_no_session(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    assert get(session) == []
    assert run(session.pop_item()) is None
    run(session.clear_session())
    run(session.add_items([]))
    assert len(memory.sessions(owner="u1")) == 0


def test_add_items_is_atomic(session: KeepsaidSession) -> None:
    with pytest.raises(InvalidInput, match="JSON"):
        run(session.add_items([ITEMS[0], {"type": "new", "thing": object()}]))
    assert get(session) == []


def test_clear_session_erases_items_from_disk(memory: keepsaid.Memory, session: KeepsaidSession, tmp_path: Path) -> None:
    run(session.add_items([{"role": "user", "content": "My zebra is called Xanthippe."}, call("a")]))
    assert run(session.pop_item()) == call("a")
    run(session.clear_session())
    assert get(session) == []
    assert len(memory.sessions(owner="u1")) == 0
    assert memory.search("zebra", owner="u1") == []
    assert not [file for file in tmp_path.iterdir() if b"Xanthippe" in file.read_bytes()]
    run(session.add_items([ITEMS[0]]))
    assert get(session) == [ITEMS[0]]


def test_popped_item_is_not_searchable(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    run(session.add_items([{"role": "user", "content": "My zebra is called Xanthippe."}]))
    run(session.pop_item())
    assert memory.search("zebra", owner="u1") == []


def test_clear_session_erases_deleted_session(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    run(session.add_items([ITEMS[0]]))
    memory.chat(owner="u1", session="trip").delete()
    with pytest.raises(NotFound, match="restore it first"):
        run(session.add_items([ITEMS[0]]))
    run(session.clear_session())
    run(session.add_items([ITEMS[13]]))
    assert get(session) == [ITEMS[13]]


def test_concurrent_add_items_keeps_pairs_together(memory: keepsaid.Memory) -> None:
    sessions = [KeepsaidSession(memory, owner="u1", session="trip") for _ in range(4)]
    pairs = [[call(f"{number}"), output(f"{number}")] for number in range(40)]

    async def all_of_them() -> list[Any]:
        await asyncio.gather(*(sessions[number % 4].add_items(pair) for number, pair in enumerate(pairs)))
        return await sessions[0].get_items()

    items = asyncio.run(all_of_them())
    # Nobody comes between a call and its output.
    assert sorted(map(str, zip(items[::2], items[1::2], strict=True))) == sorted(str(tuple(pair)) for pair in pairs)


def labels(session: KeepsaidSession) -> list[str]:
    return [str(item.get("call_id") or item["content"]).removeprefix("call_") for item in asyncio.run(session.get_items())]


def test_concurrent_pops_remove_different_calls_of_one_message(memory: keepsaid.Memory) -> None:
    async def both(*verbs: Any) -> None:
        await asyncio.gather(*verbs)

    for turn in range(15):
        one, other = (KeepsaidSession(memory, owner="u1", session=f"at once {turn}") for _ in range(2))
        run(one.add_items([{"role": "user", "content": "hi"}, *(call(f"c{number}") for number in range(3))]))
        asyncio.run(both(one.pop_item(), other.pop_item()))
        assert labels(one) == ["hi", "c0"]
        asyncio.run(both(one.pop_item(), other.add_items([{"role": "user", "content": "new"}])))
        assert labels(one) in (["hi", "new"], ["hi", "c0"])


def test_pop_of_one_call_is_a_single_change(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    run(session.add_items([call("a"), call("b")]))
    with memory.watch(owner="u1") as changes:
        run(session.pop_item())
        first = next(iter(changes))
        assert labels(session) == ["a"]
        assert first.kind == "message"


def test_concurrent_pops_return_each_item_once(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    items = [{"role": "user", "content": f"message {number}"} for number in range(20)]
    run(session.add_items(items))

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(session.pop_item() for _ in range(24)))

    popped = [item["content"] for item in asyncio.run(all_of_them()) if item]
    assert sorted(popped) == sorted(item["content"] for item in items)


def test_cancelled_add_items_completes_before_raising(memory: keepsaid.Memory, session: KeepsaidSession) -> None:
    begun, go_on = threading.Event(), threading.Event()
    add = session._add  # pyright: ignore[reportPrivateUsage]

    def slow(items: Any) -> None:
        begun.set()
        assert go_on.wait(10)
        add(items)

    async def main() -> list[Any]:
        session._add = slow  # type: ignore[method-assign]
        adding = asyncio.create_task(session.add_items([ITEMS[0]]))
        await asyncio.to_thread(begun.wait, 10)
        for _ in range(2):
            adding.cancel()
            await asyncio.sleep(0.01)
        assert not adding.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await adding
        return await session.get_items()

    assert asyncio.run(main()) == [ITEMS[0]]


def test_agent_with_tools_continues_stored_session(memory: keepsaid.Memory) -> None:
    @function_tool
    def weather(city: str) -> str:
        return f"19 °C in {city}"

    def says(text: str) -> ResponseOutputMessage:
        content = ResponseOutputText(annotations=[], text=text, type="output_text", logprobs=[])
        return ResponseOutputMessage(id="msg_1", content=[content], role="assistant", status="completed", type="message")

    def calls(id: str, city: str) -> ResponseFunctionToolCall:
        arguments = json.dumps({"city": city})
        return ResponseFunctionToolCall(id=f"fc_{id}", call_id=id, name="weather", arguments=arguments, type="function_call")

    first = [[calls("c1", "Lisbon"), calls("c2", "Porto")], [says("19 °C in both.")]]
    model = ScriptedModel(steps=[*first, [says("Lisbon and Porto.")]])
    agent = Agent(name="guide", model=model, tools=[weather])

    async def main() -> None:
        await Runner.run(agent, "Weather?", session=KeepsaidSession(memory, owner="u1", session="trip"))
        again = KeepsaidSession(memory, owner="u1", session="trip")
        assert (await Runner.run(agent, "Which cities?", session=again)).final_output == "Lisbon and Porto."

    asyncio.run(main())
    told = model.calls[-1].input
    assert [item.get("type", item.get("role")) for item in told] == [
        "user", "function_call", "function_call", "function_call_output", "function_call_output", "message", "user",
    ]  # fmt: skip
    roles = [message.role.value for message in memory.chat(owner="u1", session="trip").messages()]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user", "assistant"]


def test_import_without_sdk_names_the_extra() -> None:
    program = "import sys; sys.modules['agents'] = None; import keepsaid.adapters.openai_agents"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "pip install 'keepsaid[openai-agents]'" in done.stderr.splitlines()[-1]
