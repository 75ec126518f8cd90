"""The door for Strands Agents. Its own tests run against ours, too: see tests/compat/strands.py."""

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

import recollect
from recollect import Part, ToolCall
from recollect.errors import InvalidInput, MissingExtra

framework("strands")

from strands import Agent, tool  # noqa: E402  # may be missing
from strands.memory import MemoryManager  # noqa: E402
from strands.models import Model  # noqa: E402
from strands.session.repository_session_manager import RepositorySessionManager  # noqa: E402
from strands.types.exceptions import SessionException  # noqa: E402
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType  # noqa: E402

from recollect.adapters.strands import (  # noqa: E402
    RecollectMemoryStore,
    RecollectSessionManager,
    RecollectSessionRepository,
)


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with recollect.open(url, embedder="off", background=False) as memory:
        yield memory


@pytest.fixture
def repository(memory: recollect.Memory) -> RecollectSessionRepository:
    repository = RecollectSessionRepository(memory, owner="u1")
    repository.create_session(Session("s1", SessionType.AGENT))
    repository.create_agent("s1", SessionAgent("default", {"mood": "good"}, {}))
    return repository


def said(text: str, role: Any = "user", **more: Any) -> Any:
    return {"role": role, "content": [{"text": text}], **more}


def add(repository: RecollectSessionRepository, message: Any, number: int, agent: str = "default") -> SessionMessage:
    made = SessionMessage.from_message(message, number)
    repository.create_message("s1", agent, made)
    return made


def texts(repository: RecollectSessionRepository, agent: str = "default") -> list[str]:
    listed = [message.to_message() for message in repository.list_messages("s1", agent)]
    return [block["text"] for message in listed for block in message["content"]]


def untracked(messages: Any) -> list[Any]:
    """Without the ids that Strands gives to messages."""
    return [{name: value for name, value in message.items() if name != "tracking_id"} for message in messages]


# -- sessions and agents


def test_sessions(memory: recollect.Memory, repository: RecollectSessionRepository) -> None:
    made = Session("s2", SessionType.AGENT)
    assert repository.create_session(made) == made
    assert repository.read_session("s2") == made
    assert repository.read_session("s3") is None
    with pytest.raises(SessionException, match="exists"):
        repository.create_session(made)
    assert RecollectSessionRepository(memory, owner="u2").read_session("s2") is None


def test_only_one_creates_a_session(memory: recollect.Memory) -> None:
    def create(_: int) -> bool:
        try:
            RecollectSessionRepository(memory, owner="u1").create_session(Session("s1", SessionType.AGENT))
        except SessionException:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(create, range(8))) == 1


def test_a_deleted_session_is_erased_with_its_agents(memory: recollect.Memory, repository: Any) -> None:
    repository.create_agent("s1", SessionAgent("planner", {}, {}))
    add(repository, said("Hello"), 0)
    add(repository, said("Plan!"), 0, "planner")
    repository.delete_session("s1")
    with pytest.raises(SessionException):
        repository.delete_session("s1")
    assert repository.read_agent("s1", "planner") is None
    assert len(memory.sessions(owner="u1")) == 0
    assert memory.search("plan", owner="u1") == []


def test_an_erased_session_is_gone_with_its_agents(memory: recollect.Memory, repository: Any) -> None:
    """By any door, not only by this one."""
    repository.create_agent("s1", SessionAgent("planner", {"plan": "secret"}, {}))
    add(repository, said("the planner's secret"), 0, "planner")
    memory.erase(owner="u1", session="s1")
    assert memory.search("secret", owner="u1") == []
    assert len(memory.sessions(owner="u1")) == 0
    repository.create_session(Session("s1", SessionType.AGENT))
    assert repository.read_agent("s1", "planner") is None
    repository.create_agent("s1", SessionAgent("planner", {}, {}))
    assert repository.list_messages("s1", "planner") == []


