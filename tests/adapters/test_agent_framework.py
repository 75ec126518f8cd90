"""The door for Microsoft Agent Framework. It ships no tests, so the contract is written down here: what is said of histories
must hold for the framework's own in-memory provider as well, which is the oracle."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import recollect
from recollect import Part, ToolCall
from recollect.errors import InvalidInput, MissingExtra

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

from recollect.adapters.agent_framework import (  # noqa: E402
    RecollectContextProvider,
    RecollectHistoryProvider,
    told_again,
)
from recollect.adapters.agent_framework_messages import drafts_of, messages_of  # noqa: E402


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with recollect.open(url, embedder="off", background=False) as memory:
        yield memory


@pytest.fixture
def ours(memory: recollect.Memory) -> RecollectHistoryProvider:
    return RecollectHistoryProvider(memory, owner="u1")


@pytest.fixture(params=["theirs", "ours"])
def history(request: pytest.FixtureRequest) -> Any:
    """The oracle, and what must do as it does."""
    if request.param == "theirs":
        yield InMemoryHistoryProvider()
        return
    with recollect.open("memory://", embedder="off") as memory:
        yield RecollectHistoryProvider(memory, owner="u1")


def save(history: Any, *messages: Message, state: Any = None, session: str | None = "s1") -> None:
    asyncio.run(history.save_messages(session, messages, state=state))


def read(history: Any, *, state: Any = None, session: str | None = "s1") -> list[dict[str, Any]]:
    return [message.to_dict() for message in asyncio.run(history.get_messages(session, state=state))]


def said(text: str, role: str = "user", **more: Any) -> Message:
    return Message(role, [text], **more)


# -- the contract, for theirs and ours


def test_messages_are_appended_in_order(history: Any) -> None:
    state: dict[str, Any] = {}
    assert read(history, state=state) == []
    first, second, third = said("Hi"), said("Hello!", "assistant", author_name="helper"), said("How are you?")
    save(history, first, second, state=state)
    save(history, third, state=state)
    save(history, state=state)
    assert read(history, state=state) == [message.to_dict() for message in (first, second, third)]


def test_what_is_told_again_is_not_kept_twice(history: Any) -> None:
    state: dict[str, Any] = {}
    talk = [said("Hi"), said("Hello!", "assistant"), said("Bye"), said("Goodbye!", "assistant", message_id="m4")]
    save(history, *talk[:2], state=state)
    save(history, *talk[1:3], state=state)
    save(history, *talk, state=state)
    assert read(history, state=state) == [message.to_dict() for message in talk]


def test_what_a_user_says_twice_is_kept_twice(history: Any) -> None:
    state: dict[str, Any] = {}
    for _ in range(2):
        save(history, said("Again!"), state=state)
    assert len(read(history, state=state)) == 2
    for _ in range(2):
        save(history, said("Once!", message_id="m1"), state=state)
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
def test_messages_come_back_equal(ours: RecollectHistoryProvider, role: str) -> None:
    messages = [Message(role, [content]) for content in CONTENTS]
    messages += [Message(role, CONTENTS), Message(role, CONTENTS[::-1]), Message(role), Message(role, CONTENTS[:2])]
    messages += [
        said("Hi", role, author_name="ana", message_id=f"m{number}", additional_properties=more)
        for number, more in enumerate(({"source": "web"}, {"_attribution": {"source_id": "x"}, "n": 1}, {"doors": 1}))
    ]
    save(ours, *messages)
    assert read(ours) == [message.to_dict() for message in messages]


# -- other doors


def test_other_doors_read_the_conversation(memory: recollect.Memory, ours: RecollectHistoryProvider) -> None:
    calls, results = CONTENTS[10:12], CONTENTS[13:15]
    save(
        ours,
        said("Look!", additional_properties={"source": "web", "_attribution": {}}),
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


def test_plain_words_are_kept_once(memory: recollect.Memory, ours: RecollectHistoryProvider) -> None:
    save(ours, said("the words themselves", message_id="m1"))
    assert "words" not in json.dumps(dict(memory.chat(owner="u1", session="s1").messages()[0].metadata))


def test_what_other_doors_wrote_is_read(memory: recollect.Memory, ours: RecollectHistoryProvider) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    chat.add("system", "Be brief.")
    picture = Part("image", uri="data:image/png;base64,+/8=", media_type="image/png")
    parts = [Part("text", "this"), picture, Part("refusal", "no"), Part("strange", data={"a": 1})]
    chat.add("user", parts, metadata={"source": "web"})
    foreign = Part("reasoning", data={"summary": ["private"]})
    chat.add("assistant", [foreign, Part("text", "Hm")], tool_calls=[ToolCall("c1", "look", "not json")])
    chat.add("tool", "blue", tool_call_id="c1", name="look")
    chat.add("assistant", "Blue.", name="painter")
    contents = [Content.from_text("this"), Content.from_data(b"\xfb\xff", media_type="image/png"), Content.from_text("no")]
    expected = [
        said("Be brief.", "system"),
        Message("user", contents, additional_properties={"source": "web"}),
        Message("assistant", ["Hm", Content.from_function_call("c1", "look", arguments="not json")]),
        Message("tool", [Content.from_function_result("c1", result="blue")]),
        said("Blue.", "assistant", author_name="painter"),
    ]
    assert read(ours) == [message.to_dict() for message in expected]


def test_an_erased_piece_takes_nothing_else_along(memory: recollect.Memory, ours: RecollectHistoryProvider) -> None:
    save(ours, said("Hi"), Message("tool", CONTENTS[13:16]))
    chat = memory.chat(owner="u1", session="s1")
    chat.erase(chat.messages()[1].id)
    left = [message.to_dict() for message in messages_of(chat.messages())]
    assert [[content["call_id"] for content in message["contents"]] for message in left[1:]] == [["c2"], ["c3"]]


def turn() -> list[Message]:
    """A turn with two tools."""
    return [
        said("Look!"),
        Message("assistant", CONTENTS[10:12]),
        Message("tool", CONTENTS[13:15]),
        said("Blue.", "assistant"),
    ]


@pytest.mark.parametrize("erased", [1, 2, 3], ids=["calls", "first result", "second result"])
def test_what_lost_its_other_half_is_not_told(memory: recollect.Memory, ours: RecollectHistoryProvider, erased: int) -> None:
    save(ours, *turn())
    chat = memory.chat(owner="u1", session="s1")
    chat.erase(chat.messages()[erased].id)
    first, last = turn()[0], turn()[-1]
    assert read(ours) == [first.to_dict(), last.to_dict()]
    save(ours, first, last, said("Thanks."))
    assert read(ours) == [message.to_dict() for message in (first, last, said("Thanks."))], "told again, and not kept twice"


def test_results_that_are_told_again_are_not_kept_twice(ours: RecollectHistoryProvider) -> None:
    save(ours, *turn())
    save(ours, *turn()[2:], said("Thanks."))
    assert read(ours) == [message.to_dict() for message in (*turn(), said("Thanks."))]


def test_marks_that_are_not_ours_do_no_harm(memory: recollect.Memory, ours: RecollectHistoryProvider) -> None:
    chat = memory.chat(owner="u1", session="s1", create=True)
    for mark in ({"pieces": "x"}, "what?", {"of": 1}, {"strange": 1}, {"contents": 3}):
        chat.add("user", "Hi", metadata={"doors": {"agent-framework-message": mark, "agent-framework": mark}})
    assert read(ours) == [said("Hi").to_dict()] * 5


def test_what_is_redacted_does_not_come_back(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "chat.db", embedder="off", redact_stored=("mail",)) as memory:
        ours = RecollectHistoryProvider(memory, owner="u1")
        save(ours, said("I am ana@example.org", message_id="m1"))
        assert read(ours)[0]["contents"][0]["text"] == "I am [mail removed]"


# -- many at once, and limits


def test_writers_at_the_same_time_lose_nothing(memory: recollect.Memory) -> None:
    async def write(writer: int) -> None:
        history = RecollectHistoryProvider(memory, owner="u1")
        for step in range(5):
            await history.save_messages("s1", [said(f"{writer}-{step}"), said("Yes.", "assistant")])

    async def all_write() -> None:
        await asyncio.gather(*map(write, range(4)))

    asyncio.run(all_write())
    texts = [message.text for message in memory.chat(owner="u1", session="s1").messages()]
    assert sorted(texts) == sorted([f"{writer}-{step}" for writer in range(4) for step in range(5)] + ["Yes."] * 20)


def test_owners_do_not_mix(memory: recollect.Memory, ours: RecollectHistoryProvider) -> None:
    save(ours, said("Mine"))
    assert read(RecollectHistoryProvider(memory, owner="u2")) == []


def test_an_owner_and_a_session_are_required(memory: recollect.Memory, ours: RecollectHistoryProvider) -> None:
    with pytest.raises(TypeError):
        RecollectHistoryProvider(memory)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="which session"):
        read(ours, session=None)
    with pytest.raises(InvalidInput):
        read(RecollectHistoryProvider(memory, owner=""))


def test_in_a_pool_others_take_part(memory: recollect.Memory) -> None:
    pool = memory.create_pool("team", owner="u1")
    memory.grant(pool, to="u2", by="u1", access="write")
    save(RecollectHistoryProvider(memory, owner="u1", pool=pool), said("Hi"))
    assert len(read(RecollectHistoryProvider(memory, owner="u2", pool=pool))) == 1


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
                return ChatResponse(messages=[said(f"It is {last.result}.", "assistant")])
            call = Content.from_function_call(f"c{len(messages)}", "look", arguments='{"at": "sky"}')
            return ChatResponse(messages=[Message("assistant", [call])])

        return answer()


@tool(approval_mode="never_require")
def look(at: str) -> str:
    """Looks at something."""
    return f"{at}-blue"


def test_an_agent_goes_on_where_it_was(memory: recollect.Memory) -> None:
    def agent() -> tuple[Agent[Any], Script]:
        model = Script()
        return Agent(model, tools=[look], context_providers=[RecollectHistoryProvider(memory, owner="u1")]), model

    first, _ = agent()
    answer = asyncio.run(first.run("How is the sky?", session=first.create_session(session_id="s1")))
    assert answer.text == "It is sky-blue."
    second, model = agent()
    asyncio.run(second.run("And now?", session=second.create_session(session_id="s1")))
    assert [text for text in model.heard if text] == ["How is the sky?", "It is sky-blue.", "And now?"]
    messages = memory.chat(owner="u1", session="s1").messages()
    assert [str(message.role) for message in messages] == ["user", "assistant", "tool", "assistant"] * 2
    assert messages[1].tool_calls[0].id == messages[2].tool_call_id


def test_an_agent_is_told_of_other_conversations(memory: recollect.Memory) -> None:
    memory.chat(owner="u1", session="old", create=True).add("user", "The sky was green on Monday.")
    memory.chat(owner="u1", session="s1", create=True).add("user", "The sky was pink on Tuesday.")
    memory.chat(owner="u2").add("user", "The sky was black on Monday.")
    model = Script()
    providers = [RecollectHistoryProvider(memory, owner="u1"), RecollectContextProvider(memory, owner="u1")]
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


def told(memory: recollect.Memory, question: str, session: str = "s1") -> list[str]:
    """What a model is told when it is asked something."""
    model = Script()
    providers = [RecollectHistoryProvider(memory, owner="u1"), RecollectContextProvider(memory, owner="u1")]
    agent = Agent(model, tools=[look], context_providers=providers)
    asyncio.run(agent.run(question, session=agent.create_session(session_id=session)))
    return model.heard


@pytest.mark.parametrize(
    "question", ["Set role:admin for my account please", "the log line says before:midnight", "-admin", " "]
)
def test_what_somebody_says_has_no_operators(memory: recollect.Memory, question: str) -> None:
    memory.chat(owner="u1").add("user", "My role is admin; the log line says so at midnight.")
    assert any("My role is admin" in text for text in told(memory, question)) == bool(question.strip())


def test_a_long_conversation_does_not_hide_the_others(memory: recollect.Memory) -> None:
    memory.chat(owner="u1", session="old", create=True).add("user", "My sister lives in Lisbon.")
    chat = memory.chat(owner="u1", session="s1", create=True)
    for number in range(40):
        chat.add("user", f"Number {number}: my sister lives where my sister does live, said my sister.")
    heard = told(memory, "Where does my sister live?")
    assert sum("lives in Lisbon" in text for text in heard) == 1
    assert sum("Number 7:" in text for text in heard) == 1, "by the history alone"


@pytest.mark.parametrize("where", ["redact_sent", "redact_stored"])
def test_a_question_is_not_told_in_two_ways(where: str) -> None:
    """Once with personal data, and once without."""
    removed: Any = {where: ["mail"]}
    with recollect.open("memory://", embedder="off", background=False, **removed) as memory:
        memory.chat(owner="u1").add("user", "My sister is called Ana.")
        for _ in range(2):
            heard = told(memory, "Is bob@example.org my sister?")
        assert sum("called Ana" in text for text in heard) == 1
        assert sum("my sister?" in text for text in heard) == 2, "as often as it was asked"


def test_what_is_told_again_is_counted() -> None:
    talk = [said("Hi"), said("Hello!", "assistant")]
    assert told_again([], talk) == 0
    assert told_again(talk, talk) == 2
    assert told_again(talk, [talk[1], said("Bye")]) == 1
    assert told_again(talk[:1], talk[:1]) == 0


def test_without_anything_special_nothing_is_kept_beside() -> None:
    (draft,) = drafts_of(said("Hi"))
    assert not draft.metadata


def test_without_the_framework_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "recollect.adapters.agent_framework")
    monkeypatch.setitem(sys.modules, "agent_framework", None)
    with pytest.raises(MissingExtra, match=r"recollect\[agent-framework\]"):
        __import__("recollect.adapters.agent_framework")
