"""A real model at a real endpoint: streaming, stops, cut-offs, tool calls, errors, and whole turns with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import real_llm

import keepsaid
from agent.test_agent import assert_paired
from keepsaid.agent.agent import Agent
from keepsaid.agent.answer import TextDelta, ToolFinished, TurnFinished
from keepsaid.agent.service import ChatService
from keepsaid.errors import LLMError, LLMRefused
from keepsaid.llm.openai import OpenAILLM
from keepsaid.ports import LLM, LLMCompletion
from keepsaid.types import Role, ToolCall

YES = [{"role": "user", "content": "Say yes."}]
SUM = [{"role": "user", "content": "What is two plus two?"}]
LONG = "Tell me a very long story about a dragon, with every detail."


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with real_llm.run_server() as url:
        yield url


@pytest.fixture
def llm(url: str) -> Iterator[OpenAILLM]:
    llm = OpenAILLM(real_llm.NAME, base_url=url, timeout=60, retries=0)
    yield llm
    llm.close()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[keepsaid.Memory]:
    # Prompts tell the day on which something was said, and with some days this small model overlooks the rest.
    options = {"durable": False, "background": False, "embedder": "off", "clock": lambda: datetime(2026, 11, 19, tzinfo=UTC)}
    with keepsaid.open(tmp_path / "chat.db", **options) as memory:
        yield memory


class TestEndpoint:
    def test_complete_returns_text_finish_and_token_counts(self, llm: LLM):
        answer = llm.complete(YES, max_tokens=60, temperature=0)
        assert answer.text.strip()
        assert (answer.finish, answer.model, answer.tool_calls) == ("stop", "smollm2", ())
        assert answer.prompt_tokens is not None
        assert answer.answer_tokens is not None
        assert 5 < answer.prompt_tokens < 100
        assert 0 < answer.answer_tokens <= 60

    def test_stream_yields_several_chunks(self, llm: LLM):
        *words, last = llm.stream(SUM, max_tokens=30, temperature=0)
        assert len(words) > 2
        assert last.completion is not None
        assert "".join(piece.text for piece in words) == last.completion.text
        assert last.completion.answer_tokens

    def test_complete_reports_length_at_token_limit(self, llm: LLM):
        assert llm.complete([{"role": "user", "content": LONG}], max_tokens=5).finish == "length"

    def test_server_stops_generating_when_stream_is_closed(self, llm: LLM, url: str):
        pieces = llm.stream([{"role": "user", "content": LONG}], max_tokens=1_900, temperature=0)
        assert len(list(islice(pieces, 5))) == 5
        assert real_llm.is_busy(url)
        pieces.close()  # pyright: ignore
        # 1,900 tokens take it 15 seconds and more.
        assert real_llm.idle_within(url, 5)

    def test_refuses_prompt_longer_than_context(self, llm: LLM):
        with pytest.raises(
            LLMRefused, match=r"answered 400: .*exceeds the available context size.*the length of the prompt"
        ):
            llm.complete([{"role": "user", "content": "word " * 3_000}], max_tokens=5)

    def test_unreachable_server_and_wrong_path_raise_errors(self, url: str):
        nowhere = OpenAILLM("smollm2", base_url="http://127.0.0.1:9/v1", retries=0)
        with pytest.raises(LLMError, match=r"cannot be reached or broke off: .*check base_url and that the server"):
            nowhere.complete(YES)
        nowhere.close()
        astray = OpenAILLM("smollm2", base_url=f"{url}/astray", retries=0)
        with pytest.raises(LLMRefused, match=r"answered 404.*check the model's name and base_url"):
            astray.complete(YES)
        astray.close()

    def test_completion_reports_model_name_from_server(self, url: str):
        """llama.cpp has one model and accepts any name; its answer contains the real one."""
        other = OpenAILLM("gpt-5-mini", base_url=url, retries=0)
        assert other.complete(YES, max_tokens=2).model == "smollm2"
        other.close()


class TestTurns:
    def test_streamed_service_turn_is_saved_with_sources(self, memory: keepsaid.Memory, llm: LLM):
        memory.chat(owner="u1", title="Family").add("user", "My sister Ana moved to Lisbon.")
        service = ChatService(memory, llm, remember=False, budget=600, answer_tokens=40, temperature=0)
        events = list(service.stream("u1", None, "Where does my sister Ana live?"))
        told = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert sum(isinstance(event, TextDelta) for event in events) > 2
        assert isinstance(events[-1], TurnFinished)
        answer = events[-1].answer
        assert [source.text for source in answer.sources] == ["My sister Ana moved to Lisbon."]
        said, saved = memory.chat(owner="u1", session=answer.session).messages()
        assert said.text == "Where does my sister Ana live?"
        assert saved.text == told == answer.text
        assert "Lisbon" in saved.text
        assert saved.metadata["model"] == answer.model == "smollm2"
        assert saved.metadata["prompt_tokens"] > saved.metadata["answer_tokens"] > 0

    def test_turn_with_unused_tools_needs_no_fallback(self, memory: keepsaid.Memory, llm: LLM):
        answer = Agent(memory, llm, owner="u1", budget=1_200, answer_tokens=10).ask("Hello!")
        assert answer.text.strip()
        assert answer.fallbacks == ()

    def test_stopped_turn_keeps_partial_answer(self, memory: keepsaid.Memory, llm: LLM, url: str):
        service = ChatService(memory, llm, remember=False, answer_tokens=1_500, temperature=0)
        stream = service.stream("u1", None, LONG)
        said: list[str] = []
        for event in stream:
            if isinstance(event, TextDelta):
                said.append(event.text)
            if len(said) == 4:
                break
        stream.close()
        session = memory.sessions(owner="u1").items[0].id
        part = memory.chat(owner="u1", session=session).messages()[-1]
        assert (part.text, part.metadata["finish"]) == ("".join(said), "stopped")
        assert real_llm.idle_within(url, 5)
        assert service.chat("u1", session, "Stop. Say yes.").session == session

    def test_turn_at_token_limit_finishes_with_length(self, memory: keepsaid.Memory, llm: LLM):
        answer = Agent(memory, llm, owner="u1", remember=False, answer_tokens=4).ask(LONG)
        assert answer.finish == "length"
        assert answer.message is not None
        assert answer.message.metadata["finish"] == "length"

    def test_turn_calls_tool(self, memory: keepsaid.Memory, llm: LLM):
        """The model is too small to use a tool from its description alone; earlier calls in the conversation show it how."""
        cities: list[str] = []

        def weather(city: str) -> str:
            """The weather in a city."""
            cities.append(city)
            return "19 degrees"

        chat = memory.chat(owner="u1")
        for number, city in enumerate(("Porto", "Faro", "Braga")):
            chat.add("user", f"What is the weather in {city}?")
            chat.add("assistant", tool_calls=[ToolCall(f"c{number}", "weather", f'{{"city": "{city}"}}')])
            chat.add("tool", f"1{number} degrees", tool_call_id=f"c{number}", name="weather")
            chat.add("assistant", f"It is 1{number} degrees in {city}.")
        options = {"remember": False, "recall": "off", "max_steps": 1, "answer_tokens": 60, "temperature": 0}
        agent = Agent(memory, llm, owner="u1", session=chat.id, tools=[weather], **options)
        events = list(agent.stream("What is the weather in Lisbon?"))
        assert cities == ["Lisbon"]
        assert [event.result for event in events if isinstance(event, ToolFinished)] == ["19 degrees"]
        assert isinstance(events[-1], TurnFinished)
        assert events[-1].answer.text.strip()
        messages = chat.messages()
        assert [message.role.value for message in messages[12:]] == ["user", "assistant", "tool", "assistant"]
        assert messages[13].tool_calls[0].arguments.replace(" ", "") == '{"city":"Lisbon"}'
        assert messages[13].metadata["finish"] == "tool_calls"
        assert_paired(messages)

    def test_turn_with_too_long_prompt_fails_and_keeps_message(self, memory: keepsaid.Memory, llm: LLM):
        agent = Agent(memory, llm, owner="u1", budget="12k", remember=False)
        with pytest.raises(LLMRefused, match="exceeds the available context size"):
            agent.ask("word " * 3_000)
        assert [message.role for message in memory.chat(owner="u1", session=agent.session).messages()] == [Role.USER]

    def test_maintain_makes_notes_with_small_model(self, tmp_path: Path, url: str):
        """Summaries, facts and titles stay valid with a model too small to write them well."""
        asked: list[str] = []

        class Brief(OpenAILLM):
            """Limits the length of each answer; without the limit the test would take minutes."""

            def complete(self, messages: Any, **options: Any) -> LLMCompletion:
                answer = super().complete(messages, **(options | {"max_tokens": 40}))
                asked.append(answer.finish)
                return answer

        llm = Brief(real_llm.NAME, base_url=url, retries=0)
        options = {"llm": llm, "background": False, "embedder": "off", "durable": False}
        with keepsaid.open(tmp_path / "notes.db", summary_tokens=60, summary_every=4, keep_recent=2, **options) as memory:
            chat = memory.chat(owner="u1")
            for said in ("I live in Lisbon.", "I am allergic to nuts.", "My sister Ana is a doctor.", "I like green tea."):
                chat.add("user", said)
                chat.add("assistant", "Noted.")
            memory.maintain()
            info = chat.info()
            assert info.title
            assert len(info.title) < 200
            assert all(fact.messages for fact in memory.facts(owner="u1"))
            context = chat.context("Where do I live?", budget=400)
            assert context.tokens <= 400
            assert memory.check().healthy
        assert len(asked) >= 3
        llm.close()


def test_served_model_stops_when_context_manager_exits():
    with real_llm.run_server() as url:
        assert real_llm.idle_within(url, 5)
    assert os.path.getsize(real_llm.FILE) == real_llm.SIZE
    with pytest.raises(OSError, match="refused"):
        real_llm.is_busy(url)
