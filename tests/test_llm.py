"""Language models with one interface: the HTTP client against a local server, functions, a script, and DSPy."""

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
    stream_events,
)

from keepsaid.errors import ConfigError, LLMError, MissingExtra
from keepsaid.llm import llm_for
from keepsaid.llm.dspy import DspyCondenser
from keepsaid.llm.function import FunctionLLM
from keepsaid.llm.openai import OpenAILLM
from keepsaid.ports import LLM, LLMCompletion, StreamPiece
from keepsaid.testing import ScriptedLLM
from keepsaid.types import ToolCall

KEY = "sk-abcdefGHIJKL0123456789mnopQRST"
QUESTION = [{"role": "user", "content": "Where did my sister Teodora move last spring?"}]
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}

has_openai = pytest.mark.skipif(importlib.util.find_spec("openai") is None, reason="needs keepsaid[openai]")
has_dspy = pytest.mark.skipif(importlib.util.find_spec("dspy") is None, reason="needs keepsaid[dspy]")


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


def ask(llm: LLM, way: str) -> LLMCompletion:
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
    def test_completion_returns_answer_and_sends_minimal_request(self, make, server: Server, way: str) -> None:
        server.otherwise = answer("She moved to Lisbon.")
        assert ask(make(), way) == LLMCompletion("She moved to Lisbon.", (), "stop", "m-2026", 11, 3)
        ((path, headers, body),) = server.requests
        assert path == "/v1/chat/completions"
        assert headers["authorization"] == f"Bearer {KEY}"
        assert body["model"] == "m"
        assert body["messages"] == QUESTION
        assert not {"tools", "temperature", "max_tokens", "max_completion_tokens"} & set(body)

    def test_stream_yields_pieces_as_they_arrive(self, make, server: Server) -> None:
        goes_on = threading.Event()

        def exchange(handler: Any, body: Any) -> None:
            handler.begin_stream()
            handler.event(chunk(content="She "))
            goes_on.wait(5)
            handler.event(chunk("stop", content="moved."))
            handler.end_stream()

        server.otherwise = exchange
        pieces = make().stream(QUESTION)
        assert next(pieces) == StreamPiece("She ")
        goes_on.set()
        assert [piece.text for piece in pieces] == ["moved.", ""]

    def test_options_are_passed_to_endpoint(self, make, server: Server) -> None:
        make().complete(QUESTION, tools=[WEATHER], max_tokens=99, temperature=0.0)
        body = server.requests[0][2]
        assert (body["tools"], body["max_tokens"], body["temperature"]) == ([WEATHER], 99, 0.0)

    def test_stream_usage_off_requests_no_usage(self, make, server: Server) -> None:
        done = ask(make(stream_usage=False), "stream")
        assert (done.prompt_tokens, done.answer_tokens) == (None, None)
        assert "stream_options" not in server.requests[0][2]

    def test_llm_for_makes_endpoint_client_by_name(self, server: Server) -> None:
        llm = llm_for("ollama:llama3.2:3b", base_url=server.url)
        assert isinstance(llm, OpenAILLM)
        assert llm.complete(QUESTION).text == "Lisbon."
        assert server.requests[0][2]["model"] == "llama3.2:3b"
        llm.close()

    def test_client_works_after_close_and_from_many_threads(self, make, server: Server) -> None:
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

    def test_unclosed_client_leaves_no_open_socket(self, server: Server) -> None:
        """An unclosed socket would be a warning, and warnings are errors here."""
        llm_for("openai:m", base_url=server.url, api_key=KEY).complete(QUESTION)
        gc.collect()


