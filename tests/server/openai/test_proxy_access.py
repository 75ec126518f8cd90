"""Access control of the OpenAI routes: acting for users, scopes, and isolation between owners."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import llm_server
import openai
import pytest

from server.conftest import Server
from server.test_access import make_key

from .conftest import client_of

HI: Any = [{"role": "user", "content": "Hi"}]


class Guarded(NamedTuple):
    """A server that wants keys, and clients with some."""

    server: Server
    keys: dict[str, str]

    def client(self, name: str, **headers: str) -> openai.OpenAI:
        return client_of(self.server, self.keys[name], **headers)


@pytest.fixture(scope="module")
def guarded(endpoint: llm_server.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    store = tmp_path_factory.mktemp("guarded") / "chat.db"
    keys = _keys(store)
    settings = {"KEEPSAID_LLM": "openai:small", "KEEPSAID_LLM_URL": endpoint.url, "KEEPSAID_NOTES": "false"}
    server = Server(store, KEEPSAID_SERVER_AUTH="on", **settings)
    yield Guarded(server, keys)
    server.stop()


def _keys(store: Path) -> dict[str, str]:
    return {
        "ann": make_key(store), "bob": make_key(store, owner="bob"), "reader": make_key(store, "--scope", "read"),
        "acme": make_key(store, "--tenant", "acme"), "other": make_key(store, "--tenant", "other"), "nobody": "sk-nothing",
    }  # fmt: skip


def ask(client: openai.OpenAI, **more: Any) -> str:
    """Says hello, and returns the conversation's id."""
    answer = client.chat.completions.with_raw_response.create(model="m", messages=HI, **more)
    return str(answer.headers["keepsaid-conversation"])


def words(refused: pytest.ExceptionInfo[openai.APIStatusError]) -> object:
    return refused.value.body


def test_conversation_of_another_owner_looks_unknown(guarded: Guarded, upstream: llm_server.Server):
    ann, bob = guarded.client("ann"), guarded.client("bob")
    id = ask(ann)
    item = ann.conversations.items.list(id).data[0].id
    asked = len(upstream.requests)
    added: Any = [{"role": "user", "content": "Mine."}]
    verbs: list[Any] = [
        lambda there: bob.conversations.retrieve(there),
        lambda there: bob.conversations.update(there, metadata={"a": "b"}),
        lambda there: bob.conversations.delete(there),
        lambda there: bob.conversations.items.list(there),
        lambda there: bob.conversations.items.create(there, items=added),
        lambda there: bob.conversations.items.retrieve(item, conversation_id=there),
        lambda there: bob.conversations.items.delete(item, conversation_id=there),
        lambda there: ask(bob, extra_body={"conversation": there}),
        lambda there: ask(bob, metadata={"conversation_id": there}),
        lambda there: ask(bob, extra_headers={"Keepsaid-Conversation": there}),
    ]
    for verb in verbs:
        with pytest.raises(openai.NotFoundError) as anns:
            verb(id)
        with pytest.raises(openai.NotFoundError) as nobodys:
            verb("conv_unknown")
        assert words(anns) == words(nobodys)
    assert len(upstream.requests) == asked
    assert len(ann.conversations.items.list(id).data) == 2


def test_conversation_names_are_separate_per_owner(guarded: Guarded, upstream: llm_server.Server):
    for name in ("ann", "bob"):
        ask(guarded.client(name), extra_body={"conversation": "trip"})
    for name in ("ann", "bob"):
        assert len(guarded.client(name).conversations.items.list("trip").data) == 2


def test_service_key_acts_for_named_user_only(guarded: Guarded, upstream: llm_server.Server):
    acme = guarded.client("acme")
    id = ask(acme, user="ann")
    as_ann = guarded.client("acme", **{"Keepsaid-User": "ann"})
    assert len(as_ann.conversations.items.list(id).data) == 2
    for stranger in (
        guarded.client("acme", **{"Keepsaid-User": "bob"}),
        guarded.client("other", **{"Keepsaid-User": "ann"}),
        guarded.client("ann"),
    ):
        with pytest.raises(openai.NotFoundError):
            stranger.conversations.retrieve(id)
    with pytest.raises(openai.NotFoundError):
        ask(acme, user="bob", extra_body={"conversation": id})
    assert not any("user" in body for _, _, body in upstream.requests)


def test_service_key_without_user_is_forbidden(guarded: Guarded, upstream: llm_server.Server):
    with pytest.raises(openai.PermissionDeniedError):
        ask(guarded.client("acme"))
    with pytest.raises(openai.PermissionDeniedError):
        guarded.client("acme").conversations.create()


def test_user_key_cannot_act_for_another_user(guarded: Guarded, upstream: llm_server.Server):
    ann = guarded.client("ann")
    assert ask(ann, user="ann")
    with pytest.raises(openai.PermissionDeniedError, match="cannot act for another"):
        ask(ann, user="bob")
    assert len(upstream.requests) == 1


def test_read_key_cannot_complete_and_unknown_key_is_rejected(guarded: Guarded, upstream: llm_server.Server):
    reader = guarded.client("reader")
    assert reader.models.list().data
    with pytest.raises(openai.PermissionDeniedError):
        ask(reader)
    with pytest.raises(openai.AuthenticationError) as refused:
        guarded.client("nobody").models.list()
    assert (refused.value.type, refused.value.code) == ("authentication_error", "unauthenticated")


def test_answer_for_user_field_is_not_kept_for_replay(guarded: Guarded, upstream: llm_server.Server):
    """Erasing drops kept answers by owner, so an answer for a named user is not kept under the service's name."""
    again = {"extra_headers": {"Idempotency-Key": "k1"}}
    ids = [ask(guarded.client("acme"), user="carla", **again) for _ in range(2)]
    assert ids[0] == ids[1]
    assert len(upstream.requests) == 2
    # So the model was asked twice, but nothing is said twice.
    carla = guarded.client("acme", **{"Keepsaid-User": "carla"})
    told = [item.content[0].text for item in carla.conversations.items.list(ids[0])]
    assert told == ["In Lisbon.", "Hi"]


def test_server_without_auth_has_one_user(client: openai.OpenAI, upstream: llm_server.Server):
    assert ask(client, user="me")
    with pytest.raises(openai.PermissionDeniedError, match="keepsaid keys create --tenant") as refused:
        ask(client, user="ann")
    assert refused.value.code == "forbidden"


def test_server_without_auth_rejects_only_invalid_keepsaid_keys(proxy: Server):
    assert client_of(proxy, "sk-anything").models.list().data
    with pytest.raises(openai.AuthenticationError):
        client_of(proxy, "rk_0123456789abcdef_wrong").models.list()


def test_rate_limit_returns_openai_error_with_retry_after(endpoint: llm_server.Server, tmp_path: Path):
    server = Server(tmp_path / "chat.db", KEEPSAID_SERVER_RATE="6")
    try:
        client = client_of(server)
        client.conversations.create()
        with pytest.raises(openai.RateLimitError) as refused:
            client.conversations.create()
        assert (refused.value.type, refused.value.response.headers["retry-after"]) in (
            ("rate_limit_error", "9"), ("rate_limit_error", "10"),
        )  # fmt: skip
    finally:
        server.stop()