def test_a_state_that_was_erased_does_not_come_back(memory: recollect.Memory, repository: Any, monkeypatch: Any) -> None:
    read = repository.read_agent

    def read_and_erased(*which: Any) -> Any:
        found = read(*which)
        memory.erase(owner="u1", session="s1")
        return found

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(repository, "read_agent", read_and_erased)
        with pytest.raises(SessionException):
            repository.update_agent("s1", SessionAgent("default", {"mood": "secret"}, {}))
    assert memory.drawer(owner="u1").sessions() == []


def test_agents(repository: RecollectSessionRepository) -> None:
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


def test_an_id_may_have_a_slash(memory: recollect.Memory) -> None:
    repository = RecollectSessionRepository(memory, owner="u1")
    repository.create_session(Session("diary/monday", SessionType.AGENT))
    repository.create_agent("diary/monday", SessionAgent("team/planner", {}, {}))
    repository.create_message("diary/monday", "team/planner", SessionMessage.from_message(said("Hi"), 0))
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
def test_messages_come_back_equal(repository: RecollectSessionRepository, role: Any) -> None:
    messages: list[Any] = [{"role": role, "content": [block]} for block in BLOCKS]
    messages += [{"role": role, "content": BLOCKS}, {"role": role, "content": BLOCKS[::-1]}, {"role": role, "content": []}]
    usage = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    for custom in ({"source": "web"}, {}, {"doors": 1}):
        messages.append(said("Hi", role, tracking_id="t1", metadata={"usage": usage, "custom": custom}))
    messages.append(said("Hi", role, metadata={}))
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
def test_blocks_of_an_unexpected_shape_are_kept(memory: recollect.Memory, repository: Any, block: Any) -> None:
    made = [add(repository, {"role": "user", "content": [block, BLOCKS[0], block]}, 0)]
    made += [add(repository, {"role": "assistant", "content": [block]}, 1)]
    assert repository.list_messages("s1", "default") == made
    assert "plain" in memory.chat(owner="u1", session="s1").messages()[0].text
    asyncio.run(RecollectMemoryStore(memory, owner="u1").add_messages([{"role": "user", "content": [block]}]))


def test_a_message_needs_its_agent(repository: RecollectSessionRepository) -> None:
    with pytest.raises(SessionException):
        add(repository, said("Hi"), 0, "nobody")
    with pytest.raises(SessionException):
        repository.update_message("s1", "default", SessionMessage.from_message(said("Hi"), 7))


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_redacted_message_is_gone_for_good(memory: recollect.Memory, repository: Any, number: int) -> None:
    made = [add(repository, said(f"secret{place} word"), place) for place in range(4)]
    made[number].redact_message = said("[redacted]")
    repository.update_message("s1", "default", made[number])
    expected = [f"secret{place} word" for place in range(4)]
    expected[number] = "[redacted]"
    assert texts(repository) == expected
    listed = repository.list_messages("s1", "default")
    assert [message.message_id for message in listed] == [0, 1, 2, 3]
    assert [message.created_at for message in listed] == [message.created_at for message in made]
    assert listed[number].redact_message == listed[number].message == said("[redacted]")
    assert [message.text for message in memory.chat(owner="u1", session="s1").messages()] == expected
    assert memory.search(f"secret{number}", owner="u1") == []
    found = [hit.message.text for hit in memory.search("word", owner="u1")]
    assert sorted(text for text in found if "word" in text) == sorted(text for text in expected if "word" in text)


def test_what_other_agents_said_is_left_alone(memory: recollect.Memory, repository: Any) -> None:
    """By a redaction in the midst of it."""
    repository.create_agent("s1", SessionAgent("planner", {}, {}))
    for turn in range(3):
        mine = add(repository, said(f"mine {turn}"), turn)
        add(repository, {"role": "user", "content": [BLOCKS[15], BLOCKS[16]]}, turn, "planner")
        if turn == 1:
            redacted = mine
    before = repository.list_messages("s1", "planner")
    redacted.redact_message = said("[redacted]")
    repository.update_message("s1", "default", redacted)
    assert texts(repository) == ["mine 0", "[redacted]", "mine 2"]
    assert repository.list_messages("s1", "planner") == before
    told = [message.text for message in memory.chat(owner="u1", session="s1").messages()]
    results = ["blue", '{"a": [1, null]}\nx']
    assert told == ["mine 0", *results, "[redacted]", *results, "mine 2", *results]


