"""Chat completions with a memory: what is passed on, what is saved, and what happens when something goes wrong."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import llm_server
import openai
import pytest

from server.conftest import Server

from .conftest import client_of

SETTINGS = {"KEEPSAID_LLM": "openai:small", "KEEPSAID_NOTES": "false"}
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png", "detail": "low"}}
WEATHER: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
CALL: Any = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"place": "beach"}'}}


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def assistant(text: str) -> Any:
    return {"role": "assistant", "content": text}


class Talk:
    """A conversation by its id; what is asked in it, and what is stored of it."""

    def __init__(self, proxy: Server, client: openai.OpenAI) -> None:
        self.client = client
        self.http = proxy.client()
        # What others said here before would be recalled.
        assert self.http.post("/v1/erase", json={"confirm": "forget everything"}).is_success
        self.id = client.conversations.create().id

    def ask(self, *messages: Any, **more: Any) -> Any:
        body = {"conversation": self.id, **more.pop("extra_body", {})}
        return self.client.chat.completions.create(model="m", messages=list(messages), extra_body=body, **more)

    @property
    def stored(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.http.get(f"/v1/sessions/{self.id}/messages").json()["items"]
        return found

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(message["role"], message["text"]) for message in self.stored]

    def when(self, count: int) -> list[dict[str, Any]]:
        """What is stored, once there are so many messages."""
        ends = time.monotonic() + 10
        while len(self.stored) < count and time.monotonic() < ends:
            time.sleep(0.02)
        return self.stored


@pytest.fixture
def talk(proxy: Server, client: openai.OpenAI, upstream: llm_server.Server) -> Any:
    talk = Talk(proxy, client)
    yield talk
    talk.http.close()


def prompt(upstream: llm_server.Server) -> list[dict[str, Any]]:
    """What the endpoint was asked last."""
    messages: list[dict[str, Any]] = upstream.requests[-1][2]["messages"]
    return messages


# -- what is passed on


def test_completion_uses_memory_and_saves_turn(talk: Talk, upstream: llm_server.Server):
    talk.http.post("/v1/facts", json={"text": "My sister Ana moved to Lisbon in May.", "kind": "event"})
    raw = talk.client.chat.completions.with_raw_response.create(
        model="m", messages=[user("Where does my sister Ana live?")], extra_body={"conversation": talk.id}
    )
    assert raw.parse().choices[0].message.content == "In Lisbon."
    assert "Ana moved to Lisbon in May" in prompt(upstream)[-1]["content"]
    assert prompt(upstream)[-1]["content"].endswith("Where does my sister Ana live?")
    question, answer = talk.stored
    assert (question["role"], question["text"]) == ("user", "Where does my sister Ana live?")
    assert (answer["role"], answer["text"]) == ("assistant", "In Lisbon.")
    kept = answer["metadata"]
    assert (kept["model"], kept["finish"], kept["prompt_tokens"], kept["answer_tokens"]) == ("m-2026", "stop", 11, 3)
    assert raw.headers["keepsaid-conversation"] == talk.id
    assert int(raw.headers["keepsaid-used"]) >= 1
    assert int(raw.headers["keepsaid-tokens"]) > 10
    receipt = talk.http.get(f"/v1/receipts/{raw.headers['keepsaid-receipt']}").json()
    assert kept["receipt"] == receipt["id"]
    assert receipt["messages"] == prompt(upstream)


def test_completion_forwards_other_parameters_unchanged(talk: Talk, upstream: llm_server.Server):
    talk.ask(
        user("Hi"), temperature=0.3, tools=[WEATHER], response_format={"type": "json_object"}, seed=7, user="me",
        metadata={"conversation_id": "ignored: the body's own comes first", "team": "a"},
        extra_body={"top_k": 40, "chat_template_kwargs": {"enable_thinking": False}},
    )  # fmt: skip
    path, headers, body = upstream.requests[-1]
    assert (path, headers["authorization"]) == ("/v1/chat/completions", "Bearer sk-theirs")
    assert body == {
        "model": "m", "messages": [user("Hi")], "temperature": 0.3, "tools": [WEATHER], "seed": 7,
        "response_format": {"type": "json_object"}, "metadata": {"team": "a"}, "top_k": 40,
        "chat_template_kwargs": {"enable_thinking": False},
    }  # fmt: skip


def test_completion_returns_upstream_body_byte_for_byte(proxy: Server, upstream: llm_server.Server):
    odd = json.dumps(llm_server.completion("Hi") | {"unknown": [1, None]}, indent=3).encode()
    upstream.script = [llm_server.says(200, odd)]
    with proxy.client() as http:
        assert http.post("/v1/chat/completions", json={"messages": [user("Hi")]}).content == odd
    assert upstream.requests[-1][2]["model"] == "small"


def test_stream_returns_upstream_events_byte_for_byte(proxy: Server, upstream: llm_server.Server):
    body = {"messages": [user("Hi")], "stream": True}
    with proxy.client() as http, http.stream("POST", "/v1/chat/completions", json=body) as answer:
        passed = answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["keepsaid-conversation"].startswith("conv_")
    words = [llm_server.chunk(role="assistant", content=""), llm_server.chunk(content="In ")]
    words += [llm_server.chunk(content="Lisbon."), llm_server.chunk("stop"), "[DONE]"]
    assert passed.decode() == "".join(f"data: {word}\n\n" for word in words)


def test_stream_delivers_first_chunk_before_upstream_ends(talk: Talk, upstream: llm_server.Server):
    upstream.script = [llm_server.hangs_after([llm_server.chunk(content="First")])]
    stream = talk.ask(user("Hi"), stream=True)
    assert next(iter(stream)).choices[0].delta.content == "First"
    stream.close()


def test_system_messages_are_sent_but_not_stored(talk: Talk, upstream: llm_server.Server):
    talk.ask({"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Say so."}, user("Hi"))
    assert prompt(upstream) == [{"role": "system", "content": "Be brief.\n\nSay so."}, user("Hi")]
    talk.ask(user("And now?"))
    assert [message["role"] for message in prompt(upstream)] == ["user", "assistant", "user"]
    assert talk.told == [("user", "Hi"), ("assistant", "In Lisbon."), ("user", "And now?"), ("assistant", "In Lisbon.")]


def test_content_parts_are_stored_and_forwarded(talk: Talk, upstream: llm_server.Server):
    sound = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    seen: Any = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, PICTURE, sound]}
    talk.ask(seen)
    assert prompt(upstream) == [seen]
    assert talk.stored[0]["text"] == "What is this?"
    assert talk.stored[0]["parts"][1]["uri"] == "https://example.org/cat.png"
    # A client that sends the last message alone has the earlier ones passed on as well.
    talk.ask(user("And what else?"))
    assert prompt(upstream)[0] == seen
    items = talk.client.conversations.items.list(talk.id, order="asc").data
    assert [part.type for part in items[0].content] == ["input_text", "input_image", "input_audio"]


def test_memories_are_added_to_text_part_of_question(talk: Talk, upstream: llm_server.Server):
    talk.http.post("/v1/facts", json={"text": "My cat is called Miau and is grey.", "kind": "event"})
    talk.ask({"role": "user", "content": [{"type": "text", "text": "Is this my cat Miau?"}, PICTURE]})
    words, picture = prompt(upstream)[-1]["content"]
    assert "called Miau and is grey" in words["text"]
    assert words["text"].endswith("Is this my cat Miau?")
    assert picture == PICTURE


def test_question_over_budget_is_still_sent(talk: Talk, upstream: llm_server.Server):
    long = "word " * 6_000
    talk.ask(user(long))
    assert prompt(upstream)[-1]["content"].endswith(long)


# -- histories


def test_full_history_from_client_is_not_stored_twice(talk: Talk, upstream: llm_server.Server):
    talk.ask(user("one"))
    talk.ask(user("one"), assistant("In Lisbon."), user("two"))
    talk.ask(user("one"), assistant("In Lisbon."), user("two"), assistant("In Lisbon."), user("three"))
    assert [text for _, text in talk.told] == ["one", "In Lisbon.", "two", "In Lisbon.", "three", "In Lisbon."]
    assert talk.http.get(f"/v1/sessions/{talk.id}/alternatives").json()["items"] == []
    assert [message["content"] for message in prompt(upstream)] == ["one", "In Lisbon.", "two", "In Lisbon.", "three"]


def test_history_from_client_is_forwarded_with_extra_fields(talk: Talk, upstream: llm_server.Server):
    talk.ask(user("one"))
    told = assistant("In Lisbon.") | {"reasoning_content": "hm"}
    talk.ask(user("one") | {"cache_control": {"type": "ephemeral"}}, told, user("two"))
    assert prompt(upstream) == [user("one") | {"cache_control": {"type": "ephemeral"}}, told, user("two")]
    assert len(talk.stored) == 4


def test_changed_history_creates_branch(talk: Talk, upstream: llm_server.Server):
    talk.ask(user("one"))
    talk.ask(user("one"), assistant("In Lisbon."), user("two"))
    talk.ask(user("one"), assistant("In Lisbon."), user("other"))
    assert [text for _, text in talk.told] == ["one", "In Lisbon.", "other", "In Lisbon."]
    alternatives = talk.http.get(f"/v1/sessions/{talk.id}/alternatives").json()["items"]
    assert [len(one["versions"]) for one in alternatives] == [2]
    talk.ask(user("one"), assistant("In Lisbon."), user("two"), assistant("In Lisbon."), user("three"))
    assert [text for _, text in talk.told] == ["one", "In Lisbon.", "two", "In Lisbon.", "three", "In Lisbon."]


def test_history_without_last_answer_regenerates_answer(talk: Talk, upstream: llm_server.Server):
    talk.ask(user("one"))
    talk.ask(user("one"), assistant("In Lisbon."), user("two"))
    upstream.otherwise = llm_server.answer("In Porto.")
    talk.ask(user("one"), assistant("In Lisbon."), user("two"))
    assert [text for _, text in talk.told] == ["one", "In Lisbon.", "two", "In Porto."]
    assert prompt(upstream) == [user("one"), assistant("In Lisbon."), user("two")]


def test_tool_calls_and_results_are_stored_and_forwarded(talk: Talk, upstream: llm_server.Server):
    upstream.script = [llm_server.says(200, json.dumps(llm_server.completion(None, tool_calls=[CALL])).encode())]
    first = talk.ask(user("How warm is it at the beach?"), tools=[WEATHER])
    assert first.choices[0].message.tool_calls[0].id == "call_1"
    assert talk.stored[1]["tool_calls"][0]["arguments"] == '{"place": "beach"}'
    assert talk.stored[1]["metadata"]["finish"] == "tool_calls"
    result: Any = {"role": "tool", "tool_call_id": "call_1", "content": "19 °C"}
    called: Any = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    upstream.otherwise = llm_server.answer("It is 19 °C.")
    talk.ask(user("How warm is it at the beach?"), called, result, tools=[WEATHER])
    assert prompt(upstream) == [user("How warm is it at the beach?"), called, result]
    assert [role for role, _ in talk.told] == ["user", "assistant", "tool", "assistant"]
    talk.ask(user("Thanks."))
    assert prompt(upstream)[:3] == [user("How warm is it at the beach?"), called, result]
    types = [item.type for item in talk.client.conversations.items.list(talk.id, order="asc")]
    assert types == ["message", "function_call", "function_call_output", "message", "message", "message"]


def test_tool_result_alone_continues_stored_history(talk: Talk, upstream: llm_server.Server):
    upstream.script = [llm_server.says(200, json.dumps(llm_server.completion(None, tool_calls=[CALL])).encode())]
    talk.ask(user("How warm is it?"), tools=[WEATHER])
    result: Any = {"role": "tool", "tool_call_id": "call_1", "content": "19 °C"}
    talk.ask(result)
    assert [message["role"] for message in prompt(upstream)] == ["user", "assistant", "tool"]
    assert [role for role, _ in talk.told] == ["user", "assistant", "tool", "assistant"]


def test_streamed_tool_calls_are_assembled_and_stored(talk: Talk, upstream: llm_server.Server):
    def piece(**function: str) -> dict[str, Any]:
        return {"index": 0, "function": function} | ({"id": "call_1", "type": "function"} if "name" in function else {})

    chunks = [
        llm_server.chunk(role="assistant", content=None, tool_calls=[piece(name="weather", arguments="")]),
        llm_server.chunk(tool_calls=[piece(arguments='{"place":')]),
        llm_server.chunk(tool_calls=[piece(arguments=' "beach"}')]),
        llm_server.chunk("tool_calls"),
    ]
    upstream.script = [llm_server.stream_events(chunks)]
    list(talk.ask(user("How warm is it?"), tools=[WEATHER], stream=True))
    assert talk.stored[1]["tool_calls"] == [{"id": "call_1", "name": "weather", "arguments": '{"place": "beach"}'}]
    assert talk.stored[1]["metadata"]["finish"] == "tool_calls"


def test_turn_is_private_when_user_asks_not_to_remember(talk: Talk, upstream: llm_server.Server):
    talk.ask(user("Don't remember this: my PIN is 4711."))
    assert [message["private"] for message in talk.stored] == [True, True]


# -- conversations


def test_conversation_id_is_read_from_body_metadata_or_header(talk: Talk, upstream: llm_server.Server):
    create = talk.client.chat.completions.create
    create(model="m", messages=[user("1")], extra_body={"conversation": {"id": talk.id}})
    create(model="m", messages=[user("2")], metadata={"conversation_id": talk.id})
    create(model="m", messages=[user("3")], extra_headers={"Keepsaid-Conversation": talk.id})
    assert [text for role, text in talk.told if role == "user"] == ["1", "2", "3"]
    assert not any("metadata" in body or "conversation" in body for _, _, body in upstream.requests)


def test_response_header_names_new_conversation(client: openai.OpenAI, upstream: llm_server.Server):
    first = client.chat.completions.with_raw_response.create(model="m", messages=[user("Hi")])
    id = first.headers["keepsaid-conversation"]
    assert id.startswith("conv_")
    assert [item.content[0].text for item in client.conversations.items.list(id)] == ["In Lisbon.", "Hi"]


def test_custom_conversation_id_starts_conversation(client: openai.OpenAI, upstream: llm_server.Server):
    name = "thread 42 · ünï"
    for text in ("one", "two"):
        answer = client.chat.completions.with_raw_response.create(
            model="m", messages=[user(text)], extra_body={"conversation": name}
        )
    assert answer.headers["keepsaid-conversation"] == "thread 42 %C2%B7 %C3%BCn%C3%AF"
    assert len(client.conversations.items.list(name).data) == 4
    again = {"extra_headers": {"Keepsaid-Conversation": answer.headers["keepsaid-conversation"]}}
    client.chat.completions.create(model="m", messages=[user("three")], **again)
    assert len(client.conversations.items.list(name).data) == 6


@pytest.mark.parametrize("id", ["conv_123", "0123456789abcdef0123456789abcdef"])
def test_unknown_generated_conversation_id_is_not_found(client: openai.OpenAI, upstream: llm_server.Server, id: str):
    with pytest.raises(openai.NotFoundError, match="no such session, or no access to it"):
        client.chat.completions.create(model="m", messages=[user("Hi")], extra_body={"conversation": id})
    assert not upstream.requests


def test_idempotency_key_prevents_second_upstream_request(client: openai.OpenAI, upstream: llm_server.Server):
    again = {"extra_headers": {"Idempotency-Key": "ask once"}}
    answers = [client.chat.completions.with_raw_response.create(model="m", messages=[user("Hi")], **again) for _ in range(2)]
    assert len({answer.headers["keepsaid-conversation"] for answer in answers}) == 1
    assert len(upstream.requests) == 1


# -- what goes wrong


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_upstream_errors_are_passed_on(
    talk: Talk, upstream: llm_server.Server, status: int, kind: type[openai.APIStatusError], stream: bool
):
    upstream.script = [llm_server.refuses(status, "no, because", Retry_After="7")]
    with pytest.raises(kind) as refused:
        talk.ask(user("Hi"), stream=stream)
    assert refused.value.body == {"message": "no, because", "type": "x", "code": None}
    assert refused.value.response.headers["retry-after"] == "7"
    assert talk.told == [("user", "Hi")]
    talk.ask(user("Hi"))
    assert talk.told == [("user", "Hi"), ("assistant", "In Lisbon.")]


def test_disconnect_stops_upstream_and_keeps_partial_answer(talk: Talk, upstream: llm_server.Server):
    upstream.script = [llm_server.hangs_after([llm_server.chunk(content="Half an"), llm_server.chunk(content=" answer")])]
    stream = talk.ask(user("Hi"), stream=True)
    chunks = iter(stream)
    assert [next(chunks).choices[0].delta.content for _ in range(2)] == ["Half an", " answer"]
    stream.close()
    assert upstream.closed_early.wait(10)
    part = talk.when(2)[1]
    assert (part["text"], part["metadata"]["finish"]) == ("Half an answer", "stopped")
    talk.ask(user("Go on."))
    assert [text for _, text in talk.told] == ["Hi", "Half an answer", "Go on.", "In Lisbon."]


@pytest.mark.parametrize("politely", [True, False])
def test_broken_upstream_stream_keeps_partial_answer(talk: Talk, upstream: llm_server.Server, politely: bool):
    upstream.script = [llm_server.cuts_off([llm_server.chunk(content="Half an")], politely=politely)]
    if politely:
        list(talk.ask(user("Hi"), stream=True))
    else:
        with pytest.raises(openai.APIError, match="cannot be reached or closed the connection"):
            list(talk.ask(user("Hi"), stream=True))
    part = talk.when(2)[1]
    assert (part["text"], part["metadata"]["finish"]) == ("Half an", "error")


def test_truncated_tool_call_is_not_stored(talk: Talk, upstream: llm_server.Server):
    begun = {"index": 0, "id": "call_1", "function": {"name": "weather", "arguments": '{"ci'}}
    upstream.script = [llm_server.cuts_off([llm_server.chunk(content="Wait", tool_calls=[begun])], politely=True)]
    list(talk.ask(user("Hi"), stream=True))
    assert (talk.when(2)[1]["text"], talk.stored[1]["tool_calls"]) == ("Wait", [])


def test_invalid_upstream_answer_is_returned_but_not_saved(talk: Talk, upstream: llm_server.Server):
    upstream.script = [llm_server.says(200, b'{"choices": []}'), llm_server.says(200, b"<html>", Content_Type="text/html")]
    for expected in (b'{"choices": []}', b"<html>"):
        body = {"messages": [user("Hi")], "conversation": talk.id}
        assert talk.http.post("/v1/chat/completions", json=body).content == expected
    assert talk.told == [("user", "Hi")]


def test_unreachable_upstream_returns_502_and_keeps_question(serve: Any):
    server = serve(KEEPSAID_LLM_URL="http://127.0.0.1:9/v1", KEEPSAID_LLM_TIMEOUT="5", **SETTINGS)
    client = client_of(server)
    with pytest.raises(openai.InternalServerError, match="check llm_url") as refused:
        client.chat.completions.create(model="m", messages=[user("Hi")], extra_body={"conversation": "mine"})
    assert (refused.value.status_code, refused.value.code) == (502, "model_failed")
    assert [item.content[0].text for item in client.conversations.items.list("mine")] == ["Hi"]
    assert [model.id for model in client.models.list()] == ["small"]


def test_completion_without_language_model_returns_503(http: httpx.Client):
    refused = http.post("/v1/chat/completions", json={"messages": [user("Hi")]})
    assert (refused.status_code, refused.headers["x-should-retry"]) == (503, "false")
    error = refused.json()["error"]
    assert (error["code"], error["type"]) == ("no_model", "server_error")
    assert "KEEPSAID_LLM" in error["message"]
    assert http.get("/v1/models").json() == {"object": "list", "data": []}
    assert http.get("/v1/sessions").json()["items"] == []


@pytest.mark.parametrize(
    "body",
    [
        {"messages": []},
        {"messages": [{"role": "function", "content": "x"}]},
        {"messages": [{"role": "system", "content": "Be brief."}]},
        {"messages": [{"role": "assistant", "content": "I begin."}]},
        {"messages": [{"role": "user", "content": 1}]},
        {"messages": [{"role": "user", "content": "Hi"}], "conversation": 1},
        {"messages": [{"role": "user", "content": "Hi"}], "stream": "yes"},
        {},
    ],
)
def test_invalid_completion_requests_are_rejected(proxy: Server, upstream: llm_server.Server, body: Any):
    with proxy.client() as http:
        before = len(http.get("/v1/sessions", params={"limit": 200}).json()["items"])
        refused = http.post("/v1/chat/completions", json=body)
        assert (refused.status_code, refused.json()["error"]["type"]) == (400, "invalid_request_error")
        assert len(http.get("/v1/sessions", params={"limit": 200}).json()["items"]) == before
    assert not upstream.requests


def test_redact_sent_removes_mail_from_upstream_request(serve: Any, upstream: llm_server.Server):
    settings = SETTINGS | {"KEEPSAID_LLM_URL": upstream.url, "KEEPSAID_REDACT_SENT": "mail"}
    client = client_of(serve(**settings))
    client.chat.completions.create(model="m", messages=[user("I am ana@example.org")], extra_body={"conversation": "x"})
    assert prompt(upstream) == [user("I am [mail removed]")]


def test_resent_history_matches_redacted_stored_messages(serve: Any, upstream: llm_server.Server):
    settings = SETTINGS | {"KEEPSAID_LLM_URL": upstream.url, "KEEPSAID_REDACT_STORED": "mail"}
    client = client_of(serve(**settings))
    said = user("I am ana@example.org")
    for messages in ([said], [said, assistant("In Lisbon."), user("Bye")]):
        client.chat.completions.create(model="m", messages=messages, extra_body={"conversation": "x"})
    told = [item.content[0].text for item in client.conversations.items.list("x", order="asc")]
    assert told == ["I am [mail removed]", "In Lisbon.", "Bye", "In Lisbon."]


def test_rejected_completion_stores_nothing(client: openai.OpenAI, upstream: llm_server.Server):
    result: Any = {"role": "tool", "tool_call_id": "c", "content": "x"}
    for name, refusal in (
        ("never named before", openai.NotFoundError),
        (client.conversations.create().id, openai.BadRequestError),
    ):
        with pytest.raises(refusal):
            client.chat.completions.create(model="m", messages=[result], extra_body={"conversation": name})
    assert not client.conversations.items.list(name).data
    with pytest.raises(openai.NotFoundError):
        client.conversations.retrieve("never named before")
