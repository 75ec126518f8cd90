"""OpenAI's client against the conversations API: operations, pages, errors, and the stored sessions."""

from __future__ import annotations

from typing import Any

import httpx
import openai
import pytest

from server.conftest import Server

from .conftest import client_of


@pytest.fixture
def client(server: Server) -> openai.OpenAI:
    return client_of(server)


def create_conversation(client: openai.OpenAI, *texts: str) -> str:
    items: Any = [{"role": "user", "content": text} for text in texts]
    return client.conversations.create(items=items).id


def texts(items: Any) -> list[str]:
    return [item.content[0].text for item in items]


def test_conversation_create_update_delete_and_restore(client: openai.OpenAI, http: httpx.Client):
    made = client.conversations.create(metadata={"topic": "travel"})
    assert made.id.startswith("conv_")
    assert client.conversations.retrieve(made.id) == made
    assert client.conversations.update(made.id, metadata={"mood": "good"}).metadata == {"mood": "good"}
    gone = client.conversations.delete(made.id)
    assert (gone.id, gone.deleted, gone.object) == (made.id, True, "conversation.deleted")
    with pytest.raises(openai.NotFoundError):
        client.conversations.retrieve(made.id)
    assert http.post(f"/v1/sessions/{made.id}/restore").status_code == 200
    assert client.conversations.retrieve(made.id).metadata == {"mood": "good"}


def test_items_are_listed_in_pages(client: openai.OpenAI):
    id = create_conversation(client, *(f"message {number}" for number in range(45)))
    first = client.conversations.items.list(id)
    assert texts(first.data) == [f"message {number}" for number in range(44, 24, -1)]
    assert (first.has_more, first.last_id) == (True, first.data[-1].id)
    assert texts(client.conversations.items.list(id)) == [f"message {number}" for number in range(44, -1, -1)]
    assert texts(client.conversations.items.list(id, order="asc", limit=7)) == [f"message {n}" for n in range(45)]
    last = client.conversations.items.list(id, limit=100)
    assert (len(last.data), last.has_more) == (45, False)
    none = client.conversations.items.list(id, after=last.data[-1].id)
    assert (none.data, none.has_more, none.last_id) == ([], False, None)


def test_item_page_may_end_inside_a_message(client: openai.OpenAI):
    calls: Any = [{"type": "function_call", "call_id": str(n), "name": "f", "arguments": "{}"} for n in range(5)]
    id = client.conversations.create(items=[{"role": "user", "content": "Hi"}, *calls]).id
    for order, expected in (("asc", [None, "0", "1", "2", "3", "4"]), ("desc", ["4", "3", "2", "1", "0", None])):
        items = list(client.conversations.items.list(id, order=order, limit=2))
        assert [getattr(item, "call_id", None) for item in items] == expected
        assert [client.conversations.items.retrieve(item.id, conversation_id=id) for item in items] == items


def test_deleting_item_erases_message(client: openai.OpenAI, http: httpx.Client):
    id = create_conversation(client, "My card is in the drawer.", "Something else.")
    secret = client.conversations.items.list(id, order="asc").data[0]
    assert client.conversations.items.delete(secret.id, conversation_id=id).id == id
    assert texts(client.conversations.items.list(id)) == ["Something else."]
    with pytest.raises(openai.NotFoundError, match="no such item"):
        client.conversations.items.retrieve(secret.id, conversation_id=id)
    assert http.post("/v1/search", json={"query": "drawer", "kinds": ["messages"]}).json()["hits"] == []


def test_sessions_and_conversations_are_interchangeable(client: openai.OpenAI, http: httpx.Client):
    session = http.post("/v1/sessions", json={"title": "Ours", "metadata": {"deep": {"er": 1}}}).json()["id"]
    http.post(f"/v1/sessions/{session}/messages", json={"role": "user", "content": "My sister lives in Lisbon."})
    assert client.conversations.retrieve(session).metadata == {"deep": {"er": 1}}
    assert texts(client.conversations.items.list(session)) == ["My sister lives in Lisbon."]
    theirs = create_conversation(client, "My brother lives in Porto.")
    assert http.get(f"/v1/sessions/{theirs}/messages").json()["items"][0]["text"] == "My brother lives in Porto."
    assert http.post("/v1/search", json={"query": "brother"}).json()["hits"][0]["session"] == theirs


