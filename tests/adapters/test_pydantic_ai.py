"""The door for Pydantic AI: what its own in-memory store does, ours does, too, and the session is one for every door."""

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

import recollect
from recollect import Part, ToolCall
from recollect.drawer import Drawer
from recollect.errors import InvalidInput, MissingExtra, StoreFull, StoreUnavailable

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

from recollect.adapters.pydantic_ai import RecollectConversationStore, RecollectHistory  # noqa: E402

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with recollect.open(url, embedder="off", profile_tokens=0) as memory:
        yield memory


@pytest.fixture
def store(memory: recollect.Memory) -> RecollectConversationStore:
    return RecollectConversationStore(memory, owner="u1")


@pytest.fixture(params=["theirs", "memory", "file"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Their own store, and ours on two backends: what is asked of one is asked of all."""
    if request.param == "theirs":
        yield InMemoryConversationStore()
        return
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with recollect.open(url, embedder="off") as memory:
        yield RecollectConversationStore(memory, owner="u1")


def asked(words: str, **more: Any) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(words)], **more)


def answered(words: str, **more: Any) -> ModelResponse:
    return ModelResponse(parts=[TextPart(words)], **more)


def words_of(messages: list[ModelMessage]) -> list[str]:
    """All that is said in messages, in order."""
    return [str(part.content) for message in messages for part in message.parts if hasattr(part, "content")]


async def begun(store: ConversationStore, id: str = "trip", *messages: ModelMessage) -> Conversation:
    """A conversation of four messages, or of those."""
    said = list(messages) or [asked("one"), answered("two"), asked("three"), answered("four")]
    conversation = Conversation(conversation_id=id, messages=said)
    await store.save(conversation)
    return conversation


class Killed(BaseException):
    """Ends whatever is done, as if the program had ended: nobody can do anything about it."""


def killed(*args: Any, **kwargs: Any) -> None:
    raise Killed


CALL = ToolCallPart("pay", {"euros": 5}, "c1")


async def paused(store: ConversationStore, id: str = "trip") -> Conversation:
    """A conversation whose last run waits for an approval."""
    conversation = Conversation(
        conversation_id=id,
        messages=[asked("Pay 5 euros."), ModelResponse(parts=[CALL])],
        usage=RunUsage(requests=1),
        deferred_tool_requests=DeferredToolRequests(approvals=[CALL]),
    )
    await store.save(conversation)
    return conversation


def resumed(conversation: Conversation) -> Conversation:
    """The same, after the run went on."""
    conversation.messages += [ModelRequest(parts=[ToolReturnPart("pay", "paid", "c1")]), answered("Done.")]
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


async def test_load_and_save(either: ConversationStore):
    assert await either.load("trip") is None
    conversation = Conversation(conversation_id="trip", messages=[asked("one"), answered("two")], usage=RunUsage(requests=1))
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


async def test_only_what_is_new_is_saved(either: ConversationStore):
    await begun(either)
    loaded = await either.load("trip", limit=1)
    assert loaded is not None
    assert words_of(loaded.messages) == ["four"]
    loaded.messages.append(asked("five"))
    assert [entry.message for entry in await either.save(loaded)] == [loaded.messages[-1]]
    whole = await either.load("trip")
    assert words_of(whole.messages) == ["one", "two", "three", "four", "five"]
    last = await either.load_entries("trip", limit=2)
    assert words_of([entry.message for entry in last]) == ["four", "five"]
    assert last[0].parent_id == (await either.load_entries("trip"))[2].id
    assert await either.load_entries("trip", limit=0) == []


async def test_who_comes_second_has_a_conflict(either: ConversationStore):
    await begun(either)
    first, second = await either.load("trip"), await either.load("trip")
    first.messages.append(asked("first"))
    second.messages.append(asked("second"))
    await either.save(first)
    with pytest.raises(ConversationConflict):
        await either.save(second)
    with pytest.raises(ConversationConflict):
        await either.save(Conversation(conversation_id="trip", messages=[asked("new")]))
    with pytest.raises(ConversationConflict):
        await either.save(first, scope="bob")
    assert words_of((await either.load("trip")).messages)[-1] == "first"
    await either.save(first)


async def test_a_rewritten_history_is_a_branch(either: ConversationStore):
    conversation = await begun(either)
    old = await either.load_entries("trip")
    conversation.messages = [*conversation.messages[:2], asked("three, but other")]
    conversation.new_message_index = None
    await either.save(conversation)
    assert words_of((await either.load("trip")).messages) == ["one", "two", "three, but other"]
    (record,) = await either.list_conversations()
    assert record.branches == [old[-1].id]
    conversation.messages = [asked("something else")]
    await either.save(conversation)
    assert words_of((await either.load("trip")).messages) == ["something else"]


async def test_branches(either: ConversationStore):
    await begun(either)
    entries = await either.load_entries("trip")
    revision = (await either.list_conversations())[0].revision
    back = await either.branch("trip", at=2, expected_revision=revision)
    assert words_of(back.messages) == ["one", "two"]
    assert words_of((await either.load("trip")).messages) == ["one", "two"]
    back.messages.append(asked("three again"))
    await either.save(back)
    assert words_of((await either.load("trip")).messages) == ["one", "two", "three again"]
    over = await either.branch("trip", from_entry=entries[3].id, expected_revision=back.revision)
    assert words_of(over.messages) == ["one", "two", "three", "four"]
    assert over.messages == [entry.message for entry in entries]
    emptied = await either.branch("trip", at=0, expected_revision=over.revision)
    assert emptied.messages == []
    emptied.messages.append(asked("anew"))
    await either.save(emptied)
    assert words_of((await either.load("trip")).messages) == ["anew"]
    with pytest.raises(ConversationConflict):
        await either.branch("trip", at=0, expected_revision=revision)
    with pytest.raises(UserError):
        await either.branch("trip", from_entry="nothing", expected_revision=emptied.revision)


async def test_forks_share_what_was_said(either: ConversationStore):
    await begun(either)
    entries = await either.load_entries("trip")
    fork = await either.fork("trip", at=2, new_conversation_id="other", scope="alice")
    fork.messages.append(asked("elsewhere"))
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


async def test_forks_of_forks_outlive_all_that_they_came_from(either: ConversationStore):
    await begun(either)
    await either.fork("trip", at=2, new_conversation_id="fork")
    await either.fork("fork", new_conversation_id="of a fork")
    await either.delete("fork")
    await either.delete("trip")
    assert [record.conversation_id for record in await either.list_conversations()] == ["of a fork"]
    assert words_of((await either.load("of a fork")).messages) == ["one", "two"]
    await either.delete("of a fork")
    assert await either.list_conversations() == []


async def test_the_name_of_a_deleted_conversation_is_free(either: ConversationStore):
    await begun(either)
    await either.fork("trip", at=2, new_conversation_id="other")
    for words in ("anew", "and once more"):
        await either.delete("trip")
        assert await either.load("trip") is None
        await either.save(Conversation(conversation_id="trip", messages=[asked(words)]))
        loaded = await either.load("trip")
        assert words_of(loaded.messages) == [words]
        assert (await either.read_record("trip")).branches == [], "nothing is left of the former one"
        loaded.messages.append(answered("Yes."))
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
async def test_what_a_tool_returns_may_be_of_a_kind_of_its_own(either: ConversationStore, data: Any):
    said = [ModelResponse(parts=[ToolCallPart("ls", {}, "c1")]), ModelRequest(parts=[ToolReturnPart("ls", data, "c1")])]
    await begun(either, "trip", *said)
    assert (await either.load("trip")).messages == said


async def test_lists_are_newest_first(either: ConversationStore):
    for name in ("a", "b", "c"):
        await either.save(Conversation(conversation_id=name, messages=[asked(name)]), scope="even" if name == "b" else "odd")
    again = await either.load("a")
    again.messages.append(answered("a"))
    await either.save(again)
    assert [record.conversation_id for record in await either.list_conversations()] == ["a", "c", "b"]
    assert [record.conversation_id for record in await either.list_conversations(scope="odd", limit=1)] == ["a"]


async def test_deleting(either: ConversationStore):
    conversation = await begun(either)
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
    await begun(either, "trip", asked("a new one"))
    assert words_of((await either.load("trip")).messages) == ["a new one"]


async def test_an_entry_by_its_name_alone(either: ConversationStore):
    await begun(either)
    entries = await either.save(Conversation(conversation_id="other", messages=RICH))
    for entry in entries:
        found = await either.read_entry(str(entry.id))
        assert (found.id, found.parent_id, found.message) == (entry.id, entry.parent_id, entry.message)


async def test_whatever_is_said_comes_back_equal(either: ConversationStore):
    conversation = Conversation(conversation_id="rich", messages=list(RICH))
    await either.save(conversation)
    loaded = await either.load("rich")
    assert loaded.messages == RICH
    for limit in range(1, len(RICH) + 2):
        assert (await either.load("rich", limit=limit)).messages == RICH[-limit:]
    assert await either.save(conversation) == [], "it is recognised"
    conversation.new_message_index = None
    assert await either.save(conversation) == [], "also where it is compared"


async def test_runs_of_an_agent(either: ConversationStore):
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


async def test_a_run_that_waits(either: ConversationStore):
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        returned = isinstance(messages[-1].parts[-1], ToolReturnPart)
        return answered("gone") if returned else ModelResponse(parts=[ToolCallPart("remove", {"name": "a"}, "c1")])

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


async def test_it_is_one_session_for_every_door(store: RecollectConversationStore, memory: recollect.Memory):
    await begun(store, "rich", *RICH)
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


async def test_what_others_said_is_read_in_their_words(store: RecollectConversationStore, memory: recollect.Memory):
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("system", "Be brief.")
    chat.add("user", [Part("text", "Look"), Part("image", uri="https://example.org/a.png"), Part("mystery", data={"a": 1})])
    chat.add(
        "assistant", [Part("reasoning", data={"x": 1}), Part("text", "I do")], tool_calls=[ToolCall("c1", "see", '{"a": 1}')]
    )
    chat.add("tool", "a cat", tool_call_id="c1")
    chat.add("assistant", [Part("refusal", "No."), Part("image", uri="data:image/png;base64,iVBO", media_type="image/png")])
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
    loaded.messages.append(answered("Because."))
    await store.save(loaded)
    assert chat.messages()[-1].text == "Because."


async def test_another_door_may_go_on(store: RecollectConversationStore, memory: recollect.Memory):
    stale = await begun(store)
    chat = memory.chat(owner="u1", session="trip")
    chat.add("user", "from elsewhere")
    stale.messages.append(asked("five"))
    with pytest.raises(ConversationConflict):
        await store.save(stale)
    loaded = await store.load("trip")
    assert words_of(loaded.messages)[-1] == "from elsewhere"
    loaded.messages.append(answered("here"))
    await store.save(loaded)
    assert [message.text for message in chat.messages()][-2:] == ["from elsewhere", "here"]


async def test_what_was_said_differently_or_erased_does_not_come_back(
    store: RecollectConversationStore, memory: recollect.Memory
):
    await begun(store, "trip", ModelRequest(parts=[SystemPromptPart("Be brief."), UserPromptPart("My PIN is 4711.")]))
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
    loaded.messages.append(asked("Hello"))
    await store.save(loaded)
    assert words_of((await store.load("trip")).messages) == ["Be brief.", "Hello"]


async def test_deleting_is_for_good(store: RecollectConversationStore, memory: recollect.Memory):
    await begun(store)
    await store.delete("trip")
    assert memory.sessions(owner="u1").items == ()
    assert memory.drawer(owner="u1").sessions() == []
    with pytest.raises(recollect.NotFound):
        memory.restore(owner="u1", session="trip")


async def test_what_is_kept_beside_a_message_need_not_be_theirs(store: RecollectConversationStore, memory: recollect.Memory):
    chat = memory.chat(owner="u1", session="trip", create=True)
    kept = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi", "timestamp": "2026-01-01T00:00:00Z"}]}
    for wrong in (7, {"kind": "request"}, {**kept, "state": "unknown"}, {"kind": "response", "parts": []}):
        chat.add("user", "Hi", metadata={"doors": {"pydantic_ai": wrong}})
    assert words_of((await store.load("trip")).messages) == ["Hi"] * 4


async def test_a_save_that_failed_can_be_tried_again(store: RecollectConversationStore, monkeypatch: pytest.MonkeyPatch):
    conversation = await begun(store)
    conversation.messages.append(asked("five"))

    def full(*args: Any, **kwargs: Any) -> None:
        raise StoreFull("the disk is full")

    new = Conversation(conversation_id="new", messages=[asked("one")])
    with monkeypatch.context() as patch:
        patch.setattr(recollect.Chat, "_append", full)
        for unsaved in [conversation, new] * 30:
            with pytest.raises(StoreFull):
                await store.save(unsaved)
    assert words_of((await store.load("trip")).messages) == ["one", "two", "three", "four"]
    assert await store.load("new") is None
    assert [record.conversation_id for record in await store.list_conversations()] == ["trip"]
    for unsaved in (conversation, new):
        await store.save(unsaved)
        assert await store.load(unsaved.conversation_id) == unsaved
    new.messages.append(asked("words with a \0"))
    with pytest.raises(InvalidInput):
        await store.save(new)
    assert words_of((await store.load("new")).messages) == ["one"]


async def test_who_is_killed_while_saving_has_changed_nothing(
    store: RecollectConversationStore, monkeypatch: pytest.MonkeyPatch
):
    before = await paused(store)
    rewritten = Conversation(conversation_id="trip", messages=[asked("all new")], revision=before.revision)
    for unsaved in (resumed(await store.load("trip")), rewritten):
        with monkeypatch.context() as patch:
            patch.setattr(recollect.Chat, "_append", killed)
            with pytest.raises(Killed):
                await store.save(unsaved)
        assert await store.load("trip") == before, "and the run that waits can still go on"
    await store.save(resumed(await store.load("trip")))
    loaded = await store.load("trip")
    assert (words_of(loaded.messages)[-1], loaded.usage.requests, loaded.deferred_tool_requests) == ("Done.", 2, None)


async def test_what_was_said_counts_also_if_nobody_was_told(
    store: RecollectConversationStore, monkeypatch: pytest.MonkeyPatch
):
    said = recollect.Chat._append

    def unheard(*args: Any, **kwargs: Any) -> None:
        said(*args, **kwargs)
        raise StoreUnavailable("the server did not answer")

    with monkeypatch.context() as patch:
        patch.setattr(recollect.Chat, "_append", unheard)
        with pytest.raises(StoreUnavailable):
            await paused(store)
    loaded = await store.load("trip")
    assert (loaded.usage.requests, loaded.deferred_tool_requests.approvals) == (1, [CALL])


async def test_what_has_been_answered_is_not_asked_again(store: RecollectConversationStore, memory: recollect.Memory):
    """Where another door goes back behind an answer, the run before does not wait again: its tools have done their work."""
    await store.save(resumed(await paused(store)))
    chat = memory.chat(owner="u1", session="trip")
    chat.pop()
    chat.pop()
    loaded = await store.load("trip")
    assert words_of(loaded.messages) == ["Pay 5 euros."]
    assert (loaded.deferred_tool_requests, loaded.usage.requests) == (None, 2)


async def test_what_is_saved_without_words_stays(store: RecollectConversationStore, memory: recollect.Memory):
    conversation = await begun(store)
    for requests in range(1, 31):
        conversation.usage = RunUsage(requests=requests)
        await store.save(conversation)
    memory.chat(owner="u1", session="trip").add("user", "from elsewhere")
    assert (await store.load("trip")).usage.requests == 30


@pytest.mark.parametrize("words", [["second"], []], ids=["saying something", "saying nothing"])
async def test_of_two_who_save_at_once_the_second_is_refused(
    store: RecollectConversationStore, monkeypatch: pytest.MonkeyPatch, words: list[str]
):
    """The second loads and saves just when the first is about to say what is new."""
    await begun(store)
    first, said = resumed(await store.load("trip")), recollect.Chat._append

    def late(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(recollect.Chat, "_append", said)
        asyncio.run(saved_by_another())
        return said(*args, **kwargs)

    async def saved_by_another() -> None:
        second = await store.load("trip")
        second.messages += [asked(one) for one in words]
        second.usage = RunUsage(requests=7)
        await store.save(second)

    monkeypatch.setattr(recollect.Chat, "_append", late)
    with pytest.raises(ConversationConflict):
        await store.save(first)
    loaded = await store.load("trip")
    assert words_of(loaded.messages) == ["one", "two", "three", "four", *words]
    assert loaded.usage.requests == 7


async def test_a_new_title_is_no_reason_to_refuse(
    store: RecollectConversationStore, memory: recollect.Memory, monkeypatch: pytest.MonkeyPatch
):
    conversation, said = await begun(store), recollect.Chat._append
    conversation.messages.append(asked("five"))

    def late(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(recollect.Chat, "_append", said)
        memory.chat(owner="u1", session="trip").rename("Travel")
        return said(*args, **kwargs)

    monkeypatch.setattr(recollect.Chat, "_append", late)
    await store.save(conversation)
    assert await store.load("trip") == conversation


@pytest.fixture
def fuse(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Kills whoever changes something, after so many moments: each step of the store has one before it, and one behind."""
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

    steps = [(Drawer, "put"), (recollect.Memory, "restore"), (recollect.Memory, "erase")]
    for owner, name in [*steps, *((recollect.Chat, name) for name in ("_append", "fork", "delete"))]:
        monkeypatch.setattr(owner, name, burning(getattr(owner, name)))
    return left


async def changed(store: ConversationStore, step: int, act: str, name: str, other: str, share: float) -> None:
    """Does something to a conversation."""
    loaded = await store.load(name)
    kept = int(share * (1 + len(loaded.messages))) if loaded else 0
    if act in ("save", "rewrite", "touch"):
        conversation = loaded or Conversation(conversation_id=name)
        if act == "rewrite":
            conversation.messages = [*conversation.messages[:kept], asked(f"rewritten {step}")]
            conversation.new_message_index = None
        conversation.messages += [asked(f"asked {step}"), answered(f"answered {step}")] if act == "save" else []
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
async def test_whatever_happens_ours_and_theirs_stay_the_same(store: RecollectConversationStore, fuse: list[int], seed: int):
    """Who is killed has done all that he wanted, or nothing."""
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
            await changed(store, *what)
        except Killed:
            alive = False
        except ConversationConflict:
            assert what[1] == "fork"  # its name is taken, by a conversation or by one that was deleted, but others show
            continue
        finally:
            fuse.clear()
        with suppress(ConversationConflict):
            await changed(after, *what)
        now = await seen(store)
        if alive or now != before:
            assert now == await seen(after), what
            theirs = after


def test_many_who_save_at_once_lose_nothing(memory: recollect.Memory):
    """Each with a store of its own, as in several processes: who has a conflict loads again. Every third says nothing."""

    async def say(number: int) -> None:
        store = RecollectConversationStore(memory, owner="u1")
        while True:
            conversation = await store.load("trip") or Conversation(conversation_id="trip")
            conversation.messages += [asked(f"number {number}")] if number % 3 else []
            conversation.usage = RunUsage(requests=conversation.usage.requests + 1)
            try:
                await store.save(conversation)
            except ConversationConflict:
                continue
            return

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: asyncio.run(say(number)), range(18)))
    loaded = asyncio.run(RecollectConversationStore(memory, owner="u1").load("trip"))
    assert sorted(words_of(loaded.messages)) == sorted(f"number {number}" for number in range(18) if number % 3)
    assert loaded.usage.requests == 18


