"""The adapter for LlamaIndex. Its distribution has no tests, so the contract is written here: the store tests also run
against LlamaIndex's own stores, as the reference."""

from __future__ import annotations

import asyncio
import base64
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import Chat, ContentPart, Memory, NotFound, ToolCall

framework("llama_index.core")

from llama_index.core.base.llms.types import (  # noqa: E402
    AudioBlock,
    CacheControl,
    CachePoint,
    ChatMessage,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)
from llama_index.core.memory import ChatMemoryBuffer  # noqa: E402
from llama_index.core.memory import Memory as LlamaMemory  # noqa: E402
from llama_index.core.storage.chat_store import SimpleChatStore  # noqa: E402
from llama_index.core.storage.chat_store.base import BaseChatStore  # noqa: E402
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus  # noqa: E402
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore  # noqa: E402
from sqlalchemy.ext.asyncio import create_async_engine  # noqa: E402

from keepsaid.adapters.llama_index import (  # noqa: E402
    KeepsaidAsyncChatStore,
    KeepsaidChatStore,
    KeepsaidMemoryBlock,
)

ACTIVE, ARCHIVED = MessageStatus.ACTIVE, MessageStatus.ARCHIVED
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
FUNCTION = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Lisbon"}'}}

EVERY_KIND = [
    ChatMessage("Hello"),
    ChatMessage(""),
    ChatMessage("Be brief.", role="system"),
    ChatMessage("Be brief.", role="developer"),
    ChatMessage("Hello", role="chatbot"),
    ChatMessage("Hello", role="model", additional_kwargs={"name": "bob"}),
    ChatMessage(role="assistant"),
    ChatMessage("Hello", additional_kwargs={"source": "web", "deep": {"a": [1, None]}, "adapters": 3}),
    ChatMessage("21 °C", role="tool", additional_kwargs={"tool_call_id": "c1", "name": "weather", "extra": True}),
    ChatMessage("21 °C", role="function", additional_kwargs={"name": "weather"}),
    ChatMessage(blocks=[TextBlock(text="Look:"), TextBlock(text="here")]),
    ChatMessage(blocks=[TextBlock(text="Look:"), ImageBlock(url="https://example.org/cat.png", detail="low")]),
    ChatMessage(blocks=[ImageBlock(image=PNG), AudioBlock(audio=b"RIFF....WAVE", format="wav")]),
    ChatMessage(blocks=[VideoBlock(url="https://example.org/film.mp4", fps=2), VideoBlock(video=b"\x00\x01\x02")]),
    ChatMessage(
        blocks=[DocumentBlock(data=b"%PDF-1.4 hello", title="guide.pdf"), DocumentBlock(url="https://example.org/a")]
    ),
    ChatMessage(blocks=[TextBlock(text="x"), CachePoint(cache_control=CacheControl(type="ephemeral"))]),
    ChatMessage(blocks=[CitableBlock(title="T", source="S", content=[TextBlock(text="q")])]),
    ChatMessage(
        role="assistant",
        blocks=[
            CitationBlock(cited_content=TextBlock(text="q"), source="S", title="T", additional_location_info={"page": 1})
        ],
    ),
    ChatMessage(
        role="assistant",
        blocks=[
            ThinkingBlock(content="Hm.", num_tokens=2, additional_information={"signature": "s"}),
            TextBlock(text="I will look."),
            ToolCallBlock(tool_call_id="c1", tool_name="weather", tool_kwargs={"city": "Lisbon"}),
        ],
    ),
    ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_name="weather", tool_kwargs={}), TextBlock(text="so")]),
    ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="weather", tool_kwargs="{bad")]),
    ChatMessage("", role="assistant", additional_kwargs={"tool_calls": [FUNCTION], "stop": "tool"}),
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with keepsaid.open("memory://", embedder="off", background=False) as opened:
        yield opened


@pytest.fixture(params=["ours", "theirs"])
def store(request: pytest.FixtureRequest, memory: Memory) -> BaseChatStore:
    return KeepsaidChatStore(memory, owner="u1") if request.param == "ours" else SimpleChatStore()


