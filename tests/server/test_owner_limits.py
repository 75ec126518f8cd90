"""Limits on how much of a shared server one owner can use."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

import httpx
import pytest

import keepsaid
from keepsaid.server.exports import MAX_EXPORTS_PER_OWNER, ExportStreams
from keepsaid.server.problems import RequestRefusal

from .conftest import Server
from .test_access import make_key
from .test_interface import wait_for_job

Start = Callable[..., Server]


def export_of(tmp_path: Path, messages: int, session: str = "big") -> bytes:
    """A file to import."""
    path = tmp_path / f"{session}.json"
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        chat = memory.chat(owner="x", session=session, create=True)
        chat.add_many([{"role": "user", "content": f"Message {n} of the trains to Lisbon. " * 8} for n in range(messages)])
        memory.export(path, owner="x")
    return path.read_bytes()


@pytest.fixture
def two(serve: Start, tmp_path: Path) -> Iterator[Callable[..., tuple[httpx.Client, httpx.Client]]]:
    """Two owners of one server, which has the given settings."""
    with ExitStack() as stack:

        def start(**settings: str) -> tuple[httpx.Client, httpx.Client]:
            key = make_key(tmp_path / "chat.db", "--tenant", "acme")
            server = serve(KEEPSAID_SERVER_AUTH="on", KEEPSAID_SERVER_RATE="off", **settings)
            one, other = (stack.enter_context(server.client(key, **{"Keepsaid-User": user})) for user in ("ann", "bob"))
            return one, other

        yield start


def running(http: httpx.Client, job: str) -> bool:
    return http.get(f"/v1/jobs/{job}").raise_for_status().json()["state"] == "running"


def test_imports_do_not_delay_other_owners(two: Callable[..., tuple[httpx.Client, httpx.Client]], tmp_path: Path):
    ann, bob = two()
    content = export_of(tmp_path, 4_000)
    bob.post("/v1/sessions", json={"id": "s"})
    bob.post("/v1/sessions/s/messages", json={"role": "user", "content": "I have a sister in Porto."})
    jobs = [
        ann.post("/v1/import", content=content.replace(b'"big"', b'"big%d"' % number)).json()["id"] for number in range(6)
    ]
    begun = time.monotonic()
    assert bob.post("/v1/erase", json={"session": "s"}).json()["messages"] == 1
    erased = time.monotonic() - begun
    made = bob.post("/v1/documents?name=porto.txt", content=b"The train to Porto leaves at noon.")
    assert made.status_code == 201
    assert running(ann, jobs[-1]), "it was over too soon to be waited for"
    assert erased < 1.5
    ends = [wait_for_job(ann, {"id": job, "state": "running"}) for job in jobs]
    assert not [str(end) for end in ends if end["state"] != "done"]


def test_too_many_imports_of_one_owner_are_refused(two: Callable[..., tuple[httpx.Client, httpx.Client]], tmp_path: Path):
    ann, bob = two(KEEPSAID_SERVER_JOBS="1", KEEPSAID_SERVER_JOBS_WAITING="2")
    content = export_of(tmp_path, 2_000)
    answers = [ann.post("/v1/import", content=content) for _ in range(6)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) >= 2
    assert "server_jobs_waiting" in refused[0].json()["detail"]
    assert refused[0].headers["Retry-After"]
    assert bob.post("/v1/import", content=export_of(tmp_path, 1)).status_code == 202
    for answer in answers:
        assert answer.status_code == 429 or wait_for_job(ann, answer.json())["state"] == "done"


def test_export_limit_counts_exports_when_granted():
    async def main() -> None:
        exports = ExportStreams()
        granted = [exports.begin("ann", _write) for _ in range(MAX_EXPORTS_PER_OWNER)]
        with pytest.raises(RequestRefusal):
            exports.begin("ann", _write)
        other = exports.begin("bob", _write)
        assert b"".join([piece async for piece in granted.pop()]) == b"all of it"
        granted.append(exports.begin("ann", _write))
        granted.clear()  # their readers left before they began
        assert b"".join([piece async for piece in other]) == b"all of it"
        granted += [exports.begin("ann", _write) for _ in range(MAX_EXPORTS_PER_OWNER)]
        granted.clear()
        exports.close()

    def _write(target: TextIO) -> None:
        target.write("all of it")

    asyncio.run(main())


def test_forged_receipt_id_of_another_owner_is_not_found():
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        memory.chat(owner="ann", session="s", create=True).add("user", "My PIN is 4711.")
        receipt = memory.chat(owner="ann", session="s").context("What is my PIN?").receipt_id
        assert receipt is not None
        owner, pool, id = json.loads(base64.urlsafe_b64decode(receipt + "=" * (-len(receipt) % 4)))
        assert owner == "ann"
        forged = base64.urlsafe_b64encode(json.dumps(["bob", pool, id]).encode()).decode().rstrip("=")
        with pytest.raises(keepsaid.NotFound):
            memory.receipt(forged, owner="bob")
        with pytest.raises(keepsaid.NotFound):
            memory.replay(forged, owner="bob")
        assert memory.receipt(receipt, owner="ann").question == "What is my PIN?"


GROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/v1/sessions", {"id": "new", "title": "A title"}),
    ("PATCH", "/v1/sessions/s", {"title": "A longer title"}),
    ("PATCH", "/v1/sessions/s", {"metadata": {"a": "b" * 1000}}),
    ("POST", "/v1/sessions/s/fork", {}),
    ("POST", "/v1/conversations", {"metadata": {"a": "b"}}),
    ("POST", "/v1/conversations/s", {"metadata": {"a": "b"}}),
    ("POST", "/v1/pools", {"name": "ours"}),
]


def test_used_up_quota_refuses_growth_but_allows_reads(serve: Start, tmp_path: Path):
    store = tmp_path / "chat.db"
    with keepsaid.open(store, embedder="off", background=False) as memory:
        memory.chat(owner="ann", session="s", create=True).add("user", "My sister moved to Lisbon.")
    reads, all_of_it = make_key(store, "--scope", "read"), make_key(store)
    server = serve(KEEPSAID_SERVER_AUTH="on", KEEPSAID_QUOTA_MESSAGES="1")
    with server.client(all_of_it) as http:
        for method, path, body in GROWS:
            answer = http.request(method, path, json=body)
            assert (answer.status_code, answer.json().get("type")) in ((403, "/docs#quota-exceeded"), (403, None)), path
        assert http.patch("/v1/sessions/s", json={"pinned": True}).status_code == 200
        for key in (reads, all_of_it):
            with server.client(key) as reader:
                made = reader.post("/v1/context", json={"session": "s", "question": "Where does she live?"}).json()
                assert "Lisbon" in json.dumps(made["messages"])
                assert made["receipt_id"] is None
        assert http.get("/v1/receipts").json()["items"] == []
        http.post("/v1/erase", json={"session": "s"})
        assert http.post("/v1/sessions", json={"id": "s2"}).status_code == 201
        assert http.post("/v1/context", json={"session": "s2", "question": "Hello?"}).json()["receipt_id"]
