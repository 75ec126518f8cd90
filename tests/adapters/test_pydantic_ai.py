"""The door for Pydantic AI: what its own in-memory store does, ours does, too, and the session is one for every door."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import recollect
from recollect import Part, ToolCall
from recollect.errors import InvalidInput, MissingExtra, StoreFull

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
    with recollect.open(url, embedder="off") as memory:
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


async def test_a_save_that_failed_can_be_tried_again(
    store: RecollectConversationStore, memory: recollect.Memory, monkeypatch: pytest.MonkeyPatch
):
    conversation = await begun(store)
    conversation.messages.append(asked("five"))

    def full(*args: Any, **kwargs: Any) -> None:
        raise StoreFull("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(recollect.Chat, "add_many", full)
        with pytest.raises(StoreFull):
            await store.save(conversation)
    assert words_of((await store.load("trip")).messages) == ["one", "two", "three", "four"]
    await store.save(conversation)
    assert words_of((await store.load("trip")).messages)[-1] == "five"


def test_many_who_save_at_once_lose_nothing(memory: recollect.Memory):
    """Each with a store of its own, as in several processes: who has a conflict loads again."""
    asyncio.run(begun(RecollectConversationStore(memory, owner="u1")))

    async def say(number: int) -> None:
        store = RecollectConversationStore(memory, owner="u1")
        while True:
            conversation = await store.load("trip")
            assert conversation is not None
            conversation.messages.append(asked(f"number {number}"))
            try:
                await store.save(conversation)
            except ConversationConflict:
                continue
            return

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: asyncio.run(say(number)), range(18)))
    loaded = asyncio.run(RecollectConversationStore(memory, owner="u1").load("trip"))
    said = words_of(loaded.messages)
    assert said[:4] == ["one", "two", "three", "four"]
    assert sorted(said[4:]) == sorted(f"number {number}" for number in range(18))


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


def test_without_the_framework_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai.conversation_store", None)
    monkeypatch.delitem(sys.modules, "recollect.adapters.pydantic_ai")
    with pytest.raises(MissingExtra, match=r"recollect\[pydantic-ai\]"):
        __import__("recollect.adapters.pydantic_ai")
