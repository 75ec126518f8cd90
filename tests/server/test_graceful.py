"""Graceful shutdown and client disconnects: acknowledged data is kept, and nothing hangs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from llm_server import Exchange, Handler, answer, chunk, hangs_after, serving
from llm_server import Server as Model

import keepsaid

from .conftest import Server
from .crowd import Crowd

MAX_SHUTDOWN_SECONDS = 25.0
"""Seconds that a server may take to end, whatever its clients do."""


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture
def talking(serve: Callable[..., Server], model: Model) -> Server:
    """A server that uses a language model."""
    return serve(KEEPSAID_LLM="openai:m-2026", KEEPSAID_LLM_URL=model.url, KEEPSAID_LLM_KEY="k")


def told_to_end(server: Server) -> float:
    """Ends a server in good order, and tells how long that took."""
    begun = time.monotonic()
    assert server.stop() == 0
    return time.monotonic() - begun


def stream_turn(http: httpx.Client, message: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a turn, as they come."""
    with http.stream("POST", "/v1/chat", json={"message": message, "stream": True}) as answer:
        assert answer.status_code == 200
        name = ""
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


def aloud(exchange: Exchange) -> Exchange:
    """What a model does for whoever reads along. Who asks in the background, for a title, is answered at once."""
    return lambda handler, body: (exchange if body.get("stream") else answer("A story"))(handler, body)


def slowly(words: int) -> Exchange:
    """A model that takes its time: so many words, ten a second."""

    def exchange(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        for number in range(words):
            handler.event(chunk(content=f"word{number} "))
            time.sleep(0.1)
        handler.event(chunk("stop"))
        handler.end_stream()

    return aloud(exchange)


def last_of(server: Server, session: str) -> keepsaid.Message:
    """The last message of a session, in the store of a server that has ended."""
    with keepsaid.open(server.store, background=False) as memory:
        return memory.chat(owner="me", session=session).messages(last=1)[0]


def test_shutdown_under_load_keeps_acknowledged_messages(serve: Callable[..., Server]):
    server = serve(KEEPSAID_SERVER_RATE="off")
    crowd = Crowd(server.url, 6)
    crowd.begin(until=100)
    took = told_to_end(server)
    crowd.end()
    assert took < MAX_SHUTDOWN_SECONDS
    with keepsaid.open(server.store, background=False) as memory:
        for talker in crowd.talkers:
            assert talker.refused == [], "a request that is not done is one whose line is cut, or is never taken"
            said = [message.text for message in memory.chat(owner="me", session=talker.session).messages()]
            wanted = [talker.text(number) for number in talker.promised]
            assert said in (wanted, [*wanted, talker.text(talker.asked)])


def test_shutdown_ends_open_watch(serve: Callable[..., Server]):
    server = serve()
    lines: list[str] = []
    begun = threading.Event()

    def watch() -> None:
        with server.client() as http, http.stream("GET", "/v1/watch") as answer:
            for line in answer.iter_lines():
                lines.append(line)
                begun.set()

    watching = threading.Thread(target=watch)
    watching.start()
    assert begun.wait(10)
    assert told_to_end(server) < 5, "nobody should wait for a watch"
    watching.join(5)
    assert not watching.is_alive()
    assert lines[0] == "retry: 1000"


def test_shutdown_lets_running_answer_finish(talking: Server, model: Model):
    model.otherwise = slowly(words=20)
    with talking.client() as http:
        turn = stream_turn(http, "Tell me a story.")
        happened = [next(event for event in turn if event[0] == "message.delta")]
        ending = threading.Thread(target=told_to_end, args=(talking,))
        ending.start()
        happened += list(turn)
    ending.join(MAX_SHUTDOWN_SECONDS)
    assert not ending.is_alive()
    name, completed = happened[-1]
    assert (name, completed["finish"]) == ("turn.completed", "stop")
    assert completed["text"].split() == [f"word{number}" for number in range(20)]
    assert last_of(talking, completed["session"]).text == completed["text"]


@pytest.mark.long
def test_shutdown_cuts_long_answer_and_keeps_part(talking: Server, model: Model):
    model.otherwise = slowly(words=600)
    with talking.client() as http:
        turn = stream_turn(http, "Tell me all you know.")
        session = next(data["session"] for name, data in turn if name == "turn.started")
        assert next(name for name, _ in turn if name == "message.delta")
        assert told_to_end(talking) < MAX_SHUTDOWN_SECONDS
        turn.close()
    part = last_of(talking, session)
    assert part.text.startswith("word0 word1 ")
    assert part.metadata["finish"] == "stopped"


def test_disconnect_stops_model_and_keeps_partial_answer(talking: Server, model: Model):
    model.otherwise = slowly(words=600)
    with talking.client() as http:
        turn = stream_turn(http, "Tell me all you know.")
        session = next(data["session"] for name, data in turn if name == "turn.started")
        heard = [next(data["text"] for name, data in turn if name == "message.delta") for _ in range(3)]
        turn.close()
    assert model.closed_early.wait(5), "the model still talks to nobody"
    with talking.client() as http:
        end = time.monotonic() + 5
        while len(messages := http.get(f"/v1/sessions/{session}/messages").json()["items"]) < 2:
            assert time.monotonic() < end, "the part was not kept"
            time.sleep(0.02)
    part = messages[-1]
    assert (part["role"], part["metadata"]["finish"]) == ("assistant", "stopped")
    assert part["text"].startswith("".join(heard).strip())
    assert len(part["text"].split()) < 100


def test_disconnect_stops_silent_model(talking: Server, model: Model):
    model.otherwise = aloud(hangs_after([chunk(role="assistant", content=""), chunk(content="The sea is deep ")]))
    with talking.client() as http:
        turn = stream_turn(http, "Tell me about the sea.")
        assert next(data["text"] for name, data in turn if name == "message.delta") == "The sea is deep "
        turn.close()
    assert model.closed_early.wait(5), "the model is still waited for, and a thread with it"