async def test_a_fork_that_was_interrupted_keeps_its_beginning(
    store: RecollectConversationStore, memory: recollect.Memory, monkeypatch: pytest.MonkeyPatch
):
    await begun(store)
    forked = recollect.Chat.fork
    for name, last in (("before", killed), ("behind", lambda *args, **kwargs: (forked(*args, **kwargs), killed()))):
        with monkeypatch.context() as patch:
            patch.setattr(recollect.Chat, "fork", last)
            with pytest.raises(Killed):
                await store.fork("trip", at=2, new_conversation_id=name)
    assert await store.load("before") is None
    await store.delete("trip")
    assert words_of((await store.load("behind")).messages) == ["one", "two"]
    await begun(store, "before")
    assert words_of((await store.load("before")).messages) == ["one", "two", "three", "four"]
    await store.delete("behind")
    assert [session.id for session in memory.sessions(owner="u1", status="deleted")] == ["trip"]


async def test_forks_also_outlive_what_retention_takes(tmp_path: Path):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with recollect.open(tmp_path / "chat.db", embedder="off", background=False, clock=lambda: now) as memory:
        store = RecollectConversationStore(memory, owner="u1")
        await begun(store)
        fork = await store.fork("trip", at=2, new_conversation_id="fork")
        fork.messages.append(asked("elsewhere"))
        await store.save(fork)
        await store.fork("fork", new_conversation_id="of a fork")
        await store.delete("fork")
        now += timedelta(days=31)
        for name in ("trip", "of a fork"):
            memory.chat(owner="u1", session=name).update(pinned=True)
        assert memory.retention(dry_run=False).purged == 1
        await store.delete("trip")
        assert words_of((await store.load("of a fork")).messages) == ["one", "two", "elsewhere"]