@has_openai
class TestToolCalls:
    CALLS = (ToolCall("call_a", "weather", '{"city": "Lisbon"}'), ToolCall("call_b", "clock", "{}"))

    @staticmethod
    def fragment(index: int, **parts: Any) -> str:
        function = {name: parts.pop(name) for name in ("name", "arguments") if name in parts}
        return chunk(tool_calls=[{"index": index, **parts, "function": function}])

    def test_complete_returns_tool_calls(self, make, server: Server) -> None:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in self.CALLS
        ]
        server.otherwise = says(200, json.dumps(completion(None, tool_calls=calls)).encode())
        done = ask(make(), "complete")
        assert (done.text, done.tool_calls, done.finish) == ("", self.CALLS, "tool_calls")

    def test_stream_joins_tool_call_fragments_by_index(self, make, server: Server) -> None:
        server.otherwise = stream_events(
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

    def test_tool_calls_with_shared_index_are_separated_by_id(self, make, server: Server) -> None:
        server.otherwise = stream_events(
            [
                self.fragment(0, id="call_a", name="weather", arguments='{"city": "Lisbon"}'),
                self.fragment(0, id="call_b", name="clock", arguments="{}"),
                chunk("tool_calls"),
            ]
        )
        assert ask(make(), "stream").tool_calls == self.CALLS

    def test_tool_call_without_name_raises_llm_error(self, make, server: Server) -> None:
        server.otherwise = stream_events([self.fragment(0, id="call_a", arguments="{}"), chunk("tool_calls")])
        with pytest.raises(LLMError, match="did not return a chat completion"):
            ask(make(), "stream")


@has_openai
class TestRetriesAndTimeouts:
    @both_ways
    @pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
    def test_transient_error_status_is_retried(self, make, server: Server, way: str, status: int) -> None:
        server.script = [refuses(status, "busy", retry_after_ms="20")]
        assert ask(make(retries=1), way).text == "Lisbon."
        assert len(server.requests) == 2

    def test_retry_waits_for_retry_after_header(self, make, server: Server) -> None:
        server.script = [refuses(429, "slow down", Retry_After="1")]
        assert ask(make(retries=1), "complete").text == "Lisbon."
        assert 1.0 <= server.moments[1] - server.moments[0] < 3.0

    def test_retries_back_off_without_retry_after_header(self, make, server: Server) -> None:
        server.script = [refuses(500, "oops"), refuses(500, "oops")]
        assert ask(make(retries=2), "complete").text == "Lisbon."
        first, second, third = server.moments
        assert second - first > 0.3
        assert third - second > 0.6

    @both_ways
    def test_persistent_error_is_raised_after_all_attempts(self, make, server: Server, way: str) -> None:
        server.otherwise = refuses(503, "down for repairs", retry_after_ms="10")
        with pytest.raises(
            LLMError, match=r"openai:m: http://127.*/v1 answered 503 \(up to 3 attempts\): down for repairs;"
        ):
            ask(make(retries=2), way)
        assert len(server.requests) == 3

    @pytest.mark.parametrize(
        ("status", "advice"), [(400, "does not suit"), (401, "check the key"), (403, "check the key"), (404, "model's name")]
    )
    def test_permanent_error_status_is_not_retried(self, make, server: Server, status: int, advice: str) -> None:
        server.otherwise = refuses(status, "no")
        with pytest.raises(LLMError, match=f"answered {status}: no; .*{advice}"):
            ask(make(retries=2), "complete")
        assert len(server.requests) == 1

    @both_ways
    def test_silent_server_raises_timeout_error(self, make, server: Server, way: str) -> None:
        server.otherwise = hangs
        began = time.monotonic()
        with pytest.raises(LLMError, match=r"was silent for 0\.3 seconds; increase timeout"):
            ask(make(timeout=0.3), way)
        assert time.monotonic() - began < 3
        assert server.closed_early.wait(5)

    def test_silence_in_mid_stream_raises_timeout_error(self, make, server: Server) -> None:
        server.otherwise = hangs_after([chunk(content="She ")])
        pieces = make(timeout=0.3).stream(QUESTION)
        assert next(pieces).text == "She "
        with pytest.raises(LLMError, match="was silent"):
            next(pieces)

    def test_slow_response_within_timeout_succeeds(self, make, server: Server) -> None:
        server.otherwise = slowly(0.3, answer("Lisbon."))
        assert ask(make(timeout=3), "complete").text == "Lisbon."

    @both_ways
    def test_unreachable_server_error_names_base_url(self, make, way: str) -> None:
        with pytest.raises(LLMError, match=r"cannot be reached .*check base_url"):
            ask(make(base_url="http://127.0.0.1:9/v1"), way)


@has_openai
class TestInvalidResponses:
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
    def test_response_without_chat_completion_raises_llm_error(self, make, server: Server, way: str, content: bytes) -> None:
        server.otherwise = says(200, content) if way == "complete" else stream_events([content.decode()])
        with pytest.raises(LLMError, match=r"did not return a chat completion|broke off"):
            ask(make(), way)

    def test_html_response_raises_llm_error(self, make, server: Server) -> None:
        server.otherwise = says(200, b"<html>hello</html>", Content_Type="text/html")
        with pytest.raises(LLMError, match="did not return a chat completion; check base_url"):
            ask(make(), "complete")

    @pytest.mark.parametrize("politely", [True, False])
    def test_truncated_stream_raises_llm_error(self, make, server: Server, politely: bool) -> None:
        server.otherwise = cuts_off([chunk(content="She moved to ")], politely=politely)
        pieces = make().stream(QUESTION)
        assert next(pieces).text == "She moved to "
        with pytest.raises(LLMError, match="broke off"):
            list(pieces)

    def test_error_event_in_stream_raises_llm_error(self, make, server: Server) -> None:
        server.otherwise = stream_events([chunk(content="She "), json.dumps({"error": {"message": "the model fell over"}})])
        with pytest.raises(LLMError, match="reported an error: the model fell over; try again later"):
            ask(make(), "stream")

    @both_ways
    def test_finish_reports_length_limit_and_refusal(self, make, server: Server, way: str) -> None:
        whole = completion("She moved")
        whole["choices"][0]["finish_reason"] = "length"
        refused = completion(None, refusal="I would rather not.")
        server.script = (
            [says(200, json.dumps(whole).encode()), says(200, json.dumps(refused).encode())]
            if way == "complete"
            else [
                stream_events([chunk(content="She moved"), chunk("length")]),
                stream_events([chunk(refusal="I would rather not."), chunk("stop")]),
            ]
        )
        llm = make()
        assert ask(llm, way).finish == "length"
        done = ask(llm, way)
        assert (done.text, done.finish) == ("I would rather not.", "refusal")

    def test_redirect_is_not_followed(self, make, server: Server) -> None:
        server.otherwise = says(307, b"", Location=server.url + "/elsewhere")
        with pytest.raises(LLMError, match="answered 307; it redirects elsewhere"):
            ask(make(), "complete")
        assert len(server.requests) == 1


@has_openai
class TestCancelling:
    def test_closing_stream_closes_connection(self, make, server: Server) -> None:
        server.otherwise = hangs_after([chunk(content="She ")])
        pieces = make(timeout=30).stream(QUESTION)
        assert next(pieces).text == "She "
        assert not server.closed_early.is_set()
        pieces.close()
        assert server.closed_early.wait(5)

    def test_dropped_stream_closes_connection(self, make, server: Server) -> None:
        server.otherwise = hangs_after([chunk(content="She ")])
        for _ in make(timeout=30).stream(QUESTION):
            break
        gc.collect()
        assert server.closed_early.wait(5)

    def test_stream_sends_no_request_before_first_piece(self, make, server: Server) -> None:
        make().stream(QUESTION).close()
        assert server.requests == []

    def test_client_answers_after_cancelled_stream(self, make, server: Server) -> None:
        server.script = [hangs_after([chunk(content="She ")])]
        llm = make()
        pieces = llm.stream(QUESTION)
        next(pieces)
        pieces.close()
        assert ask(llm, "stream").text == "Lisbon."


@has_openai
class TestConfidentiality:
    TEXT = QUESTION[0]["content"]

    @both_ways
    def test_logs_contain_neither_key_nor_messages(
        self, make, server: Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], way: str
    ) -> None:
        server.script = [refuses(500, "oops", retry_after_ms="10")]
        with caplog.at_level(logging.DEBUG):
            ask(make(retries=1), way)
        written = caplog.text + "".join(capfd.readouterr())
        assert KEY not in written
        assert "Teodora" not in written

    def test_openai_logs_of_other_callers_are_kept(self, make, caplog: pytest.LogCaptureFixture) -> None:
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
    def test_errors_contain_neither_key_nor_messages(self, make, server: Server, said: str) -> None:
        server.otherwise = refuses(400, said)
        with pytest.raises(LLMError, match="answered 400") as failure:
            ask(make(), "complete")
        assert KEY not in str(failure.value)
        assert "Teodora" not in str(failure.value)
        assert failure.value.__suppress_context__

    def test_errors_remove_key_that_is_a_plain_word(self, make, server: Server) -> None:
        server.otherwise = refuses(401, "who is teapot?")
        with pytest.raises(LLMError, match=r"answered 401: who is \[key removed\]\?; check the key"):
            ask(make(api_key="teapot"), "complete")