def test_items_list_active_branch_and_retrieve_finds_others(client: openai.OpenAI, http: httpx.Client):
    id = create_conversation(client, "Tea?")
    tea = client.conversations.items.list(id).data[0].id
    http.post(f"/v1/sessions/{id}/messages/{tea}/edit", json={"content": "Coffee?"})
    assert texts(client.conversations.items.list(id)) == ["Coffee?"]
    assert texts([client.conversations.items.retrieve(tea, conversation_id=id)]) == ["Tea?"]
    with pytest.raises(openai.NotFoundError):
        client.conversations.items.list(id, after=tea)


@pytest.mark.parametrize(
    ("arguments", "param"),
    [
        ({"limit": 101}, "limit"),
        ({"limit": -1}, "limit"),
        ({"order": "up"}, "order"),
    ],
)
def test_item_list_rejects_invalid_parameters(client: openai.OpenAI, arguments: Any, param: str):
    id = create_conversation(client, "Hi")
    with pytest.raises(openai.BadRequestError) as refused:
        client.conversations.items.list(id, **arguments)
    assert (refused.value.param, refused.value.type) == (param, "invalid_request_error")
    assert refused.value.code == "invalid_input"
    assert refused.value.request_id


@pytest.mark.parametrize(
    "items",
    [
        [{"role": "nobody", "content": "Hi"}],
        [{"type": "message", "role": "user"}],
        [{"type": "function_call", "call_id": "c"}],
        [{"type": "function_call_output", "call_id": "c", "output": 1}],
        [{"type": "item_reference", "id": "msg_1"}],
        [{"role": "user", "content": [{"text": "of no type"}]}],
        [{"role": "user", "content": "nul \x00"}],
        [{"role": "user", "content": "Hi", "id": "a/b"}],
        "no list",
    ],
)
def test_item_create_rejects_invalid_items(client: openai.OpenAI, items: Any):
    before = create_conversation(client, "Hi")
    with pytest.raises(openai.BadRequestError):
        client.conversations.items.create(before, items=items)
    assert texts(client.conversations.items.list(before)) == ["Hi"]


@pytest.mark.parametrize("metadata", [{"k": "v" * 513}, {"k" * 65: "v"}, {str(n): "v" for n in range(17)}, {"k": 1}])
def test_conversation_create_rejects_invalid_metadata(client: openai.OpenAI, metadata: Any):
    with pytest.raises(openai.BadRequestError):
        client.conversations.create(metadata=metadata)


def test_item_create_rejects_id_of_another_conversation(client: openai.OpenAI):
    first, second = create_conversation(client, "Hi"), create_conversation(client, "Hello")
    taken = client.conversations.items.list(first).data[0].id
    item: Any = {"type": "message", "role": "user", "content": "other", "id": taken}
    with pytest.raises(openai.ConflictError):
        client.conversations.items.create(second, items=[item])


def test_idempotency_key_creates_conversation_once(client: openai.OpenAI):
    again = {"extra_headers": {"Idempotency-Key": "once"}}
    items: Any = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    made = [client.conversations.create(items=items, **again).id for _ in range(2)]
    assert made[0] == made[1]
    assert texts(client.conversations.items.list(made[0], order="asc")) == ["Hi", "Hello"]


def test_unknown_paths_and_methods_return_openai_errors(http: httpx.Client):
    for method, path, status in (
        ("GET", "/v1/conversations/a/b/c", 404),
        ("PUT", "/v1/conversations/a", 405),
        ("POST", "/v1/conversations", 400),
    ):
        refused = http.request(method, path, content=b"{", headers={"Content-Type": "application/json"})
        assert (refused.status_code, refused.headers["content-type"]) == (status, "application/json")
        assert set(refused.json()["error"]) == {"message", "type", "param", "code"}
    assert http.get("/v1/sessions/none").headers["content-type"] == "application/problem+json"
