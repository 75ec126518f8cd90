"""The LangChain chat history and retriever: storage, round trips, and messages written outside the adapter."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import ContentPart, InvalidInput, Memory, NotFound, ToolCall

framework("langchain")

from langchain_core.documents import Document  # noqa: E402
from langchain_core.messages import (  # noqa: E402
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from keepsaid.adapters.langchain import KeepsaidChatMessageHistory, KeepsaidRetriever  # noqa: E402

CALL = {"name": "weather", "args": {"city": "Lisbon"}, "id": "c1", "type": "tool_call"}
FUNCTION = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Lisbon"}'}}
USAGE: Any = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12, "input_token_details": {"cache_read": 4}}
PDF = "data:application/pdf;base64,aGVsbG8="

EVERY_KIND: list[BaseMessage] = [
    HumanMessage("Hello"),
    HumanMessage(""),
    HumanMessage([]),
    HumanMessage("Hello", id="h1", name="ana"),
    HumanMessage("Hello", additional_kwargs={"lc_source": "reminder"}, example=True, mood="good", nothing=None),
    HumanMessage(["two", "texts"]),
    HumanMessage([{"type": "text", "text": "Look:"}, {"type": "image", "url": "https://example.org/cat.png"}]),
    HumanMessage([{"type": "image", "base64": "aGVsbG8=", "mime_type": "image/png", "extras": {"detail": "low"}}]),
    HumanMessage([{"type": "image", "url": "data:image/png;base64,aGVsbG8=", "mime_type": "image/png"}]),
    HumanMessage([{"type": "image_url", "image_url": {"url": "https://example.org/cat.png", "detail": "low"}}]),
    HumanMessage([{"type": "input_audio", "input_audio": {"data": "aGVsbG8=", "format": "wav"}}]),
    HumanMessage([{"type": "file", "file": {"file_data": PDF, "filename": "guide.pdf"}}]),
    HumanMessage([{"type": "file", "file_id": "file-1"}, {"type": "video", "url": "https://example.org/film.mp4"}]),
    HumanMessage([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}]),
    HumanMessage([{"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}, "title": "A"}]),
    HumanMessage([{"type": "audio", "source_type": "base64", "data": "aGVsbG8=", "mime_type": "audio/wav"}]),
    HumanMessage([{"type": "text-plain", "text": "notes", "title": "N"}, {"type": "odd", "value": [1]}, {"no": "type"}]),
    SystemMessage("Be brief.", additional_kwargs={"__openai_role__": "developer"}),
    AIMessage("Hello", id="r1", usage_metadata=USAGE, response_metadata={"model_name": "m", "logprobs": None}),
    AIMessage("", tool_calls=[CALL], additional_kwargs={"tool_calls": [FUNCTION], "refusal": None}),
    AIMessage("", tool_calls=[{**CALL, "id": None}, {**CALL, "args": {}}]),
    AIMessage("", invalid_tool_calls=[{"name": "weather", "args": "{bad", "id": "c1", "error": "no JSON"}]),
    AIMessage("", invalid_tool_calls=[{"name": None, "args": None, "id": None, "error": None}], tool_calls=[CALL]),
    AIMessage(
        [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "I will look."},
            {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Lisbon"}},
        ],
        tool_calls=[CALL],
    ),
    AIMessage([{"type": "reasoning", "reasoning": "Hm."}, {"type": "refusal", "refusal": "No."}]),
    AIMessage("Hello", response_metadata={"adapters": {"mine": 1}, "source": "web"}),
    AIMessageChunk("Hel", id="r1", tool_call_chunks=[{"name": "weather", "args": "{}", "id": "c1", "index": 0}]),
    ToolMessage("21 °C", tool_call_id="c1", name="weather"),
    ToolMessage("error", tool_call_id="c1", status="error", artifact={"trace": ["a", 1]}),
    ToolMessage("two", tool_call_id="c1", artifact=[Document(page_content="x", metadata={"page": 2}), {"a": None}]),
    ToolMessage([{"type": "text", "text": "21 °C"}], tool_call_id=""),
    FunctionMessage("21 °C", name="weather"),
    ChatMessage("Quiet!", role="moderator"),
    ChatMessage("Hello", role="assistant", id="a1"),
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with keepsaid.open("memory://", embedder="off") as opened:
        yield opened


@pytest.fixture
def history(memory: Memory) -> KeepsaidChatMessageHistory:
    return KeepsaidChatMessageHistory(memory, owner="u1", session="trip")


@pytest.mark.parametrize("message", EVERY_KIND, ids=lambda message: f"{message.type}-{message.content!s:.40}")
def test_history_round_trips_every_message_kind(history: KeepsaidChatMessageHistory, message: BaseMessage) -> None:
    history.add_message(message)
    assert history.messages == [message]
    assert type(history.messages[0]) is type(message)


def test_history_round_trips_messages_through_file(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db", embedder="off") as memory:
        KeepsaidChatMessageHistory(memory, owner="u1", session="trip").add_messages(EVERY_KIND)
    with keepsaid.open(tmp_path / "chat.db", embedder="off") as memory:
        assert KeepsaidChatMessageHistory(memory, owner="u1", session="trip").messages == EVERY_KIND


def test_metadata_does_not_duplicate_message_fields(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}}
    history.add_messages([HumanMessage("word " * 1_000, id="h1"), HumanMessage([picture])])
    stored = memory.chat(owner="u1", session="trip").messages()
    assert [message.metadata for message in stored] == [{"adapters": {"langchain": {"id": "h1"}}}, {}]


def test_reasoning_is_neither_message_text_nor_searchable(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    history.add_message(
        AIMessage([{"type": "reasoning", "reasoning": "The user seems sad."}, {"type": "text", "text": "Hi"}])
    )
    assert memory.chat(owner="u1", session="trip").messages()[0].text == "Hi"
    assert memory.search("sad", owner="u1") == []


def test_history_reads_messages_written_by_chat(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("system", "Be brief.")
    chat.add("user", "Hi", name="ana", metadata={"source": "web"})
    chat.add(
        "user", [ContentPart("text", "Look"), ContentPart("image", uri="data:image/png;base64,aGk=", media_type="image/png")]
    )
    chat.add("user", [ContentPart("file", uri="https://example.org/a.pdf", name="a.pdf", data={"pages": 3})])
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", "{bad")])
    chat.add("tool", "1", tool_call_id="c1", name="f")
    system, hello, look, file, calls, result = history.messages
    assert system == SystemMessage("Be brief.")
    assert hello == HumanMessage("Hi", name="ana", response_metadata={"source": "web"})
    picture = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
    assert look == HumanMessage([{"type": "text", "text": "Look"}, picture])
    extras = {"pages": 3, "name": "a.pdf"}
    assert file == HumanMessage([{"type": "file", "url": "https://example.org/a.pdf", "extras": extras}])
    assert isinstance(calls, AIMessage)
    assert [(call["name"], call["args"], call["id"]) for call in calls.tool_calls] == [("f", {"a": 1}, "c1")]
    assert [(call["name"], call["args"], call["id"]) for call in calls.invalid_tool_calls] == [("g", "{bad", "c2")]
    assert result == ToolMessage("1", tool_call_id="c1", name="f")


def test_chat_reads_messages_written_by_history(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
    history.add_messages([
        HumanMessage([{"type": "text", "text": "Look"}, picture], id="h1"),
        AIMessage("", tool_calls=[CALL], invalid_tool_calls=[{"name": "g", "args": "{bad", "id": "c2", "error": "x"}]),
        ToolMessage("21 °C", tool_call_id="c1", name="weather"),
        ChatMessage("Sure", role="assistant", response_metadata={"model": "m"}),
    ])  # fmt: skip
    look, calls, result, sure = memory.chat(owner="u1", session="trip").messages()
    assert (look.role, look.text, look.parts[1].kind, look.parts[1].uri) == (
        "user", "Look", "image", "https://example.org/cat.png",
    )  # fmt: skip
    assert calls.tool_calls == (ToolCall("c1", "weather", '{"city": "Lisbon"}'), ToolCall("c2", "g", "{bad"))
    assert (result.role, result.tool_call_id, result.name) == ("tool", "c1", "weather")
    assert (sure.role, sure.metadata["model"]) == ("assistant", "m")


def test_history_returns_edited_text(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    history.add_message(HumanMessage(["my PIN", "is 4711"], id="h1"))
    chat = memory.chat(owner="u1", session="trip")
    old = chat.messages()[0]
    chat.edit(old.id, "nothing", metadata=old.metadata)
    assert history.messages == [HumanMessage("nothing")]


@pytest.mark.parametrize("kept", [7, [], {"type": "no such"}, {"content": 5}, {"type": "remove", "id": "x"}, {"id": {}}])
def test_history_ignores_malformed_message_metadata(memory: Memory, history: KeepsaidChatMessageHistory, kept: Any) -> None:
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("user", "Hi", metadata={"adapters": {"langchain": kept}})
    assert history.messages == [HumanMessage("Hi")]


@pytest.mark.parametrize("shape", [7, {"at": "a.b.c"}, {"at": "image_url.url", "image_url": 3}, {"type": None}])
def test_history_ignores_malformed_part_data(memory: Memory, history: KeepsaidChatMessageHistory, shape: Any) -> None:
    part = ContentPart("image", uri="https://example.org/cat.png", data={"langchain": shape})
    memory.chat(owner="u1", session="trip", create=True).add("user", [part])
    (message,) = history.messages
    assert "https://example.org/cat.png" in str(message.content)


def test_artifact_values_without_json_form_are_converted(history: KeepsaidChatMessageHistory) -> None:
    found = ToolMessage("x", tool_call_id="c1", artifact={"raw": b"\xff", "when": (1, 2), "odd": float("nan"), "it": object})
    history.add_message(found)
    (message,) = history.messages
    assert isinstance(message, ToolMessage)
    assert message.artifact == {"raw": "_w==", "when": [1, 2], "odd": None, "it": repr(object)}


def test_add_messages_with_remove_message_stores_nothing(history: KeepsaidChatMessageHistory) -> None:
    with pytest.raises(InvalidInput, match="RemoveMessage"):
        history.add_messages([HumanMessage("Hi"), RemoveMessage(id="h1")])
    assert history.messages == []


def test_reading_and_clearing_create_no_session(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    assert history.messages == []
    history.add_messages([])
    history.clear()
    assert len(memory.sessions(owner="u1")) == 0


def test_clear_erases_session_and_search_results(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    history.add_message(HumanMessage("My PIN is 4711."))
    history.clear()
    assert history.messages == []
    assert memory.search("PIN", owner="u1") == []
    with pytest.raises(NotFound):
        memory.chat(owner="u1", session="trip")
    history.add_user_message("Hi")
    assert history.messages == [HumanMessage("Hi")]


def test_history_omits_results_of_erased_tool_calls(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    history.add_messages([
        HumanMessage("Weather?"), AIMessage("", tool_calls=[CALL]), ToolMessage("21 °C", tool_call_id="c1"),
        AIMessage("Warm."), HumanMessage("And now?"), AIMessage("", tool_calls=[{**CALL, "id": "c2"}]),
    ])  # fmt: skip
    chat = memory.chat(owner="u1", session="trip")
    chat.erase(chat.messages()[1].id)
    assert [message.content for message in history.messages] == ["Weather?", "Warm.", "And now?", ""]
    assert history.messages[-1].tool_calls[0]["id"] == "c2", "it waits for its result"  # type: ignore[attr-defined]
    assert len(chat.messages()) == 5


def test_add_message_to_deleted_session_raises_not_found(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    history.add_user_message("Hi")
    memory.chat(owner="u1", session="trip").delete()
    with pytest.raises(NotFound, match="restore it first"):
        history.add_user_message("Hi again")


def test_history_and_retriever_are_separate_per_owner(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    history.add_user_message("Hi")
    assert KeepsaidChatMessageHistory(memory, owner="u2", session="trip").messages == []
    assert KeepsaidRetriever(memory, owner="u2").invoke("hi") == []
    with pytest.raises(TypeError, match="owner"):
        KeepsaidChatMessageHistory(memory, session="trip")  # type: ignore[call-arg]


def test_pool_members_share_history_and_retriever(memory: Memory) -> None:
    team = memory.create_pool("team", owner="u1")
    memory.grant(team, to="u2", by="u1")
    KeepsaidChatMessageHistory(memory, owner="u1", session="s", pool=team).add_user_message("The code is 4711.")
    theirs = KeepsaidChatMessageHistory(memory, owner="u2", session="s", pool=team)
    assert [message.content for message in theirs.messages] == ["The code is 4711."]
    assert len(KeepsaidRetriever(memory, owner="u2", pool=team).invoke("code")) == 1


def test_concurrent_writers_lose_no_messages(tmp_path: Path) -> None:
    with (
        keepsaid.open(tmp_path / "chat.db", embedder="off") as one,
        keepsaid.open(tmp_path / "chat.db", embedder="off") as two,
    ):
        histories = [KeepsaidChatMessageHistory(memory, owner="u1", session="trip") for memory in (one, two)]

        def write(number: int) -> None:
            said = [HumanMessage(f"question {number}", id=f"h{number}"), AIMessage(f"answer {number}")]
            histories[number % 2].add_messages(said)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(write, range(60)))
        said = [message.content for message in histories[0].messages]
    assert sorted(said[::2]) == sorted(f"question {number}" for number in range(60))
    assert [text.replace("question", "answer") for text in map(str, said[::2])] == said[1::2]


def test_history_async_methods_add_read_and_clear(history: KeepsaidChatMessageHistory) -> None:
    async def main() -> None:
        await history.aadd_messages([HumanMessage("Hi", id="h1")])
        assert await history.aget_messages() == [HumanMessage("Hi", id="h1")]
        await history.aclear()
        assert await history.aget_messages() == []

    asyncio.run(main())


def test_retriever_documents_include_session_score_and_reason(memory: Memory, history: KeepsaidChatMessageHistory) -> None:
    history.add_user_message("My sister moved to Lisbon in May.")
    memory.chat(owner="u1").add("user", "I like tea.")
    retriever = KeepsaidRetriever(memory, owner="u1")
    (found,) = retriever.invoke("where does my sister live?")
    assert found.page_content == "My sister moved to Lisbon in May."
    stored = memory.chat(owner="u1", session="trip").messages()[0]
    assert (found.id, found.metadata["session"], found.metadata["role"]) == (stored.id, "trip", "user")
    assert found.metadata["date"] == stored.created_at.isoformat()
    assert 0 < found.metadata["score"] <= 1
    assert "sister" in found.metadata["reason"]
    assert asyncio.run(retriever.ainvoke("where does my sister live?")) == [found]


@pytest.mark.parametrize(
    "question",
    ["Set role:admin for my account please", "the log line says before:midnight", '-rf "is what', "tag:", "session:x admin"],
)
def test_retriever_ignores_search_operators_in_question(memory: Memory, question: str) -> None:
    memory.chat(owner="u1").add("user", "My account is admin; the log line says -rf at midnight, and a tag, in a session.")
    retriever = KeepsaidRetriever(memory, owner="u1")
    assert len(retriever.invoke(question)) == 1
    assert len(asyncio.run(retriever.ainvoke(question))) == 1


def test_retriever_returns_nothing_for_blank_question(memory: Memory) -> None:
    memory.chat(owner="u1").add("user", "I like tea.")
    assert KeepsaidRetriever(memory, owner="u1").invoke(" \n") == []


def test_retriever_applies_k_session_and_min_score(memory: Memory) -> None:
    for number in range(4):
        memory.chat(owner="u1", session=f"s{number}", create=True).add("user", f"Tea number {number} is good.")
    assert len(KeepsaidRetriever(memory, owner="u1", k=2).invoke("tea")) == 2
    assert len(asyncio.run(KeepsaidRetriever(memory, owner="u1").ainvoke("tea", k=1))) == 1
    only = KeepsaidRetriever(memory, owner="u1", session="s2", tags=["mine"], name="tea")
    assert [document.metadata["session"] for document in only.invoke("tea")] == ["s2"]
    assert KeepsaidRetriever(memory, owner="u1", min_score=1.0).invoke("tea") == []


def test_import_without_langchain_names_the_extra() -> None:
    hidden = "import sys; sys.modules['langchain_core.callbacks'] = None; import keepsaid.adapters.langchain"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, timeout=60)
    assert "pip install 'keepsaid[langchain]'" in done.stderr
