"""Web search: with a function or a SearXNG endpoint, and searches made before the model is asked."""

from __future__ import annotations

import json
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import keepsaid
from keepsaid.agent import searxng, web
from keepsaid.agent.agent import Agent
from keepsaid.agent.answer import ToolFinished
from keepsaid.agent.tools import Tool, ToolError
from keepsaid.errors import ConfigError, LLMRefused
from keepsaid.ports import DocumentSnippet, LLMCompletion
from keepsaid.testing import ScriptedLLM
from keepsaid.types import Role, ToolCall

STRIKE = {
    "title": "Tram strike goes on",
    "url": "https://news.example/strike",
    "content": "Drivers in Lisbon will strike\nuntil Friday.",
    "publishedDate": "2026-11-14T08:00:00",
    "engine": "x",
}

Serve = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def playing(serve: Serve) -> Iterator[tuple[str, list[str]]]:
    """A real HTTP server that plays SearXNG; gives its address and the paths it is asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            try:
                serve(self)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def says(content: bytes, status: int = 200, **headers: str) -> Serve:
    def serve(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return serve


def serve_results(*results: Any) -> Serve:
    return says(json.dumps({"query": "x", "results": results}).encode())


class TestEndpoint:
    @pytest.mark.parametrize("ending", ["", "/", "/search"])
    def test_sends_query_and_formats_results(self, ending: str):
        with playing(serve_results(STRIKE, {"title": "Other"})) as (url, asked):
            text = web.make_web_tool(url + ending).run('{"query": "tram & strike?"}')
        assert text == (
            "Tram strike goes on\nhttps://news.example/strike\nDate: 2026-11-14\n"
            "Drivers in Lisbon will strike until Friday.\n\nOther"
        )
        parts = urllib.parse.urlsplit(asked[0])
        assert parts.path == "/search"
        assert urllib.parse.parse_qs(parts.query) == {"q": ["tram & strike?"], "format": ["json"]}

    def test_empty_response_gives_no_results(self):
        with playing(serve_results()) as (url, _):
            assert web.make_web_tool(url).run('{"query": "x"}') == "no results"

    @pytest.mark.parametrize(
        ("serve", "error"),
        [
            (says(b"<html>"), "did not answer in JSON; its format json may be disabled"),
            (says(b"\xff\xfe"), "did not answer in JSON"),
            (says(b"[" * 100_000), "did not answer in JSON"),
            (says(b"[]"), "without a list of results"),
            (says(b'{"results": {}}'), "without a list of results"),
            (says(b"no", 403), "answered 403; its format json may be disabled"),
            (says(b"no", 500), "answered 500; try again later"),
            (says(b" " * (searxng.MAX_RESPONSE_BYTES + 10)), "more than 2,000,000 bytes"),
            (says(b"", 302, Location="http://elsewhere.invalid/"), "answered 302; it redirects to another server"),
            (says(b"", 302, Location="file:///etc/passwd"), "answered 302"),
            (lambda handler: handler.connection.close(), "cannot be reached"),
        ],
    )
    def test_invalid_responses_raise_descriptive_error(self, serve: Serve, error: str):
        with playing(serve) as (url, _), pytest.raises(ToolError, match=error):
            web.make_web_tool(url).run('{"query": "x"}')

    def test_follows_redirect_on_same_host(self):
        def serve(handler: BaseHTTPRequestHandler) -> None:
            if handler.path.startswith("/search"):
                says(b"", 302, Location="/new?q=x")(handler)
            else:
                serve_results(STRIKE)(handler)

        with playing(serve) as (url, asked):
            assert "Tram strike" in web.make_web_tool(url).run('{"query": "x"}')
        assert asked[1] == "/new?q=x"

    def test_slow_server_times_out(self):
        done = threading.Event()
        begun = time.monotonic()
        with playing(lambda handler: bool(done.wait(5)) and None) as (url, _):
            with pytest.raises(ToolError, match="cannot be reached: timed out"):
                searxng.make_searxng_search(url, timeout=0.2)("x")
            done.set()
        assert time.monotonic() - begun < 3

    def test_slow_response_body_times_out(self):
        def drip(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            for _ in range(100):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)

        begun = time.monotonic()
        with playing(drip) as (url, _), pytest.raises(ToolError, match="timed out"):
            searxng.make_searxng_search(url, timeout=0.3)("x")
        assert time.monotonic() - begun < 4

    def test_unreachable_server_raises_tool_error(self):
        with playing(serve_results()) as (url, _):
            pass
        with pytest.raises(ToolError, match=r"cannot be reached: .*refused"):
            web.make_web_tool(url).run('{"query": "x"}')

    @pytest.mark.parametrize("wrong", ["file:///etc/passwd", "ftp://x", "searx.example", 5])
    def test_rejects_invalid_url(self, wrong: Any):
        with pytest.raises(ConfigError):
            web.make_web_tool(wrong)


class TestFunction:
    @pytest.mark.parametrize(
        ("returned", "text"),
        [
            ("as it is", "as it is"),
            ("", "no results"),
            (None, "no results"),
            ([], "no results"),
            (["one", "", "two"], "one\n\ntwo"),
            ([DocumentSnippet("Until Friday.", "https://a.example/", "§ 2")], "https://a.example/\n§ 2\nUntil Friday."),
            ([{"link": "https://a.example/", "snippet": "Until Friday."}, 5], "https://a.example/\nUntil Friday."),
            (iter(["a\0b"]), "a�b"),
        ],
    )
    def test_result_types_are_converted_to_text(self, returned: Any, text: str):
        assert web.make_web_tool(lambda query: returned).run('{"query": "x"}') == text

    def test_unsupported_result_type_raises_tool_error(self):
        with pytest.raises(ToolError, match="returned a int"):
            web.make_web_tool(lambda query: 5).run('{"query": "x"}')

    def test_results_are_limited_in_number_and_length(self):
        text = web.make_web_tool(lambda query: ["x" * 5_000] * 100).run('{"query": "x"}')
        assert len(text) < web.MAX_RESULTS * (web.MAX_RESULT_LENGTH + 2)

    def test_rejects_empty_query(self):
        with pytest.raises(ToolError, match="the query is empty"):
            web.make_web_tool(lambda query: "x").run('{"query": " "}')

    def test_tool_is_used_unchanged(self):
        tool = Tool.of(lambda query: "x", name="look", description="")
        assert web.make_web_tool(tool) is tool


def agent_of(memory: keepsaid.Memory, script: list[Any], search: Any, **options: Any) -> tuple[Agent, ScriptedLLM]:
    llm = ScriptedLLM(script)
    return Agent(memory, llm, owner="u1", web=search, **options), llm


class TestSearchBeforeModel:
    def test_question_about_recent_events_is_searched(self, memory: keepsaid.Memory):
        queries: list[str] = []
        agent, llm = agent_of(memory, ["Until Friday."], lambda query: queries.append(query) or [STRIKE])
        answer = agent.ask("What is the latest on the tram strike?")
        assert queries == ["What is the latest on the tram strike?"]
        assert [message["role"] for message in llm.calls[0].messages] == ["user", "assistant", "tool"]
        messages = memory.chat(owner="u1", session=answer.session).messages()
        assert [message.role.value for message in messages] == ["user", "assistant", "tool", "assistant"]
        assert messages[1].tool_calls[0].name == "web_search"
        assert "https://news.example/strike" in messages[2].text
        assert messages[3].metadata["tools"] == ["web_search"]
        assert [(source.kind, source.title) for source in answer.sources] == [("tool", "https://news.example/strike")]

    def test_results_become_tool_notes(self, memory: keepsaid.Memory):
        agent, _ = agent_of(memory, ["Until Friday.", "Still until Friday."], lambda query: [STRIKE])
        agent.ask("What is the latest on the tram strike?")
        memory.maintain()
        context = memory.chat(owner="u1").context("What did the web search say about the strike?")
        notes = [item for item in context.items if item.kind == "tool"]
        assert [note.title for note in notes] == ["https://news.example/strike"]
        assert "until Friday" in notes[0].text

    def test_follow_up_query_includes_earlier_subject(self, memory: keepsaid.Memory):
        queries: list[str] = []
        agent, _ = agent_of(memory, ["It strikes.", "Until Friday."], lambda query: queries.append(query) or "x")
        agent.ask("Tell me about the tram company Carris.")
        agent.ask("Any news about it?")
        assert len(queries) == 1
        assert "Carris" in queries[0]

    @pytest.mark.parametrize(
        "words",
        [
            "Where does my sister live?",
            "Today I went to my doctor and she found nothing.",
            "Off the record: what is the latest on my divorce?",
        ],
    )
    def test_other_messages_are_not_sent(self, memory: keepsaid.Memory, words: str):
        queries: list[str] = []
        agent, _ = agent_of(memory, ["Fine."], lambda query: queries.append(query) or "x")
        agent.ask(words)
        assert queries == []

    def test_only_question_of_long_message_is_sent(self, memory: keepsaid.Memory):
        queries: list[str] = []
        agent, _ = agent_of(memory, ["Fine."], lambda query: queries.append(query) or "x", budget="128k")
        agent.ask("My doctor said many private things to me. " * 30 + "What is the latest news on flu vaccines?")
        assert queries == ["What is the latest news on flu vaccines?"]

    def test_query_is_redacted(self):
        queries: list[str] = []
        with keepsaid.open("memory://", redact_sent="all", background=False, embedder="off") as memory:
            agent, _ = agent_of(memory, ["Fine."], lambda query: queries.append(query) or "x")
            agent.ask("What is the latest news about ana.lopes@example.org?")
        assert len(queries) == 1
        assert "ana.lopes" not in queries[0]

    def test_failed_search_is_reported_and_turn_continues(self, memory: keepsaid.Memory):
        def broken(query: str) -> str:
            raise OSError("no route")

        agent, llm = agent_of(memory, ["I could not look."], broken)
        answer = agent.ask("What is the latest on the tram strike?")
        assert answer.text == "I could not look."
        assert answer.fallbacks == ("web_search failed: Error: OSError: no route",)
        assert llm.calls[0].messages[-1] == {
            "role": "tool",
            "tool_call_id": llm.calls[0].messages[-1]["tool_call_id"],
            "content": "Error: OSError: no route",
        }
        result = memory.chat(owner="u1", session=answer.session).messages()[2]
        assert (result.role, result.metadata["failed"]) == (Role.TOOL, True)

    def test_model_without_tools_gets_results_as_text(self, memory: keepsaid.Memory):
        refusal = LLMRefused("… 400", 400, "does not support tools")
        agent, llm = agent_of(memory, [refusal, "Until Friday."], lambda query: [STRIKE])
        agent.ask("What is the latest on the tram strike?")
        told = llm.calls[1].messages
        assert [message["role"] for message in told] == ["user", "user"]
        assert told[1]["content"].startswith("Result of web_search {")
        assert "until Friday" in told[1]["content"]

    def test_model_can_call_search_tool(self, memory: keepsaid.Memory):
        call = LLMCompletion("", (ToolCall("c1", "web_search", '{"query": "Carris"}'),))
        agent, _ = agent_of(memory, [call, "Until Friday."], lambda query: [STRIKE])
        events = list(agent.stream("Tell me about Carris."))
        assert [event.failed for event in events if isinstance(event, ToolFinished)] == [False]
