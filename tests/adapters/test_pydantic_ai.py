"""The adapter for Pydantic AI: it behaves like the framework's in-memory store, and its sessions are ordinary chats."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import ContentPart, ToolCall
from keepsaid.errors import InvalidInput, MissingExtra, StoreFull, StoreUnavailable
from keepsaid.memory.blobs import BlobStore

pydantic_ai = framework("pydantic_ai")
stores = framework("pydantic_ai.conversation_store")

from pydantic_ai import Agent, Conversation, DeferredToolRequests, RunContext  # noqa: E402  # it may be missing
from pydantic_ai.conversation_store import ConversationConflict, ConversationStore, InMemoryConversationStore  # noqa: E402
from pydantic_ai.exceptions import ApprovalRequired, UserError  # noqa: E402
from pydantic_ai.messages import (  # noqa: E402
    BinaryContent,
    BinaryImage,
    CachePoint,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryFeedbackPart,
    RetryInfo,
    SpeechPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel  # noqa: E402
from pydantic_ai.usage import RequestUsage, RunUsage  # noqa: E402

from keepsaid.adapters.pydantic_ai import KeepsaidConversationStore, KeepsaidHistory  # noqa: E402

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off", profile_tokens=0) as memory:
        yield memory


@pytest.fixture
def store(memory: keepsaid.Memory) -> KeepsaidConversationStore:
    return KeepsaidConversationStore(memory, owner="u1")


@pytest.fixture(params=["theirs", "memory", "file"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Their own store, and ours on two backends: what is asked of one is asked of all."""
    if request.param == "theirs":
        yield InMemoryConversationStore()
        return
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off") as memory:
        yield KeepsaidConversationStore(memory, owner="u1")


def build_request(words: str, **more: Any) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(words)], **more)


def build_response(words: str, **more: Any) -> ModelResponse:
    return ModelResponse(parts=[TextPart(words)], **more)


def words_of(messages: list[ModelMessage]) -> list[str]:
    """All that is said in messages, in order."""
    return [str(part.content) for message in messages for part in message.parts if hasattr(part, "content")]


async def create_conversation(store: ConversationStore, id: str = "trip", *messages: ModelMessage) -> Conversation:
    """A conversation of four messages, or of those."""
    said = list(messages) or [build_request("one"), build_response("two"), build_request("three"), build_response("four")]
    conversation = Conversation(conversation_id=id, messages=said)
    await store.save(conversation)
    return conversation


class Killed(BaseException):
    """Ends whatever is done, as if the program had ended: nobody can do anything about it."""


def raise_killed(*args: Any, **kwargs: Any) -> None:
    raise Killed


CALL = ToolCallPart("pay", {"euros": 5}, "c1")


async def create_paused_conversation(store: ConversationStore, id: str = "trip") -> Conversation:
    """A conversation whose last run waits for an approval."""
    conversation = Conversation(
        conversation_id=id,
        messages=[build_request("Pay 5 euros."), ModelResponse(parts=[CALL])],
        usage=RunUsage(requests=1),
        deferred_tool_requests=DeferredToolRequests(approvals=[CALL]),
    )
    await store.save(conversation)
    return conversation


def resume_conversation(conversation: Conversation) -> Conversation:
    """The same, after the run went on."""
    conversation.messages += [ModelRequest(parts=[ToolReturnPart("pay", "paid", "c1")]), build_response("Done.")]
    conversation.usage = RunUsage(requests=2)
    conversation.deferred_tool_requests = None
    return conversation


RICH: list[ModelMessage] = [
    ModelRequest(
        parts=[
            SystemPromptPart("Be brief."),
            UserPromptPart(
                [
                    "Look at",
                    ImageUrl("https://example.org/cat.png"),
                    BinaryContent(bytes(range(256)), media_type="audio/wav"),
                    DocumentUrl("https://example.org/a.pdf"),
                    CachePoint(),
                    TextContent(content="and this", metadata={"a": 1}),
                ]
            ),
        ],
        instructions="Answer in English.",
        run_id="run1",
        metadata={"source": "web"},
    ),
    ModelResponse(
        parts=[
            ThinkingPart("hm", signature="sig"),
            TextPart("I look"),
            ToolCallPart("weather", {"city": "Lisbon"}, "c1"),
            ToolCallPart("time", '{"zone": "WET"}', "c2"),
            ToolCallPart("now", None, "c3"),
            NativeToolCallPart("web_search", {"q": 1}, "n1"),
            NativeToolReturnPart("web_search", "found", "n1"),
            FilePart(BinaryImage(b"\x89PNG", media_type="image/png")),
            TextPart("and more"),
        ],
        usage=RequestUsage(input_tokens=3, output_tokens=5),
        model_name="m",
        finish_reason="tool_call",
    ),
    ModelRequest(
        parts=[
            ToolReturnPart("weather", {"sky": "blue", "wind": None}, "c1", metadata={"kept": True}),
            ToolReturnPart("time", ["noon", BinaryContent(b"ring", media_type="audio/mp3")], "c2"),
            ToolReturnPart("now", "late", "c3", outcome="failed"),
            UserPromptPart("Well?"),
        ]
    ),
    ModelResponse(parts=[]),
    ModelRequest(parts=[RetryFeedbackPart("Say something.", retry=RetryInfo(cause="no_output"))]),
    ModelResponse(
        parts=[SpeechPart(speaker="assistant", transcript="Blue", audio=BinaryContent(b"w", media_type="audio/wav"))]
    ),
    ModelRequest(parts=[]),
    ModelResponse(parts=[TextPart("Blue.")], metadata={"rated": 5}),
]


# -- what a store of theirs does


