"""`keepsaid firestore`: prints rules and indexes, and adopts the conversations of an app."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from click.testing import CliRunner, Result
from firestore_server import firestore_server

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.store.firestore import firestore
from keepsaid.errors import ConfigError
from keepsaid.storage.firestore.gateway import DocumentWrite, FirestoreGateway
from keepsaid.storage.firestore.options import parse_url


def call(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(firestore, arguments, obj=StoreOpener(url), catch_exceptions=False)


def test_rules_name_collections_and_owner_field():
    rules = call("firestore://p/?prefix=x_&owner_field=uid&sessions=talks", "rules").stdout
    assert "match /x_talks/{session} {" in rules
    assert "session.uid == request.auth.uid" in rules
    assert "match /x_keepsaid_units/{unit=**} {" in rules
    assert rules.count("{") == rules.count("}")
    assert rules.count("allow write: if false;") == 2


def test_rules_do_not_need_firestore_store():
    assert "match /chat_sessions/{session} {" in call("memory://", "rules").stdout


def test_indexes_have_ttl_for_sessions_and_messages():
    made = json.loads(call("firestore://p/?prefix=x_", "indexes").stdout)
    ttl = [(one["collectionGroup"], one["fieldPath"]) for one in made["fieldOverrides"] if one.get("ttl")]
    assert ttl == [("x_chat_sessions", "purge_at"), ("messages", "purge_at")]
    assert ("rows", "keepsaid") in [(one["collectionGroup"], one["fieldPath"]) for one in made["fieldOverrides"]]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with firestore_server() as server:
        yield server


@pytest.fixture
def url(server: str, request: pytest.FixtureRequest) -> str:
    return f"firestore://p/?emulator={server}&prefix={request.node.name[:40]}_&owner_field=uid"


@pytest.fixture
def documents(url: str) -> Iterator[FirestoreGateway]:
    prefix = parse_url(url).prefix
    with closing(FirestoreGateway(parse_url(url))) as gateway:
        gateway.commit(
            [
                DocumentWrite("put", f"{prefix}chat_sessions/s{number}{extra}", fields)
                for number, whose, status in ((1, "ann", "active"), (2, "ann", "archived"), (3, "bob", "active"))
                for extra, fields in (
                    ("", {"uid": whose, "status": status}),
                    (
                        f"/messages/m{number}",
                        {"role": "user", "content": f"I am {whose}.", "timestamp": 1_700_000_000 + number},
                    ),
                )
            ]
        )
        yield gateway


def test_adopt_imports_conversations_of_owner(url, documents):
    dry_run = call(url, "adopt", "--owner", "ann", "--dry-run")
    assert "Would adopt 2 conversations, 2 messages of ann; already present: 0 messages." in dry_run.stdout
    done = call(url, "adopt", "--owner", "ann")
    assert "Adopted 2 conversations, 2 messages of ann; already present: 0 messages." in done.stdout
    assert "already present: 2 messages." in call(url, "adopt", "--owner", "ann").stdout
    with wiring.open_memory(url, background=False) as memory:
        assert [one.id for one in memory.sessions(owner="ann", status="archived").items] == ["s2"]
        assert not memory.sessions(owner="bob").items


def test_adopt_all_imports_every_owner(url, documents):
    told = json.loads(call(url, "adopt", "--all", "--json").stdout)
    assert {owner: report["messages"] for owner, report in told["owners"].items()} == {"ann": 2, "bob": 1}


def test_adopt_accepts_owner_field(url, documents):
    other = url.replace("&owner_field=uid", "")
    assert (
        "Adopted 1 conversation, 1 message of bob" in call(other, "adopt", "--owner", "bob", "--owner-field", "uid").stdout
    )


@pytest.mark.parametrize("arguments", [(), ("--owner", "ann", "--all")])
def test_adopt_requires_owners(url, arguments):
    result = call(url, "adopt", *arguments)
    assert result.exit_code == 2
    assert "name the owners" in result.stderr


def test_adopt_refuses_other_kinds_of_store(tmp_path):
    with pytest.raises(ConfigError, match="firestore://"):
        call(str(tmp_path / "chat.db"), "adopt", "--owner", "ann")
