"""The agent's loop: tools, errors, limits, stops; everything saved as it happens, and no call without its result."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import keepsaid
from keepsaid.agent.agent import Agent
from keepsaid.agent.answer import Answer, ContextRetrieved, TextDelta, ToolFinished, ToolStarted, TurnFinished, TurnStarted
from keepsaid.agent.history import INTERRUPTED
from keepsaid.agent.model import NO_TOOLS_FALLBACK
from keepsaid.agent.prompts import NAME_DOCUMENTS
from keepsaid.errors import ConfigError, InvalidInput, LLMError, LLMRefused, NotFound
from keepsaid.ports import LLMCompletion, StreamPiece
from keepsaid.testing import ManualClock, ScriptedLLM
from keepsaid.types import Message, Role, ToolCall


def weather(city: str) -> str:
    """The weather in a city."""
    if city == "Atlantis":
        raise LookupError("no such city")
    return f"19 °C in {city}"


def calls(*named: tuple[str, Any], text: str = "") -> LLMCompletion:
    """An answer that calls tools."""
    made = (
        ToolCall(f"c{place}", name, given if isinstance(given, str) else json.dumps(given))
        for place, (name, given) in enumerate(named)
    )
    return LLMCompletion(text, tuple(made), "tool_calls", "m-1", 20, 5)


def talk(memory: keepsaid.Memory, agent: Agent) -> list[Message]:
    return memory.chat(owner="u1", session=agent.session).messages()


def agent_of(memory: keepsaid.Memory, script: Sequence[Any], **options: Any) -> tuple[Agent, ScriptedLLM]:
    llm = ScriptedLLM(script)
    return Agent(memory, llm, **({"owner": "u1", "tools": [weather]} | options)), llm


def assert_paired(messages: Sequence[Message]) -> None:
    """Every call has exactly one result, right after it, and no result is without its call."""
    open_calls: Counter[str] = Counter()
    for message in messages:
        if message.role is Role.TOOL:
            open_calls[message.tool_call_id or ""] -= 1
            assert open_calls[message.tool_call_id or ""] >= 0
        else:
            assert not +open_calls
            open_calls = Counter(call.id for call in message.tool_calls)
    assert not +open_calls


class TestTurn:
    def test_saves_question_without_injected_memories(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon. Boxes!")
        agent, llm = agent_of(memory, [LLMCompletion("In Lisbon.", (), "stop", "m-1", 30, 4)])
        answer = agent.ask("Where does my sister live?")
        said, told = talk(memory, agent)
        assert said.text == "Where does my sister live?"
        assert "My sister moved to Lisbon. Boxes!" in llm.calls[0].messages[-1]["content"]
        assert llm.calls[0].messages[-1]["content"].endswith("Where does my sister live?")
        assert (told.role, told.text) == (Role.ASSISTANT, "In Lisbon.")
        assert told.metadata["model"] == "m-1"
        assert told.metadata["finish"] == "stop"
        assert (told.metadata["prompt_tokens"], told.metadata["answer_tokens"]) == (30, 4)
        assert told.metadata["duration_ms"] >= 0
        assert told.metadata["tools"] == []
        assert told.metadata["receipt"] == answer.receipt_id
        assert memory.replay(answer.receipt_id or "").messages == llm.calls[0].messages
        assert told.metadata["sources"] == [source.id for source in answer.sources]
        assert [(source.kind, source.text) for source in answer.sources] == [
            ("message", "My sister moved to Lisbon. Boxes!")
        ]
        assert (answer.message, answer.session, answer.model, answer.steps) == (told, agent.session, "m-1", 1)

    def test_runs_several_tool_steps(self, memory: keepsaid.Memory):
        script = [
            calls(("weather", {"city": "Lisbon"}), ("weather", {"city": "Porto"}), text="Let me look."),
            calls(("weather", {"city": "Faro"})),
            "Warm everywhere.",
        ]
        agent, llm = agent_of(memory, script)
        answer = agent.ask("Is it warm in Portugal?")
        messages = talk(memory, agent)
        assert [message.role.value for message in messages] == "user assistant tool tool assistant tool assistant".split()
        assert [message.text for message in messages[1:4]] == ["Let me look.", "19 °C in Lisbon", "19 °C in Porto"]
        assert messages[2].name == "weather"
        assert messages[1].metadata["finish"] == "tool_calls"
        assert messages[-1].metadata["tools"] == ["weather"]
        assert_paired(messages)
        assert [message["role"] for message in llm.calls[2].messages] == "user assistant tool tool assistant tool".split()
        assert (answer.text, answer.steps, answer.finish) == ("Warm everywhere.", 3, "stop")
        assert [source.title for source in answer.sources] == ['weather "Lisbon"', 'weather "Porto"', 'weather "Faro"']

    def test_stream_emits_events_in_order(self, memory: keepsaid.Memory):
        agent, _ = agent_of(memory, [calls(("weather", {"city": "Lisbon"})), "It is 19 °C."])
        events = list(agent.stream("How warm is it?"))
        kinds = [type(event) for event in events if not isinstance(event, TextDelta)]
        assert kinds == [TurnStarted, ContextRetrieved, ToolStarted, ToolFinished, ContextRetrieved, TurnFinished]
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "It is 19 °C."

    def test_saves_each_step_before_emitting_its_event(self, memory: keepsaid.Memory):
        agent, _ = agent_of(memory, [calls(("weather", {"city": "Lisbon"})), "It is 19 °C."])
        counts = [(type(event).__name__, len(talk(memory, agent))) for event in agent.stream("How warm is it?")]
        deltas = [("TextDelta", 3)] * 3
        before = [
            ("TurnStarted", 1),
            ("ContextRetrieved", 1),
            ("ToolStarted", 2),
            ("ToolFinished", 3),
            ("ContextRetrieved", 3),
        ]
        assert [one for one in counts if one not in deltas] == [*before, ("TurnFinished", 4)]

    def test_second_question_continues_same_session(self, memory: keepsaid.Memory):
        agent, llm = agent_of(memory, ["Hello!", "You said hi."])
        agent.ask("Hi")
        agent.ask("What did I say?")
        assert [message["content"] for message in llm.calls[1].messages][:2] == ["Hi", "Hello!"]
        assert len(memory.sessions(owner="u1")) == 1

    def test_agent_rejects_session_of_another_owner(self, memory: keepsaid.Memory):
        other = memory.chat(owner="u2")
        with pytest.raises(NotFound):
            Agent(memory, ScriptedLLM([]), owner="u1", session=other.id)

    @pytest.mark.parametrize("message", ["", "  \n"])
    def test_ask_rejects_blank_message(self, memory: keepsaid.Memory, message: str):
        agent, _ = agent_of(memory, [])
        with pytest.raises(InvalidInput, match="the message is empty"):
            agent.ask(message)
        assert len(memory.sessions(owner="u1")) == 0

    def test_stream_does_nothing_until_iterated(self, memory: keepsaid.Memory):
        agent, llm = agent_of(memory, ["Hello!"])
        agent.stream("Hi").close()
        assert len(memory.sessions(owner="u1")) == 0
        assert llm.calls == []

    def test_off_the_record_turn_is_saved_as_private(self, memory: keepsaid.Memory):
        agent, _ = agent_of(memory, [calls(("weather", {"city": "Faro"})), "I will not tell that you go to Faro."])
        agent.ask("Off the record, I go to Faro.")
        assert all(message.private for message in talk(memory, agent))
        assert memory.search("Faro", owner="u1") == []


class TestOptions:
    def test_recall_options_limit_recalled_messages(self, memory: keepsaid.Memory):
        earlier = memory.chat(owner="u1")
        for number in range(9):
            earlier.add("user", f"The tea number {number} was green and hot")
        question = "Which tea is green and hot?"

        def recalled(**options: Any) -> int:
            agent, _ = agent_of(memory, ["Some."], **options)
            context = agent.ask(question).context
            assert context is not None
            return sum(item.section == "recalled" for item in context.items)

        assert recalled() > 2
        assert recalled(top_k=2) == 2
        assert recalled(top_k=0) == 0
        assert recalled(min_similarity=1.0) == 0
        assert recalled(recall="off") == 0
        assert recalled(recall="session") == 0

    @pytest.mark.parametrize(
        "options",
        [{"top_k": -1}, {"min_similarity": 2}, {"budget": "1k"}, {"recall": "all"}, {"max_steps": 0}, {"system": "\0"}],
    )
    def test_invalid_options_are_rejected(self, memory: keepsaid.Memory, options: dict[str, Any]):
        with pytest.raises(InvalidInput):
            agent_of(memory, [], **options)

    def test_model_options_are_passed_to_model(self, memory: keepsaid.Memory):
        agent, llm = agent_of(memory, ["Hi."], answer_tokens=7, temperature=0.5, system="Be brief.")
        agent.ask("Hello")
        assert (llm.calls[0].max_tokens, llm.calls[0].temperature) == (7, 0.5)
        assert llm.calls[0].messages[0] == {"role": "system", "content": "Be brief."}

    def test_tool_definitions_count_against_budget(self, memory: keepsaid.Memory):
        agent, llm = agent_of(memory, ["Hi."], budget=2_000)
        context = agent.ask("Hello").context
        assert context is not None
        assert context.budget < 2_000
        names = [tool["function"]["name"] for tool in llm.calls[0].tools]
        assert names == ["search_memory", "remember", "forget", "weather"]
        assert [tool["function"]["name"] for tool in without_memory(memory)] == ["weather"]

    def test_own_tool_replaces_built_in_tool_of_same_name(self, memory: keepsaid.Memory):
        def remember(text: str) -> str:
            return f"on paper: {text}"

        agent, _ = agent_of(memory, [calls(("remember", {"text": "tea"})), "Done."], tools=[remember])
        agent.ask("Remember tea")
        assert talk(memory, agent)[2].text == "on paper: tea"

    def test_model_may_be_name_or_function(self, memory: keepsaid.Memory):
        assert Agent(memory, lambda messages: "Hi.", owner="u1").ask("Hello").text == "Hi."
        with pytest.raises(ConfigError):
            Agent(memory, "nothing-like-it", owner="u1")


def without_memory(memory: keepsaid.Memory) -> list[dict[str, Any]]:
    agent, llm = agent_of(memory, ["Hi."], remember=False)
    agent.ask("Hello")
    return llm.calls[0].tools


class TestTools:
    @pytest.mark.parametrize(
        ("call", "error"),
        [
            (("weather", {"city": "Atlantis"}), "Error: LookupError: no such city"),
            (("weather", {"town": "Lisbon"}), "Error: weather has no 'town'; known are city"),
            (("weather", '{"city": "Lis'), "Error: the arguments are not valid JSON"),
            (("wether", {"city": "Lisbon"}), "Error: there is no tool 'wether'; known are search_memory,"),
            (("", {}), "Error: there is no tool 'unnamed'"),
            (("x" * 1_000, {}), "Error: there is no tool 'xxx"),
        ],
    )
    def test_tool_errors_are_sent_to_model(self, memory: keepsaid.Memory, call: tuple[str, Any], error: str):
        agent, llm = agent_of(memory, [calls(call), "Sorry."])
        events = list(agent.stream("How warm is it?"))
        finished = next(event for event in events if isinstance(event, ToolFinished))
        assert finished.failed
        assert finished.result.startswith(error)
        assert llm.calls[1].messages[-1]["content"].startswith(error)
        result = talk(memory, agent)[2]
        assert result.metadata["failed"] is True
        assert_paired(talk(memory, agent))

    def test_calls_with_same_id_get_unique_ids(self, memory: keepsaid.Memory):
        both = (ToolCall("c", "weather", '{"city": "A"}'), ToolCall("c", "weather", '{"city": "B"}'), ToolCall("", "x"))
        agent, llm = agent_of(memory, [LLMCompletion("", both), "Fine."])
        agent.ask("How warm?")
        messages = talk(memory, agent)
        assert len({call.id for call in messages[1].tool_calls}) == 3
        assert_paired(messages)
        assert [message["role"] for message in llm.calls[1].messages] == ["user", "assistant", "tool", "tool", "tool"]

    def test_invalid_characters_are_replaced(self, memory: keepsaid.Memory):
        broken = LLMCompletion("a\0b", (ToolCall("c\0", "wea\ud800ther", '{"city": "\0"}'),))
        agent, _ = agent_of(memory, [broken, "c\ud800d"], tools=[])
        assert agent.ask("Hi").text == "c�d"
        assert talk(memory, agent)[1].text == "a�b"

    def test_step_limit_ends_with_an_answer(self, memory: keepsaid.Memory):
        script = [calls(("weather", {"city": f"town {number}"})) for number in range(3)]
        agent, llm = agent_of(memory, [*script, calls(("weather", {}), text="Enough.")], max_steps=3)
        answer = agent.ask("How warm is it everywhere?")
        assert (answer.text, answer.finish, answer.steps) == ("Enough.", "steps", 4)
        assert [bool(call.tools) for call in llm.calls] == [True, True, True, False]
        assert talk(memory, agent)[-1].metadata["finish"] == "steps"
        assert_paired(talk(memory, agent))

    def test_large_results_fit_the_budget(self, memory: keepsaid.Memory):
        def read(page: int) -> str:
            return f"page {page}: " + "words and more words " * 3_000

        script = [calls(("read", {"page": number})) for number in range(5)]
        agent, llm = agent_of(memory, [*script, "Long."], tools=[read], budget=2_000)
        answer = agent.ask("Read it all")
        assert answer.text == "Long."
        count = memory._services.counter.count
        for call in llm.calls:
            assert sum(count(str(message["content"])) for message in call.messages) + count(json.dumps(call.tools)) <= 2_000
            assert call.messages[0]["content"].endswith("Read it all")
        assert any("budget tight" in why for why in answer.fallbacks)

    def test_memory_tools_use_memory_of_owner(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        script = [calls(("search_memory", {"query": "sister"}), ("remember", {"text": "Likes tea"})), "Lisbon."]
        agent, _ = agent_of(memory, script)
        agent.ask("What do you know?")
        search, remember = talk(memory, agent)[2:4]
        assert "My sister moved to Lisbon." in search.text
        assert remember.text == "remembered: Likes tea"
        # What was remembered is not remembered again.
        assert search.private
        assert remember.private
        assert [hit.message.session for hit in memory.search("Lisbon", owner="u1") if hit.message.role is Role.TOOL] == []

    def test_request_is_retried_without_unsupported_tools(self, memory: keepsaid.Memory):
        refusal = LLMRefused("ollama:gemma: … answered 400", 400, "gemma does not support tools")
        agent, llm = agent_of(memory, [refusal, "Hello!", "Again!"])
        answer = agent.ask("Hi")
        assert answer.text == "Hello!"
        assert answer.fallbacks == (NO_TOOLS_FALLBACK,)
        assert agent.ask("Hi again").fallbacks == (NO_TOOLS_FALLBACK,)
        assert [bool(call.tools) for call in llm.calls] == [True, False, False]
        assert [message.role for message in talk(memory, agent)] == [Role.USER, Role.ASSISTANT] * 2

    @pytest.mark.parametrize(
        "error", [LLMRefused("… answered 401", 401, "no tools for you"), LLMRefused("… 400", 400, "long")]
    )
    def test_other_refusals_are_raised_without_retry(self, memory: keepsaid.Memory, error: LLMError):
        agent, llm = agent_of(memory, [error, "Hello!"])
        with pytest.raises(LLMRefused):
            agent.ask("Hi")
        assert len(llm.calls) == 1


class TestDocuments:
    def test_answer_cites_documents_and_marks_named_ones(self, memory: keepsaid.Memory):
        memory.ingest("guide.md", content="# Install\n\nRun setup.exe to install it.", owner="u1")
        memory.ingest("other.md", content="# Install\n\nTo install other things, ask.", owner="u1")
        agent, llm = agent_of(memory, ["Run setup.exe, see [guide.md]."])
        answer = agent.ask("How do I install it?")
        assert NAME_DOCUMENTS in llm.calls[0].messages[0]["content"]
        cited = {source.title: source for source in answer.sources if source.kind == "document"}
        assert cited["guide.md"].named
        assert not cited["other.md"].named
        assert cited["guide.md"].place == "§ Install"
        assert cited["guide.md"].text == "# Install\n\nRun setup.exe to install it."

    def test_document_instruction_follows_system_prompt(self, memory: keepsaid.Memory):
        memory.ingest("guide.md", content="Run setup.exe to install it.", owner="u1")
        chat = memory.chat(owner="u1", system_prompt="Be brief.")
        agent, llm = agent_of(memory, ["Run it."], session=chat.id)
        agent.ask("How do I install it?")
        assert llm.calls[0].messages[0]["content"] == f"Be brief.\n\n{NAME_DOCUMENTS}"

    def test_no_document_instruction_without_documents(self, memory: keepsaid.Memory):
        memory.ingest("guide.md", content="Run setup.exe to install it.", owner="u2")
        agent, llm = agent_of(memory, ["No idea."])
        agent.ask("How do I install it?")
        assert [message["role"] for message in llm.calls[0].messages] == ["user"]


class Breaking:
    """A model that fails in the middle of what it says."""

    name = "breaking"

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.closed = 0

    def complete(self, messages: Any, **options: Any) -> LLMCompletion:
        raise NotImplementedError

    def stream(self, messages: Any, **options: Any) -> Iterator[StreamPiece]:
        try:
            yield StreamPiece("Half an ")
            yield StreamPiece("answer")
            raise self.error
        finally:
            self.closed += 1


class TestInterruptedTurn:
    def test_closing_stream_saves_partial_answer(self, memory: keepsaid.Memory):
        agent, llm = agent_of(memory, ["One two three four five."])
        stream = agent.stream("Count")
        for event in stream:
            if isinstance(event, TextDelta) and event.text.strip() == "two":
                break
        stream.close()
        stream.close()
        assert list(stream) == []
        said, part = talk(memory, agent)
        assert (said.text, part.text.split()) == ("Count", ["One", "two"])
        assert part.metadata["finish"] == "stopped"
        assert llm.cancelled == 1

    def test_discarding_stream_saves_partial_answer(self, memory: keepsaid.Memory):
        agent, _ = agent_of(memory, ["One two three."])
        for event in agent.stream("Count"):
            if isinstance(event, TextDelta):
                break
        assert talk(memory, agent)[-1].metadata["finish"] == "stopped"

    def test_stream_closes_without_error_after_memory_closes(self, memory: keepsaid.Memory):
        agent, _ = agent_of(memory, ["One two three."])
        stream = agent.stream("Count")
        while not isinstance(next(stream), TextDelta):
            pass
        memory.close()
        stream.close()

    def test_stream_can_be_closed_from_another_thread(self, memory: keepsaid.Memory):
        reading, stopped = threading.Event(), threading.Event()

        class Slow(Breaking):
            def stream(self, messages: Any, **options: Any) -> Iterator[StreamPiece]:
                yield StreamPiece("One ")
                reading.set()
                assert stopped.wait(10)
                yield StreamPiece("two ")
                yield StreamPiece("three")

        agent = Agent(memory, Slow(KeyboardInterrupt()), owner="u1")
        stream = agent.stream("Count")
        answers: list[Answer] = []
        reader = threading.Thread(target=lambda: answers.append(stream.answer()))
        reader.start()
        assert reading.wait(10)
        stream.close()
        stopped.set()
        reader.join(10)
        assert [(answer.text, answer.finish) for answer in answers] == [("One two ", "stopped")]
        assert talk(memory, agent)[-1].metadata["finish"] == "stopped"

    def test_keyboard_interrupt_saves_partial_answer(self, memory: keepsaid.Memory):
        llm = Breaking(KeyboardInterrupt())
        agent = Agent(memory, llm, owner="u1")
        with pytest.raises(KeyboardInterrupt):
            agent.ask("Hi")
        part = talk(memory, agent)[-1]
        assert (part.text, part.metadata["finish"]) == ("Half an answer", "stopped")
        assert llm.closed == 1

    def test_model_error_mid_stream_saves_partial_answer(self, memory: keepsaid.Memory):
        agent = Agent(memory, Breaking(LLMError("the line broke")), owner="u1")
        with pytest.raises(LLMError, match="the line broke"):
            agent.ask("Hi")
        part = talk(memory, agent)[-1]
        assert (part.text, part.metadata["finish"]) == ("Half an answer", "error")
        again = Agent(memory, lambda messages: "A whole answer.", owner="u1", session=agent.session)
        answer = again.resume()
        assert answer is not None
        assert [message.text for message in talk(memory, agent)] == ["Hi", "Half an answer", "A whole answer."]
        assert again.resume() is None

    def test_question_can_be_resumed_after_immediate_model_error(self, memory: keepsaid.Memory):
        agent, _ = agent_of(memory, [LLMError("no network"), "Hello!"])
        with pytest.raises(LLMError, match="no network"):
            agent.ask("Hi")
        assert [message.text for message in talk(memory, agent)] == ["Hi"]
        answer = agent.resume()
        assert answer is not None
        assert [message.text for message in talk(memory, agent)] == ["Hi", "Hello!"]

    @pytest.mark.parametrize("finish", ["length", "content_filter", "refusal"])
    def test_finish_reason_of_truncated_answer_is_saved(self, memory: keepsaid.Memory, finish: str):
        agent, _ = agent_of(memory, [LLMCompletion("Once upon", (), finish)])
        assert agent.ask("Tell me a story").finish == finish
        assert talk(memory, agent)[-1].metadata["finish"] == finish

    @pytest.mark.parametrize("at", [ToolStarted, ToolFinished])
    def test_closing_during_tools_leaves_no_open_calls(self, memory: keepsaid.Memory, at: type):
        agent, _ = agent_of(memory, [calls(("weather", {"city": "A"}), ("weather", {"city": "B"})), "Fine."])
        stream = agent.stream("How warm?")
        while not isinstance(next(stream), at):
            pass
        stream.close()
        messages = talk(memory, agent)
        assert_paired(messages)
        done = int(at is ToolFinished)
        assert [message.text == INTERRUPTED for message in messages[2:]] == [False] * done + [True] * (2 - done)

    def test_resume_reports_interrupted_tool_to_model(self, memory: keepsaid.Memory):
        def pay(amount: int) -> str:
            raise KeyboardInterrupt

        agent, llm = agent_of(memory, [calls(("pay", {"amount": 5})), "I do not know whether it was paid."], tools=[pay])
        with pytest.raises(KeyboardInterrupt):
            agent.ask("Pay 5")
        assert_paired(talk(memory, agent))
        answer = agent.resume()
        assert answer is not None
        assert llm.calls[1].messages[-1]["content"] == INTERRUPTED
        assert answer.text == "I do not know whether it was paid."


class TestResume:
    def broken(self, memory: keepsaid.Memory) -> keepsaid.Chat:
        """A conversation whose process ended during the second of three calls."""
        chat = memory.chat(owner="u1")
        chat.add("user", "How warm is it?")
        chat.add("assistant", "", tool_calls=[ToolCall(f"c{number}", "weather", "{}") for number in range(3)])
        chat.add("tool", "19 °C", tool_call_id="c0", name="weather")
        return chat

    def test_resume_closes_open_calls_and_continues(self, memory: keepsaid.Memory):
        chat = self.broken(memory)
        agent, llm = agent_of(memory, ["Perhaps."], session=chat.id)
        events = list(agent.stream_resume())
        assert isinstance(events[0], TurnStarted)
        assert events[0].message.text == "How warm is it?"
        assert [message.text for message in chat.messages()[2:]] == ["19 °C", INTERRUPTED, INTERRUPTED, "Perhaps."]
        assert [message["role"] for message in llm.calls[0].messages] == ["user", "assistant", "tool", "tool", "tool"]
        assert_paired(chat.messages())
        assert agent.resume() is None
        assert list(agent.stream_resume()) == []

    def test_ask_closes_open_calls_first(self, memory: keepsaid.Memory):
        chat = self.broken(memory)
        agent, llm = agent_of(memory, ["Hello."], session=chat.id)
        agent.ask("Are you there?")
        assert_paired(chat.messages())
        roles = [message["role"] for message in llm.calls[0].messages]
        assert roles == ["user", "assistant", "tool", "tool", "tool", "user"]

    def test_resume_closes_many_open_calls(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        chat.add("user", "How warm is it?")
        chat.add("assistant", "", tool_calls=[ToolCall(f"c{number}", "weather", "{}") for number in range(150)])
        for number in range(120):
            chat.add("tool", "19 °C", tool_call_id=f"c{number}")
        agent, _ = agent_of(memory, ["Warm."], session=chat.id)
        assert agent.resume() is not None
        assert_paired(chat.messages())

    def test_resume_returns_none_without_open_turn(self, memory: keepsaid.Memory):
        agent, llm = agent_of(memory, [])
        assert agent.resume() is None
        empty, _ = agent_of(memory, [], session=memory.chat(owner="u1").id)
        assert empty.resume() is None
        assert llm.calls == []


# -- whatever a model does

TEXTS = st.text(max_size=40) | st.just("word " * 400)
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["", "c", "c1", "x" * 600]),
    st.sampled_from(["weather", "read", "fail", "search_memory", "forget", "nothing", ""]),
    st.sampled_from(['{"city": "Lisbon"}', '{"page": 3}', '{"query": "tea"}', '{"text": "tea"}', "{", "", "[]", "\0"]),
)
LINES = (
    st.builds(
        LLMCompletion, TEXTS, st.lists(CALLS, max_size=4).map(tuple), st.sampled_from(["stop", "length", "tool_calls"])
    )
    | TEXTS
    | st.just(LLMError("no network"))
    | st.just(LLMRefused("… 400", 400, "does not support tools"))
)


def read(page: int) -> str:
    return f"page {page} " * 1_000


def fail() -> str:
    raise RuntimeError("broken")


@given(
    script=st.lists(LINES, max_size=12),
    questions=st.lists(st.sampled_from(["Hi", "tea? " * 30, "What is the latest news?"]), min_size=1, max_size=4),
    stop_after=st.none() | st.integers(0, 12),
    budget=st.sampled_from([1_200, 4_096]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_model_output_keeps_calls_paired_and_prompts_small(
    script: list[Any], questions: list[str], stop_after: int | None, budget: int
):
    with keepsaid.open("memory://", clock=ManualClock(), background=False, embedder="off") as memory:
        agent, llm = agent_of(memory, script, tools=[weather, read, fail], web=lambda query: "", budget=budget, max_steps=3)
        count = memory._services.counter.count
        asked = 0
        for question in questions:
            stream = agent.stream(question)
            try:
                for number, event in enumerate(stream):
                    asked += isinstance(event, TurnStarted)
                    if isinstance(event, ContextRetrieved):
                        assert event.context.tokens <= event.context.budget
                    if number == stop_after:
                        stream.close()
            except LLMError:
                pass
            messages = talk(memory, agent)
            assert_paired(messages)
            assert [message.text for message in messages if message.role is Role.USER] == questions[:asked]
        for call in llm.calls:
            told = sum(count(str(message["content"] or "")) for message in call.messages)
            assert told + (count(json.dumps(call.tools)) if call.tools else 0) <= budget


def test_function_model_without_tools_reports_fallback(memory: keepsaid.Memory) -> None:
    def weather(city: str) -> str:
        """The weather in a city."""
        return "sunny"

    plain = keepsaid.Agent(memory, lambda messages: "Hello!", owner="u1", tools=[weather]).ask("Hi")
    assert plain.fallbacks == ("without tools: the model takes none",)
    assert keepsaid.Agent(memory, lambda messages: "Hello!", owner="u1").ask("Hi").fallbacks == ()

    def clever(messages: Any, tools: Any) -> LLMCompletion | str:
        if messages[-1]["role"] == "tool":
            return messages[-1]["content"]
        assert "weather" in [tool["function"]["name"] for tool in tools]
        return LLMCompletion("", (ToolCall("1", "weather", '{"city": "Porto"}'),), "tool_calls")

    assert keepsaid.Agent(memory, clever, owner="u1", tools=[weather]).ask("And in Porto?").text == "sunny"


def test_exceeding_max_steps_is_reported_as_fallback(memory: keepsaid.Memory) -> None:
    def again(messages: Any, tools: Any) -> LLMCompletion:
        return (
            LLMCompletion("", (ToolCall("1", "search_memory", '{"query": "x"}'),), "tool_calls")
            if tools
            else LLMCompletion("")
        )

    answer = keepsaid.Agent(memory, again, owner="u1", max_steps=2).ask("Hi")
    assert (answer.finish, answer.fallbacks) == ("steps", ("the model needed more than the maximum of 2 steps",))


def test_recall_option_restricts_search_memory_tool(memory: keepsaid.Memory) -> None:
    memory.chat(owner="u1").add("user", "My salary is 93,000 euros.")
    memory.remember("Earns 93,000 euros", owner="u1")
    seen: list[Any] = []

    def curious(messages: Any, tools: Any) -> LLMCompletion | str:
        seen.append([tool["function"]["name"] for tool in tools])
        if messages[-1]["role"] == "tool":
            return messages[-1]["content"]
        return LLMCompletion("", (ToolCall("1", "search_memory", '{"query": "salary in euros"}'),), "tool_calls")

    assert "93,000" in keepsaid.Agent(memory, curious, owner="u1").ask("How much?").text
    assert "93,000" not in keepsaid.Agent(memory, curious, owner="u1", recall="session").ask("How much?").text
    assert "93,000" not in keepsaid.Agent(memory, curious, owner="u1", recall="off").ask("How much?").text
    assert "search_memory" not in seen[-1]


def test_tools_exceeding_budget_are_rejected(memory: keepsaid.Memory) -> None:
    def large(text: str) -> str:
        return text

    tool = keepsaid.Tool.of(large, description="words " * 3_000)
    agent = keepsaid.Agent(memory, ScriptedLLM(["Hello!"]), owner="u1", tools=[tool], budget=2_000)
    with pytest.raises(InvalidInput, match="the tools alone take"):
        agent.ask("Hi")


def test_tool_calls_per_step_are_limited(memory: keepsaid.Memory) -> None:
    done: list[int] = []

    def count() -> str:
        done.append(1)
        return "done"

    def eager(messages: Any, tools: Any) -> LLMCompletion:
        calls = tuple(ToolCall(str(number), "count") for number in range(500)) if tools else ()
        return LLMCompletion("", calls, "tool_calls" if tools else "stop")

    keepsaid.Agent(memory, eager, owner="u1", tools=[count], max_steps=2).ask("Go")
    assert len(done) == 32


def test_interrupt_while_saving_keeps_answer(memory: keepsaid.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = keepsaid.Agent(memory, ScriptedLLM(["The whole answer."]), owner="u1")
    add, tries = keepsaid.Chat.add, list[str]()

    def interrupted(chat: Any, role: str, *arguments: Any, **options: Any) -> Any:
        if role == "assistant":
            tries.append(role)
            if len(tries) == 1:
                raise KeyboardInterrupt
        return add(chat, role, *arguments, **options)

    monkeypatch.setattr(keepsaid.Chat, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        agent.ask("What is it?")
    assert [message.text for message in talk(memory, agent)] == ["What is it?", "The whole answer."]


def test_large_results_of_one_step_are_all_in_the_next_prompt(memory: keepsaid.Memory) -> None:
    def read(page: int) -> str:
        return f"Page {page} begins. " + "And so on and on. " * 2_000 + f"Page {page} ends."

    calls = tuple(ToolCall(str(page), "read", json.dumps({"page": page})) for page in (1, 2, 3))
    model = ScriptedLLM([LLMCompletion("", calls, "tool_calls"), "All read."])
    answer = keepsaid.Agent(memory, model, owner="u1", tools=[read], budget=4_000).ask("Read the pages.")
    assert answer.context is not None
    results = [message["content"] for message in answer.context.messages if message["role"] == "tool"]
    assert [f"Page {page} begins." in text and f"Page {page} ends." in text for page, text in enumerate(results, 1)] == [
        True
    ] * 3
    assert answer.context.tokens <= 4_000
    assert memory.replay(answer.receipt_id or "").messages == answer.context.messages