async def test_load_returns_saved_conversation(either: ConversationStore):
    assert await either.load("trip") is None
    conversation = Conversation(
        conversation_id="trip", messages=[build_request("one"), build_response("two")], usage=RunUsage(requests=1)
    )
    entries = await either.save(conversation, scope="alice")
    assert [entry.message for entry in entries] == conversation.messages
    loaded = await either.load("trip")
    assert loaded == conversation
    assert loaded is not None
    assert loaded.usage.requests == 1
    assert await either.load("trip", scope="bob") is None
    assert await either.load_entries("trip") == entries
    assert [entry.parent_id for entry in entries] == [None, entries[0].id]
    assert await either.save(loaded) == [], "nothing is new"


async def test_save_appends_only_new_messages(either: ConversationStore):
    await create_conversation(either)
    loaded = await either.load("trip", limit=1)
    assert loaded is not None
    assert words_of(loaded.messages) == ["four"]
    loaded.messages.append(build_request("five"))
    assert [entry.message for entry in await either.save(loaded)] == [loaded.messages[-1]]
    whole = await either.load("trip")
    assert words_of(whole.messages) == ["one", "two", "three", "four", "five"]
    last = await either.load_entries("trip", limit=2)
    assert words_of([entry.message for entry in last]) == ["four", "five"]
    assert last[0].parent_id == (await either.load_entries("trip"))[2].id
    assert await either.load_entries("trip", limit=0) == []


async def test_save_of_stale_conversation_raises_conflict(either: ConversationStore):
    await create_conversation(either)
    first, second = await either.load("trip"), await either.load("trip")
    first.messages.append(build_request("first"))
    second.messages.append(build_request("second"))
    await either.save(first)
    with pytest.raises(ConversationConflict):
        await either.save(second)
    with pytest.raises(ConversationConflict):
        await either.save(Conversation(conversation_id="trip", messages=[build_request("new")]))
    with pytest.raises(ConversationConflict):
        await either.save(first, scope="bob")
    assert words_of((await either.load("trip")).messages)[-1] == "first"
    await either.save(first)


async def test_saving_rewritten_history_creates_branch(either: ConversationStore):
    conversation = await create_conversation(either)
    old = await either.load_entries("trip")
    conversation.messages = [*conversation.messages[:2], build_request("three, but other")]
    conversation.new_message_index = None
    await either.save(conversation)
    assert words_of((await either.load("trip")).messages) == ["one", "two", "three, but other"]
    (record,) = await either.list_conversations()
    assert record.branches == [old[-1].id]
    conversation.messages = [build_request("something else")]
    await either.save(conversation)
    assert words_of((await either.load("trip")).messages) == ["something else"]


async def test_branch_switches_conversation_to_chosen_entry(either: ConversationStore):
    await create_conversation(either)
    entries = await either.load_entries("trip")
    revision = (await either.list_conversations())[0].revision
    back = await either.branch("trip", at=2, expected_revision=revision)
    assert words_of(back.messages) == ["one", "two"]
    assert words_of((await either.load("trip")).messages) == ["one", "two"]
    back.messages.append(build_request("three again"))
    await either.save(back)
    assert words_of((await either.load("trip")).messages) == ["one", "two", "three again"]
    over = await either.branch("trip", from_entry=entries[3].id, expected_revision=back.revision)
    assert words_of(over.messages) == ["one", "two", "three", "four"]
    assert over.messages == [entry.message for entry in entries]
    emptied = await either.branch("trip", at=0, expected_revision=over.revision)
    assert emptied.messages == []
    emptied.messages.append(build_request("anew"))
    await either.save(emptied)
    assert words_of((await either.load("trip")).messages) == ["anew"]
    with pytest.raises(ConversationConflict):
        await either.branch("trip", at=0, expected_revision=revision)
    with pytest.raises(UserError):
        await either.branch("trip", from_entry="nothing", expected_revision=emptied.revision)


async def test_fork_shares_entries_with_original(either: ConversationStore):
    await create_conversation(either)
    entries = await either.load_entries("trip")
    fork = await either.fork("trip", at=2, new_conversation_id="other", scope="alice")
    fork.messages.append(build_request("elsewhere"))
    await either.save(fork)
    assert words_of((await either.load("other")).messages) == ["one", "two", "elsewhere"]
    assert [entry.id for entry in await either.load_entries("other")][:2] == [entry.id for entry in entries][:2]
    assert words_of((await either.load("trip")).messages) == ["one", "two", "three", "four"]
    (record,) = await either.list_conversations(scope="alice")
    assert (record.forked_from, record.forked_at) == ("trip", entries[1].id)
    with pytest.raises(ConversationConflict):
        await either.fork("trip", new_conversation_id="other")
    await either.delete("trip")
    assert await either.load("trip") is None
    assert words_of((await either.load("other")).messages) == ["one", "two", "elsewhere"]


async def test_fork_of_fork_survives_deletion_of_its_sources(either: ConversationStore):
    await create_conversation(either)
    await either.fork("trip", at=2, new_conversation_id="fork")
    await either.fork("fork", new_conversation_id="of a fork")
    await either.delete("fork")
    await either.delete("trip")
    assert [record.conversation_id for record in await either.list_conversations()] == ["of a fork"]
    assert words_of((await either.load("of a fork")).messages) == ["one", "two"]
    await either.delete("of a fork")
    assert await either.list_conversations() == []


async def test_deleted_conversation_id_can_be_reused(either: ConversationStore):
    await create_conversation(either)
    await either.fork("trip", at=2, new_conversation_id="other")
    for words in ("anew", "and once more"):
        await either.delete("trip")
        assert await either.load("trip") is None
        await either.save(Conversation(conversation_id="trip", messages=[build_request(words)]))
        loaded = await either.load("trip")
        assert words_of(loaded.messages) == [words]
        assert (await either.read_record("trip")).branches == [], "nothing is left of the former one"
        loaded.messages.append(build_response("Yes."))
        await either.save(loaded)
        assert words_of((await either.load("trip")).messages) == [words, "Yes."]
        assert words_of((await either.load("other")).messages) == ["one", "two"]


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "binary", "size": 3},
        {"kind": "image-url", "price": 4},
        {"kind": "image-url", "url": 7},
        {"kind": "text-content"},
        {"kind": ["a", "b"]},
        [{"kind": "uploaded-file"}, {"kind": "cache-point", "ttl": 3}],
        ["said", {"kind": "document-url"}],
    ],
)
async def test_tool_return_with_own_kind_field_round_trips(either: ConversationStore, data: Any):
    said = [ModelResponse(parts=[ToolCallPart("ls", {}, "c1")]), ModelRequest(parts=[ToolReturnPart("ls", data, "c1")])]
    await create_conversation(either, "trip", *said)
    assert (await either.load("trip")).messages == said


