"""The change feed: live delivery, and resuming without loss or repetition."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .conftest import Server


def changes(
    http: httpx.Client, count: int, *, after: str | None = None, **query: str
) -> list[tuple[str, str, dict[str, Any]]]:
    """The next so many changes: id, kind and data."""
    headers = {"Last-Event-ID": after} if after else {}
    found: list[tuple[str, str, dict[str, Any]]] = []
    with http.stream("GET", "/v1/watch", params=query, headers=headers) as answer:
        assert answer.status_code == 200
        fields: dict[str, str] = {}
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            fields[name] = value
            if not line and "data" in fields:
                found.append((fields["id"], fields["event"], json.loads(fields["data"])))
                fields = {}
                if len(found) == count:
                    break
    return found


@pytest.fixture
def session(http: httpx.Client) -> str:
    return http.post("/v1/sessions", json={}).json()["id"]


@pytest.fixture
def writer(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def test_watch_delivers_messages_of_another_client(http: httpx.Client, writer: httpx.Client, session: str):
    seen: list[tuple[str, str, dict[str, Any]]] = []
    ready = threading.Event()

    def watch() -> None:
        with http.stream("GET", "/v1/watch", params={"session": session}) as answer:
            lines = answer.iter_lines()
            next(lines)
            ready.set()
            for line in lines:
                if line.startswith("data: "):
                    seen.append(json.loads(line.removeprefix("data: ")))
                    return

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert ready.wait(10)
    writer.post(f"/v1/sessions/{session}/messages", json={"role": "user", "content": "Hello"})
    watcher.join(10)
    assert [change["message"]["text"] for change in seen] == ["Hello"]


def test_watch_resumes_after_last_event_id(http: httpx.Client, session: str):
    mark = start(http, session)
    for number in range(12):
        http.post(f"/v1/sessions/{session}/messages", json={"role": "user", "content": f"m{number}"})
        if number % 4 == 0:
            http.patch(f"/v1/sessions/{session}", json={"title": f"t{number}"})
    seen: list[str] = []
    while len(seen) < 12:
        # Each time it breaks off after three, in the middle of what is there.
        for id, kind, data in changes(http, 3, after=mark):
            mark = id
            if kind == "message":
                seen.append(data["message"]["text"])
    assert seen == [f"m{number}" for number in range(12)]


def start(http: httpx.Client, session: str) -> str:
    """A mark: the id of a change that is made for it."""
    with http.stream("GET", "/v1/watch") as answer:
        lines = answer.iter_lines()
        next(lines)
        http2 = httpx.Client(base_url=http.base_url)
        http2.patch(f"/v1/sessions/{session}", json={"title": "begin"})
        http2.close()
        return next(line.removeprefix("id: ") for line in lines if line.startswith("id: "))


def test_watch_rejects_invalid_event_id_and_unknown_session(http: httpx.Client):
    assert http.get("/v1/watch", headers={"Last-Event-ID": "nonsense"}).status_code == 422
    assert http.get("/v1/watch", params={"session": "nothing"}).status_code == 404


def test_watch_sends_reset_for_stale_event_id(http: httpx.Client, session: str):
    ((_, kind, _),) = changes(http, 1, after="1.1.999")
    assert kind == "reset"