def test_redacted_words_go_where_others_wrote_behind_them(memory: recollect.Memory) -> None:
    """Who may only write in a pool cannot erase what others wrote, but his own words he can."""
    pool = memory.create_pool("team", owner="u1")
    memory.grant(pool, to="u2", by="u1", access="write")
    hers, his = (RecollectSessionRepository(memory, owner=owner, pool=pool) for owner in ("u1", "u2"))
    hers.create_session(Session("s1", SessionType.AGENT))
    hers.create_agent("s1", SessionAgent("default", {}, {}))
    secret = add(his, said("his secret"), 0)
    add(hers, said("her answer"), 1)
    secret.redact_message = said("[redacted]")
    his.update_message("s1", "default", secret)
    assert texts(hers) == ["[redacted]", "her answer"]
    chat = memory.chat(owner="u1", session="s1", pool=pool)
    assert "his secret" not in [chat.message(branch.leaf).text for branch in chat.branches()]
    assert memory.search("secret", owner="u1", pool=pool) == []


def test_writers_at_the_same_time_lose_nothing(memory: recollect.Memory, repository: RecollectSessionRepository) -> None:
    def write(writer: int) -> SessionMessage:
        mine = RecollectSessionRepository(memory, owner="u1")
        return [add(mine, said(f"{writer}-{step}"), step) for step in range(5)][-1]

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(write, range(4)))
    assert sorted(texts(repository)) == sorted(f"{writer}-{step}" for writer in range(4) for step in range(5))
    made[2].redact_message = said("[redacted]")
    repository.update_message("s1", "default", made[2])
    assert "2-4" not in texts(repository)
    assert len(texts(repository)) == 20


# -- other doors


def test_other_doors_read_the_conversation(memory: recollect.Memory, repository: RecollectSessionRepository) -> None:
    add(repository, said("Look!", metadata={"custom": {"source": "web"}}), 0)
    add(repository, {"role": "assistant", "content": [BLOCKS[8], BLOCKS[0], BLOCKS[13], BLOCKS[14]]}, 1)
    add(repository, {"role": "user", "content": [BLOCKS[15], BLOCKS[16]]}, 2)
    messages = memory.chat(owner="u1", session="s1").messages()
    assert [(str(m.role), m.text, m.tool_call_id) for m in messages] == [
        ("user", "Look!", None), ("assistant", "plain", None), ("tool", "blue", "c1"), ("tool", '{"a": [1, null]}\nx', "c2"),
    ]  # fmt: skip
    assert messages[0].metadata["source"] == "web"
    assert messages[1].tool_calls == (ToolCall("c1", "look", '{"at": null}'), ToolCall("c2", "look", "{}"))
    assert memory.search("secret thought", owner="u1") == []


def test_plain_words_are_kept_once(memory: recollect.Memory, repository: RecollectSessionRepository) -> None:
    add(repository, said("the words themselves"), 0)
    assert "words" not in json.dumps(dict(memory.chat(owner="u1", session="s1").messages()[0].metadata))


