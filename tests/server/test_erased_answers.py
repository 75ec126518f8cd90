"""Answers kept for an Idempotency-Key are not replayed once another process has erased their data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

import keepsaid

from .conftest import Server

Pair = tuple[httpx.Client, keepsaid.Memory]
SECRET = "The code of the safe is 4711."


@pytest.fixture
def pair(serve: Callable[..., Server]) -> Iterator[Pair]:
    """A client of a server, and another program with the same store."""
    server = serve()
    with server.client() as http, keepsaid.open(server.store, embedder="off", background=False) as memory:
        yield http, memory


def test_message_erased_by_other_process_is_not_replayed(pair: Pair):
    http, other = pair
    http.post("/v1/sessions", json={"id": "s"})
    path, key = "/v1/sessions/s/messages", {"Idempotency-Key": "k1"}
    made = http.post(path, json={"role": "user", "content": SECRET}, headers=key).json()
    assert http.post(path, json={"role": "user", "content": SECRET}, headers=key).headers["idempotency-replayed"] == "true"
    other.chat(owner="me", session="s").erase(made["id"])
    again = http.post(path, json={"role": "user", "content": SECRET}, headers=key)
    assert (again.status_code, again.json()["type"]) == (409, "/docs#erased")
    assert "4711" not in again.text


def test_session_erased_by_other_process_is_not_replayed(pair: Pair):
    http, other = pair
    key = {"Idempotency-Key": "k2"}
    made = http.post("/v1/sessions", json={"title": SECRET}, headers=key).json()
    path = f"/v1/sessions/{made['id']}/archive"
    assert "4711" in http.post(path, headers=key).text
    other.erase(owner="me", session=made["id"])
    again = http.post(path, headers=key)
    assert "idempotency-replayed" not in again.headers
    assert "4711" not in again.text


def test_fact_forgotten_by_other_process_is_not_replayed(pair: Pair):
    http, other = pair
    body, key = {"text": SECRET}, {"Idempotency-Key": "k3"}
    made = http.post("/v1/facts", json=body, headers=key).json()
    assert http.post("/v1/facts", json=body, headers=key).json() == made
    other.forget_fact(made["id"], owner="me")
    again = http.post("/v1/facts", json=body, headers=key)
    assert "idempotency-replayed" not in again.headers
    assert again.json().get("id") != made["id"]


def test_answer_of_owner_erased_by_other_process_is_not_replayed(pair: Pair):
    http, other = pair
    body, key = {"text": SECRET}, {"Idempotency-Key": "k4"}
    made = http.post("/v1/facts", json=body, headers=key).json()
    other.erase(owner="me")
    again = http.post("/v1/facts", json=body, headers=key)
    assert again.json().get("id") != made["id"]


def test_answer_is_replayed_after_other_process_saves(pair: Pair):
    http, other = pair
    body, key = {"text": "I like tea."}, {"Idempotency-Key": "k5"}
    made = http.post("/v1/facts", json=body, headers=key).json()
    other.chat(owner="me", session="more", create=True).add("user", "Something else.")
    other.chat(owner="me", session="more").update(title="Another title")
    again = http.post("/v1/facts", json=body, headers=key)
    assert again.json() == made
    assert again.headers["idempotency-replayed"] == "true"
