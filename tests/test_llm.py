"""Language models by one socket: the real client against a real little server, functions, a script, DSPy."""

from __future__ import annotations

import gc
import importlib.util
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llm_server import (
    Server,
    answer,
    chunk,
    completion,
    cuts_off,
    hangs,
    hangs_after,
    refuses,
    says,
    serving,
    slowly,
    streamed,
)

from recollect.errors import ConfigError, LLMError, MissingExtra
from recollect.llm import llm_for
from recollect.llm.dspy import DspyCondenser
from recollect.llm.function import FunctionLLM
from recollect.llm.openai import OpenAILLM
from recollect.ports import LLM, Completion, Piece
from recollect.testing import ScriptedLLM
from recollect.types import ToolCall

KEY = "sk-abcdefGHIJKL0123456789mnopQRST"
QUESTION = [{"role": "user", "content": "Where did my sister Teodora move last spring?"}]
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}

has_openai = pytest.mark.skipif(importlib.util.find_spec("openai") is None, reason="needs recollect[openai]")
has_dspy = pytest.mark.skipif(importlib.util.find_spec("dspy") is None, reason="needs recollect[dspy]")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def make(server: Server) -> Iterator[Callable[..., OpenAILLM]]:
    made: list[OpenAILLM] = []

    def make(**options: Any) -> OpenAILLM:
        made.append(OpenAILLM("m", **({"base_url": server.url, "api_key": KEY, "timeout": 5.0, "retries": 0} | options)))
        return made[-1]

    yield make
    for llm in made:
        llm.close()


def ask(llm: LLM, way: str) -> Completion:
    """The same question whole or streamed: either way must end in the same."""
    if way == "complete":
        return llm.complete(QUESTION)
    *pieces, last = llm.stream(QUESTION)
    assert last.completion is not None
    assert last.text == ""
    assert all(piece.completion is None for piece in pieces)
    assert "".join(piece.text for piece in pieces) == last.completion.text
    return last.completion


both_ways = pytest.mark.parametrize("way", ["complete", "stream"])