async def test_a_fork_in_the_bin_keeps_its_beginning(store: RecollectConversationStore, memory: recollect.Memory):
    await begun(store)
    await store.fork("trip", at=2, new_conversation_id="other")
    memory.chat(owner="u1", session="other").delete()
    await store.delete("trip")
    memory.restore(owner="u1", session="other")
    assert words_of((await store.load("other")).messages) == ["one", "two"]


async def test_when_no_fork_shows_it_what_is_deleted_is_erased(store: RecollectConversationStore, memory: recollect.Memory):
    await begun(store)
    await store.fork("trip", new_conversation_id="other")
    await store.delete("other")
    assert memory.drawer(owner="u1", session="trip").list("pydantic_ai/fork/") == [], "not even its name is left"
    await begun(store, "other")
    await store.fork("trip", new_conversation_id="elsewhere")
    memory.erase(owner="u1", session="elsewhere")
    await store.delete("trip")
    assert memory.drawer(owner="u1").sessions() == ["other"]
    with pytest.raises(recollect.NotFound):
        memory.restore(owner="u1", session="trip")


async def test_a_conversation_in_the_bin_is_begun_anew(store: RecollectConversationStore, memory: recollect.Memory):
    """What another door deleted is not brought back by a new one of the same name, and not lost by it either."""
    await begun(store)
    chat = memory.chat(owner="u1", session="trip")
    for messages in ([asked("anew")], []):
        chat.delete()
        assert await store.load("trip") is None
        await store.save(Conversation(conversation_id="trip", messages=messages))
        assert words_of((await store.load("trip")).messages) == words_of(messages)
    old = (await store.read_record("trip")).branches[0]
    assert words_of([entry.message for entry in await store.read_history(old)]) == ["one", "two", "three", "four"]