def test_what_other_doors_wrote_is_read(memory: recollect.Memory, repository: RecollectSessionRepository) -> None:
    chat = memory.chat(owner="u1", session="s1")
    chat.add("system", "Be brief.")
    picture = Part("image", uri="data:image/png;base64,+/8=", media_type="image/png")
    far = Part("image", uri="https://example.org/cat.png", media_type="image/png")
    chat.add("user", [Part("text", "this"), picture, far, Part("strange", data={"a": 1})], metadata={"source": "web"})
    foreign = Part("reasoning", data={"summary": ["private"]})
    calls = [ToolCall("c1", "look", '{"at": "sky"}'), ToolCall("c2", "look", "not json")]
    chat.add("assistant", [foreign, Part("refusal", "no")], tool_calls=calls)
    chat.add("tool", "blue", tool_call_id="c1")
    chat.add("tool", "green", tool_call_id="c2")
    chat.add("assistant", "Done.")
    add(repository, said("Thanks"), 5)
    listed = repository.list_messages("s1", "default")
    assert [message.message_id for message in listed] == [0, 1, 2, 3, 4, 5]
    image = {"image": {"format": "png", "source": {"bytes": b"\xfb\xff"}}}
    uses = [{"toolUse": {"toolUseId": "c1", "name": "look", "input": {"at": "sky"}}}]
    uses += [{"toolUse": {"toolUseId": "c2", "name": "look", "input": {"arguments": "not json"}}}]
    results = [
        {"toolResult": {"toolUseId": id, "status": "success", "content": [{"text": text}]}}
        for id, text in (("c1", "blue"), ("c2", "green"))
    ]
    assert untracked(message.to_message() for message in listed) == [
        said("Be brief."),
        {
            "role": "user",
            "content": [{"text": "this"}, image, {"text": "[image: https://example.org/cat.png]"}],
            "metadata": {"custom": {"source": "web"}},
        },
        {"role": "assistant", "content": [{"text": "no"}, *uses]},
        {"role": "user", "content": results},
        said("Done.", "assistant"),
        said("Thanks"),
    ]


def test_marks_that_are_not_ours_do_no_harm(memory: recollect.Memory, repository: RecollectSessionRepository) -> None:
    for mark in ({"message_id": "x"}, "what?", {"of": 3}, {"message": 3, "created_at": None}):
        doors = {"strands-message": mark, "strands": mark}
        memory.chat(owner="u1", session="s1").add("user", "Hi", metadata={"doors": doors})
    listed = repository.list_messages("s1", "default")
    assert untracked(message.to_message() for message in listed) == [said("Hi")] * 4


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


def agent_on(memory: recollect.Memory, session: str = "s1", **more: Any) -> Agent:
    manager = RecollectSessionManager(memory, owner="u1", session=session)
    return Agent(model=Script(), tools=[look], session_manager=manager, callback_handler=None, **more)


def test_an_agent_goes_on_where_it_was(memory: recollect.Memory) -> None:
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


def test_an_agent_takes_up_what_another_door_began(memory: recollect.Memory) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.add("user", "Hello")
    chat.add("assistant", "Hi!")
    agent = agent_on(memory)
    assert untracked(agent.messages) == [said("Hello"), said("Hi!", "assistant")]
    agent("How is the sky?")
    assert [message.text for message in chat.messages()][-1] == "It is sky-blue."
    assert agent_on(memory).messages == agent.messages


def test_all_agents_of_a_session_are_one_conversation(memory: recollect.Memory) -> None:
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


def test_what_another_door_wrote_belongs_to_whom_it_follows(memory: recollect.Memory) -> None:
    repository = RecollectSessionRepository(memory, owner="u1")
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.add("user", "from elsewhere")
    assert texts(repository, "planner") == texts(repository, "critic") == ["from elsewhere"], "nobody has taken it up"
    for agent in ("planner", "critic"):
        repository.create_agent("s1", SessionAgent(agent, {}, {}))
        add(repository, said(f"of the {agent}"), 1, agent)
        chat.add("user", f"to the {agent}")
    assert texts(repository, "planner") == ["from elsewhere", "of the planner", "to the planner"]
    assert texts(repository, "critic") == ["of the critic", "to the critic"]
    assert texts(repository) == []


def test_in_a_pool_others_take_part(memory: recollect.Memory) -> None:
    pool = memory.create_pool("team", owner="u1")
    memory.grant(pool, to="u2", by="u1", access="write")
    for owner in ("u1", "u2"):
        manager = RecollectSessionManager(memory, owner=owner, session="s1", pool=pool)
        Agent(model=Script(), tools=[look], session_manager=manager, callback_handler=None)("How is the sky?")
    assert memory.chat(owner="u1", session="s1", pool=pool).info().message_count == 8


