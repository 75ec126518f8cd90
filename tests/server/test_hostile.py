"""Hostile or faulty requests and conditions do not harm the server or other users."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import llm_server
import pytest

import keepsaid

from .conftest import Server
from .test_access import make_key

Start = Callable[..., Server]
OLD = datetime.now(UTC) - timedelta(days=400)


def nest_objects(depth: int) -> object:
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "body",
    [
        {"metadata": {"a": nest_objects(300)}},
        {"metadata": {"a": ["\0"] * 100_000}},
        {"tags": [""] * 100_000},
        {f"unknown{number}": 1 for number in range(20_000)},
    ],
    ids=["deep", "many NULs", "many tags", "many fields"],
)
def test_large_invalid_body_gets_short_error_quickly(http: httpx.Client, body: dict[str, object]):
    begun = time.monotonic()
    answer = http.post("/v1/sessions", json=body)
    assert answer.status_code == 422
    assert len(answer.content) < 20_000
    assert time.monotonic() - begun < 3


def test_restart_with_retention_preset_deletes_nothing(serve: Start, tmp_path: Path):
    store = tmp_path / "chat.db"
    with keepsaid.open(store, embedder="off", background=False, clock=lambda: OLD) as memory:
        memory.chat(owner="me", session="old", create=True).add("user", "Long ago.")
    for _ in range(2):
        server = serve(store=store, KEEPSAID_RETENTION_PRESET="30/90/30")
        time.sleep(0.5)
        with server.client() as http:
            assert [item["id"] for item in http.get("/v1/sessions").json()["items"]] == ["old"]
        assert server.stop() == 0


@pytest.fixture
def silent_issuer() -> Iterator[str]:
    """An issuer that takes connections and never answers."""
    listener = socket.create_server(("127.0.0.1", 0))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/jwks"
    listener.close()


def test_silent_jwks_issuer_does_not_delay_key_requests(serve: Start, tmp_path: Path, silent_issuer: str):
    key = make_key(tmp_path / "chat.db")
    server = serve(KEEPSAID_SERVER_AUTH="on", KEEPSAID_JWT_JWKS_URL=silent_issuer, KEEPSAID_JWT_AUDIENCE="keepsaid")
    token = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.e30.AAAA"

    def bother() -> None:
        httpx.get(f"{server.url}/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=60)

    strangers = [threading.Thread(target=bother) for _ in range(24)]
    for stranger in strangers:
        stranger.start()
    time.sleep(0.3)
    with server.client(key) as ann:
        begun = time.monotonic()
        assert ann.get("/v1/sessions").status_code == 200
        assert time.monotonic() - begun < 3
    for stranger in strangers:
        stranger.join(60)
        assert not stranger.is_alive()


def test_incomplete_upload_changes_nothing(http: httpx.Client, server: Server):
    whole = "word " * 5_000
    made = http.post("/v1/documents?name=doc.txt", content=whole.encode()).json()
    host, port = server.url.removeprefix("http://").split(":")
    for path in ("/v1/documents?name=doc.txt", "/v1/sessions"):
        with socket.create_connection((host, int(port))) as line:
            head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 62000\r\nIdempotency-Key: half\r\n"
            line.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + b"x" * 300)
    time.sleep(0.3)
    (kept,) = http.get("/v1/documents").json()["items"]
    assert (kept["version"], kept["chunks"]) == (1, made["chunks"])
    again = http.post("/v1/sessions", json={"title": "whole"}, headers={"Idempotency-Key": "half"})
    assert again.status_code == 201


def test_disconnected_streams_free_their_threads(serve: Start):
    with llm_server.serving() as endpoint:
        endpoint.otherwise = llm_server.hangs_after([llm_server.chunk(content="Hm")])
        model = {"KEEPSAID_LLM": "openai:small", "KEEPSAID_LLM_URL": endpoint.url, "KEEPSAID_NOTES": "off"}
        server = serve(KEEPSAID_SERVER_THREADS="1", **model)
        with server.client() as http:
            for _ in range(6):  # more than there are threads for turns
                with http.stream("POST", "/v1/chat", json={"message": "Hello?", "stream": True}) as answer:
                    for line in answer.iter_lines():
                        if line.startswith("event: message.delta"):
                            break
            begun = time.monotonic()
            endpoint.otherwise = llm_server.answer("Here I am.")
            assert http.post("/v1/chat", json={"message": "Anybody?"}).json()["text"] == "Here I am."
            assert time.monotonic() - begun < 8


def test_second_turn_in_session_is_refused_while_one_runs(serve: Start):
    with llm_server.serving() as endpoint:
        endpoint.otherwise = llm_server.hangs_after([llm_server.chunk(content="Hm")])
        model = {"KEEPSAID_LLM": "openai:small", "KEEPSAID_LLM_URL": endpoint.url, "KEEPSAID_NOTES": "off"}
        with serve(**model).client() as http:
            session = http.post("/v1/sessions", json={}).json()["id"]
            with http.stream("POST", "/v1/chat", json={"session": session, "message": "One?", "stream": True}) as answer:
                lines = answer.iter_lines()  # held, or the answer would be closed
                while not next(lines).startswith("event: message.delta"):
                    pass
                other = httpx.post(f"{http.base_url}/v1/chat", json={"session": session, "message": "Two?"})
                assert (other.status_code, other.json()["type"]) == (409, "/docs#turn-running")
            endpoint.otherwise = llm_server.answer("Two it is.")
            end = time.monotonic() + 10
            while (last := http.post("/v1/chat", json={"session": session, "message": "Two?"})).status_code == 409:
                assert time.monotonic() < end
                time.sleep(0.05)
            assert last.json()["text"] == "Two it is."
            texts = [one["text"] for one in http.get(f"/v1/sessions/{session}/messages").json()["items"]]
            assert texts == ["One?", "Hm", "Two?", "Two it is."]


def test_revoking_key_ends_its_watches(serve: Start, tmp_path: Path):
    store = tmp_path / "chat.db"
    ann, admin = make_key(store), make_key(store, "--scope", "admin", owner="root")
    server = serve(store=store, KEEPSAID_SERVER_AUTH="on")
    with server.client(ann) as http, server.client(admin) as root:
        session = http.post("/v1/sessions", json={}).json()["id"]
        with http.stream("GET", "/v1/watch") as answer:
            lines = answer.iter_lines()
            next(lines)
            assert root.delete(f"/v1/admin/keys/{ann.split('_')[1]}").status_code == 204
            with keepsaid.open(store, embedder="off") as memory:
                memory.chat(owner="ann", session=session).add("user", "secret 4711")
            assert "4711" not in "\n".join(lines)


def test_forwarded_request_without_key_is_unauthorized(http: httpx.Client):
    assert http.get("/v1/me", headers={"X-Forwarded-For": "8.8.8.8"}).status_code == 401


def test_malformed_origins_and_key_requests_are_rejected(http: httpx.Client):
    assert http.get("/v1/me", headers={"Origin": "http://["}).status_code == 403
    assert http.get("/", headers={"Origin": "http://["}).status_code == 403
    late = {"name": "x", "owner": "a", "expires_at": "9999-12-31T23:59:59-14:00"}
    assert http.post("/v1/admin/keys", json=late).status_code == 422
    ruler = {"name": "x", "tenant": "acme", "scopes": ["read", "admin"]}
    assert http.post("/v1/admin/keys", json=ruler).status_code == 422


def test_third_concurrent_export_is_refused(serve: Start, tmp_path: Path):
    store = tmp_path / "chat.db"
    with keepsaid.open(store, embedder="off", background=False) as memory:
        chat = memory.chat(owner="me", session="s", create=True)
        chat.add_many([{"role": "user", "content": "x" * 100_000} for _ in range(100)])
    server = serve(store=store)
    with server.client() as http, http.stream("GET", "/v1/export"), http.stream("GET", "/v1/export"):
        third = http.get("/v1/export")
        assert third.status_code == 429
        assert http.get("/v1/me").status_code == 200


def test_forgotten_fact_is_not_replayed(http: httpx.Client):
    body, key = {"text": "PIN 4711"}, {"Idempotency-Key": "fact"}
    made = http.post("/v1/facts", json=body, headers=key).json()
    http.delete(f"/v1/facts/{made['id']}")
    again = http.post("/v1/facts", json=body, headers=key)
    assert again.json().get("id") != made["id"]


def test_user_header_is_decoded_as_utf8(serve: Start, tmp_path: Path):
    key = make_key(tmp_path / "chat.db", "--tenant", "acme")
    with serve(KEEPSAID_SERVER_AUTH="on").client(key) as http:
        told = http.get("/v1/me", headers={"Keepsaid-User": "zoë".encode()}).json()
        assert told["owner"] == "acme/zoë"


def test_page_is_served_for_any_session_id(http: httpx.Client):
    assert http.get("/c/trip.2026").status_code == http.get("/").status_code == 200
    assert http.get("/assets/nothing.js").status_code == 404


def test_watch_works_for_non_ascii_user_name(serve: Start, tmp_path: Path):
    key = make_key(tmp_path / "chat.db", owner="zoë")
    user = {"Keepsaid-User": "zoë".encode()}
    with serve(KEEPSAID_SERVER_AUTH="on").client(key) as http, http.stream("GET", "/v1/watch", headers=user) as answer:
        lines = answer.iter_lines()
        next(lines)
        httpx.post(f"{http.base_url}/v1/sessions", json={}, headers={"Authorization": f"Bearer {key}"})
        assert next(line for line in lines if line.startswith("event: ")) == "event: session"