async def test_a_branch_is_read_in_one_go(store: RecollectConversationStore, monkeypatch: pytest.MonkeyPatch):
    conversation = await begun(store, "trip", *(asked(f"number {number}") for number in range(100)))
    await store.branch("trip", at=50, expected_revision=conversation.revision)
    (left,) = (await store.read_record("trip")).branches
    read, asked_for = recollect.Chat.message, list[str]()

    def counted(chat: recollect.Chat, id: str) -> Any:
        asked_for.append(id)
        return read(chat, id)

    monkeypatch.setattr(recollect.Chat, "message", counted)
    monkeypatch.delattr(recollect.Memory, "export")
    assert [entry.message for entry in await store.read_history(left)] == conversation.messages
    assert asked_for == [left]


async def test_owners_and_pools_are_apart(memory: recollect.Memory):
    team = memory.create_pool("team", owner="u1")
    memory.grant(team, to="u2", by="u1", access="write")
    await begun(RecollectConversationStore(memory, owner="u1"))
    ours = RecollectConversationStore(memory, owner="u1", pool=team)
    await begun(ours, "shared")
    for store in (RecollectConversationStore(memory, owner="u2"), RecollectConversationStore(memory, owner="u3")):
        assert await store.load("trip") is None
        assert await store.list_conversations() == []
    theirs = RecollectConversationStore(memory, owner="u2", pool=team)
    assert words_of((await theirs.load("shared")).messages) == ["one", "two", "three", "four"]
    entry = (await RecollectConversationStore(memory, owner="u1").load_entries("trip"))[0]
    with pytest.raises(LookupError):
        await RecollectConversationStore(memory, owner="u2").read_entry(str(entry.id))
    with pytest.raises(LookupError):
        await RecollectConversationStore(memory, owner="u2").read_entry(entry.id)
    with pytest.raises(recollect.NotFound):
        await begun(RecollectConversationStore(memory, owner="u3", pool=team), "mine")
    await theirs.delete("shared")  # who is no admin cannot erase
    assert await ours.load("shared") is None
    assert [session.id for session in memory.sessions(owner="u1", pool=team, status="deleted")] == ["shared"]
    await begun(theirs, "shared", asked("anew"))
    assert words_of((await ours.load("shared")).messages) == ["anew"]