@has_openai
class TestEndpoint:
    @both_ways
    def test_answer(self, make, server: Server, way: str) -> None:
        server.otherwise = answer("She moved to Lisbon.")
        assert ask(make(), way) == Completion("She moved to Lisbon.", (), "stop", "m-2026", 11, 3)
        ((path, headers, body),) = server.requests
        assert path == "/v1/chat/completions"
        assert headers["authorization"] == f"Bearer {KEY}"
        assert body["model"] == "m"
        assert body["messages"] == QUESTION
        assert not {"tools", "temperature", "max_tokens", "max_completion_tokens"} & set(body)

    def test_pieces_come_as_they_are_sent(self, make, server: Server) -> None:
        goes_on = threading.Event()

        def exchange(handler: Any, body: Any) -> None:
            handler.begin_stream()
            handler.event(chunk(content="She "))
            goes_on.wait(5)
            handler.event(chunk("stop", content="moved."))
            handler.end_stream()

        server.otherwise = exchange
        pieces = make().stream(QUESTION)
        assert next(pieces) == Piece("She ")
        goes_on.set()
        assert [piece.text for piece in pieces] == ["moved.", ""]

    def test_options_are_passed_on(self, make, server: Server) -> None:
        make().complete(QUESTION, tools=[WEATHER], max_tokens=99, temperature=0.0)
        body = server.requests[0][2]
        assert (body["tools"], body["max_tokens"], body["temperature"]) == ([WEATHER], 99, 0.0)

    def test_usage_is_not_asked_for_where_it_is_unknown(self, make, server: Server) -> None:
        done = ask(make(stream_usage=False), "stream")
        assert (done.prompt_tokens, done.answer_tokens) == (None, None)
        assert "stream_options" not in server.requests[0][2]

    def test_by_name(self, server: Server) -> None:
        llm = llm_for("ollama:llama3.2:3b", base_url=server.url)
        assert isinstance(llm, OpenAILLM)
        assert llm.complete(QUESTION).text == "Lisbon."
        assert server.requests[0][2]["model"] == "llama3.2:3b"
        llm.close()

    def test_used_after_close_and_from_many_threads(self, make, server: Server) -> None:
        llm = make()
        llm.complete(QUESTION)
        llm.close()
        llm.close()
        texts: list[str] = []
        threads = [threading.Thread(target=lambda: texts.append(llm.complete(QUESTION).text)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert texts == ["Lisbon."] * 8

    def test_thrown_away_without_closing(self, server: Server) -> None:
        """An unclosed socket would be a warning, and warnings are errors here."""
        llm_for("openai:m", base_url=server.url, api_key=KEY).complete(QUESTION)
        gc.collect()


@has_openai
class TestTools:
    CALLS = (ToolCall("call_a", "weather", '{"city": "Lisbon"}'), ToolCall("call_b", "clock", "{}"))

    @staticmethod
    def fragment(index: int, **parts: Any) -> str:
        function = {name: parts.pop(name) for name in ("name", "arguments") if name in parts}
        return chunk(tool_calls=[{"index": index, **parts, "function": function}])

    def test_whole(self, make, server: Server) -> None:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in self.CALLS
        ]
        server.otherwise = says(200, json.dumps(completion(None, tool_calls=calls)).encode())
        done = ask(make(), "complete")
        assert (done.text, done.tool_calls, done.finish) == ("", self.CALLS, "tool_calls")

    def test_fragments_are_put_together_by_index(self, make, server: Server) -> None:
        server.otherwise = streamed(
            [
                self.fragment(0, id="call_a", type="function", name="weather", arguments=""),
                self.fragment(1, id="call_b", type="function", name="clock", arguments=""),
                self.fragment(0, arguments='{"city": '),
                self.fragment(1, arguments="{}"),
                self.fragment(0, arguments='"Lisbon"}'),
                chunk("tool_calls"),
            ]
        )
        done = ask(make(), "stream")
        assert (done.text, done.tool_calls, done.finish) == ("", self.CALLS, "tool_calls")

    def test_calls_that_share_an_index_are_told_apart_by_id(self, make, server: Server) -> None:
        server.otherwise = streamed(
            [
                self.fragment(0, id="call_a", name="weather", arguments='{"city": "Lisbon"}'),
                self.fragment(0, id="call_b", name="clock", arguments="{}"),
                chunk("tool_calls"),
            ]
        )
        assert ask(make(), "stream").tool_calls == self.CALLS

    def test_a_call_without_a_name_is_no_answer(self, make, server: Server) -> None:
        server.otherwise = streamed([self.fragment(0, id="call_a", arguments="{}"), chunk("tool_calls")])
        with pytest.raises(LLMError, match="no chat completion"):
            ask(make(), "stream")


@has_openai
class TestPatience:
    @both_ways
    @pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
    def test_trouble_that_passes(self, make, server: Server, way: str, status: int) -> None:
        server.script = [refuses(status, "busy", retry_after_ms="20")]
        assert ask(make(retries=1), way).text == "Lisbon."
        assert len(server.requests) == 2

    def test_waits_as_long_as_it_is_told(self, make, server: Server) -> None:
        server.script = [refuses(429, "slow down", Retry_After="1")]
        assert ask(make(retries=1), "complete").text == "Lisbon."
        assert 1.0 <= server.moments[1] - server.moments[0] < 3.0

    def test_backs_off_by_itself(self, make, server: Server) -> None:
        server.script = [refuses(500, "oops"), refuses(500, "oops")]
        assert ask(make(retries=2), "complete").text == "Lisbon."
        first, second, third = server.moments
        assert second - first > 0.3
        assert third - second > 0.6

    @both_ways
    def test_gives_up(self, make, server: Server, way: str) -> None:
        server.otherwise = refuses(503, "down for repairs", retry_after_ms="10")
        with pytest.raises(
            LLMError, match=r"openai:m: http://127.*/v1 answered 503 \(up to 3 attempts\): down for repairs;"
        ):
            ask(make(retries=2), way)
        assert len(server.requests) == 3

    @pytest.mark.parametrize(
        ("status", "advice"), [(400, "does not suit"), (401, "check the key"), (403, "check the key"), (404, "model's name")]
    )
    def test_what_does_not_pass_is_not_tried_again(self, make, server: Server, status: int, advice: str) -> None:
        server.otherwise = refuses(status, "no")
        with pytest.raises(LLMError, match=f"answered {status}: no; .*{advice}"):
            ask(make(retries=2), "complete")
        assert len(server.requests) == 1

    @both_ways
    def test_silence(self, make, server: Server, way: str) -> None:
        server.otherwise = hangs
        began = time.monotonic()
        with pytest.raises(LLMError, match=r"was silent for 0\.3 seconds; raise timeout"):
            ask(make(timeout=0.3), way)
        assert time.monotonic() - began < 3
        assert server.closed_early.wait(5)

    def test_silence_in_the_middle(self, make, server: Server) -> None:
        server.otherwise = hangs_after([chunk(content="She ")])
        pieces = make(timeout=0.3).stream(QUESTION)
        assert next(pieces).text == "She "
        with pytest.raises(LLMError, match="was silent"):
            next(pieces)

    def test_slow_is_not_silent(self, make, server: Server) -> None:
        server.otherwise = slowly(0.3, answer("Lisbon."))
        assert ask(make(timeout=3), "complete").text == "Lisbon."

    @both_ways
    def test_nobody_there(self, make, way: str) -> None:
        with pytest.raises(LLMError, match=r"cannot be reached .*check base_url"):
            ask(make(base_url="http://127.0.0.1:9/v1"), way)


@has_openai
class TestBadAnswers:
    @both_ways
    @pytest.mark.parametrize(
        "content",
        [
            b"{broken",
            b"",
            b"[]",
            b'"hello"',
            b"{}",
            b'{"choices": []}',
            b'{"choices": [{}]}',
            b'{"choices": [{"message": 5}]}',
        ],
    )
    def test_no_chat_completion(self, make, server: Server, way: str, content: bytes) -> None:
        server.otherwise = says(200, content) if way == "complete" else streamed([content.decode()])
        with pytest.raises(LLMError, match=r"no chat completion|broke off"):
            ask(make(), way)

    def test_a_page_instead_of_json(self, make, server: Server) -> None:
        server.otherwise = says(200, b"<html>hello</html>", Content_Type="text/html")
        with pytest.raises(LLMError, match="no chat completion; check base_url"):
            ask(make(), "complete")

    @pytest.mark.parametrize("politely", [True, False])
    def test_a_stream_that_is_cut_off_is_no_answer(self, make, server: Server, politely: bool) -> None:
        server.otherwise = cuts_off([chunk(content="She moved to ")], politely=politely)
        pieces = make().stream(QUESTION)
        assert next(pieces).text == "She moved to "
        with pytest.raises(LLMError, match="broke off"):
            list(pieces)

    def test_an_error_in_the_stream(self, make, server: Server) -> None:
        server.otherwise = streamed([chunk(content="She "), json.dumps({"error": {"message": "the model fell over"}})])
        with pytest.raises(LLMError, match="reported an error: the model fell over; try again later"):
            ask(make(), "stream")

    @both_ways
    def test_cut_at_the_limit_and_refused(self, make, server: Server, way: str) -> None:
        whole = completion("She moved")
        whole["choices"][0]["finish_reason"] = "length"
        refused = completion(None, refusal="I would rather not.")
        server.script = (
            [says(200, json.dumps(whole).encode()), says(200, json.dumps(refused).encode())]
            if way == "complete"
            else [
                streamed([chunk(content="She moved"), chunk("length")]),
                streamed([chunk(refusal="I would rather not."), chunk("stop")]),
            ]
        )
        llm = make()
        assert ask(llm, way).finish == "length"
        done = ask(llm, way)
        assert (done.text, done.finish) == ("I would rather not.", "refusal")

    def test_is_not_led_elsewhere(self, make, server: Server) -> None:
        server.otherwise = says(307, b"", Location=server.url + "/elsewhere")
        with pytest.raises(LLMError, match="answered 307; it sends us elsewhere"):
            ask(make(), "complete")
        assert len(server.requests) == 1


@has_openai
class TestCancelling:
    def test_closing_the_iterator_closes_the_connection(self, make, server: Server) -> None:
        server.otherwise = hangs_after([chunk(content="She ")])
        pieces = make(timeout=30).stream(QUESTION)
        assert next(pieces).text == "She "
        assert not server.closed_early.is_set()
        pieces.close()
        assert server.closed_early.wait(5)

    def test_a_stream_that_is_dropped_is_closed_too(self, make, server: Server) -> None:
        server.otherwise = hangs_after([chunk(content="She ")])
        for _ in make(timeout=30).stream(QUESTION):
            break
        gc.collect()
        assert server.closed_early.wait(5)

    def test_nothing_is_asked_before_the_first_piece(self, make, server: Server) -> None:
        make().stream(QUESTION).close()
        assert server.requests == []

    def test_the_next_question_is_answered(self, make, server: Server) -> None:
        server.script = [hangs_after([chunk(content="She ")])]
        llm = make()
        pieces = llm.stream(QUESTION)
        next(pieces)
        pieces.close()
        assert ask(llm, "stream").text == "Lisbon."


@has_openai
class TestDiscretion:
    TEXT = QUESTION[0]["content"]

    @both_ways
    def test_logs_have_neither_key_nor_messages(
        self, make, server: Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], way: str
    ) -> None:
        server.script = [refuses(500, "oops", retry_after_ms="10")]
        with caplog.at_level(logging.DEBUG):
            ask(make(retries=1), way)
        written = caplog.text + "".join(capfd.readouterr())
        assert KEY not in written
        assert "Teodora" not in written

    def test_other_users_of_the_library_keep_their_logs(self, make, caplog: pytest.LogCaptureFixture) -> None:
        make().complete(QUESTION)
        with caplog.at_level(logging.DEBUG):
            logging.getLogger("openai._base_client").debug("theirs")
        assert "theirs" in caplog.text

    @pytest.mark.parametrize(
        "said",
        [
            f"bad input: {[{'role': 'user', 'content': TEXT}]}",
            f"cannot answer {TEXT[10:40]}",
            f"Incorrect API key provided: {KEY}.",
        ],
    )
    def test_errors_repeat_neither_key_nor_messages(self, make, server: Server, said: str) -> None:
        server.otherwise = refuses(400, said)
        with pytest.raises(LLMError, match="answered 400") as failure:
            ask(make(), "complete")
        assert KEY not in str(failure.value)
        assert "Teodora" not in str(failure.value)
        assert failure.value.__suppress_context__

    def test_errors_repeat_no_key_that_looks_like_a_word(self, make, server: Server) -> None:
        server.otherwise = refuses(401, "who is teapot?")
        with pytest.raises(LLMError, match=r"answered 401: who is \[key removed\]\?; check the key"):
            ask(make(api_key="teapot"), "complete")