async def test_list_conversations_returns_newest_first(either: ConversationStore):
    for name in ("a", "b", "c"):
        await either.save(
            Conversation(conversation_id=name, messages=[build_request(name)]), scope="even" if name == "b" else "odd"
        )
    again = await either.load("a")
    again.messages.append(build_response("a"))
    await either.save(again)
    assert [record.conversation_id for record in await either.list_conversations()] == ["a", "c", "b"]
    assert [record.conversation_id for record in await either.list_conversations(scope="odd", limit=1)] == ["a"]


async def test_delete_removes_conversation_and_entries(either: ConversationStore):
    conversation = await create_conversation(either)
    await either.delete("trip", scope="bob")
    await either.delete("nowhere")
    with pytest.raises(ConversationConflict):
        await either.delete_record("trip", expected_revision="another")
    entry = (await either.load_entries("trip"))[0].id
    await either.delete("trip")
    assert await either.load("trip") is None
    assert await either.list_conversations() == []
    with pytest.raises(LookupError):
        await either.read_entry(entry)
    with pytest.raises(ConversationConflict):
        await either.save(conversation)
    await create_conversation(either, "trip", build_request("a new one"))
    assert words_of((await either.load("trip")).messages) == ["a new one"]


async def test_read_entry_finds_entry_by_id_alone(either: ConversationStore):
    await create_conversation(either)
    entries = await either.save(Conversation(conversation_id="other", messages=RICH))
    for entry in entries:
        found = await either.read_entry(str(entry.id))
        assert (found.id, found.parent_id, found.message) == (entry.id, entry.parent_id, entry.message)


async def test_messages_of_every_kind_round_trip(either: ConversationStore):
    conversation = Conversation(conversation_id="rich", messages=list(RICH))
    await either.save(conversation)
    loaded = await either.load("rich")
    assert loaded.messages == RICH
    for limit in range(1, len(RICH) + 2):
        assert (await either.load("rich", limit=limit)).messages == RICH[-limit:]
    assert await either.save(conversation) == [], "it is recognised"
    conversation.new_message_index = None
    assert await either.save(conversation) == [], "also where it is compared"


async def test_agent_runs_are_saved_and_continued(either: ConversationStore):
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if isinstance(messages[-1].parts[-1], UserPromptPart):
            return ModelResponse(parts=[ToolCallPart("weather", {"city": "Lisbon"})])
        return ModelResponse(parts=[TextPart(f"{len(messages)} messages")])

    agent = Agent(FunctionModel(answer), system_prompt="Be brief.")

    @agent.tool_plain
    def weather(city: str) -> str:
        return f"sunny in {city}"

    for turn in (1, 2):
        conversation = await either.load("trip") or Conversation(conversation_id="trip")
        result = await agent.run(f"Turn {turn}?", conversation=conversation)
        assert len(await either.save(result)) == 4
    loaded = await either.load("trip")
    assert loaded.messages == result.all_messages()
    assert (loaded.usage.requests, loaded.usage.tool_calls) == (4, 2)
    assert result.output == "7 messages"


async def test_run_with_deferred_tool_requests_is_resumed(either: ConversationStore):
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        returned = isinstance(messages[-1].parts[-1], ToolReturnPart)
        return build_response("gone") if returned else ModelResponse(parts=[ToolCallPart("remove", {"name": "a"}, "c1")])

    agent = Agent(FunctionModel(answer), output_type=[str, DeferredToolRequests])

    @agent.tool
    def remove(ctx: RunContext[None], name: str) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"why": "it is for good"})
        return f"removed {name}"

    await either.save(await agent.run("Remove a.", conversation=Conversation(conversation_id="trip")))
    waiting = await either.load("trip")
    requests = waiting.deferred_tool_requests
    assert ([call.tool_call_id for call in requests.approvals], requests.metadata) == (
        ["c1"],
        {"c1": {"why": "it is for good"}},
    )
    result = await agent.run(conversation=waiting, deferred_tool_results=requests.build_results(approve_all=True))
    await either.save(result)
    loaded = await either.load("trip")
    assert loaded.deferred_tool_requests is None
    assert words_of(loaded.messages)[-2:] == ["removed a", "gone"]


# -- ours alone