@pytest.fixture
def sql_store() -> Iterator[SQLAlchemyChatStore]:
    """LlamaIndex's own. It closes nothing, so that is done here."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    yield SQLAlchemyChatStore("messages", async_engine=engine)
    asyncio.run(engine.dispose())


@pytest.fixture(params=["ours", "theirs"])
def async_store(request: pytest.FixtureRequest, memory: Memory, sql_store: SQLAlchemyChatStore) -> AsyncDBChatStore:
    return KeepsaidAsyncChatStore(memory, owner="u1") if request.param == "ours" else sql_store


def talk(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(text, role="assistant" if number % 2 else "user") for number, text in enumerate(texts)]


def words(messages: list[ChatMessage] | None) -> list[str | None]:
    return [message.content for message in messages or []]


# -- what is asked of a chat store


def test_get_messages_returns_messages_of_key(store: BaseChatStore) -> None:
    assert store.get_messages("trip") == []
    store.add_message("trip", ChatMessage("Hi"))
    store.add_message("trip", ChatMessage("Hello", role="assistant"))
    store.add_message("work", ChatMessage("Hm"))
    assert store.get_messages("trip") == talk("Hi", "Hello")
    assert sorted(store.get_keys()) == ["trip", "work"]


def test_set_messages_replaces_existing_messages(store: BaseChatStore) -> None:
    for texts in (["a", "b"], ["a", "b", "c"], ["a", "x"], ["a"], ["z"], [], ["a", "b"]):
        store.set_messages("trip", talk(*texts))
        assert store.get_messages("trip") == talk(*texts)
    assert store.get_keys() == ["trip"]


def test_delete_messages_returns_deleted_messages(store: BaseChatStore) -> None:
    store.set_messages("trip", talk("a", "b"))
    assert store.delete_messages("trip") == talk("a", "b")
    assert store.get_messages("trip") == []
    assert store.get_keys() == []
    assert store.delete_messages("trip") is None


def test_delete_message_deletes_by_index(store: BaseChatStore) -> None:
    store.set_messages("trip", talk("a", "b", "c", "d"))
    assert store.delete_message("trip", 1) == talk("a", "b")[1]
    assert store.delete_message("trip", -1) == ChatMessage("d", role="assistant")
    assert store.delete_message("trip", 2) is None
    assert store.delete_message("nowhere", 0) is None
    assert words(store.get_messages("trip")) == ["a", "c"]


def test_delete_last_message_returns_deleted_message(store: BaseChatStore) -> None:
    store.set_messages("trip", talk("a", "b"))
    assert store.delete_last_message("trip") == ChatMessage("b", role="assistant")
    assert store.delete_last_message("nowhere") is None
    assert store.get_messages("trip") == talk("a")


def test_async_methods_set_add_and_delete_messages(store: BaseChatStore) -> None:
    async def main() -> None:
        await store.aset_messages("trip", talk("a", "b", "c"))
        await store.async_add_message("trip", ChatMessage("d"))
        assert words(await store.aget_messages("trip")) == ["a", "b", "c", "d"]
        await store.adelete_message("trip", 0)
        await store.adelete_last_message("trip")
        assert await store.aget_keys() == ["trip"]
        assert words(await store.adelete_messages("trip")) == ["b", "c"]

    asyncio.run(main())


def test_chat_memory_buffer_works_with_store(store: BaseChatStore) -> None:
    buffer = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="trip", token_limit=40)
    for number in range(10):
        buffer.put(ChatMessage(f"question {number} " + "word " * 5))
        buffer.put(ChatMessage(f"answer {number} " + "word " * 5, role="assistant"))
    assert len(buffer.get_all()) == 20
    assert words(buffer.get())[-1] == words(store.get_messages("trip"))[-1]
    assert len(buffer.get()) < 6
    buffer.set(talk("a", "b"))
    assert words(buffer.get()) == ["a", "b"]
    buffer.reset()
    assert buffer.get_all() == []


# -- what is asked of a store for Memory


def test_async_store_counts_and_pages_messages(async_store: AsyncDBChatStore) -> None:
    async def main() -> None:
        assert await async_store.get_messages("trip") == []
        assert await async_store.count_messages("trip") == 0
        await async_store.add_messages("trip", talk("a", "b", "c", "d"))
        await async_store.add_message("trip", ChatMessage("e"))
        assert await async_store.count_messages("trip") == 5
        assert words(await async_store.get_messages("trip", limit=2)) == ["a", "b"]
        assert words(await async_store.get_messages("trip", limit=2, offset=1)) == ["b", "c"]
        assert await async_store.get_messages("trip", limit=0) == []
        assert await async_store.get_keys() == ["trip"]

    asyncio.run(main())


def test_archive_oldest_messages_archives_in_order(async_store: AsyncDBChatStore) -> None:
    async def main() -> None:
        await async_store.add_messages("trip", talk("a", "b", "c", "d"))
        assert words(await async_store.archive_oldest_messages("trip", 2)) == ["a", "b"]
        assert words(await async_store.archive_oldest_messages("trip", 1)) == ["c"]
        await async_store.add_message("trip", ChatMessage("e"))
        await async_store.add_message("trip", ChatMessage("f"), status=ARCHIVED)
        assert words(await async_store.get_messages("trip")) == ["d", "e"]
        assert words(await async_store.get_messages("trip", status=ARCHIVED)) == ["a", "b", "c", "f"]
        assert words(await async_store.get_messages("trip", status=None)) == ["a", "b", "c", "d", "e", "f"]
        assert await async_store.count_messages("trip", status=ARCHIVED) == 4
        assert words(await async_store.archive_oldest_messages("trip", 9)) == ["d", "e"]
        assert await async_store.archive_oldest_messages("trip", 1) == []
        assert await async_store.archive_oldest_messages("nowhere", 1) == []

    asyncio.run(main())


def test_set_messages_replaces_archived_messages_too(async_store: AsyncDBChatStore) -> None:
    async def main() -> None:
        await async_store.add_messages("trip", talk("a", "b", "c"))
        await async_store.archive_oldest_messages("trip", 2)
        await async_store.set_messages("trip", talk("a", "b", "x"))
        assert words(await async_store.get_messages("trip", status=None)) == ["a", "b", "x"]
        assert words(await async_store.get_messages("trip")) == ["a", "b", "x"]
        await async_store.set_messages("trip", talk("a", "y"), status=ARCHIVED)
        assert words(await async_store.get_messages("trip", status=ARCHIVED)) == ["a", "y"]
        assert await async_store.get_messages("trip") == []

    asyncio.run(main())


def test_delete_selects_messages_by_age_and_status(async_store: AsyncDBChatStore) -> None:
    async def main() -> None:
        await async_store.add_messages("trip", talk("a", "b", "c", "d", "e", "f"))
        await async_store.archive_oldest_messages("trip", 2)
        assert words(await async_store.delete_oldest_messages("trip", 2)) == ["c", "d"]
        assert words(await async_store.get_messages("trip", status=None)) == ["a", "b", "e", "f"]
        await async_store.delete_messages("trip", status=ARCHIVED)
        assert words(await async_store.get_messages("trip", status=None)) == ["e", "f"]
        await async_store.delete_messages("trip", status=ACTIVE)
        assert await async_store.get_messages("trip", status=None) == []
        await async_store.add_message("trip", ChatMessage("g"))
        await async_store.delete_messages("trip")
        assert await async_store.get_keys() == []
        assert await async_store.delete_oldest_messages("trip", 1) == []

    asyncio.run(main())


def test_memory_archives_messages_over_token_limit(async_store: AsyncDBChatStore) -> None:
    chat_memory = LlamaMemory(sql_store=async_store, session_id="trip", token_limit=120, token_flush_size=20)
    for number in range(10):
        chat_memory.put_messages(talk(f"question {number} " + "word " * 5, f"answer {number} " + "word " * 5))
    active, archived = chat_memory.get_all(status=ACTIVE), chat_memory.get_all(status=ARCHIVED)
    assert archived
    assert active[0].role == "user"
    assert words(archived + active) == words(chat_memory.get_all())
    assert len(chat_memory.get_all()) == 20
    chat_memory.set(talk("a", "b"))
    assert words(chat_memory.get()) == ["a", "b"]
    chat_memory.reset()
    assert chat_memory.get_all() == []


def test_memory_from_defaults_stores_chat_history(async_store: AsyncDBChatStore) -> None:
    history = talk("I am Ana.", "Hello Ana.")
    chat_memory = LlamaMemory.from_defaults(session_id="trip", chat_history=history, chat_store=async_store)
    assert chat_memory.get() == history


# -- messages


@pytest.mark.parametrize("message", EVERY_KIND, ids=lambda message: f"{message.role.value}-{message.content!s:.30}")
def test_chat_store_round_trips_every_message_kind(memory: Memory, message: ChatMessage) -> None:
    store = KeepsaidChatStore(memory, owner="u1")
    store.add_message("trip", message)
    assert store.get_messages("trip") == [message]


def test_chat_store_round_trips_messages_through_file(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db", embedder="off") as memory:
        KeepsaidChatStore(memory, owner="u1").set_messages("trip", EVERY_KIND)
    with keepsaid.open(tmp_path / "chat.db", embedder="off") as memory:
        assert KeepsaidChatStore(memory, owner="u1").get_messages("trip") == EVERY_KIND


def test_message_with_missing_image_file_is_still_read(memory: Memory, tmp_path: Path) -> None:
    picture = tmp_path / "cat.png"
    picture.write_bytes(PNG)
    store = KeepsaidChatStore(memory, owner="u1")
    message = ChatMessage(blocks=[TextBlock(text="Look:"), ImageBlock(path=picture), ToolCallBlock(tool_name="f")])
    store.set_messages("trip", [message])
    assert store.get_messages("trip") == [message]
    picture.unlink()
    (left,) = store.get_messages("trip")
    assert left.content == "Look:"
    assert any(isinstance(block, ImageBlock) and str(block.url) == picture.as_uri() for block in left.blocks)


def test_chat_message_subclass_is_read_as_chat_message(memory: Memory) -> None:
    class Scored(ChatMessage):
        score: int = 0

    store = KeepsaidChatStore(memory, owner="u1")
    store.add_message("trip", Scored("Hi", role="chatbot", score=3, additional_kwargs={"source": "web"}))
    assert store.get_messages("trip") == [ChatMessage("Hi", role="chatbot", additional_kwargs={"source": "web"})]


def test_chat_store_reads_messages_written_by_chat(memory: Memory) -> None:
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("user", "Hi", name="ana", metadata={"source": "web"})
    chat.add(
        "user",
        [ContentPart("text", "Look"), ContentPart("image", uri="https://example.org/cat.png", media_type="image/png")],
    )
    chat.add(
        "assistant",
        [ContentPart("reasoning", data={"summary": "x"}), ContentPart("refusal", "No."), ContentPart("odd", data={"a": 1})],
    )
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", "{bad")])
    chat.add("tool", "1", tool_call_id="c1", name="f")
    hello, look, refusal, calls, result = KeepsaidChatStore(memory, owner="u1").get_messages("trip")
    assert hello == ChatMessage("Hi", additional_kwargs={"source": "web", "name": "ana"})
    picture = ImageBlock(url="https://example.org/cat.png", image_mimetype="image/png")
    assert look.blocks == [TextBlock(text="Look"), picture]
    assert refusal.content == "No."
    assert calls.blocks == [
        ToolCallBlock(tool_call_id="c1", tool_name="f", tool_kwargs={"a": 1}),
        ToolCallBlock(tool_call_id="c2", tool_name="g", tool_kwargs="{bad"),
    ]
    assert result == ChatMessage("1", role="tool", additional_kwargs={"tool_call_id": "c1", "name": "f"})


def test_chat_reads_messages_written_by_chat_store(memory: Memory) -> None:
    store = KeepsaidChatStore(memory, owner="u1")
    store.set_messages("trip", [
        ChatMessage(blocks=[TextBlock(text="Look"), ImageBlock(image=PNG)], additional_kwargs={"source": "web"}),
        ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="f", tool_kwargs={"a": 1})]),
        ChatMessage("", role="assistant", additional_kwargs={"tool_calls": [FUNCTION]}),
        ChatMessage("1", role="tool", additional_kwargs={"tool_call_id": "c1", "name": "f"}),
    ])  # fmt: skip
    look, call, older, result = memory.chat(owner="u1", session="trip").messages()
    assert (look.text, look.metadata, look.parts[1].media_type) == ("Look", {"source": "web"}, "image/png")
    assert look.parts[1].uri == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    assert call.tool_calls == (ToolCall("c1", "f", '{"a": 1}'),)
    assert older.tool_calls == (ToolCall("c1", "weather", '{"city": "Lisbon"}'),)
    assert (result.tool_call_id, result.name) == ("c1", "f")


@pytest.mark.parametrize("kept", [7, {"blocks": 3}, {"role": "nobody"}, {"blocks": [{"block_type": "text"}]}])
def test_chat_store_ignores_malformed_adapter_metadata(memory: Memory, kept: Any) -> None:
    chat = memory.chat(owner="u1", session="trip", create=True)
    chat.add("user", "Hi", metadata={"adapters": {"llama_index": kept}})
    chat.add("user", [ContentPart("text", "Hi"), ContentPart("odd", data={"llama_index": {"block_type": "no such"}})])
    assert words(KeepsaidChatStore(memory, owner="u1").get_messages("trip")) == ["Hi", "Hi"]


# -- what is ours alone


def test_delete_erases_messages_but_set_keeps_old_branch(memory: Memory) -> None:
    store = KeepsaidChatStore(memory, owner="u1")
    store.set_messages("trip", talk("My PIN is 4711.", "Noted."))
    chat = memory.chat(owner="u1", session="trip")
    first = chat.messages()[0]
    store.set_messages("trip", talk("Hello", "Hi"))
    assert chat.message(first.id).text == "My PIN is 4711."
    store.delete_message("trip", 0)
    assert memory.search("hello", owner="u1") == []
    store.delete_messages("trip")
    assert memory.search("PIN", owner="u1") == []
    with pytest.raises(NotFound):
        memory.chat(owner="u1", session="trip")


def weather() -> list[ChatMessage]:
    """A turn with a tool."""
    call = ToolCallBlock(tool_call_id="c1", tool_name="weather", tool_kwargs={"city": "Lisbon"})
    answer = {"tool_call_id": "c1", "name": "weather"}
    return [
        ChatMessage("Weather?"),
        ChatMessage(role="assistant", blocks=[call]),
        ChatMessage("21 °C", role="tool", additional_kwargs=answer),
        ChatMessage("Warm.", role="assistant"),
    ]


@pytest.mark.parametrize("erased", [1, 2], ids=["call", "result"])
def test_stores_omit_unpaired_calls_and_results(memory: Memory, erased: int) -> None:
    store, async_store = KeepsaidChatStore(memory, owner="u1"), KeepsaidAsyncChatStore(memory, owner="u1")
    store.set_messages("trip", weather())
    chat = memory.chat(owner="u1", session="trip")
    chat.erase(chat.messages()[erased].id)
    assert words(store.get_messages("trip")) == ["Weather?", "Warm."]
    assert words(LlamaMemory.from_defaults(session_id="trip", chat_store=async_store).get()) == ["Weather?", "Warm."]
    assert words(ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="trip").get()) == ["Weather?", "Warm."]
    assert asyncio.run(async_store.count_messages("trip")) == 2
    assert words(asyncio.run(async_store.archive_oldest_messages("trip", 1))) == ["Weather?"]
    assert words(asyncio.run(async_store.get_messages("trip"))) == ["Warm."]
    # Setting what was read, and more, is no other course; and what is deleted is deleted with what was not told.
    store.set_messages("trip", [*store.get_messages("trip"), ChatMessage("And now?")])
    assert len(chat.messages()) == 4
    asyncio.run(async_store.delete_messages("trip", ACTIVE))
    assert chat.messages() == []


def test_bulk_delete_does_not_reread_conversation_per_message(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    store = KeepsaidAsyncChatStore(memory, owner="u1")
    asyncio.run(store.add_messages("trip", talk(*map(str, range(60)))))
    reads: list[int] = []
    messages = Chat.messages
    monkeypatch.setattr(Chat, "messages", lambda chat, **how: reads.append(1) or messages(chat, **how))
    assert words(asyncio.run(store.delete_oldest_messages("trip", 20))) == [str(number) for number in range(20)]
    asyncio.run(store.archive_oldest_messages("trip", 20))
    asyncio.run(store.delete_messages("trip", ARCHIVED))
    assert len(reads) < 6
    assert words(asyncio.run(store.get_messages("trip", status=None))) == [str(number) for number in range(40, 60)]


def test_delete_without_permission_raises_not_found(memory: Memory) -> None:
    team = memory.create_pool("team", owner="u1")
    KeepsaidChatStore(memory, owner="u1", pool=team).set_messages("trip", talk("a", "b"))
    memory.grant(team, to="u2", by="u1", access="read")
    with pytest.raises(NotFound):
        KeepsaidChatStore(memory, owner="u2", pool=team).delete_message("trip", 0)
    theirs = KeepsaidAsyncChatStore(memory, owner="u2", pool=team)
    with pytest.raises(NotFound):
        asyncio.run(theirs.delete_oldest_messages("trip", 1))
    assert words(asyncio.run(theirs.get_messages("trip"))) == ["a", "b"]


def test_set_messages_with_known_prefix_adds_only_new_messages(memory: Memory) -> None:
    store = KeepsaidChatStore(memory, owner="u1")
    store.set_messages("trip", EVERY_KIND)
    before = memory.chat(owner="u1", session="trip").messages()
    store.set_messages("trip", [*EVERY_KIND, ChatMessage("new")])
    after = memory.chat(owner="u1", session="trip").messages()
    assert after[:-1] == before
    assert after[-1].text == "new"


def test_archived_messages_stay_visible_to_chat(memory: Memory) -> None:
    store = KeepsaidAsyncChatStore(memory, owner="u1")
    asyncio.run(store.add_messages("trip", talk("a", "b", "c")))
    asyncio.run(store.archive_oldest_messages("trip", 2))
    assert len(memory.chat(owner="u1", session="trip").messages()) == 3
    memory.erase(owner="u1", session="trip")
    asyncio.run(store.add_messages("trip", talk("d")))
    assert words(asyncio.run(store.get_messages("trip"))) == ["d"]


def test_messages_are_separate_per_owner_and_pool(memory: Memory) -> None:
    team = memory.create_pool("team", owner="u1")
    KeepsaidChatStore(memory, owner="u1").add_message("trip", ChatMessage("mine"))
    KeepsaidChatStore(memory, owner="u1", pool=team).add_message("trip", ChatMessage("ours"))
    memory.grant(team, to="u2", by="u1")
    assert KeepsaidChatStore(memory, owner="u2").get_messages("trip") == []
    assert words(KeepsaidChatStore(memory, owner="u2", pool=team).get_messages("trip")) == ["ours"]
    assert words(KeepsaidChatStore(memory, owner="u1").get_messages("trip")) == ["mine"]
    for adapter in (KeepsaidChatStore, KeepsaidAsyncChatStore, KeepsaidMemoryBlock):
        with pytest.raises(TypeError, match="owner"):
            adapter(memory)  # type: ignore[call-arg]


def test_concurrent_writers_lose_no_messages(tmp_path: Path) -> None:
    with (
        keepsaid.open(tmp_path / "chat.db", embedder="off") as one,
        keepsaid.open(tmp_path / "chat.db", embedder="off") as two,
    ):
        stores = [KeepsaidAsyncChatStore(memory, owner="u1") for memory in (one, two)]

        def write(number: int) -> list[str | None]:
            store = stores[number % 2]
            asyncio.run(store.add_messages("trip", talk(f"question {number}", f"answer {number}")))
            return words(asyncio.run(store.archive_oldest_messages("trip", 1)))

        with ThreadPoolExecutor(8) as threads:
            archived = [text for texts in threads.map(write, range(40)) for text in texts]
        everything = words(asyncio.run(stores[0].get_messages("trip", status=None)))
        assert len(everything) == len(set(everything)) == 80
        assert sorted(map(str, archived)) == sorted(map(str, everything[:40]))
        assert words(asyncio.run(stores[1].get_messages("trip", status=ARCHIVED))) == everything[:40]


def test_concurrent_deletes_remove_different_messages(memory: Memory) -> None:
    store = KeepsaidChatStore(memory, owner="u1")
    store.set_messages("trip", talk(*map(str, range(20))))
    with ThreadPoolExecutor(8) as threads:
        gone = list(threads.map(lambda _: store.delete_last_message("trip"), range(24)))
    assert sorted(int(str(one.content)) for one in gone if one is not None) == list(range(20))
    assert store.get_messages("trip") == []


def test_delete_last_message_retries_after_concurrent_delete(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    store = KeepsaidChatStore(memory, owner="u1")
    store.set_messages("trip", talk("a", "b", "c"))
    erase = Chat.erase

    def after_somebody_else(chat: Chat, message: str | None = None) -> Any:
        monkeypatch.setattr(Chat, "erase", erase)
        erase(chat, message)
        return erase(chat, message)

    monkeypatch.setattr(Chat, "erase", after_somebody_else)
    assert words([store.delete_last_message("trip") or ChatMessage("nothing")]) == ["b"]
    assert words(store.get_messages("trip")) == ["a"]


def test_chat_store_serializes_class_name_and_owner(memory: Memory) -> None:
    buffer = ChatMemoryBuffer.from_defaults(chat_store=KeepsaidChatStore(memory, owner="u1"), chat_store_key="trip")
    described = buffer.to_dict()["chat_store"]
    assert (described["class_name"], described["owner"]) == ("KeepsaidChatStore", "u1")


# -- the memory block


def test_memory_block_recalls_messages_of_other_sessions(memory: Memory) -> None:
    memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon in May.")
    memory.chat(owner="u2").add("user", "My sister lives in Oslo.")
    store, block = KeepsaidAsyncChatStore(memory, owner="u1"), KeepsaidMemoryBlock(memory, owner="u1")
    chat_memory = LlamaMemory.from_defaults(session_id="trip", chat_store=store, memory_blocks=[block])
    chat_memory.put(ChatMessage("Where does my sister live?"))
    system, question = chat_memory.get()
    assert (system.role, question.content) == ("system", "Where does my sister live?")
    assert "My sister moved to Lisbon in May." in str(system.content)
    assert "Where does my sister live?" not in str(system.content)
    assert "Oslo" not in str(system.content)
    assert "Lisbon" in str(chat_memory.get(input="And my sister?")[0].content)


def test_memory_block_recalls_archived_messages(memory: Memory) -> None:
    store, block = KeepsaidAsyncChatStore(memory, owner="u1"), KeepsaidMemoryBlock(memory, owner="u1")
    chat_memory = LlamaMemory(
        sql_store=store, memory_blocks=[block], session_id="trip", token_limit=200, token_flush_size=50,
        chat_history_token_ratio=0.4,
    )  # fmt: skip
    chat_memory.put_messages(talk("My sister moved to Lisbon in May.", "Noted."))
    for number in range(8):
        chat_memory.put_messages(talk(f"question {number} " + "word " * 9, f"answer {number} " + "word " * 9))
    assert "Lisbon" not in str(chat_memory.get_all(status=ACTIVE))
    chat_memory.put(ChatMessage("Where does my sister live?"))
    assert "My sister moved to Lisbon in May." in str(chat_memory.get()[0].content)
    assert len(memory.chat(owner="u1", session="trip").messages()) == 19


@pytest.mark.parametrize("archived", [False, True], ids=["elsewhere", "archived"])
def test_active_messages_do_not_crowd_out_memory_block(memory: Memory, archived: bool) -> None:
    store = KeepsaidAsyncChatStore(memory, owner="u1")
    session = "trip" if archived else "family"
    asyncio.run(store.add_message(session, ChatMessage("My sister lives in Lisbon."), ARCHIVED if archived else ACTIVE))
    crowd = [f"Number {number}: my sister lives where my sister does live, said my sister." for number in range(60)]
    asyncio.run(store.add_messages("trip", list(map(ChatMessage, crowd))))
    block = KeepsaidMemoryBlock(memory, owner="u1")
    chat_memory = LlamaMemory.from_defaults(session_id="trip", chat_store=store, memory_blocks=[block])
    system, *told = chat_memory.get(input="Where does my sister live?")
    assert "My sister lives in Lisbon." in str(system.content)
    assert len(told) == 60


@pytest.mark.parametrize("question", ["Set role:admin for my account please", "the log line says before:midnight", "-admin"])
def test_memory_block_ignores_search_operators_in_question(memory: Memory, question: str) -> None:
    memory.chat(owner="u1").add("user", "My role is admin; the log line says so at midnight.")
    assert "My role is admin" in asyncio.run(KeepsaidMemoryBlock(memory, owner="u1").aget([ChatMessage(question)]))


@pytest.mark.parametrize("where", ["redact_sent", "redact_stored"])
def test_memory_block_does_not_repeat_redacted_question(where: str) -> None:
    """With redaction, the question does not appear both with and without personal data."""
    removed: Any = {where: ["mail"]}
    with keepsaid.open("memory://", embedder="off", background=False, **removed) as memory:
        memory.chat(owner="u1").add("user", "My sister is called Ana.")
        store, block = KeepsaidAsyncChatStore(memory, owner="u1"), KeepsaidMemoryBlock(memory, owner="u1")
        chat_memory = LlamaMemory.from_defaults(session_id="trip", chat_store=store, memory_blocks=[block])
        chat_memory.put(ChatMessage("Is bob@example.org my sister?"))
        system, question = chat_memory.get()
        assert "called Ana" in str(system.content)
        assert "my sister?" not in str(system.content)
        assert ("bob@" in str(question.content)) == (where == "redact_sent")


def test_memory_block_stores_messages_archived_by_other_store(memory: Memory, sql_store: SQLAlchemyChatStore) -> None:
    block = KeepsaidMemoryBlock(memory, owner="u1", session="kept", priority=1)
    chat_memory = LlamaMemory(
        sql_store=sql_store, memory_blocks=[block], session_id="t", token_limit=100, token_flush_size=20
    )  # fmt: skip
    for number in range(10):
        chat_memory.put_messages(talk(f"question {number} " + "word " * 5, f"answer {number} " + "word " * 5))
    kept = memory.chat(owner="u1", session="kept").messages()
    assert [message.text for message in kept] == words(chat_memory.get_all(status=ARCHIVED))
    assert all(not message.metadata for message in kept)


def test_memory_block_respects_max_tokens_and_may_be_empty(memory: Memory) -> None:
    for number in range(20):
        memory.chat(owner="u1").add("user", f"Tea number {number} is good.")
    question = [ChatMessage("Which tea is good?")]
    small = KeepsaidMemoryBlock(memory, owner="u1", max_tokens=60)
    text = asyncio.run(small.aget(question))
    assert 0 < text.count("Tea number") < 3
    assert asyncio.run(small.aget([ChatMessage("Xylophone")])) == ""
    assert asyncio.run(small.aget([ChatMessage(" \n")])) == ""
    assert asyncio.run(small.aget([ChatMessage("Hm", role="assistant")])) == ""
    assert asyncio.run(small.aget()) == ""
    assert asyncio.run(KeepsaidMemoryBlock(memory, owner="u2").aget(question)) == ""


def test_import_without_llama_index_names_the_extra() -> None:
    hidden = "import sys; sys.modules['llama_index.core.llms'] = None; import keepsaid.adapters.llama_index"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, timeout=60)
    assert "pip install 'keepsaid[llama-index]'" in done.stderr