class TestByName:
    def test_an_llm_is_itself(self) -> None:
        llm = ScriptedLLM([])
        assert llm_for(llm) is llm

    @pytest.mark.parametrize("spec", ["gpt-5", "openai:", "nobody:m", "", None, 7])
    def test_unknown(self, spec: Any) -> None:
        with pytest.raises(ConfigError, match="known are openai:MODEL, ollama:MODEL"):
            llm_for(spec)

    def test_an_address_that_is_none(self) -> None:
        with pytest.raises(ConfigError, match="begins with http"):
            llm_for("openai:m", base_url="localhost:8000")

    def test_limit_by_the_name_that_the_endpoint_knows(self) -> None:
        ours = OpenAILLM("m")._request([], [], 5, None)
        theirs = OpenAILLM("m", base_url="http://localhost:1/v1")._request([], [], 5, None)
        assert (ours["max_completion_tokens"], theirs["max_tokens"]) == (5, 5)

    def test_a_missing_library_names_its_cure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "openai", None)
        with pytest.raises(MissingExtra, match=r"openai:m needs: pip install 'recollect\[openai\]'"):
            llm_for("openai:m").complete(QUESTION)


class TestFunction:
    @both_ways
    def test_text(self, way: str) -> None:
        def shout(messages: Any) -> str:
            return messages[-1]["content"].upper()

        llm = llm_for(shout)
        assert llm.name == "function:shout"
        assert ask(llm, way) == Completion(QUESTION[0]["content"].upper(), model="function:shout")

    @both_ways
    def test_completion(self, way: str) -> None:
        done = Completion("", (ToolCall("a", "clock"),), "tool_calls")
        assert ask(llm_for(lambda messages: done), way) == done

    @both_ways
    def test_failure(self, way: str) -> None:
        with pytest.raises(LLMError, match=r"failed: ZeroDivisionError: "):
            ask(llm_for(lambda messages: 1 / 0), way)

    def test_its_own_failure_is_left_as_it_is(self) -> None:
        def fails(messages: Any) -> str:
            raise LLMError("no quota")

        with pytest.raises(LLMError, match=r"^no quota$"):
            llm_for(fails).complete(QUESTION)

    def test_no_text(self) -> None:
        with pytest.raises(LLMError, match="returned a NoneType; it must return a string"):
            FunctionLLM(lambda messages: None).complete(QUESTION)  # type: ignore[arg-type]

    def test_asynchronous(self) -> None:
        async def ask(messages: Any) -> str:
            return ""

        with pytest.raises(ConfigError, match="is asynchronous"):
            llm_for(ask)