class TestLlmFor:
    def test_llm_instance_is_returned_unchanged(self) -> None:
        llm = ScriptedLLM([])
        assert llm_for(llm) is llm

    @pytest.mark.parametrize("spec", ["gpt-5", "openai:", "nobody:m", "", None, 7])
    def test_unknown_spec_raises_config_error(self, spec: Any) -> None:
        with pytest.raises(ConfigError, match="known are openai:MODEL, ollama:MODEL"):
            llm_for(spec)

    def test_base_url_without_scheme_is_rejected(self) -> None:
        with pytest.raises(ConfigError, match="must begin with http"):
            llm_for("openai:m", base_url="localhost:8000")

    def test_token_limit_parameter_depends_on_endpoint(self) -> None:
        ours = OpenAILLM("m")._request([], [], 5, None)
        theirs = OpenAILLM("m", base_url="http://localhost:1/v1")._request([], [], 5, None)
        assert (ours["max_completion_tokens"], theirs["max_tokens"]) == (5, 5)

    def test_missing_library_error_names_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "openai", None)
        with pytest.raises(MissingExtra, match=r"openai:m needs: pip install 'keepsaid\[openai\]'"):
            llm_for("openai:m").complete(QUESTION)


class TestFunctionLLM:
    @both_ways
    def test_returned_text_becomes_completion(self, way: str) -> None:
        def shout(messages: Any) -> str:
            return messages[-1]["content"].upper()

        llm = llm_for(shout)
        assert llm.name == "function:shout"
        assert ask(llm, way) == LLMCompletion(QUESTION[0]["content"].upper(), model="function:shout")

    @both_ways
    def test_returned_completion_is_passed_through(self, way: str) -> None:
        done = LLMCompletion("", (ToolCall("a", "clock"),), "tool_calls")
        assert ask(llm_for(lambda messages: done), way) == done

    @both_ways
    def test_exception_becomes_llm_error(self, way: str) -> None:
        with pytest.raises(LLMError, match=r"failed: ZeroDivisionError: "):
            ask(llm_for(lambda messages: 1 / 0), way)

    def test_llm_error_is_passed_through(self) -> None:
        def fails(messages: Any) -> str:
            raise LLMError("no quota")

        with pytest.raises(LLMError, match=r"^no quota$"):
            llm_for(fails).complete(QUESTION)

    def test_non_string_result_raises_llm_error(self) -> None:
        with pytest.raises(LLMError, match="returned a NoneType; it must return a string"):
            FunctionLLM(lambda messages: None).complete(QUESTION)  # type: ignore[arg-type]

    def test_async_function_is_rejected(self) -> None:
        async def ask(messages: Any) -> str:
            return ""

        with pytest.raises(ConfigError, match="is asynchronous"):
            llm_for(ask)


