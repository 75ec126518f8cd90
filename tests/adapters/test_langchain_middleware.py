"""The LangChain agent middleware: what the model receives, what is stored, and how rewound states are followed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework
from hypothesis import given, settings
from hypothesis import strategies as st

import keepsaid
from keepsaid import BudgetTooSmall, Chat, Memory, NotFound
from keepsaid.engine.prompt.chat_format import ANSWER_START_TOKENS, count_chat_message_tokens
from keepsaid.llm.tokens import counter_for

framework("langchain")

from langchain.agents import create_agent  # noqa: E402
from langchain.agents.middleware import AgentMiddleware, ModelRetryMiddleware  # noqa: E402
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: E402
from langchain_core.messages import (  # noqa: E402
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)
from langchain_core.tools import tool  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402

from keepsaid.adapters.langchain import KeepsaidChatMessageHistory, KeepsaidMiddleware  # noqa: E402
from keepsaid.adapters.langchain.state_sync import sync_state  # noqa: E402

# What LangGraph's own saver says of the way in which it keeps messages.
pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.deprecation.LangChainPendingDeprecationWarning")

QUESTION = "What is the weather where my sister lives?"


class Model(GenericFakeChatModel):
    """Answers by a script, and notes what it was told."""

    prompts: list[list[BaseMessage]]

    def bind_tools(self, tools: Any, **settings: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **settings: Any) -> Any:
        self.prompts.append(messages)
        return super()._generate(messages, *args, **settings)


def answering(*answers: AIMessage | str) -> Model:
    return Model(messages=iter(answers), prompts=[])


def asks(call: str, city: str = "Lisbon") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "weather", "args": {"city": city}, "id": call}])


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"21 °C in {city}"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with keepsaid.open("memory://", embedder="off", background=False) as opened:
        yield opened


def remembering(memory: Memory, **settings: Any) -> KeepsaidMiddleware:
    return KeepsaidMiddleware(memory, **{"owner": "u1", "session": "trip", **settings})


def read_texts(memory: Memory, session: str = "trip") -> list[str]:
    return [str(message.content) for message in KeepsaidChatMessageHistory(memory, owner="u1", session=session).messages]


def tokens_of(prompt: list[BaseMessage]) -> int:
    count = counter_for("o200k_base").count
    return ANSWER_START_TOKENS + sum(
        count_chat_message_tokens(message, count) for message in convert_to_openai_messages(prompt)
    )


def assert_paired(prompt: list[BaseMessage]) -> None:
    """Every result follows its call, and every call has its result."""
    open_calls: list[str | None] = []
    for message in prompt:
        if isinstance(message, ToolMessage):
            assert message.tool_call_id in open_calls
            open_calls.remove(message.tool_call_id)
            continue
        assert not open_calls
        open_calls = [call["id"] for call in message.tool_calls] if isinstance(message, AIMessage) else []
    assert not open_calls


def test_middleware_injects_memories_and_stores_turn(memory: Memory) -> None:
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May. We all carried boxes.")
    model = answering(asks("c1"), "It is 21 °C there.")
    agent = create_agent(model, [weather], system_prompt="Be brief.", middleware=[remembering(memory)])
    state = agent.invoke({"messages": [HumanMessage(QUESTION)]})
    first, second = model.prompts
    assert isinstance(first[0], SystemMessage)
    assert str(first[0].content).startswith("Be brief.\n\n<profile>\n")
    assert "</profile>\n\n<memory>\n" in str(first[0].content)
    assert "My sister moved to Lisbon in May. We all carried boxes." in str(first[0].content)
    assert first[0] == second[0]
    assert [*first[1:]] == [state["messages"][0]]
    assert [*second[1:]] == state["messages"][:3]
    assert read_texts(memory) == [QUESTION, "", "21 °C in Lisbon", "It is 21 °C there."]
    assert KeepsaidChatMessageHistory(memory, owner="u1", session="trip").messages == state["messages"]


def test_middleware_works_with_ainvoke(memory: Memory) -> None:
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May. We all carried boxes.")
    model = answering(asks("c1"), "It is 21 °C there.")
    agent = create_agent(model, [weather], middleware=[remembering(memory)])
    asyncio.run(agent.ainvoke({"messages": [HumanMessage(QUESTION)]}))
    assert "My sister moved to Lisbon in May. We all carried boxes." in str(model.prompts[0][0].content)
    assert read_texts(memory) == [QUESTION, "", "21 °C in Lisbon", "It is 21 °C there."]


def test_conversation_continues_without_checkpointer(memory: Memory) -> None:
    model = answering("Hello Ana.", "You are Ana.")
    agent = create_agent(model, [], middleware=[remembering(memory)])
    agent.invoke({"messages": [HumanMessage("I am Ana.")]})
    agent.invoke({"messages": [HumanMessage("Who am I?")]})
    assert [message.content for message in model.prompts[1]] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert read_texts(memory) == ["I am Ana.", "Hello Ana.", "Who am I?", "You are Ana."]


def test_checkpointer_causes_no_duplicate_messages(memory: Memory) -> None:
    model = answering("Hello Ana.", asks("c1"), "Warm.")
    agent = create_agent(model, [weather], middleware=[remembering(memory)], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t1"}}
    agent.invoke({"messages": [HumanMessage("I am Ana.")]}, thread)
    state = agent.invoke({"messages": [HumanMessage("How is Lisbon?")]}, thread)
    assert [message.content for message in model.prompts[1]] == ["I am Ana.", "Hello Ana.", "How is Lisbon?"]
    assert read_texts(memory) == ["I am Ana.", "Hello Ana.", "How is Lisbon?", "", "21 °C in Lisbon", "Warm."]
    assert len(state["messages"]) == 6


def test_thread_begun_without_middleware_is_stored(memory: Memory) -> None:
    saver, thread = InMemorySaver(), {"configurable": {"thread_id": "t1"}}
    create_agent(answering("Hello Ana."), [], checkpointer=saver).invoke({"messages": [HumanMessage("I am Ana.")]}, thread)  # type: ignore[arg-type]
    agent = create_agent(answering("Ana."), [], middleware=[remembering(memory)], checkpointer=saver)
    agent.invoke({"messages": [HumanMessage("Who am I?")]}, thread)  # type: ignore[arg-type]
    assert read_texts(memory) == ["I am Ana.", "Hello Ana.", "Who am I?", "Ana."]


@pytest.mark.parametrize("budget", [160, 161, 170, 200, 300, 500, 900])
@pytest.mark.parametrize("system", [None, "Be brief."])
def test_prompts_fit_budget_and_keep_tool_calls_paired(memory: Memory, budget: int, system: str | None) -> None:
    for number in range(12):
        memory.chat(owner="u1").add("user", f"My sister number {number} moved to Lisbon in May, to street {number}.")
    memory.maintain()
    turns = 6
    answers = [answer for turn in range(turns) for answer in (asks(f"a{turn}"), asks(f"b{turn}"), f"Warm, {turn}. " * 9)]
    model = answering(*answers)
    agent = create_agent(model, [weather], system_prompt=system, middleware=[remembering(memory, budget=budget)])
    for turn in range(turns):
        agent.invoke({"messages": [HumanMessage(f"Turn {turn}: {QUESTION}")]})
    assert len(model.prompts) == 3 * turns
    found = 0
    for prompt in model.prompts:
        assert tokens_of(prompt) <= budget
        assert_paired(prompt)
        found += "street" in str(prompt[0].content)
    assert found or budget < 200
    assert len(read_texts(memory)) == 6 * turns


def test_long_conversation_is_summarized_within_budget(memory: Memory) -> None:
    chat = memory.chat(owner="u1", session="trip", create=True)
    for number in range(60):
        chat.add("user", f"I bought book {number} about Lisbon for {number + 5} euros.")
        chat.add("assistant", f"Noted: book {number}.")
    memory.maintain()
    model = answering("Many.")
    create_agent(model, [], system_prompt="Be brief.", middleware=[remembering(memory, budget=800)]).invoke(
        {"messages": [HumanMessage("Which books did I buy?")]}
    )
    head, *rest = model.prompts[0]
    assert isinstance(head, SystemMessage)
    assert str(head.content).startswith("Be brief.\n\n<profile>\n")
    assert "</profile>\n\n<summary>\n" in str(head.content)
    assert not any(isinstance(message, SystemMessage) for message in rest)
    assert tokens_of(model.prompts[0]) <= 800


def test_system_message_of_blocks_keeps_its_blocks(memory: Memory) -> None:
    memory.remember("Allergic to nuts", owner="u1", pinned=True)
    blocks: list[Any] = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    model = answering("No nuts.")
    agent = create_agent(model, [], system_prompt=SystemMessage(blocks), middleware=[remembering(memory)])
    agent.invoke({"messages": [HumanMessage("What may I eat?")]})
    content = model.prompts[0][0].content
    assert content[0] == blocks[0]
    assert "Allergic to nuts" in content[1]["text"]  # type: ignore[index]


def test_model_receives_messages_unchanged(memory: Memory) -> None:
    thinking: Any = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "I will look."}]
    call = AIMessage(thinking, tool_calls=[{"name": "weather", "args": {"city": "Lisbon"}, "id": "c1"}])
    model = answering(call, "Warm.")
    picture: Any = [{"type": "text", "text": "How is it here?"}, {"type": "image", "url": "https://example.org/here.png"}]
    state = create_agent(model, [weather], middleware=[remembering(memory)]).invoke({"messages": [HumanMessage(picture)]})
    assert model.prompts[1] == state["messages"][:3]
    assert model.prompts[1][1].content == thinking


def test_redact_sent_removes_personal_data_from_prompts(memory: Memory) -> None:
    with keepsaid.open("memory://", embedder="off", background=False, redact_sent=["mail"]) as careful:
        careful.chat(owner="u1").add("user", "The address of my sister is ana@example.org.")
        model = answering("Noted.", "Yes.")
        agent = create_agent(model, [], middleware=[remembering(careful)])
        agent.invoke({"messages": [HumanMessage("Mine is bob@example.org.")]})
        agent.invoke({"messages": [HumanMessage("What is the address of my sister, and is mine bob@example.org?")]})
        assert "@example.org" not in str(model.prompts)
        assert "What is the address of my sister" in str(model.prompts[1][-1].content)
        assert "bob@example.org" in read_texts(careful)[0]


@pytest.mark.parametrize("parts", [False, True], ids=["words", "parts"])
def test_redacted_question_is_sent_once(parts: bool) -> None:
    question = "Is bob@example.org my sister?"
    with keepsaid.open("memory://", embedder="off", background=False, redact_sent=["mail"]) as careful:
        careful.chat(owner="u1").add("user", "My sister is called Ana.")
        content: Any = [{"type": "image", "url": "https://example.org/a.png"}, {"type": "text", "text": question}]
        model = answering("Yes.")
        agent = create_agent(model, [], middleware=[remembering(careful)])
        agent.invoke({"messages": [HumanMessage(content if parts else question)]})
        told = str(model.prompts[0])
        assert "called Ana" in told
        assert told.count("[mail removed]") == 1
        assert "bob@" not in told


def test_agent_resolves_owner_and_session_per_run(memory: Memory) -> None:
    model = answering("Hello Ana.", "Hello Bob.", "You are Ana.")
    whose = remembering(memory, owner=lambda run: run.context["user"], session=lambda run: run.execution_info.thread_id)
    agent = create_agent(model, [], middleware=[whose], checkpointer=InMemorySaver(), context_schema=dict)
    for user, text in (("ana", "I am Ana."), ("bob", "I am Bob."), ("ana", "Who am I?")):
        thread: Any = {"configurable": {"thread_id": f"{user}'s"}}
        agent.invoke({"messages": [HumanMessage(text)]}, thread, context={"user": user})
    assert [message.content for message in model.prompts[2]] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert [session.id for session in memory.sessions(owner="bob")] == ["bob's"]


def test_retried_model_call_is_stored_once(memory: Memory) -> None:
    class Fails(AgentMiddleware):
        tries = 0

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            self.tries += 1
            if self.tries < 3:
                raise ConnectionError("gone")
            return handler(request)

    model = answering("Hello.")
    retry = ModelRetryMiddleware(max_retries=3, initial_delay=0.0, jitter=False)
    agent = create_agent(model, [], middleware=[retry, remembering(memory), Fails()])
    agent.invoke({"messages": [HumanMessage("Hi.")]})
    assert read_texts(memory) == ["Hi.", "Hello."]


def test_each_model_call_saves_only_new_messages(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    add_many = Chat.add_many
    monkeypatch.setattr(
        Chat, "add_many", lambda chat, drafts, **how: saved.append(len(drafts)) or add_many(chat, drafts, **how)
    )  # fmt: skip
    model = answering("Hello.", asks("c1"), "Warm.")
    agent = create_agent(model, [weather], middleware=[remembering(memory)], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t1"}}
    agent.invoke({"messages": [HumanMessage(f"message {number}") for number in range(100)]}, thread)
    agent.invoke({"messages": [HumanMessage("How is Lisbon?")]}, thread)
    assert saved == [100, 1, 1, 2, 1]


def test_erased_messages_are_not_restored_from_checkpointer(memory: Memory) -> None:
    model = answering("Noted.", "I do not know.", "Fine.")
    agent = create_agent(model, [], middleware=[remembering(memory)], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t1"}}
    agent.invoke({"messages": [HumanMessage("My PIN is 4711.")]}, thread)
    memory.erase(owner="u1", session="trip")
    agent.invoke({"messages": [HumanMessage("What is my PIN?")]}, thread)
    agent.invoke({"messages": [HumanMessage("Well.")]}, thread)
    assert "4711" not in str(model.prompts[1:])
    assert read_texts(memory) == ["What is my PIN?", "I do not know.", "Well.", "Fine."]


def test_agent_continues_when_question_is_erased_during_run(memory: Memory) -> None:
    @tool
    def forget(city: str) -> str:
        """Erases what the user said."""
        chat = memory.chat(owner="u1", session="trip")
        chat.erase(chat.messages()[0].id)
        return "done"

    call = AIMessage("I ask bob@example.org.", tool_calls=[{"name": "forget", "args": {"city": "Lisbon"}, "id": "c1"}])
    model = answering(call, "Gone.")
    agent = create_agent(model, [forget], middleware=[remembering(memory)])
    state = agent.invoke({"messages": [HumanMessage("My PIN is 4711.")]})
    assert model.prompts[1] == state["messages"][1:3]
    assert read_texts(memory) == ["I ask bob@example.org.", "done", "Gone."]


def test_redact_sent_applies_without_user_question() -> None:
    with keepsaid.open("memory://", embedder="off", background=False, redact_sent=["mail"]) as careful:
        model = answering("Hello.")
        agent = create_agent(model, [], middleware=[remembering(careful)])
        agent.invoke({"messages": [AIMessage("I am bob@example.org.")]})
        assert [message.content for message in model.prompts[0]] == ["I am [mail removed]."]


def test_run_without_question_sends_given_messages(memory: Memory) -> None:
    model = answering("Hello.")
    create_agent(model, [], middleware=[remembering(memory)]).invoke({"messages": [SystemMessage("Greet.")]})
    assert [message.content for message in model.prompts[0]] == ["Greet."]
    assert read_texts(memory) == ["Greet.", "Hello."]


def test_question_larger_than_budget_raises(memory: Memory) -> None:
    agent = create_agent(answering("Hello."), [], middleware=[remembering(memory, budget=20)])
    with pytest.raises(BudgetTooSmall):
        agent.invoke({"messages": [HumanMessage("word " * 100)]})


# -- another course


@pytest.fixture(params=["memory", "file"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off", background=False) as opened:
        yield opened


THREAD: Any = {"configurable": {"thread_id": "t1"}}


class Travelling:
    """An agent with a checkpointer, that can go back."""

    def __init__(self, memory: Memory, *answers: AIMessage | str) -> None:
        self.memory = memory
        self.model = answering(*answers)
        self.agent = create_agent(self.model, [weather], middleware=[remembering(memory)], checkpointer=InMemorySaver())

    def say(self, *texts: str) -> None:
        for text in texts:
            self.agent.invoke({"messages": [HumanMessage(text, id=text)]}, THREAD)

    def at(self, messages: int, node: str = "model") -> Any:
        """The checkpoint of a state with so many messages."""
        found = self.agent.get_state_history(THREAD)
        return next(one.config for one in found if one.next == (node,) and len(one.values["messages"]) == messages)

    def fork(self, place: Any, *messages: BaseMessage) -> None:
        """Goes on from a checkpoint with other messages."""
        self.agent.invoke(None, self.agent.update_state(place, {"messages": [*messages]}, as_node="__start__"))

    def told(self) -> list[str]:
        """What the model was told last."""
        return [str(message.content) for message in self.model.prompts[-1]]

    def is_followed(self) -> bool:
        """Whether the conversation is as the state has it."""
        state = self.agent.get_state(THREAD).values["messages"]
        return [message.text for message in self.chat.messages()] == [message.text for message in state]

    @property
    def chat(self) -> Chat:
        return self.memory.chat(owner="u1", session="trip")


def test_regenerated_answer_replaces_old_answer(either: Memory) -> None:
    travelling = Travelling(either, "one", "two", "two again", "three")
    travelling.say("a", "b")
    travelling.agent.invoke(None, travelling.at(3))
    assert travelling.told() == ["a", "one", "b"]
    assert travelling.is_followed()
    travelling.say("c")
    assert travelling.told() == ["a", "one", "b", "two again", "c"]
    assert travelling.is_followed()
    assert len(travelling.chat.branches()) == 2, "the old answer stays restorable"


def test_forked_question_replaces_old_question(either: Memory) -> None:
    travelling = Travelling(either, "one", asks("c1"), "two", "other", "three")
    travelling.say("a", "b")
    travelling.fork(travelling.at(2, "__start__"), HumanMessage("x"))
    assert travelling.told() == ["a", "one", "x"]
    assert travelling.is_followed()
    travelling.say("c")
    assert travelling.told() == ["a", "one", "x", "other", "c"]


def test_returning_to_abandoned_branch_restores_it(either: Memory) -> None:
    travelling = Travelling(either, "one", "two", "other", "three", "four")
    travelling.say("a", "b")
    old = travelling.at(4, "KeepsaidMiddleware.after_agent")
    travelling.fork(travelling.at(2, "__start__"), HumanMessage("x"))
    travelling.fork(old, HumanMessage("c"))
    assert travelling.told() == ["a", "one", "b", "two", "c"]
    assert travelling.is_followed()


def test_rerun_tool_step_replaces_old_step(either: Memory) -> None:
    travelling = Travelling(either, asks("c1"), asks("c2"), "warm", asks("c3", "Porto"), "cold")
    travelling.say("a")
    travelling.agent.invoke(None, travelling.at(3))
    assert travelling.told() == ["a", "", "21 °C in Lisbon", "", "21 °C in Porto"]
    assert_paired(travelling.model.prompts[-1])
    assert travelling.is_followed()


@pytest.mark.parametrize("redacted", [(), ("mail",)])
def test_forked_question_with_same_id_replaces_old_one(redacted: tuple[str, ...]) -> None:
    with keepsaid.open("memory://", embedder="off", background=False, redact_stored=redacted) as memory:
        travelling = Travelling(memory, "one", "two", "three", "four", "five")
        travelling.say("a", "I am ana@example.org")
        for number in ("second", "third"):
            new = HumanMessage(f"I am bob@example.org, the {number}", id="I am ana@example.org")
            travelling.fork(travelling.at(2, "__start__"), new)
            assert travelling.told()[:2] == ["a", "one"]
            assert travelling.told()[2].endswith(f"the {number}")
            assert len(travelling.told()) == 3
        travelling.say("c")
        assert [text.split(",")[-1] for text in travelling.told()] == ["a", "one", " the third", "four", "c"]
        assert len(travelling.chat.branches()) == 3


def test_answers_to_replaced_message_are_dropped(either: Memory) -> None:
    """LangGraph replaces a message with the same id and keeps the messages after it."""
    travelling = Travelling(either, "one", asks("c1"), "two", "two again", "three")
    travelling.say("a")
    travelling.agent.invoke({"messages": [HumanMessage("b", id="a")]}, THREAD)
    assert [prompt[0].content for prompt in travelling.model.prompts[1:]] == ["b", "b"]
    assert travelling.told() == ["b", "", "21 °C in Lisbon"]
    travelling.agent.invoke(None, travelling.at(4))
    assert travelling.told() == ["b", "", "21 °C in Lisbon"]
    travelling.say("c")
    assert travelling.told() == ["b", "", "21 °C in Lisbon", "two again", "c"]


def test_replaced_first_question_can_be_restored(either: Memory) -> None:
    travelling = Travelling(either, "one", "other", "two")
    travelling.say("a")
    old = travelling.at(2, "KeepsaidMiddleware.after_agent")
    travelling.fork(travelling.at(0, "__start__"), HumanMessage("b", id="a"))
    assert travelling.told() == ["b"]
    travelling.fork(old, HumanMessage("c"))
    assert travelling.told() == ["a", "one", "c"]
    assert travelling.is_followed()


def test_edited_tool_call_replaces_stored_call(either: Memory) -> None:
    travelling = Travelling(either, asks("c1"), "warm", "cold")
    travelling.say("a")
    place = travelling.at(2, "tools")
    called = travelling.agent.get_state(place).values["messages"][1]
    new = asks("c1", "Porto").model_copy(update={"id": called.id})
    travelling.agent.invoke(None, travelling.agent.update_state(place, {"messages": [new]}))
    assert travelling.told() == ["a", "", "21 °C in Porto"]
    assert travelling.chat.messages()[1].tool_calls[0].arguments == '{"city": "Porto"}'
    assert_paired(travelling.model.prompts[-1])


def test_changed_additional_kwargs_create_no_branch(either: Memory) -> None:
    class Notes(AgentMiddleware):
        def before_model(self, state: Any, runtime: Any) -> Any:
            noted = {"looked_at": len(state["messages"])}
            return {"messages": [state["messages"][0].model_copy(update={"additional_kwargs": noted})]}

    model = answering(asks("c1"), asks("c2"), "warm")
    agent = create_agent(model, [weather], middleware=[Notes(), remembering(either)])
    agent.invoke({"messages": [HumanMessage("a", id="a")]})
    assert [str(message.content) for message in model.prompts[-1]] == ["a", *["", "21 °C in Lisbon"] * 2]
    assert len(either.chat(owner="u1", session="trip").branches()) == 1


def test_messages_added_through_chat_are_kept(either: Memory) -> None:
    travelling = Travelling(either, "one", "two", "two again")
    travelling.say("a")
    travelling.chat.add("user", "by another adapter")
    travelling.say("b")
    assert travelling.told() == ["a", "one", "by another adapter", "b"]
    travelling.chat.add("user", "once more")
    travelling.agent.invoke(None, travelling.at(3))
    assert travelling.told() == ["a", "one", "by another adapter", "b", "two", "once more"]


def test_message_edited_through_chat_stays_edited(either: Memory) -> None:
    travelling = Travelling(either, "one", "two")
    travelling.say("a")
    travelling.chat.edit(travelling.chat.messages()[0].id, "edited")
    travelling.say("b")
    assert travelling.told() == ["edited", "b"]


def test_messages_removed_through_chat_stay_removed(either: Memory) -> None:
    travelling = Travelling(either, "one", "two", "three")
    travelling.say("a")
    travelling.chat.pop()
    travelling.say("b")
    assert travelling.told() == ["a", "b"]
    travelling.chat.clear()
    travelling.say("c")
    assert travelling.told() == ["c"]


def test_concurrent_runs_keep_messages_of_each_other(either: Memory) -> None:
    """Each run has a state of its own, as without a checkpointer."""
    first: list[BaseMessage] = [HumanMessage("a", id="a")]
    second: list[BaseMessage] = [HumanMessage("b", id="b")]
    chat = either.chat(owner="u1", session="trip", create=True)
    for state, answer in ((first, None), (second, None), (first, "to a"), (second, "to b"), (first, None), (second, None)):
        sync_state(chat, [*state, AIMessage(answer, id=answer)] if answer else state)
    assert read_texts(either) == ["a", "b", "to a", "to b"]


def test_erased_message_stays_erased_on_every_branch(either: Memory) -> None:
    travelling = Travelling(either, "one", "two", "other", "two again")
    travelling.say("a", "b")
    secret = travelling.chat.messages()[2].id
    travelling.chat.erase(secret)
    travelling.agent.invoke(None, travelling.at(3))
    assert "b" not in travelling.told()
    travelling.fork(travelling.at(2, "__start__"), HumanMessage("x"))
    assert "b" not in travelling.told()
    with pytest.raises(NotFound):
        travelling.chat.message(secret)


STEPS = st.lists(
    st.tuples(st.integers(0, 99), st.integers(0, 99), st.sampled_from(["go on", "ask", "say otherwise"])), max_size=12
)


@settings(deadline=None)
@given(STEPS)
def test_conversation_follows_any_sequence_of_states(steps: list[tuple[int, int, str]]) -> None:
    """Each step goes back to an earlier state and adds an answer, adds a question, or replaces the last message."""
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        chat = memory.chat(owner="u1", session="trip", create=True)
        states: list[list[BaseMessage]] = [[HumanMessage("first", id="first")]]
        for number, (which, length, how) in enumerate(steps):
            state = states[which % len(states)]
            state = state[: 1 + length % len(state)]
            if how == "ask":
                state = [*state, HumanMessage(f"question {number}", id=f"q{number}")]
            if how == "say otherwise":
                state = [*state[:-1], state[-1].model_copy(update={"content": f"other words {number}"})]
            for grown in (state, [*state, AIMessage(f"answer {number}", id=f"a{number}")]):
                sync_state(chat, grown)
                assert read_texts(memory) == [message.content for message in grown]
                states.append(grown)