def test_an_owner_is_needed(memory: recollect.Memory):
    for make in (RecollectConversationStore, RecollectHistory):
        with pytest.raises(TypeError):
            make(memory)  # type: ignore[call-arg]
        with pytest.raises(InvalidInput):
            make(memory, owner="")


# -- the history


def echo(heard: list[list[ModelMessage]]) -> Callable[..., ModelResponse]:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        return answered("Noted.")

    return answer


async def test_the_model_is_given_our_prompt(store: RecollectConversationStore, memory: recollect.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []
    history = RecollectHistory(memory, owner="u1", budget=600)
    agent = Agent(FunctionModel(echo(heard)), capabilities=[history], system_prompt="Be kind.")
    talk = [say(f"Something long number {number}. " * 10) for number in range(100) for say in (asked, answered)]
    await begun(store, "trip", *talk)
    for question in ("Where does my brother live?", "And since when does my brother live there?"):
        conversation = await store.load("trip")
        await store.save(await agent.run(question, conversation=conversation))
        assert len(heard[-1]) < 20, "what does not fit is left out"
        assert "My brother Tom lives in Porto" in " ".join(words_of(heard[-1])[:-1])
        assert words_of(heard[-1])[-1] == question
    said = [message.text for message in memory.chat(owner="u1", session="trip").messages()]
    assert len(said) == 204, "what is saved is what was said, and nothing of what was remembered"
    assert said[-4::2] == ["Where does my brother live?", "And since when does my brother live there?"]


async def test_the_profile_stands_behind_the_system_prompt():
    with recollect.open("memory://", embedder="off", background=False) as memory:
        memory.remember("Allergic to nuts", owner="u1", kind="constraint")
        heard: list[list[ModelMessage]] = []
        history = RecollectHistory(memory, owner="u1")
        agent = Agent(FunctionModel(echo(heard)), capabilities=[history], system_prompt="Be kind.")
        await agent.run("What shall I cook?", conversation=Conversation(conversation_id="fresh"))
        system, profile, *_ = words_of(heard[0])
        assert system == "Be kind."
        assert profile.startswith("<profile>")
        assert "Allergic to nuts" in profile


async def test_a_new_conversation_remembers_too(store: RecollectConversationStore, memory: recollect.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []
    history = RecollectHistory(memory, owner="u1")
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


async def test_tools_of_a_turn_stay_in_it(store: RecollectConversationStore, memory: recollect.Memory):
    heard: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        called = any(isinstance(part, ToolReturnPart) for part in messages[-1].parts)
        return answered("Sunny.") if called else ModelResponse(parts=[ToolCallPart("weather", {}, f"c{len(heard)}")])

    agent = Agent(FunctionModel(answer), capabilities=[RecollectHistory(memory, owner="u1", budget=400)])

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


async def test_what_is_not_saved_yet_is_told(store: RecollectConversationStore, memory: recollect.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []
    history = RecollectHistory(memory, owner="u1", budget=600)
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
    memory.chat(owner="u1", session=saved.conversation_id).add("user", "By another door.")
    await agent.run("What is the code word?", conversation=saved)
    words = [words for words in words_of(heard[-1])[1:] if "<memory>" not in words]
    assert words == [*said[:-1], "By another door.", said[-1]], "what is saved is told once"


async def test_what_was_removed_of_it_is_known_all_the_same():
    heard: list[list[ModelMessage]] = []
    with recollect.open("memory://", embedder="off", redact_stored=["mail"]) as memory:
        store = RecollectConversationStore(memory, owner="u1")
        agent = Agent(FunctionModel(lambda messages, info: heard.append(messages) or answered("You are bob@example.org.")))
        with_history = Agent(agent.model, capabilities=[RecollectHistory(memory, owner="u1")])
        result = await with_history.run("I am bob@example.org.")
        await store.save(result)
        await with_history.run("Who am I?", conversation=result.conversation)
    assert words_of(heard[-1]) == ["I am [mail removed].", "You are [mail removed].", "Who am I?"]


async def test_no_result_of_a_tool_is_told_without_its_call(store: RecollectConversationStore, memory: recollect.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    heard: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        return ModelResponse(parts=[ToolCallPart("remove", {}, "c1")]) if len(heard) == 1 else answered("Gone.")

    history = RecollectHistory(memory, owner="u1")
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
    assert isinstance(parts[at + 1], ToolReturnPart), "a result stands right behind its call"
    assert [part.content for part in parts if isinstance(part, UserPromptPart)][::2] == ["Remove it.", question]
    assert "Porto" in words_of(heard[-1])[1]
    await agent.run("Thanks!", conversation=result.conversation)
    parts = [part for message in heard[-1] for part in message.parts if isinstance(part, ToolCallPart | ToolReturnPart)]
    assert [part.part_kind for part in parts] == ["tool-call", "tool-return"], "nor if the call alone is saved"


async def test_personal_data_is_sent_to_no_model():
    heard: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(messages)
        called = isinstance(messages[-1].parts[-1], ToolReturnPart)
        return answered("Sent.") if called else ModelResponse(parts=[ToolCallPart("find", {"who": "ann@example.org"})])

    with recollect.open("memory://", embedder="off", redact_sent=["mail"]) as memory:
        store = RecollectConversationStore(memory, owner="u1")
        memory.chat(owner="u1").add("user", "Bob's mail address is bob@example.org.")
        agent = Agent(FunctionModel(answer), capabilities=[RecollectHistory(memory, owner="u1")])

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


async def test_a_question_that_is_saved_already_is_asked_once(memory: recollect.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto since 2019.")
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("user", [Part("text", "Where does"), Part("text", "my brother live?")])
    heard: list[list[ModelMessage]] = []
    agent = Agent(FunctionModel(echo(heard)), capabilities=[RecollectHistory(memory, owner="u1", session="trip")])
    await agent.run(["Where does", "my brother live?"])
    memories, *question = [part.content for message in heard[-1] for part in message.parts]
    assert ("Porto" in memories, question) == (True, [["Where does", "my brother live?"]])
    chat.add("assistant", tool_calls=[ToolCall("c1", "look")])
    chat.add("tool", "in a book", tool_call_id="c1")
    await agent.run(["Where does", "my brother live?"])
    told = [part for message in heard[-1] for part in message.parts]
    assert [part.part_kind for part in told] == ["user-prompt", "tool-call", "tool-return", "user-prompt", "user-prompt"]


def test_without_the_framework_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai.conversation_store", None)
    monkeypatch.delitem(sys.modules, "recollect.adapters.pydantic_ai")
    with pytest.raises(MissingExtra, match=r"recollect\[pydantic-ai\]"):
        __import__("recollect.adapters.pydantic_ai")