class TestScriptedLLM:
    @both_ways
    def test_lines_are_answered_in_order(self, way: str) -> None:
        done = LLMCompletion("two words", (ToolCall("a", "clock"),), "tool_calls", "m", 1, 2)
        llm = ScriptedLLM(["one  more\n", done, lambda messages: messages[0]["content"][:5], ""])
        assert [ask(llm, way).text for _ in range(4)] == ["one  more\n", "two words", "Where", ""]
        assert llm.cancelled == 0

    def test_calls_record_arguments(self) -> None:
        llm = ScriptedLLM(["a"])
        messages = [{"role": "user", "content": "hi"}]
        llm.complete(messages, tools=[WEATHER], max_tokens=3, temperature=0.5)
        messages[0]["content"] = "changed since"
        (call,) = llm.calls
        assert call == ([{"role": "user", "content": "hi"}], [WEATHER], 3, 0.5)

    @both_ways
    def test_failing_lines_and_end_of_script_raise_llm_error(self, way: str) -> None:
        llm = ScriptedLLM([ValueError("boo"), LLMError("no quota"), lambda messages: 1 / 0])
        for message in ("line 1 of the script failed: ValueError: boo", "^no quota$", "ZeroDivisionError", "at its end"):
            with pytest.raises(LLMError, match=message):
                ask(llm, way)

    def test_cancelled_streams_are_counted(self) -> None:
        llm = ScriptedLLM(["many words to say", "one"])
        pieces = llm.stream(QUESTION)
        assert next(pieces).text == "many"
        pieces.close()
        list(llm.stream(QUESTION))
        assert llm.cancelled == 1


class TestDspy:
    def test_missing_library_error_names_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "dspy", None)
        with pytest.raises(MissingExtra, match=r"pip install 'keepsaid\[dspy\]'"):
            DspyCondenser().condense("history", "query")

    @has_dspy
    @pytest.mark.filterwarnings("ignore")  # its dependencies deprecate much
    def test_condense_returns_context_and_topics(self) -> None:
        from dspy.utils import DummyLM

        lm = DummyLM([{"condensed_context": " She moved to Lisbon. ", "key_topics": '["sister", "Lisbon", "sister"]'}])
        condensed = DspyCondenser(lm).condense("user: My sister moved to Lisbon.", "Where does she live?")
        assert condensed == ("She moved to Lisbon.", ("sister", "Lisbon"))
        asked = str(lm.history[-1])
        assert "My sister moved to Lisbon." in asked
        assert "Where does she live?" in asked

    @has_dspy
    @pytest.mark.filterwarnings("ignore")
    def test_failed_condense_raises_llm_error(self) -> None:
        from dspy.utils import DummyLM

        with pytest.raises(LLMError, match="DSPy could not condense"):
            DspyCondenser(DummyLM([{"nonsense": "x"}])).condense("history", "query")
