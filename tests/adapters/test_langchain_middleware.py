"""LangChain's agents with a memory: what the model is told, what is kept, and that both hold whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from frameworks import framework

import recollect
from recollect import BudgetTooSmall, Chat, Memory
from recollect.engine.compile.chat_format import ANSWER_BEGINS, cost
from recollect.tokens import counter_for

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

from recollect.adapters.langchain import RecollectChatMessageHistory, RecollectMiddleware  # noqa: E402

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
    with recollect.open("memory://", embedder="off", background=False) as opened:
        yield opened


def remembering(memory: Memory, **settings: Any) -> RecollectMiddleware:
    return RecollectMiddleware(memory, **{"owner": "u1", "session": "trip", **settings})


def said(memory: Memory, session: str = "trip") -> list[str]:
    return [str(message.content) for message in RecollectChatMessageHistory(memory, owner="u1", session=session).messages]


def tokens_of(prompt: list[BaseMessage]) -> int:
    count = counter_for("o200k_base").count
    return ANSWER_BEGINS + sum(cost(message, count) for message in convert_to_openai_messages(prompt))


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


def test_an_agent_is_reminded_and_what_it_does_is_kept(memory: Memory) -> None:
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
    model = answering(asks("c1"), "It is 21 °C there.")
    agent = create_agent(model, [weather], system_prompt="Be brief.", middleware=[remembering(memory)])
    state = agent.invoke({"messages": [HumanMessage(QUESTION)]})
    first, second = model.prompts
    assert isinstance(first[0], SystemMessage)
    assert str(first[0].content).startswith("Be brief.\n\n<memory>\n")
    assert "My sister moved to Lisbon in May." in str(first[0].content)
    assert first[0] == second[0]
    assert [*first[1:]] == [state["messages"][0]]
    assert [*second[1:]] == state["messages"][:3]
    assert said(memory) == [QUESTION, "", "21 °C in Lisbon", "It is 21 °C there."]
    assert RecollectChatMessageHistory(memory, owner="u1", session="trip").messages == state["messages"]


def test_it_works_in_an_event_loop(memory: Memory) -> None:
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
    model = answering(asks("c1"), "It is 21 °C there.")
    agent = create_agent(model, [weather], middleware=[remembering(memory)])
    asyncio.run(agent.ainvoke({"messages": [HumanMessage(QUESTION)]}))
    assert "My sister moved to Lisbon in May." in str(model.prompts[0][0].content)
    assert said(memory) == [QUESTION, "", "21 °C in Lisbon", "It is 21 °C there."]


def test_the_conversation_goes_on_without_a_checkpointer(memory: Memory) -> None:
    model = answering("Hello Ana.", "You are Ana.")
    agent = create_agent(model, [], middleware=[remembering(memory)])
    agent.invoke({"messages": [HumanMessage("I am Ana.")]})
    agent.invoke({"messages": [HumanMessage("Who am I?")]})
    assert [message.content for message in model.prompts[1]] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert said(memory) == ["I am Ana.", "Hello Ana.", "Who am I?", "You are Ana."]


def test_with_a_checkpointer_nothing_is_told_or_kept_twice(memory: Memory) -> None:
    model = answering("Hello Ana.", asks("c1"), "Warm.")
    agent = create_agent(model, [weather], middleware=[remembering(memory)], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t1"}}
    agent.invoke({"messages": [HumanMessage("I am Ana.")]}, thread)
    state = agent.invoke({"messages": [HumanMessage("How is Lisbon?")]}, thread)
    assert [message.content for message in model.prompts[1]] == ["I am Ana.", "Hello Ana.", "How is Lisbon?"]
    assert said(memory) == ["I am Ana.", "Hello Ana.", "How is Lisbon?", "", "21 °C in Lisbon", "Warm."]
    assert len(state["messages"]) == 6


def test_a_thread_that_began_without_memory_is_taken_over(memory: Memory) -> None:
    saver, thread = InMemorySaver(), {"configurable": {"thread_id": "t1"}}
    create_agent(answering("Hello Ana."), [], checkpointer=saver).invoke({"messages": [HumanMessage("I am Ana.")]}, thread)  # type: ignore[arg-type]
    agent = create_agent(answering("Ana."), [], middleware=[remembering(memory)], checkpointer=saver)
    agent.invoke({"messages": [HumanMessage("Who am I?")]}, thread)  # type: ignore[arg-type]
    assert said(memory) == ["I am Ana.", "Hello Ana.", "Who am I?", "Ana."]


@pytest.mark.parametrize("budget", [160, 161, 170, 200, 300, 500, 900])
@pytest.mark.parametrize("system", [None, "Be brief."])
def test_the_budget_holds_and_no_call_is_orphaned(memory: Memory, budget: int, system: str | None) -> None:
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
    assert len(said(memory)) == 6 * turns


def test_long_talk_is_told_in_short(memory: Memory) -> None:
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
    assert str(head.content).startswith("Be brief.\n\n<summary>\n")
    assert not any(isinstance(message, SystemMessage) for message in rest)
    assert tokens_of(model.prompts[0]) <= 800


def test_a_system_message_of_blocks_stays_one(memory: Memory) -> None:
    memory.remember("Allergic to nuts", owner="u1", pinned=True)
    blocks: list[Any] = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    model = answering("No nuts.")
    agent = create_agent(model, [], system_prompt=SystemMessage(blocks), middleware=[remembering(memory)])
    agent.invoke({"messages": [HumanMessage("What may I eat?")]})
    content = model.prompts[0][0].content
    assert content[0] == blocks[0]
    assert "Allergic to nuts" in content[1]["text"]  # type: ignore[index]


def test_messages_are_told_as_they_were_given(memory: Memory) -> None:
    thinking: Any = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "I will look."}]
    call = AIMessage(thinking, tool_calls=[{"name": "weather", "args": {"city": "Lisbon"}, "id": "c1"}])
    model = answering(call, "Warm.")
    picture: Any = [{"type": "text", "text": "How is it here?"}, {"type": "image", "url": "https://example.org/here.png"}]
    state = create_agent(model, [weather], middleware=[remembering(memory)]).invoke({"messages": [HumanMessage(picture)]})
    assert model.prompts[1] == state["messages"][:3]
    assert model.prompts[1][1].content == thinking


def test_what_is_not_to_be_sent_is_not(memory: Memory) -> None:
    with recollect.open("memory://", embedder="off", background=False, redact_sent=["mail"]) as careful:
        careful.chat(owner="u1").add("user", "The address of my sister is ana@example.org.")
        model = answering("Noted.", "Yes.")
        agent = create_agent(model, [], middleware=[remembering(careful)])
        agent.invoke({"messages": [HumanMessage("Mine is bob@example.org.")]})
        agent.invoke({"messages": [HumanMessage("What is the address of my sister, and is mine bob@example.org?")]})
        assert "@example.org" not in str(model.prompts)
        assert "What is the address of my sister" in str(model.prompts[1][-1].content)
        assert "bob@example.org" in said(careful)[0]


def test_one_agent_serves_many(memory: Memory) -> None:
    model = answering("Hello Ana.", "Hello Bob.", "You are Ana.")
    whose = remembering(memory, owner=lambda run: run.context["user"], session=lambda run: run.execution_info.thread_id)
    agent = create_agent(model, [], middleware=[whose], checkpointer=InMemorySaver(), context_schema=dict)
    for user, text in (("ana", "I am Ana."), ("bob", "I am Bob."), ("ana", "Who am I?")):
        thread: Any = {"configurable": {"thread_id": f"{user}'s"}}
        agent.invoke({"messages": [HumanMessage(text)]}, thread, context={"user": user})
    assert [message.content for message in model.prompts[2]] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert [session.id for session in memory.sessions(owner="bob")] == ["bob's"]


def test_a_call_that_is_repeated_is_kept_once(memory: Memory) -> None:
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
    assert said(memory) == ["Hi.", "Hello."]


def test_a_long_thread_is_not_saved_again_at_every_call(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    add_many = Chat.add_many
    monkeypatch.setattr(Chat, "add_many", lambda chat, drafts: saved.append(len(drafts)) or add_many(chat, drafts))
    model = answering("Hello.", asks("c1"), "Warm.")
    agent = create_agent(model, [weather], middleware=[remembering(memory)], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t1"}}
    agent.invoke({"messages": [HumanMessage(f"message {number}") for number in range(100)]}, thread)
    agent.invoke({"messages": [HumanMessage("How is Lisbon?")]}, thread)
    assert saved == [100, 1, 1, 2, 1]


def test_what_was_erased_does_not_come_back(memory: Memory) -> None:
    model = answering("Noted.", "I do not know.", "Fine.")
    agent = create_agent(model, [], middleware=[remembering(memory)], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t1"}}
    agent.invoke({"messages": [HumanMessage("My PIN is 4711.")]}, thread)
    memory.erase(owner="u1", session="trip")
    agent.invoke({"messages": [HumanMessage("What is my PIN?")]}, thread)
    agent.invoke({"messages": [HumanMessage("Well.")]}, thread)
    assert "4711" not in str(model.prompts[1:])
    assert said(memory) == ["What is my PIN?", "I do not know.", "Well.", "Fine."]


def test_without_a_question_the_model_gets_what_there_is(memory: Memory) -> None:
    model = answering("Hello.")
    create_agent(model, [], middleware=[remembering(memory)]).invoke({"messages": [SystemMessage("Greet.")]})
    assert [message.content for message in model.prompts[0]] == ["Greet."]
    assert said(memory) == ["Greet.", "Hello."]


def test_a_budget_without_room_for_the_question_says_so(memory: Memory) -> None:
    agent = create_agent(answering("Hello."), [], middleware=[remembering(memory, budget=20)])
    with pytest.raises(BudgetTooSmall):
        agent.invoke({"messages": [HumanMessage("word " * 100)]})