def test_an_owner_is_required(memory: recollect.Memory) -> None:
    with pytest.raises(TypeError):
        RecollectSessionRepository(memory)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput):
        RepositorySessionManager("s1", RecollectSessionRepository(memory, owner=""))


# -- memory


def test_a_memory_manager_searches_and_adds(memory: recollect.Memory) -> None:
    memory.chat(owner="u1").add("user", "My umbrella is red.", metadata={"source": "web"})
    store = RecollectMemoryStore(memory, owner="u1")
    manager = MemoryManager(stores=[store], add_tool_config=True)

    async def use() -> list[Any]:
        for _ in range(2):
            await manager.add("The user's umbrella is old.", {"metadata": {"kind": "note"}})
        return await manager.search("umbrella")

    entries = asyncio.run(use())
    assert {entry.content for entry in entries} == {"My umbrella is red.", "The user's umbrella is old."}
    assert {(entry.store_name, *sorted(set(entry.metadata) & {"source", "kind"})) for entry in entries} == {
        ("recollect", "source"),
        ("recollect", "kind"),
    }
    assert asyncio.run(store.search("umbrella", {"max_search_results": 1}))[0].metadata["score"] > 0
    assert asyncio.run(RecollectMemoryStore(memory, owner="u2").search("umbrella")) == []
    assert memory.chat(owner="u1", session="strands-memory").info().message_count == 1


def test_messages_are_added_once(memory: recollect.Memory) -> None:
    store = RecollectMemoryStore(memory, owner="u1", session="notes")
    results = {"role": "user", "content": [BLOCKS[15], BLOCKS[16]], "tracking_id": "t2"}
    batch: Any = [said("My umbrella is red.", tracking_id="t1"), results]
    for _ in range(2):
        asyncio.run(store.add_messages(batch))
    chat = memory.chat(owner="u1", session="notes")
    assert [message.text for message in chat.messages()] == ["My umbrella is red.", "blue", '{"a": [1, null]}\nx']
    chat.erase(chat.messages()[0].id)
    asyncio.run(store.add_messages(batch[:1]))
    assert memory.search("umbrella", owner="u1") == []


def test_what_was_erased_can_be_noted_again(memory: recollect.Memory) -> None:
    store = RecollectMemoryStore(memory, owner="u1", session="notes")
    chat = memory.chat(owner="u1", session="notes", create=True)
    for _ in range(2):
        first, same = (asyncio.run(store.add("likes tea", {"by": "me"})) for _ in range(2))
        assert first == same
        assert [(message.id, message.text) for message in chat.messages()] == [(first, "likes tea")]
        chat.erase(first)


@pytest.mark.parametrize("query", ["Set role:admin for me", "umbrella before:midnight", '"umbrella', "-umbrella"])
def test_what_a_user_says_is_no_query_with_operators(memory: recollect.Memory, query: str) -> None:
    memory.chat(owner="u1").add("user", "My umbrella is set in red for the admin.")
    assert len(asyncio.run(RecollectMemoryStore(memory, owner="u1").search(query))) == 1


@pytest.mark.parametrize("query", ["", " \n"])
def test_nothing_said_finds_nothing(memory: recollect.Memory, query: str) -> None:
    assert asyncio.run(RecollectMemoryStore(memory, owner="u1").search(query)) == []


def test_a_store_refuses_what_it_cannot_keep(memory: recollect.Memory) -> None:
    with pytest.raises(InvalidInput, match="JSON"):
        asyncio.run(RecollectMemoryStore(memory, owner="u1").add("x", {"what": object()}))
    with pytest.raises(InvalidInput, match="nothing"):
        asyncio.run(RecollectMemoryStore(memory, owner="u1").add(" "))
    with pytest.raises(InvalidInput, match="writable"):
        asyncio.run(RecollectMemoryStore(memory, owner="u1", writable=False).add("x"))


def test_without_the_framework_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "recollect.adapters.strands")
    monkeypatch.setitem(sys.modules, "strands.session.session_repository", None)
    with pytest.raises(MissingExtra, match=r"recollect\[strands\]"):
        __import__("recollect.adapters.strands")
