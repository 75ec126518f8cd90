"""The adapter for Strands Agents. The framework's own tests also run against it: see tests/compat/strands.py."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import ContentPart, ToolCall
from keepsaid.errors import InvalidInput, MissingExtra

framework("strands")

from strands import Agent, tool  # noqa: E402  # may be missing
from strands.memory import MemoryManager  # noqa: E402
from strands.models import Model  # noqa: E402
from strands.session.repository_session_manager import RepositorySessionManager  # noqa: E402
from strands.types.exceptions import SessionException  # noqa: E402
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType  # noqa: E402

from keepsaid.adapters.strands import (  # noqa: E402
    KeepsaidMemoryStore,
    KeepsaidSessionManager,
    KeepsaidSessionRepository,
)


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off", background=False) as memory:
        yield memory


@pytest.fixture
def repository(memory: keepsaid.Memory) -> KeepsaidSessionRepository:
    repository = KeepsaidSessionRepository(memory, owner="u1")
    repository.create_session(Session("s1", SessionType.AGENT))
    repository.create_agent("s1", SessionAgent("default", {"mood": "good"}, {}))
    return repository


def build_message(text: str, role: Any = "user", **more: Any) -> Any:
    return {"role": role, "content": [{"text": text}], **more}


def add(repository: KeepsaidSessionRepository, message: Any, number: int, agent: str = "default") -> SessionMessage:
    made = SessionMessage.from_message(message, number)
    repository.create_message("s1", agent, made)
    return made


def texts(repository: KeepsaidSessionRepository, agent: str = "default") -> list[str]:
    listed = [message.to_message() for message in repository.list_messages("s1", agent)]
    return [block["text"] for message in listed for block in message["content"]]


def drop_tracking_ids(messages: Any) -> list[Any]:
    """Without the ids that Strands gives to messages."""
    return [{name: value for name, value in message.items() if name != "tracking_id"} for message in messages]


# -- sessions and agents


def test_create_session_rejects_duplicates_per_owner(memory: keepsaid.Memory, repository: KeepsaidSessionRepository) -> None:
    made = Session("s2", SessionType.AGENT)
    assert repository.create_session(made) == made
    assert repository.read_session("s2") == made
    assert repository.read_session("s3") is None
    with pytest.raises(SessionException, match="exists"):
        repository.create_session(made)
    assert KeepsaidSessionRepository(memory, owner="u2").read_session("s2") is None


def test_concurrent_create_session_succeeds_once(memory: keepsaid.Memory) -> None:
    def create(_: int) -> bool:
        try:
            KeepsaidSessionRepository(memory, owner="u1").create_session(Session("s1", SessionType.AGENT))
        except SessionException:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(create, range(8))) == 1


def test_delete_session_erases_agents_and_messages(memory: keepsaid.Memory, repository: Any) -> None:
    repository.create_agent("s1", SessionAgent("planner", {}, {}))
    add(repository, build_message("Hello"), 0)
    add(repository, build_message("Plan!"), 0, "planner")
    repository.delete_session("s1")
    with pytest.raises(SessionException):
        repository.delete_session("s1")
    assert repository.read_agent("s1", "planner") is None
    assert len(memory.sessions(owner="u1")) == 0
    assert memory.search("plan", owner="u1") == []


def test_erasing_session_through_memory_erases_agents(memory: keepsaid.Memory, repository: Any) -> None:
    """Erased through the memory API, not through the repository."""
    repository.create_agent("s1", SessionAgent("planner", {"plan": "secret"}, {}))
    add(repository, build_message("the planner's secret"), 0, "planner")
    memory.erase(owner="u1", session="s1")
    assert memory.search("secret", owner="u1") == []
    assert len(memory.sessions(owner="u1")) == 0
    repository.create_session(Session("s1", SessionType.AGENT))
    assert repository.read_agent("s1", "planner") is None
    repository.create_agent("s1", SessionAgent("planner", {}, {}))
    assert repository.list_messages("s1", "planner") == []


def test_update_agent_does_not_restore_erased_state(memory: keepsaid.Memory, repository: Any, monkeypatch: Any) -> None:
    read = repository.read_agent

    def read_and_erased(*which: Any) -> Any:
        found = read(*which)
        memory.erase(owner="u1", session="s1")
        return found

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(repository, "read_agent", read_and_erased)
        with pytest.raises(SessionException):
            repository.update_agent("s1", SessionAgent("default", {"mood": "secret"}, {}))
    assert memory.blobs(owner="u1").sessions() == []


def test_agents_are_created_read_and_updated(repository: KeepsaidSessionRepository) -> None:
    agent = repository.read_agent("s1", "default")
    assert agent is not None
    assert agent.state == {"mood": "good"}
    changed = SessionAgent("default", {"blob": b"\x00\xff"}, {"removed": 1}, created_at="2020-01-01T00:00:00+00:00")
    repository.update_agent("s1", changed)
    again = repository.read_agent("s1", "default")
    assert again == changed
    assert again.created_at == agent.created_at
    assert repository.read_agent("s1", "nobody") is None
    assert repository.read_agent("s9", "default") is None
    with pytest.raises(SessionException):
        repository.create_agent("s1", changed)
    with pytest.raises(SessionException):
        repository.create_agent("s9", changed)
    with pytest.raises(SessionException):
        repository.update_agent("s1", SessionAgent("nobody", {}, {}))


def test_session_and_agent_ids_allow_slashes(memory: keepsaid.Memory) -> None:
    repository = KeepsaidSessionRepository(memory, owner="u1")
    repository.create_session(Session("diary/monday", SessionType.AGENT))
    repository.create_agent("diary/monday", SessionAgent("team/planner", {}, {}))
    repository.create_message("diary/monday", "team/planner", SessionMessage.from_message(build_message("Hi"), 0))
    assert [message.text for message in memory.chat(owner="u1", session="diary/monday").messages()] == ["Hi"]


# -- messages

BYTES = b"\xfb\xff\xfe"
IMAGE = {"image": {"format": "png", "source": {"bytes": BYTES}}}
BLOCKS: list[Any] = [
    {"text": "plain"},
    {"text": ""},
    IMAGE,
    {"image": {"format": "jpeg", "source": {"location": {"type": "s3", "uri": "s3://b/cat.jpg", "bucketOwner": "me"}}}},
    {"video": {"format": "mp4", "source": {"location": {"type": "s3", "uri": "s3://b/film.mp4"}}}},
    {"audio": {"format": "wav", "source": {"bytes": BYTES}}},
    {"document": {"format": "pdf", "name": "report", "source": {"bytes": BYTES}}},
    {"document": {"format": "odd", "name": "x", "source": {"bytes": BYTES}, "citations": {"enabled": True}}},
    {"reasoningContent": {"reasoningText": {"text": "secret thought", "signature": "sig"}}},
    {"reasoningContent": {"redactedContent": BYTES}},
    {"cachePoint": {"type": "default"}},
    {"guardContent": {"text": {"text": "guarded", "qualifiers": ["query"]}}},
    {"citationsContent": {"citations": [{"title": "t"}], "content": [{"text": "cited"}]}},
    {"toolUse": {"toolUseId": "c1", "name": "look", "input": {"at": None}}},
    {"toolUse": {"toolUseId": "c2", "name": "look", "input": {}, "reasoningSignature": "sig"}},
    {"toolResult": {"toolUseId": "c1", "status": "success", "content": [{"text": "blue"}]}},
    {"toolResult": {"toolUseId": "c2", "status": "error", "content": [{"json": {"a": [1, None]}}, {"text": "x"}]}},
    {
        "toolResult": {
            "toolUseId": "c3",
            "status": "success",
            "content": [{"image": {"format": "png", "source": {"bytes": BYTES}}}],
        }
    },
    {"toolResult": {"toolUseId": "c4", "status": "success", "content": []}},
    {},
]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_messages_round_trip_unchanged(repository: KeepsaidSessionRepository, role: Any) -> None:
    messages: list[Any] = [{"role": role, "content": [block]} for block in BLOCKS]
    messages += [{"role": role, "content": BLOCKS}, {"role": role, "content": BLOCKS[::-1]}, {"role": role, "content": []}]
    usage = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    for custom in ({"source": "web"}, {}, {"adapters": 1}):
        messages.append(build_message("Hi", role, tracking_id="t1", metadata={"usage": usage, "custom": custom}))
    messages.append(build_message("Hi", role, metadata={}))
    made = [add(repository, message, number) for number, message in enumerate(messages)]
    assert repository.list_messages("s1", "default") == made
    assert repository.read_message("s1", "default", 3) == made[3]
    assert repository.read_message("s1", "default", 999) is None
    assert repository.list_messages("s1", "default", limit=2, offset=3) == made[3:5]
    assert repository.list_messages("s1", "nobody") == []


ODD: list[Any] = [
    {"text": None},
    {"text": ["a", "list"]},
    {"image": {"format": "png"}},
    {"image": "a cat"},
    {"image": {"source": {"location": {"uri": "s3://b/cat"}}}},
    {"document": {"name": "d", "source": {"bytes": BYTES}}},
    {"document": {"name": "d", "format": "txt", "source": {"text": "words"}}},
    {"document": {"name": ["d"], "format": [], "source": {"bytes": BYTES}}},
    {"guardContent": {"image": {"format": "png", "source": {"bytes": BYTES}}}},
    {"guardContent": {"text": "words"}},
    {"guardContent": {"text": {"text": 5}}},
    {"citationsContent": {"content": ["words"]}},
    {"citationsContent": None},
    {"toolUse": {"toolUseId": "", "name": "look", "input": {}}},
    {"toolUse": {"toolUseId": "c1", "name": ""}},
    {"toolUse": {"toolUseId": 5, "name": "look", "input": {}}},
    {"toolUse": None},
    {"toolResult": {"content": [{"text": "blue"}]}},
    {"toolResult": {"toolUseId": "c1"}},
    {"toolResult": {"toolUseId": "c1", "content": ["blue"]}},
    {"toolResult": None},
    {"brandNew": {"of": "tomorrow"}},
]
"""What is no block of Strands as it is written down."""


@pytest.mark.parametrize("block", ODD)
def test_blocks_of_unexpected_shape_round_trip(memory: keepsaid.Memory, repository: Any, block: Any) -> None:
    made = [add(repository, {"role": "user", "content": [block, BLOCKS[0], block]}, 0)]
    made += [add(repository, {"role": "assistant", "content": [block]}, 1)]
    assert repository.list_messages("s1", "default") == made
    assert "plain" in memory.chat(owner="u1", session="s1").messages()[0].text
    asyncio.run(KeepsaidMemoryStore(memory, owner="u1").add_messages([{"role": "user", "content": [block]}]))


def test_messages_of_unknown_agent_or_id_are_rejected(repository: KeepsaidSessionRepository) -> None:
    with pytest.raises(SessionException):
        add(repository, build_message("Hi"), 0, "nobody")
    with pytest.raises(SessionException):
        repository.update_message("s1", "default", SessionMessage.from_message(build_message("Hi"), 7))


@pytest.mark.parametrize("number", [0, 1, 3])
def test_redacted_message_is_removed_from_chat_and_search(memory: keepsaid.Memory, repository: Any, number: int) -> None:
    made = [add(repository, build_message(f"secret{place} word"), place) for place in range(4)]
    made[number].redact_message = build_message("[redacted]")
    repository.update_message("s1", "default", made[number])
    expected = [f"secret{place} word" for place in range(4)]
    expected[number] = "[redacted]"
    assert texts(repository) == expected
    listed = repository.list_messages("s1", "default")
    assert [message.message_id for message in listed] == [0, 1, 2, 3]
    assert [message.created_at for message in listed] == [message.created_at for message in made]
    assert listed[number].redact_message == listed[number].message == build_message("[redacted]")
    assert [message.text for message in memory.chat(owner="u1", session="s1").messages()] == expected
    assert memory.search(f"secret{number}", owner="u1") == []
    found = [hit.message.text for hit in memory.search("word", owner="u1")]
    assert sorted(text for text in found if "word" in text) == sorted(text for text in expected if "word" in text)


def test_redaction_keeps_messages_of_other_agents(memory: keepsaid.Memory, repository: Any) -> None:
    """The redacted message stands between messages of another agent."""
    repository.create_agent("s1", SessionAgent("planner", {}, {}))
    for turn in range(3):
        mine = add(repository, build_message(f"mine {turn}"), turn)
        add(repository, {"role": "user", "content": [BLOCKS[15], BLOCKS[16]]}, turn, "planner")
        if turn == 1:
            redacted = mine
    before = repository.list_messages("s1", "planner")
    redacted.redact_message = build_message("[redacted]")
    repository.update_message("s1", "default", redacted)
    assert texts(repository) == ["mine 0", "[redacted]", "mine 2"]
    assert repository.list_messages("s1", "planner") == before
    told = [message.text for message in memory.chat(owner="u1", session="s1").messages()]
    results = ["blue", '{"a": [1, null]}\nx']
    assert told == ["mine 0", *results, "[redacted]", *results, "mine 2", *results]


def test_pool_writer_redacts_own_message_before_other_messages(memory: keepsaid.Memory) -> None:
    """A member with write access cannot erase messages of others, but can erase their own."""
    pool = memory.create_pool("team", owner="u1")
    memory.grant(pool, to="u2", by="u1", access="write")
    hers, his = (KeepsaidSessionRepository(memory, owner=owner, pool=pool) for owner in ("u1", "u2"))
    hers.create_session(Session("s1", SessionType.AGENT))
    hers.create_agent("s1", SessionAgent("default", {}, {}))
    secret = add(his, build_message("his secret"), 0)
    add(hers, build_message("her answer"), 1)
    secret.redact_message = build_message("[redacted]")
    his.update_message("s1", "default", secret)
    assert texts(hers) == ["[redacted]", "her answer"]
    chat = memory.chat(owner="u1", session="s1", pool=pool)
    assert "his secret" not in [chat.message(branch.leaf).text for branch in chat.branches()]
    assert memory.search("secret", owner="u1", pool=pool) == []


def test_concurrent_writers_lose_no_messages(memory: keepsaid.Memory, repository: KeepsaidSessionRepository) -> None:
    def write(writer: int) -> SessionMessage:
        mine = KeepsaidSessionRepository(memory, owner="u1")
        return [add(mine, build_message(f"{writer}-{step}"), step) for step in range(5)][-1]

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(write, range(4)))
    assert sorted(texts(repository)) == sorted(f"{writer}-{step}" for writer in range(4) for step in range(5))
    made[2].redact_message = build_message("[redacted]")
    repository.update_message("s1", "default", made[2])
    assert "2-4" not in texts(repository)
    assert len(texts(repository)) == 20


# -- other adapters


def test_chat_reads_messages_saved_by_repository(memory: keepsaid.Memory, repository: KeepsaidSessionRepository) -> None:
    add(repository, build_message("Look!", metadata={"custom": {"source": "web"}}), 0)
    add(repository, {"role": "assistant", "content": [BLOCKS[8], BLOCKS[0], BLOCKS[13], BLOCKS[14]]}, 1)
    add(repository, {"role": "user", "content": [BLOCKS[15], BLOCKS[16]]}, 2)
    messages = memory.chat(owner="u1", session="s1").messages()
    assert [(str(m.role), m.text, m.tool_call_id) for m in messages] == [
        ("user", "Look!", None), ("assistant", "plain", None), ("tool", "blue", "c1"), ("tool", '{"a": [1, null]}\nx', "c2"),
    ]  # fmt: skip
    assert messages[0].metadata["source"] == "web"
    assert messages[1].tool_calls == (ToolCall("c1", "look", '{"at": null}'), ToolCall("c2", "look", "{}"))
    assert memory.search("secret thought", owner="u1") == []


def test_plain_text_is_not_duplicated_in_metadata(memory: keepsaid.Memory, repository: KeepsaidSessionRepository) -> None:
    add(repository, build_message("the words themselves"), 0)
    assert "words" not in json.dumps(dict(memory.chat(owner="u1", session="s1").messages()[0].metadata))


def test_list_messages_reads_messages_written_by_chat(
    memory: keepsaid.Memory, repository: KeepsaidSessionRepository
) -> None:
    chat = memory.chat(owner="u1", session="s1")
    chat.add("system", "Be brief.")
    picture = ContentPart("image", uri="data:image/png;base64,+/8=", media_type="image/png")
    far = ContentPart("image", uri="https://example.org/cat.png", media_type="image/png")
    chat.add(
        "user",
        [ContentPart("text", "this"), picture, far, ContentPart("strange", data={"a": 1})],
        metadata={"source": "web"},
    )
    foreign = ContentPart("reasoning", data={"summary": ["private"]})
    calls = [ToolCall("c1", "look", '{"at": "sky"}'), ToolCall("c2", "look", "not json")]
    chat.add("assistant", [foreign, ContentPart("refusal", "no")], tool_calls=calls)
    chat.add("tool", "blue", tool_call_id="c1")
    chat.add("tool", "green", tool_call_id="c2")
    chat.add("assistant", "Done.")
    add(repository, build_message("Thanks"), 5)
    listed = repository.list_messages("s1", "default")
    assert [message.message_id for message in listed] == [0, 1, 2, 3, 4, 5]
    image = {"image": {"format": "png", "source": {"bytes": b"\xfb\xff"}}}
    uses = [{"toolUse": {"toolUseId": "c1", "name": "look", "input": {"at": "sky"}}}]
    uses += [{"toolUse": {"toolUseId": "c2", "name": "look", "input": {"arguments": "not json"}}}]
    results = [
        {"toolResult": {"toolUseId": id, "status": "success", "content": [{"text": text}]}}
        for id, text in (("c1", "blue"), ("c2", "green"))
    ]
    assert drop_tracking_ids(message.to_message() for message in listed) == [
        build_message("Be brief."),
        {
            "role": "user",
            "content": [{"text": "this"}, image, {"text": "[image: https://example.org/cat.png]"}],
            "metadata": {"custom": {"source": "web"}},
        },
        {"role": "assistant", "content": [{"text": "no"}, *uses]},
        {"role": "user", "content": results},
        build_message("Done.", "assistant"),
        build_message("Thanks"),
    ]


def test_list_messages_ignores_malformed_adapter_metadata(
    memory: keepsaid.Memory, repository: KeepsaidSessionRepository
) -> None:
    for mark in ({"message_id": "x"}, "what?", {"of": 3}, {"message": 3, "created_at": None}):
        by_adapter = {"strands-message": mark, "strands": mark}
        memory.chat(owner="u1", session="s1").add("user", "Hi", metadata={"adapters": by_adapter})
    listed = repository.list_messages("s1", "default")
    assert drop_tracking_ids(message.to_message() for message in listed) == [build_message("Hi")] * 4


# -- with the framework's own agent


class Script(Model):
    """A model that calls a tool when it is asked something, and says what it was given."""

    def update_config(self, **model_config: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    async def structured_output(self, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        last = messages[-1]["content"][-1]
        yield {"messageStart": {"role": "assistant"}}
        if "toolResult" in last:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": f"It is {last['toolResult']['content'][0]['text']}."}}}
        else:
            yield {"contentBlockStart": {"start": {"toolUse": {"name": "look", "toolUseId": f"c{len(messages)}"}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"at": "sky"}'}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if "toolResult" in last else "tool_use"}}


@tool
def look(at: str) -> str:
    """Looks at something."""
    return f"{at}-blue"


def agent_on(memory: keepsaid.Memory, session: str = "s1", **more: Any) -> Agent:
    manager = KeepsaidSessionManager(memory, owner="u1", session=session)
    return Agent(model=Script(), tools=[look], session_manager=manager, callback_handler=None, **more)


def test_new_agent_continues_stored_session(memory: keepsaid.Memory) -> None:
    first = agent_on(memory)
    first.state.set("asked", 1)
    assert str(first("How is the sky?")).strip() == "It is sky-blue."
    second = agent_on(memory)
    assert second.messages == first.messages
    assert second.state.get("asked") == 1
    second("And now?")
    messages = memory.chat(owner="u1", session="s1").messages()
    assert [str(message.role) for message in messages] == ["user", "assistant", "tool", "assistant"] * 2
    assert messages[1].tool_calls[0].id == messages[2].tool_call_id
    assert agent_on(memory).messages == second.messages


def test_agent_continues_conversation_begun_by_chat(memory: keepsaid.Memory) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.add("user", "Hello")
    chat.add("assistant", "Hi!")
    agent = agent_on(memory)
    assert drop_tracking_ids(agent.messages) == [build_message("Hello"), build_message("Hi!", "assistant")]
    agent("How is the sky?")
    assert [message.text for message in chat.messages()][-1] == "It is sky-blue."
    assert agent_on(memory).messages == agent.messages


def test_agents_of_one_session_share_one_conversation(memory: keepsaid.Memory) -> None:
    agents = [agent_on(memory, agent_id=id) for id in ("default", "planner")]
    for agent in (*agents, *agents):
        agent("How is the sky?")
    messages = memory.chat(owner="u1", session="s1").messages()
    assert [message.name for message in messages] == [
        *(None, None, None, None), *(None, "planner", None, "planner"),
    ] * 2  # fmt: skip
    for agent in agents:
        again = agent_on(memory, agent_id=agent.agent_id)
        assert again.messages == agent.messages
        assert len(again.messages) == 8
    told = memory.chat(owner="u1", session="s1").context("And now?", budget=4000).messages
    assert sum(message["role"] == "tool" for message in told) == 4
    assert len(memory.sessions(owner="u1")) == 1


def test_chat_message_belongs_to_agent_before_it(memory: keepsaid.Memory) -> None:
    repository = KeepsaidSessionRepository(memory, owner="u1")
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.add("user", "from elsewhere")
    assert texts(repository, "planner") == texts(repository, "critic") == ["from elsewhere"], "nobody has taken it up"
    for agent in ("planner", "critic"):
        repository.create_agent("s1", SessionAgent(agent, {}, {}))
        add(repository, build_message(f"of the {agent}"), 1, agent)
        chat.add("user", f"to the {agent}")
    assert texts(repository, "planner") == ["from elsewhere", "of the planner", "to the planner"]
    assert texts(repository, "critic") == ["of the critic", "to the critic"]
    assert texts(repository) == []


def test_pool_members_share_session(memory: keepsaid.Memory) -> None:
    pool = memory.create_pool("team", owner="u1")
    memory.grant(pool, to="u2", by="u1", access="write")
    for owner in ("u1", "u2"):
        manager = KeepsaidSessionManager(memory, owner=owner, session="s1", pool=pool)
        Agent(model=Script(), tools=[look], session_manager=manager, callback_handler=None)("How is the sky?")
    assert memory.chat(owner="u1", session="s1", pool=pool).info().message_count == 8


def test_repository_requires_owner(memory: keepsaid.Memory) -> None:
    with pytest.raises(TypeError):
        KeepsaidSessionRepository(memory)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput):
        RepositorySessionManager("s1", KeepsaidSessionRepository(memory, owner=""))


# -- memory


def test_memory_manager_adds_and_searches_entries(memory: keepsaid.Memory) -> None:
    memory.chat(owner="u1").add("user", "My umbrella is red.", metadata={"source": "web"})
    store = KeepsaidMemoryStore(memory, owner="u1")
    manager = MemoryManager(stores=[store], add_tool_config=True)

    async def use() -> list[Any]:
        for _ in range(2):
            await manager.add("The user's umbrella is old.", {"metadata": {"kind": "note"}})
        return await manager.search("umbrella")

    entries = asyncio.run(use())
    assert {entry.content for entry in entries} == {"My umbrella is red.", "The user's umbrella is old."}
    assert {(entry.store_name, *sorted(set(entry.metadata) & {"source", "kind"})) for entry in entries} == {
        ("keepsaid", "source"),
        ("keepsaid", "kind"),
    }
    assert asyncio.run(store.search("umbrella", {"max_search_results": 1}))[0].metadata["score"] > 0
    assert asyncio.run(KeepsaidMemoryStore(memory, owner="u2").search("umbrella")) == []
    assert memory.chat(owner="u1", session="strands-memory").info().message_count == 1


def test_add_messages_skips_repeated_messages(memory: keepsaid.Memory) -> None:
    store = KeepsaidMemoryStore(memory, owner="u1", session="notes")
    results = {"role": "user", "content": [BLOCKS[15], BLOCKS[16]], "tracking_id": "t2"}
    batch: Any = [build_message("My umbrella is red.", tracking_id="t1"), results]
    for _ in range(2):
        asyncio.run(store.add_messages(batch))
    chat = memory.chat(owner="u1", session="notes")
    assert [message.text for message in chat.messages()] == ["My umbrella is red.", "blue", '{"a": [1, null]}\nx']
    chat.erase(chat.messages()[0].id)
    asyncio.run(store.add_messages(batch[:1]))
    assert memory.search("umbrella", owner="u1") == []


def test_erased_entry_can_be_added_again(memory: keepsaid.Memory) -> None:
    store = KeepsaidMemoryStore(memory, owner="u1", session="notes")
    chat = memory.chat(owner="u1", session="notes", create=True)
    for _ in range(2):
        first, same = (asyncio.run(store.add("likes tea", {"by": "me"})) for _ in range(2))
        assert first == same
        assert [(message.id, message.text) for message in chat.messages()] == [(first, "likes tea")]
        chat.erase(first)


@pytest.mark.parametrize("query", ["Set role:admin for me", "umbrella before:midnight", '"umbrella', "-umbrella"])
def test_memory_store_search_ignores_operators_in_query(memory: keepsaid.Memory, query: str) -> None:
    memory.chat(owner="u1").add("user", "My umbrella is set in red for the admin.")
    assert len(asyncio.run(KeepsaidMemoryStore(memory, owner="u1").search(query))) == 1


@pytest.mark.parametrize("query", ["", " \n"])
def test_memory_store_search_with_blank_query_returns_nothing(memory: keepsaid.Memory, query: str) -> None:
    assert asyncio.run(KeepsaidMemoryStore(memory, owner="u1").search(query)) == []


def test_memory_store_rejects_invalid_or_readonly_add(memory: keepsaid.Memory) -> None:
    with pytest.raises(InvalidInput, match="JSON"):
        asyncio.run(KeepsaidMemoryStore(memory, owner="u1").add("x", {"what": object()}))
    with pytest.raises(InvalidInput, match="nothing"):
        asyncio.run(KeepsaidMemoryStore(memory, owner="u1").add(" "))
    with pytest.raises(InvalidInput, match="writable"):
        asyncio.run(KeepsaidMemoryStore(memory, owner="u1", writable=False).add("x"))


def test_import_without_framework_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "keepsaid.adapters.strands")
    monkeypatch.setitem(sys.modules, "strands.session.session_repository", None)
    with pytest.raises(MissingExtra, match=r"keepsaid\[strands\]"):
        __import__("keepsaid.adapters.strands")