async def test_chat_reads_messages_saved_by_store(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    await create_conversation(store, "rich", *RICH)
    messages = memory.chat(owner="u1", session="rich").messages()
    assert [(str(message.role), message.text) for message in messages[:8]] == [
        ("system", "Be brief."),
        ("user", "Look at\nand this"),
        ("assistant", "I look\nand more"),
        ("tool", '{"sky": "blue", "wind": null}'),
        ("tool", "noon"),
        ("tool", "late"),
        ("user", "Well?"),
        ("assistant", ""),
    ]
    assert [(part.kind, part.media_type) for part in messages[1].parts if part.kind in ("image", "audio", "file")] == [
        ("image", "image/png"), ("audio", "audio/wav"), ("file", "application/pdf"),
    ]  # fmt: skip
    assert messages[1].metadata["source"] == "web"
    calls = [
        ToolCall("c1", "weather", '{"city": "Lisbon"}'),
        ToolCall("c2", "time", '{"zone": "WET"}'),
        ToolCall("c3", "now"),
    ]
    assert list(messages[2].tool_calls) == calls
    assert [(message.tool_call_id, message.name) for message in messages[3:6]] == [(call.id, call.name) for call in calls]
    assert "hm" not in messages[2].text
    assert memory.search("hm", owner="u1") == []


async def test_load_converts_messages_written_by_chat(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("system", "Be brief.")
    chat.add(
        "user",
        [
            ContentPart("text", "Look"),
            ContentPart("image", uri="https://example.org/a.png"),
            ContentPart("mystery", data={"a": 1}),
        ],
    )
    chat.add(
        "assistant",
        [ContentPart("reasoning", data={"x": 1}), ContentPart("text", "I do")],
        tool_calls=[ToolCall("c1", "see", '{"a": 1}')],
    )
    chat.add("tool", "a cat", tool_call_id="c1")
    chat.add(
        "assistant",
        [ContentPart("refusal", "No."), ContentPart("image", uri="data:image/png;base64,iVBO", media_type="image/png")],
    )
    chat.add("user", "Why?", metadata={"source": "web"})
    loaded = await store.load("trip")
    times = [message.created_at for message in chat.messages()]
    assert loaded.messages == [
        ModelRequest(parts=[SystemPromptPart("Be brief.", timestamp=times[0])], timestamp=times[0]),
        ModelRequest(
            parts=[UserPromptPart(["Look", ImageUrl("https://example.org/a.png")], timestamp=times[1])], timestamp=times[1]
        ),
        ModelResponse(parts=[TextPart("I do"), ToolCallPart("see", '{"a": 1}', "c1")], timestamp=times[2]),
        ModelRequest(parts=[ToolReturnPart("see", "a cat", "c1", timestamp=times[3])], timestamp=times[3]),
        ModelResponse(parts=[TextPart("No."), FilePart(BinaryImage(b"\x89PN", media_type="image/png"))], timestamp=times[4]),
        ModelRequest(parts=[UserPromptPart("Why?", timestamp=times[5])], timestamp=times[5], metadata={"source": "web"}),
    ]
    assert (await store.load("trip")) == loaded, "what is loaded twice is the same"
    loaded.messages.append(build_response("Because."))
    await store.save(loaded)
    assert chat.messages()[-1].text == "Because."


async def test_message_added_through_chat_makes_stale_save_conflict(
    store: KeepsaidConversationStore, memory: keepsaid.Memory
):
    stale = await create_conversation(store)
    chat = memory.chat(owner="u1", session="trip")
    chat.add("user", "from elsewhere")
    stale.messages.append(build_request("five"))
    with pytest.raises(ConversationConflict):
        await store.save(stale)
    loaded = await store.load("trip")
    assert words_of(loaded.messages)[-1] == "from elsewhere"
    loaded.messages.append(build_response("here"))
    await store.save(loaded)
    assert [message.text for message in chat.messages()][-2:] == ["from elsewhere", "here"]


async def test_load_omits_edited_and_erased_text(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    await create_conversation(
        store, "trip", ModelRequest(parts=[SystemPromptPart("Be brief."), UserPromptPart("My PIN is 4711.")])
    )
    chat = memory.chat(owner="u1", session="trip")
    chat.edit(chat.messages()[-1].id, "My PIN is secret.")
    loaded = await store.load("trip")
    assert words_of(loaded.messages) == ["Be brief.", "My PIN is secret."]
    (record,) = await store.list_conversations()
    branched = await store.branch("trip", from_entry=record.branches[0], expected_revision=record.revision)
    assert words_of(branched.messages) == ["Be brief.", "My PIN is 4711."]
    chat.erase(chat.messages()[-1].id)
    loaded = await store.load("trip")
    assert words_of(loaded.messages) == ["Be brief."]
    loaded.messages.append(build_request("Hello"))
    await store.save(loaded)
    assert words_of((await store.load("trip")).messages) == ["Be brief.", "Hello"]


async def test_delete_erases_session_and_blobs(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    await create_conversation(store)
    await store.delete("trip")
    assert memory.sessions(owner="u1").items == ()
    assert memory.blobs(owner="u1").sessions() == []
    with pytest.raises(keepsaid.NotFound):
        memory.restore(owner="u1", session="trip")


async def test_load_ignores_malformed_adapter_metadata(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    chat = memory.chat(owner="u1", session="trip", create=True)
    kept = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi", "timestamp": "2026-01-01T00:00:00Z"}]}
    for wrong in (7, {"kind": "request"}, {**kept, "state": "unknown"}, {"kind": "response", "parts": []}):
        chat.add("user", "Hi", metadata={"adapters": {"pydantic_ai": wrong}})
    assert words_of((await store.load("trip")).messages) == ["Hi"] * 4


async def test_failed_save_can_be_retried(store: KeepsaidConversationStore, monkeypatch: pytest.MonkeyPatch):
    conversation = await create_conversation(store)
    conversation.messages.append(build_request("five"))

    def full(*args: Any, **kwargs: Any) -> None:
        raise StoreFull("the disk is full")

    new = Conversation(conversation_id="new", messages=[build_request("one")])
    with monkeypatch.context() as patch:
        patch.setattr(keepsaid.Chat, "_append", full)
        for unsaved in [conversation, new] * 30:
            with pytest.raises(StoreFull):
                await store.save(unsaved)
    assert words_of((await store.load("trip")).messages) == ["one", "two", "three", "four"]
    assert await store.load("new") is None
    assert [record.conversation_id for record in await store.list_conversations()] == ["trip"]
    for unsaved in (conversation, new):
        await store.save(unsaved)
        assert await store.load(unsaved.conversation_id) == unsaved
    new.messages.append(build_request("words with a \0"))
    with pytest.raises(InvalidInput):
        await store.save(new)
    assert words_of((await store.load("new")).messages) == ["one"]


async def test_killed_save_changes_nothing(store: KeepsaidConversationStore, monkeypatch: pytest.MonkeyPatch):
    before = await create_paused_conversation(store)
    rewritten = Conversation(conversation_id="trip", messages=[build_request("all new")], revision=before.revision)
    for unsaved in (resume_conversation(await store.load("trip")), rewritten):
        with monkeypatch.context() as patch:
            patch.setattr(keepsaid.Chat, "_append", raise_killed)
            with pytest.raises(Killed):
                await store.save(unsaved)
        assert await store.load("trip") == before, "and the run that waits can still go on"
    await store.save(resume_conversation(await store.load("trip")))
    loaded = await store.load("trip")
    assert (words_of(loaded.messages)[-1], loaded.usage.requests, loaded.deferred_tool_requests) == ("Done.", 2, None)


async def test_save_counts_when_server_reply_is_lost(store: KeepsaidConversationStore, monkeypatch: pytest.MonkeyPatch):
    said = keepsaid.Chat._append

    def unheard(*args: Any, **kwargs: Any) -> None:
        said(*args, **kwargs)
        raise StoreUnavailable("the server did not answer")

    with monkeypatch.context() as patch:
        patch.setattr(keepsaid.Chat, "_append", unheard)
        with pytest.raises(StoreUnavailable):
            await create_paused_conversation(store)
    loaded = await store.load("trip")
    assert (loaded.usage.requests, loaded.deferred_tool_requests.approvals) == (1, [CALL])


async def test_answered_tool_requests_are_not_deferred_again(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    """After an answer is removed through another adapter, the run does not wait again: its tools have already run."""
    await store.save(resume_conversation(await create_paused_conversation(store)))
    chat = memory.chat(owner="u1", session="trip")
    chat.pop()
    chat.pop()
    loaded = await store.load("trip")
    assert words_of(loaded.messages) == ["Pay 5 euros."]
    assert (loaded.deferred_tool_requests, loaded.usage.requests) == (None, 2)


async def test_usage_saved_without_messages_is_kept(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    conversation = await create_conversation(store)
    for requests in range(1, 31):
        conversation.usage = RunUsage(requests=requests)
        await store.save(conversation)
    memory.chat(owner="u1", session="trip").add("user", "from elsewhere")
    assert (await store.load("trip")).usage.requests == 30


@pytest.mark.parametrize("words", [["second"], []], ids=["saying something", "saying nothing"])
async def test_save_overtaken_by_another_save_raises_conflict(
    store: KeepsaidConversationStore, monkeypatch: pytest.MonkeyPatch, words: list[str]
):
    """The second save completes just before the first one appends its messages."""
    await create_conversation(store)
    first, said = resume_conversation(await store.load("trip")), keepsaid.Chat._append

    def late(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(keepsaid.Chat, "_append", said)
        asyncio.run(saved_by_another())
        return said(*args, **kwargs)

    async def saved_by_another() -> None:
        second = await store.load("trip")
        second.messages += [build_request(one) for one in words]
        second.usage = RunUsage(requests=7)
        await store.save(second)

    monkeypatch.setattr(keepsaid.Chat, "_append", late)
    with pytest.raises(ConversationConflict):
        await store.save(first)
    loaded = await store.load("trip")
    assert words_of(loaded.messages) == ["one", "two", "three", "four", *words]
    assert loaded.usage.requests == 7


async def test_concurrent_rename_causes_no_conflict(
    store: KeepsaidConversationStore, memory: keepsaid.Memory, monkeypatch: pytest.MonkeyPatch
):
    conversation, said = await create_conversation(store), keepsaid.Chat._append
    conversation.messages.append(build_request("five"))

    def late(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(keepsaid.Chat, "_append", said)
        memory.chat(owner="u1", session="trip").rename("Travel")
        return said(*args, **kwargs)

    monkeypatch.setattr(keepsaid.Chat, "_append", late)
    await store.save(conversation)
    assert await store.load("trip") == conversation


@pytest.fixture
def fuse(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Raise at a step of a change: each step of the store has one such place before it and one after it."""
    left: list[int] = []

    def burnt() -> None:
        if left:
            left[0] -= 1
            if left[0] == 0:
                left.clear()
                raise Killed

    def burning(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            burnt()
            result = step(*args, **kwargs)
            burnt()
            return result

        return run

    steps = [(BlobStore, "put"), (keepsaid.Memory, "restore"), (keepsaid.Memory, "erase")]
    for owner, name in [*steps, *((keepsaid.Chat, name) for name in ("_append", "fork", "delete"))]:
        monkeypatch.setattr(owner, name, burning(getattr(owner, name)))
    return left


async def change_conversation(store: ConversationStore, step: int, act: str, name: str, other: str, share: float) -> None:
    """Does something to a conversation."""
    loaded = await store.load(name)
    kept = int(share * (1 + len(loaded.messages))) if loaded else 0
    if act in ("save", "rewrite", "touch"):
        conversation = loaded or Conversation(conversation_id=name)
        if act == "rewrite":
            conversation.messages = [*conversation.messages[:kept], build_request(f"rewritten {step}")]
            conversation.new_message_index = None
        conversation.messages += (
            [build_request(f"asked {step}"), build_response(f"answered {step}")] if act == "save" else []
        )
        conversation.usage = RunUsage(requests=conversation.usage.requests + 1)
        conversation.deferred_tool_requests = DeferredToolRequests(approvals=[CALL]) if step % 2 else None
        await store.save(conversation)
    elif act == "delete":
        await store.delete(name)
    elif act == "branch" and loaded:
        await store.branch(name, at=kept, expected_revision=loaded.revision)
    elif act == "fork" and loaded:
        await store.fork(name, at=kept, new_conversation_id=other)


@pytest.mark.parametrize("seed", range(8))
async def test_random_operations_match_in_memory_store(store: KeepsaidConversationStore, fuse: list[int], seed: int):
    """A killed operation has happened completely or not at all."""
    theirs, names, dice = InMemoryConversationStore(), "abc", random.Random(seed)

    async def seen(store: ConversationStore) -> list[Any]:
        loaded = [await store.load(name) for name in names]
        return [one and (words_of(one.messages), one.usage, one.deferred_tool_requests) for one in loaded]

    acts = ["save", "save", "rewrite", "touch", "branch", "fork", "delete"]
    for step in range(40):
        what = (step, dice.choice(acts), dice.choice(names), dice.choice(names), dice.random())
        before, after, alive = await seen(store), deepcopy(theirs), True
        fuse[:] = [dice.randint(1, 9)] if seed % 2 and dice.random() < 0.5 else []
        try:
            await change_conversation(store, *what)
        except Killed:
            alive = False
        except ConversationConflict:
            assert what[1] == "fork"  # its name is taken, by a conversation or by one that was deleted, but others show
            continue
        finally:
            fuse.clear()
        with suppress(ConversationConflict):
            await change_conversation(after, *what)
        now = await seen(store)
        if alive or now != before:
            assert now == await seen(after), what
            theirs = after


def test_concurrent_saves_with_retries_lose_nothing(memory: keepsaid.Memory):
    """Each thread has its own store and reloads after a conflict; every third saves usage without messages."""

    async def say(number: int) -> None:
        store = KeepsaidConversationStore(memory, owner="u1")
        while True:
            conversation = await store.load("trip") or Conversation(conversation_id="trip")
            conversation.messages += [build_request(f"number {number}")] if number % 3 else []
            conversation.usage = RunUsage(requests=conversation.usage.requests + 1)
            try:
                await store.save(conversation)
            except ConversationConflict:
                continue
            return

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: asyncio.run(say(number)), range(18)))
    loaded = asyncio.run(KeepsaidConversationStore(memory, owner="u1").load("trip"))
    assert sorted(words_of(loaded.messages)) == sorted(f"number {number}" for number in range(18) if number % 3)
    assert loaded.usage.requests == 18


async def test_interrupted_fork_keeps_shared_entries(
    store: KeepsaidConversationStore, memory: keepsaid.Memory, monkeypatch: pytest.MonkeyPatch
):
    await create_conversation(store)
    forked = keepsaid.Chat.fork
    for name, last in (
        ("before", raise_killed),
        ("behind", lambda *args, **kwargs: (forked(*args, **kwargs), raise_killed())),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(keepsaid.Chat, "fork", last)
            with pytest.raises(Killed):
                await store.fork("trip", at=2, new_conversation_id=name)
    assert await store.load("before") is None
    await store.delete("trip")
    assert words_of((await store.load("behind")).messages) == ["one", "two"]
    await create_conversation(store, "before")
    assert words_of((await store.load("before")).messages) == ["one", "two", "three", "four"]
    await store.delete("behind")
    assert [session.id for session in memory.sessions(owner="u1", status="deleted")] == ["trip"]


async def test_fork_survives_purge_of_its_source_by_retention(tmp_path: Path):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with keepsaid.open(tmp_path / "chat.db", embedder="off", background=False, clock=lambda: now) as memory:
        store = KeepsaidConversationStore(memory, owner="u1")
        await create_conversation(store)
        fork = await store.fork("trip", at=2, new_conversation_id="fork")
        fork.messages.append(build_request("elsewhere"))
        await store.save(fork)
        await store.fork("fork", new_conversation_id="of a fork")
        await store.delete("fork")
        now += timedelta(days=31)
        for name in ("trip", "of a fork"):
            memory.chat(owner="u1", session=name).update(pinned=True)
        assert memory.retention(dry_run=False).purged == 1
        await store.delete("trip")
        assert words_of((await store.load("of a fork")).messages) == ["one", "two", "elsewhere"]


async def test_restored_fork_keeps_entries_of_deleted_source(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    await create_conversation(store)
    await store.fork("trip", at=2, new_conversation_id="other")
    memory.chat(owner="u1", session="other").delete()
    await store.delete("trip")
    memory.restore(owner="u1", session="other")
    assert words_of((await store.load("other")).messages) == ["one", "two"]


async def test_deleted_conversation_without_forks_is_erased(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    await create_conversation(store)
    await store.fork("trip", new_conversation_id="other")
    await store.delete("other")
    assert memory.blobs(owner="u1", session="trip").list("pydantic_ai/fork/") == [], "not even its name is left"
    await create_conversation(store, "other")
    await store.fork("trip", new_conversation_id="elsewhere")
    memory.erase(owner="u1", session="elsewhere")
    await store.delete("trip")
    assert memory.blobs(owner="u1").sessions() == ["other"]
    with pytest.raises(keepsaid.NotFound):
        memory.restore(owner="u1", session="trip")


async def test_save_over_deleted_conversation_starts_empty(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    """A new conversation with the id of a deleted one neither restores the old messages nor loses them."""
    await create_conversation(store)
    chat = memory.chat(owner="u1", session="trip")
    for messages in ([build_request("anew")], []):
        chat.delete()
        assert await store.load("trip") is None
        await store.save(Conversation(conversation_id="trip", messages=messages))
        assert words_of((await store.load("trip")).messages) == words_of(messages)
    old = (await store.read_record("trip")).branches[0]
    assert words_of([entry.message for entry in await store.read_history(old)]) == ["one", "two", "three", "four"]


async def test_read_history_looks_up_one_message_per_branch(
    store: KeepsaidConversationStore, monkeypatch: pytest.MonkeyPatch
):
    conversation = await create_conversation(store, "trip", *(build_request(f"number {number}") for number in range(100)))
    await store.branch("trip", at=50, expected_revision=conversation.revision)
    (left,) = (await store.read_record("trip")).branches
    read, asked_for = keepsaid.Chat.message, list[str]()

    def counted(chat: keepsaid.Chat, id: str) -> Any:
        asked_for.append(id)
        return read(chat, id)

    monkeypatch.setattr(keepsaid.Chat, "message", counted)
    monkeypatch.setattr(keepsaid.Memory, "export", None)
    assert [entry.message for entry in await store.read_history(left)] == conversation.messages
    assert asked_for == [left]


async def test_conversations_are_separate_per_owner_and_pool(memory: keepsaid.Memory):
    team = memory.create_pool("team", owner="u1")
    memory.grant(team, to="u2", by="u1", access="write")
    await create_conversation(KeepsaidConversationStore(memory, owner="u1"))
    ours = KeepsaidConversationStore(memory, owner="u1", pool=team)
    await create_conversation(ours, "shared")
    for store in (KeepsaidConversationStore(memory, owner="u2"), KeepsaidConversationStore(memory, owner="u3")):
        assert await store.load("trip") is None
        assert await store.list_conversations() == []
    theirs = KeepsaidConversationStore(memory, owner="u2", pool=team)
    assert words_of((await theirs.load("shared")).messages) == ["one", "two", "three", "four"]
    entry = (await KeepsaidConversationStore(memory, owner="u1").load_entries("trip"))[0]
    with pytest.raises(LookupError):
        await KeepsaidConversationStore(memory, owner="u2").read_entry(str(entry.id))
    with pytest.raises(LookupError):
        await KeepsaidConversationStore(memory, owner="u2").read_entry(entry.id)
    with pytest.raises(keepsaid.NotFound):
        await create_conversation(KeepsaidConversationStore(memory, owner="u3", pool=team), "mine")
    await theirs.delete("shared")  # who is no admin cannot erase
    assert await ours.load("shared") is None
    assert [session.id for session in memory.sessions(owner="u1", pool=team, status="deleted")] == ["shared"]
    await create_conversation(theirs, "shared", build_request("anew"))
    assert words_of((await ours.load("shared")).messages) == ["anew"]


def test_store_and_history_require_owner(memory: keepsaid.Memory):
    for make in (KeepsaidConversationStore, KeepsaidHistory):
        with pytest.raises(TypeError):
            make(memory)  # type: ignore[call-arg]
        with pytest.raises(InvalidInput):
            make(memory, owner="")


# -- the history


def echo(heard: list[list[ModelMessage]]) -> Callable[..., ModelResponse]:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        return build_response("Noted.")

    return answer


async def test_history_sends_memories_within_budget(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []
    history = KeepsaidHistory(memory, owner="u1", budget=600)
    agent = Agent(FunctionModel(echo(heard)), capabilities=[history], system_prompt="Be kind.")
    talk = [
        say(f"Something long number {number}. " * 10) for number in range(100) for say in (build_request, build_response)
    ]
    await create_conversation(store, "trip", *talk)
    for question in ("Where does my brother live?", "And since when does my brother live there?"):
        conversation = await store.load("trip")
        await store.save(await agent.run(question, conversation=conversation))
        assert len(heard[-1]) < 20, "what does not fit is left out"
        assert "My brother Tom lives in Porto" in " ".join(words_of(heard[-1])[:-1])
        assert words_of(heard[-1])[-1] == question
    said = [message.text for message in memory.chat(owner="u1", session="trip").messages()]
    assert len(said) == 204, "what is saved is what was said, and nothing of what was remembered"
    assert said[-4::2] == ["Where does my brother live?", "And since when does my brother live there?"]


async def test_profile_follows_system_prompt():
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        memory.remember("Allergic to nuts", owner="u1", kind="constraint")
        heard: list[list[ModelMessage]] = []
        history = KeepsaidHistory(memory, owner="u1")
        agent = Agent(FunctionModel(echo(heard)), capabilities=[history], system_prompt="Be kind.")
        await agent.run("What shall I cook?", conversation=Conversation(conversation_id="fresh"))
        system, profile, *_ = words_of(heard[0])
        assert system == "Be kind."
        assert profile.startswith("<profile>")
        assert "Allergic to nuts" in profile


async def test_new_conversation_recalls_other_sessions(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []
    history = KeepsaidHistory(memory, owner="u1")
    agent = Agent(FunctionModel(echo(heard)), capabilities=[history], system_prompt="Be kind.")
    await store.save(await agent.run("Where does my brother live?", conversation=Conversation(conversation_id="fresh")))
    system, memories, question = words_of(heard[0])
    assert (system, question) == ("Be kind.", "Where does my brother live?")
    assert "Porto" in memories
    assert [message.text for message in memory.chat(owner="u1", session="fresh").messages()] == [
        "Be kind.", "Where does my brother live?", "Noted.",
    ]  # fmt: skip
    assert len(memory.sessions(owner="u1")) == 2
    conversation = await store.load("fresh", limit=0)
    await store.save(await agent.run("Thanks!", conversation=conversation))
    assert words_of(heard[1])[0] == "Be kind."
    assert "Be kind." not in "".join(words_of(heard[1])[1:])
    assert (await store.load("fresh")).messages[-2].run_id == heard[1][-1].run_id


async def test_tool_calls_stay_in_their_turn(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    heard: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        called = any(isinstance(part, ToolReturnPart) for part in messages[-1].parts)
        return build_response("Sunny.") if called else ModelResponse(parts=[ToolCallPart("weather", {}, f"c{len(heard)}")])

    agent = Agent(FunctionModel(answer), capabilities=[KeepsaidHistory(memory, owner="u1", budget=400)])

    @agent.tool_plain
    def weather() -> str:
        return "sunny"

    for turn in (1, 2):
        conversation = await store.load("trip") or Conversation(conversation_id="trip")
        await store.save(await agent.run(f"Weather {turn}?", conversation=conversation))
    assert [str(message.role) for message in memory.chat(owner="u1", session="trip").messages()] == [
        *("user", "assistant", "tool", "assistant") * 2
    ]
    returned = [part for message in heard[-1] for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [(part.tool_name, part.tool_call_id) for part in returned] == [("weather", "c1"), ("weather", "c3")]


async def test_history_sends_unsaved_messages_once(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []
    history = KeepsaidHistory(memory, owner="u1", budget=600)
    agent = Agent(FunctionModel(echo(heard)), capabilities=[history], system_prompt="Be kind.")
    one = await agent.run("The code word is swordfish.")
    two = await agent.run("Where does my brother live?", message_history=one.all_messages())
    *before, memories, question = words_of(heard[-1])
    assert (before, question) == (["Be kind.", "The code word is swordfish.", "Noted."], "Where does my brother live?")
    assert "Porto" in memories
    await store.save(one)
    await agent.run("What is the code word?", message_history=two.all_messages())
    said = ["The code word is swordfish.", "Noted.", "Where does my brother live?", "Noted.", "What is the code word?"]
    assert [words for words in words_of(heard[-1])[1:] if "<memory>" not in words] == said
    assert words_of(heard[-1])[0] == "Be kind."
    saved = Conversation(conversation_id=one.conversation.conversation_id, revision=one.conversation.revision)
    saved.messages = two.all_messages()
    await store.save(saved)
    memory.chat(owner="u1", session=saved.conversation_id).add("user", "By another adapter.")
    await agent.run("What is the code word?", conversation=saved)
    words = [words for words in words_of(heard[-1])[1:] if "<memory>" not in words]
    assert words == [*said[:-1], "By another adapter.", said[-1]], "what is saved is told once"


async def test_history_recognizes_saved_messages_after_redaction():
    heard: list[list[ModelMessage]] = []
    with keepsaid.open("memory://", embedder="off", redact_stored=["mail"]) as memory:
        store = KeepsaidConversationStore(memory, owner="u1")
        agent = Agent(
            FunctionModel(lambda messages, info: heard.append(messages) or build_response("You are bob@example.org."))
        )
        with_history = Agent(agent.model, capabilities=[KeepsaidHistory(memory, owner="u1")])
        result = await with_history.run("I am bob@example.org.")
        await store.save(result)
        await with_history.run("Who am I?", conversation=result.conversation)
    assert words_of(heard[-1]) == ["I am [mail removed].", "You are [mail removed].", "Who am I?"]


async def test_tool_results_are_sent_right_after_their_calls(store: KeepsaidConversationStore, memory: keepsaid.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        return ModelResponse(parts=[ToolCallPart("remove", {}, "c1")]) if len(heard) == 1 else build_response("Gone.")

    history = KeepsaidHistory(memory, owner="u1")
    agent = Agent(FunctionModel(answer), output_type=[str, DeferredToolRequests], capabilities=[history])

    @agent.tool
    def remove(ctx: RunContext[None]) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return "removed"

    await store.save(await agent.run("Remove it.", conversation=Conversation(conversation_id="trip")))
    waiting = await store.load("trip")
    approved = waiting.deferred_tool_requests.build_results(approve_all=True)
    question = "And where does my brother live?"
    result = await agent.run(question, conversation=waiting, deferred_tool_results=approved)
    parts = [part for message in heard[-1] for part in message.parts]
    at = next(at for at, part in enumerate(parts) if isinstance(part, ToolCallPart))
    assert isinstance(parts[at + 1], ToolReturnPart), "a result stands right after its call"
    assert [part.content for part in parts if isinstance(part, UserPromptPart)][::2] == ["Remove it.", question]
    assert "Porto" in words_of(heard[-1])[1]
    await agent.run("Thanks!", conversation=result.conversation)
    parts = [part for message in heard[-1] for part in message.parts if isinstance(part, ToolCallPart | ToolReturnPart)]
    assert [part.part_kind for part in parts] == ["tool-call", "tool-return"], "nor if the call alone is saved"


async def test_redact_sent_removes_personal_data_from_prompts():
    heard: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        called = isinstance(messages[-1].parts[-1], ToolReturnPart)
        return build_response("Sent.") if called else ModelResponse(parts=[ToolCallPart("find", {"who": "ann@example.org"})])

    with keepsaid.open("memory://", embedder="off", redact_sent=["mail"]) as memory:
        store = KeepsaidConversationStore(memory, owner="u1")
        memory.chat(owner="u1").add("user", "Bob's mail address is bob@example.org.")
        agent = Agent(FunctionModel(answer), capabilities=[KeepsaidHistory(memory, owner="u1")])

        @agent.tool_plain
        def find(who: str) -> list[Any]:
            return [{"bob@example.org": [who]}, "eve@example.org"]

        conversation = Conversation(conversation_id="trip")
        picture = BinaryImage(b"\x89PNG", media_type="image/png")
        for question in ("Write to bob@example.org!", ["His mail address?", "bob@example.org", picture]):
            result = await agent.run(question, conversation=conversation)
            conversation = result.conversation
        await store.save(result)
        loaded = await store.load("trip")
        assert loaded.messages == result.all_messages(), "what is saved is what was said"
        await agent.run([picture], conversation=loaded)
    for messages in heard:
        assert "example.org" not in str(messages)
        assert words_of(messages).count("Write to [mail removed]!") <= 1
    assert words_of(heard[0])[-1] == "Write to [mail removed]!"
    assert heard[2][-1].parts[-1].content == ["His mail address?", "[mail removed]", picture]


async def test_saved_question_is_sent_once(memory: keepsaid.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("user", [ContentPart("text", "Where does"), ContentPart("text", "my brother live?")])
    heard: list[list[ModelMessage]] = []
    agent = Agent(FunctionModel(echo(heard)), capabilities=[KeepsaidHistory(memory, owner="u1", session="trip")])
    await agent.run(["Where does", "my brother live?"])
    memories, *question = [part.content for message in heard[-1] for part in message.parts]
    assert ("Porto" in memories, question) == (True, [["Where does", "my brother live?"]])
    chat.add("assistant", tool_calls=[ToolCall("c1", "look")])
    chat.add("tool", "in a book", tool_call_id="c1")
    await agent.run(["Where does", "my brother live?"])
    told = [part for message in heard[-1] for part in message.parts]
    assert [part.part_kind for part in told] == ["user-prompt", "tool-call", "tool-return", "user-prompt", "user-prompt"]


def test_import_without_framework_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai.conversation_store", None)
    monkeypatch.delitem(sys.modules, "keepsaid.adapters.pydantic_ai")
    with pytest.raises(MissingExtra, match=r"keepsaid\[pydantic-ai\]"):
        __import__("keepsaid.adapters.pydantic_ai")
