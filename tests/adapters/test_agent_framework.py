"""The adapter for Microsoft Agent Framework. The framework ships no tests, so the contract is written here: the history
tests also run against its own in-memory provider, as the reference."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import ContentPart, ToolCall
from keepsaid.errors import InvalidInput, MissingExtra

framework("agent_framework")

from agent_framework import (  # noqa: E402  # may be missing
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    InMemoryHistoryProvider,
    Message,
    tool,
)

from keepsaid.adapters.agent_framework import (  # noqa: E402
    KeepsaidContextProvider,
    KeepsaidHistoryProvider,
    count_repeated_messages,
)
from keepsaid.adapters.agent_framework.messages import drafts_of, messages_of  # noqa: E402


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off", background=False) as memory:
        yield memory


@pytest.fixture
def ours(memory: keepsaid.Memory) -> KeepsaidHistoryProvider:
    return KeepsaidHistoryProvider(memory, owner="u1")


@pytest.fixture(params=["theirs", "ours"])
def history(request: pytest.FixtureRequest) -> Any:
    """The oracle, and what must do as it does."""
    if request.param == "theirs":
        yield InMemoryHistoryProvider()
        return
    with keepsaid.open("memory://", embedder="off") as memory:
        yield KeepsaidHistoryProvider(memory, owner="u1")


def save(history: Any, *messages: Message, state: Any = None, session: str | None = "s1") -> None:
    asyncio.run(history.save_messages(session, messages, state=state))


def read(history: Any, *, state: Any = None, session: str | None = "s1") -> list[dict[str, Any]]:
    return [message.to_dict() for message in asyncio.run(history.get_messages(session, state=state))]


def build_message(text: str, role: str = "user", **more: Any) -> Message:
    return Message(role, [text], **more)


# -- the contract, for theirs and ours


def test_save_messages_appends_in_order(history: Any) -> None:
    state: dict[str, Any] = {}
    assert read(history, state=state) == []
    first, second, third = (
        build_message("Hi"),
        build_message("Hello!", "assistant", author_name="helper"),
        build_message("How are you?"),
    )
    save(history, first, second, state=state)
    save(history, third, state=state)
    save(history, state=state)
    assert read(history, state=state) == [message.to_dict() for message in (first, second, third)]


def test_save_messages_skips_repeated_messages(history: Any) -> None:
    state: dict[str, Any] = {}
    talk = [
        build_message("Hi"),
        build_message("Hello!", "assistant"),
        build_message("Bye"),
        build_message("Goodbye!", "assistant", message_id="m4"),
    ]
    save(history, *talk[:2], state=state)
    save(history, *talk[1:3], state=state)
    save(history, *talk, state=state)
    assert read(history, state=state) == [message.to_dict() for message in talk]


def test_save_messages_keeps_equal_texts_but_not_equal_ids(history: Any) -> None:
    state: dict[str, Any] = {}
    for _ in range(2):
        save(history, build_message("Again!"), state=state)
    assert len(read(history, state=state)) == 2
    for _ in range(2):
        save(history, build_message("Once!", message_id="m1"), state=state)
    assert len(read(history, state=state)) == 3


CONTENTS: list[Content] = [
    Content.from_text("plain"),
    Content.from_text(""),
    Content.from_text("noted", annotations=[{"type": "citation", "title": "t"}], additional_properties={"a": 1}),
    Content.from_text_reasoning(text="secret thought", protected_data="sealed"),
    Content.from_data(b"\xfb\xff", media_type="image/png"),
    Content.from_uri("https://example.org/film.mp4", media_type="video/mp4"),
    Content.from_uri("https://example.org/x.pdf", media_type="application/pdf", additional_properties={"a": 1}),
    Content.from_error(message="broken", error_code="E1"),
    Content.from_hosted_file("f1"),
    Content.from_usage({"input_token_count": 1}),
    Content.from_function_call("c1", "look", arguments='{"at": "sky"}'),
    Content.from_function_call("c2", "look", arguments={"at": None}),
    Content.from_function_call("c3", "look"),
    Content.from_function_result("c1", result="blue"),
    Content.from_function_result("c2", result={"colour": ["blue", None]}),
    Content.from_function_result("c3", result=None, exception="boom"),
    Content.from_function_result("c4", result=[Content.from_text("see"), Content.from_data(b"x", media_type="image/png")]),
    Content.from_function_approval_request("r1", Content.from_function_call("c5", "shoot", arguments="{}")),
]


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool", "developer"])
def test_messages_round_trip_unchanged(ours: KeepsaidHistoryProvider, role: str) -> None:
    messages = [Message(role, [content]) for content in CONTENTS]
    messages += [Message(role, CONTENTS), Message(role, CONTENTS[::-1]), Message(role), Message(role, CONTENTS[:2])]
    messages += [
        build_message("Hi", role, author_name="ana", message_id=f"m{number}", additional_properties=more)
        for number, more in enumerate(({"source": "web"}, {"_attribution": {"source_id": "x"}, "n": 1}, {"adapters": 1}))
    ]
    save(ours, *messages)
    assert read(ours) == [message.to_dict() for message in messages]


# -- other adapters


def test_chat_reads_messages_saved_by_history_provider(memory: keepsaid.Memory, ours: KeepsaidHistoryProvider) -> None:
    calls, results = CONTENTS[10:12], CONTENTS[13:15]
    save(
        ours,
        build_message("Look!", additional_properties={"source": "web", "_attribution": {}}),
        Message("assistant", [CONTENTS[3], CONTENTS[0], *calls], author_name="helper"),
        Message("tool", results),
    )
    messages = memory.chat(owner="u1", session="s1").messages()
    assert [(str(m.role), m.text, m.name, m.tool_call_id) for m in messages] == [
        ("user", "Look!", None, None), ("assistant", "plain", "helper", None), ("tool", "blue", None, "c1"),
        ("tool", '{"colour": ["blue", null]}', None, "c2"),
    ]  # fmt: skip
    assert messages[0].metadata["source"] == "web"
    assert messages[1].tool_calls == (ToolCall("c1", "look", '{"at": "sky"}'), ToolCall("c2", "look", '{"at": null}'))
    assert memory.search("secret thought", owner="u1") == []


def test_plain_text_is_not_duplicated_in_metadata(memory: keepsaid.Memory, ours: KeepsaidHistoryProvider) -> None:
    save(ours, build_message("the words themselves", message_id="m1"))
    assert "words" not in json.dumps(dict(memory.chat(owner="u1", session="s1").messages()[0].metadata))


def test_history_provider_reads_messages_written_by_chat(memory: keepsaid.Memory, ours: KeepsaidHistoryProvider) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.add("system", "Be brief.")
    picture = ContentPart("image", uri="data:image/png;base64,+/8=", media_type="image/png")
    parts = [ContentPart("text", "this"), picture, ContentPart("refusal", "no"), ContentPart("strange", data={"a": 1})]
    chat.add("user", parts, metadata={"source": "web"})
    foreign = ContentPart("reasoning", data={"summary": ["private"]})
    chat.add("assistant", [foreign, ContentPart("text", "Hm")], tool_calls=[ToolCall("c1", "look", "not json")])
    chat.add("tool", "blue", tool_call_id="c1", name="look")
    chat.add("assistant", "Blue.", name="painter")
    contents = [Content.from_text("this"), Content.from_data(b"\xfb\xff", media_type="image/png"), Content.from_text("no")]
    expected = [
        build_message("Be brief.", "system"),
        Message("user", contents, additional_properties={"source": "web"}),
        Message("assistant", ["Hm", Content.from_function_call("c1", "look", arguments="not json")]),
        Message("tool", [Content.from_function_result("c1", result="blue")]),
        build_message("Blue.", "assistant", author_name="painter"),
    ]
    assert read(ours) == [message.to_dict() for message in expected]


def test_erasing_one_tool_result_keeps_the_others(memory: keepsaid.Memory, ours: KeepsaidHistoryProvider) -> None:
    save(ours, build_message("Hi"), Message("tool", CONTENTS[13:16]))
    chat = memory.chat(owner="u1", session="s1")
    chat.erase(chat.messages()[1].id)
    left = [message.to_dict() for message in messages_of(chat.messages())]
    assert [[content["call_id"] for content in message["contents"]] for message in left[1:]] == [["c2"], ["c3"]]


def turn() -> list[Message]:
    """A turn with two tools."""
    return [
        build_message("Look!"),
        Message("assistant", CONTENTS[10:12]),
        Message("tool", CONTENTS[13:15]),
        build_message("Blue.", "assistant"),
    ]


@pytest.mark.parametrize("erased", [1, 2, 3], ids=["calls", "first result", "second result"])
def test_get_messages_omits_unpaired_calls_and_results(
    memory: keepsaid.Memory, ours: KeepsaidHistoryProvider, erased: int
) -> None:
    save(ours, *turn())
    chat = memory.chat(owner="u1", session="s1")
    chat.erase(chat.messages()[erased].id)
    first, last = turn()[0], turn()[-1]
    assert read(ours) == [first.to_dict(), last.to_dict()]
    save(ours, first, last, build_message("Thanks."))
    assert read(ours) == [message.to_dict() for message in (first, last, build_message("Thanks."))], (
        "told again, and not kept twice"
    )


def test_save_messages_skips_repeated_tool_results(ours: KeepsaidHistoryProvider) -> None:
    save(ours, *turn())
    save(ours, *turn()[2:], build_message("Thanks."))
    assert read(ours) == [message.to_dict() for message in (*turn(), build_message("Thanks."))]


def test_get_messages_ignores_malformed_adapter_metadata(memory: keepsaid.Memory, ours: KeepsaidHistoryProvider) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    for mark in ({"pieces": "x"}, "what?", {"of": 1}, {"strange": 1}, {"contents": 3}):
        chat.add("user", "Hi", metadata={"adapters": {"agent-framework-message": mark, "agent-framework": mark}})
    assert read(ours) == [build_message("Hi").to_dict()] * 5


def test_get_messages_returns_redacted_text(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db", embedder="off", redact_stored=("mail",)) as memory:
        ours = KeepsaidHistoryProvider(memory, owner="u1")
        save(ours, build_message("I am ana@example.org", message_id="m1"))
        assert read(ours)[0]["contents"][0]["text"] == "I am [mail removed]"


# -- many at once, and limits


def test_concurrent_writers_lose_no_messages(memory: keepsaid.Memory) -> None:
    async def write(writer: int) -> None:
        history = KeepsaidHistoryProvider(memory, owner="u1")
        for step in range(5):
            await history.save_messages("s1", [build_message(f"{writer}-{step}"), build_message("Yes.", "assistant")])

    async def all_write() -> None:
        await asyncio.gather(*map(write, range(4)))

    asyncio.run(all_write())
    texts = [message.text for message in memory.chat(owner="u1", session="s1").messages()]
    assert sorted(texts) == sorted([f"{writer}-{step}" for writer in range(4) for step in range(5)] + ["Yes."] * 20)


def test_get_messages_returns_nothing_of_other_owners(memory: keepsaid.Memory, ours: KeepsaidHistoryProvider) -> None:
    save(ours, build_message("Mine"))
    assert read(KeepsaidHistoryProvider(memory, owner="u2")) == []


def test_history_provider_requires_owner_and_session(memory: keepsaid.Memory, ours: KeepsaidHistoryProvider) -> None:
    with pytest.raises(TypeError):
        KeepsaidHistoryProvider(memory)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="a session is needed"):
        read(ours, session=None)
    with pytest.raises(InvalidInput):
        read(KeepsaidHistoryProvider(memory, owner=""))


def test_pool_members_read_shared_history(memory: keepsaid.Memory) -> None:
    pool = memory.create_pool("team", owner="u1")
    memory.grant(pool, to="u2", by="u1", access="write")
    save(KeepsaidHistoryProvider(memory, owner="u1", pool=pool), build_message("Hi"))
    assert len(read(KeepsaidHistoryProvider(memory, owner="u2", pool=pool))) == 1


# -- with the framework's own agent


class Script(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A model that calls a tool when it is asked something, and says what it was given. `heard` is what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Any:
        async def answer() -> ChatResponse[Any]:
            self.heard = [message.text for message in messages]
            last = messages[-1].contents[-1]
            if last.type == "function_result":
                return ChatResponse(messages=[build_message(f"It is {last.result}.", "assistant")])
            call = Content.from_function_call(f"c{len(messages)}", "look", arguments='{"at": "sky"}')
            return ChatResponse(messages=[Message("assistant", [call])])

        return answer()


@tool(approval_mode="never_require")
def look(at: str) -> str:
    """Looks at something."""
    return f"{at}-blue"


def test_new_agent_continues_stored_session(memory: keepsaid.Memory) -> None:
    def agent() -> tuple[Agent[Any], Script]:
        model = Script()
        return Agent(model, tools=[look], context_providers=[KeepsaidHistoryProvider(memory, owner="u1")]), model

    first, _ = agent()
    answer = asyncio.run(first.run("How is the sky?", session=first.create_session(session_id="s1")))
    assert answer.text == "It is sky-blue."
    second, model = agent()
    asyncio.run(second.run("And now?", session=second.create_session(session_id="s1")))
    assert [text for text in model.heard if text] == ["How is the sky?", "It is sky-blue.", "And now?"]
    messages = memory.chat(owner="u1", session="s1").messages()
    assert [str(message.role) for message in messages] == ["user", "assistant", "tool", "assistant"] * 2
    assert messages[1].tool_calls[0].id == messages[2].tool_call_id


def test_context_provider_adds_memories_of_other_sessions(memory: keepsaid.Memory) -> None:
    memory.chat(owner="u1", session="old", create=True).add("user", "The sky was green on Monday.")
    memory.chat(owner="u1", session="s1", create=True).add("user", "The sky was pink on Tuesday.")
    memory.chat(owner="u2").add("user", "The sky was black on Monday.")
    model = Script()
    providers = [KeepsaidHistoryProvider(memory, owner="u1"), KeepsaidContextProvider(memory, owner="u1")]
    agent = Agent(model, tools=[look], context_providers=providers)
    asyncio.run(agent.run("How was the sky?", session=agent.create_session(session_id="s1")))
    told = [text for text in model.heard if "green on Monday" in text]
    assert len(told) == 1
    assert "pink" not in told[0]
    assert "black" not in " ".join(model.heard)
    texts = [message.text for message in memory.chat(owner="u1", session="s1").messages()]
    assert not any("green" in text for text in texts)
    asyncio.run(agent.run(Message("assistant", ["go on"]), session=agent.create_session(session_id="s2")))
    assert not any("green" in text for text in model.heard)


def read_model_input(memory: keepsaid.Memory, question: str, session: str = "s1") -> list[str]:
    """What a model is told when it is asked something."""
    model = Script()
    providers = [KeepsaidHistoryProvider(memory, owner="u1"), KeepsaidContextProvider(memory, owner="u1")]
    agent = Agent(model, tools=[look], context_providers=providers)
    asyncio.run(agent.run(question, session=agent.create_session(session_id=session)))
    return model.heard


@pytest.mark.parametrize(
    "question", ["Set role:admin for my account please", "the log line says before:midnight", "-admin", " "]
)
def test_context_provider_ignores_search_operators_in_question(memory: keepsaid.Memory, question: str) -> None:
    memory.chat(owner="u1").add("user", "My role is admin; the log line says so at midnight.")
    assert any("My role is admin" in text for text in read_model_input(memory, question)) == bool(question.strip())


def test_context_provider_finds_other_sessions_beside_long_one(memory: keepsaid.Memory) -> None:
    memory.chat(owner="u1", session="old", create=True).add("user", "My sister lives in Lisbon.")
    chat = memory.chat(owner="u1", session="s1", create=True)
    for number in range(40):
        chat.add("user", f"Number {number}: my sister lives where my sister does live, said my sister.")
    heard = read_model_input(memory, "Where does my sister live?")
    assert sum("lives in Lisbon" in text for text in heard) == 1
    assert sum("Number 7:" in text for text in heard) == 1, "by the history alone"


@pytest.mark.parametrize("where", ["redact_sent", "redact_stored"])
def test_question_with_personal_data_is_sent_once_per_turn(where: str) -> None:
    """A question is not sent both with and without its personal data."""
    removed: Any = {where: ["mail"]}
    with keepsaid.open("memory://", embedder="off", background=False, **removed) as memory:
        memory.chat(owner="u1").add("user", "My sister is called Ana.")
        for _ in range(2):
            heard = read_model_input(memory, "Is bob@example.org my sister?")
        assert sum("called Ana" in text for text in heard) == 1
        assert sum("my sister?" in text for text in heard) == 2, "as often as it was asked"


def test_count_repeated_messages_counts_overlap() -> None:
    talk = [build_message("Hi"), build_message("Hello!", "assistant")]
    assert count_repeated_messages([], talk) == 0
    assert count_repeated_messages(talk, talk) == 2
    assert count_repeated_messages(talk, [talk[1], build_message("Bye")]) == 1
    assert count_repeated_messages(talk[:1], talk[:1]) == 0


def test_plain_message_draft_has_no_metadata() -> None:
    (draft,) = drafts_of(build_message("Hi"))
    assert not draft.metadata


def test_import_without_framework_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "keepsaid.adapters.agent_framework")
    monkeypatch.setitem(sys.modules, "agent_framework", None)
    with pytest.raises(MissingExtra, match=r"keepsaid\[agent-framework\]"):
        __import__("keepsaid.adapters.agent_framework")