class TestScript:
    @both_ways
    def test_lines_in_order(self, way: str) -> None:
        done = Completion("two words", (ToolCall("a", "clock"),), "tool_calls", "m", 1, 2)
        llm = ScriptedLLM(["one  more\n", done, lambda messages: messages[0]["content"][:5], ""])
        assert [ask(llm, way).text for _ in range(4)] == ["one  more\n", "two words", "Where", ""]
        assert llm.cancelled == 0

    def test_keeps_what_it_was_asked(self) -> None:
        llm = ScriptedLLM(["a"])
        messages = [{"role": "user", "content": "hi"}]
        llm.complete(messages, tools=[WEATHER], max_tokens=3, temperature=0.5)
        messages[0]["content"] = "changed since"
        (call,) = llm.calls
        assert call == ([{"role": "user", "content": "hi"}], [WEATHER], 3, 0.5)

    @both_ways
    def test_failures(self, way: str) -> None:
        llm = ScriptedLLM([ValueError("boo"), LLMError("no quota"), lambda messages: 1 / 0])
        for message in ("line 1 of the script failed: ValueError: boo", "^no quota$", "ZeroDivisionError", "at its end"):
            with pytest.raises(LLMError, match=message):
                ask(llm, way)

    def test_counts_what_was_cancelled(self) -> None:
        llm = ScriptedLLM(["many words to say", "one"])
        pieces = llm.stream(QUESTION)
        assert next(pieces).text == "many"
        pieces.close()
        list(llm.stream(QUESTION))
        assert llm.cancelled == 1


class TestDspy:
    def test_a_missing_library_names_its_cure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "dspy", None)
        with pytest.raises(MissingExtra, match=r"pip install 'recollect\[dspy\]'"):
            DspyCondenser().condense("history", "query")

    @has_dspy
    @pytest.mark.filterwarnings("ignore")  # its dependencies deprecate much
    def test_condenses(self) -> None:
        from dspy.utils import DummyLM

        lm = DummyLM([{"condensed_context": " She moved to Lisbon. ", "key_topics": '["sister", "Lisbon", "sister"]'}])
        condensed = DspyCondenser(lm).condense("user: My sister moved to Lisbon.", "Where does she live?")
        assert condensed == ("She moved to Lisbon.", ("sister", "Lisbon"))
        asked = str(lm.history[-1])
        assert "My sister moved to Lisbon." in asked
        assert "Where does she live?" in asked

    @has_dspy
    @pytest.mark.filterwarnings("ignore")
    def test_failure(self) -> None:
        from dspy.utils import DummyLM

        with pytest.raises(LLMError, match="DSPy could not condense"):
            DspyCondenser(DummyLM([{"nonsense": "x"}])).condense("history", "query")
