"""Several worker processes at one address share their rules, and acknowledged data survives the death of a worker."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from llm_server import serving
from redis_servers import redis_server
from servers import postgres

import keepsaid
from keepsaid.cli import main

from .conftest import Server
from .crowd import Crowd, Talker
from .test_graceful import slowly, stream_turn, told_to_end
from .test_interface import wait_for_job
from .test_kill import assert_promises_kept, repeat_requests

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="who is whose child is read from /proc")

Homes = Callable[[str], str]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Homes]:
    """Stores that several processes can open, by the kind of their place."""
    with ExitStack() as stack:

        def home(kind: str) -> str:
            if kind == "redis":
                return stack.enter_context(redis_server("--appendonly", "yes", "--appendfsync", "always")).url
            if kind == "postgres":
                return stack.enter_context(postgres())
            return str(tmp_path_factory.mktemp("store") / "chat.db")

        yield home


@pytest.fixture(scope="module", params=["sqlite", "redis", "postgres"])
def family(request: pytest.FixtureRequest, homes: Homes) -> Iterator[Server]:
    """Two workers over each kind of store, for all tests that leave them as they are."""
    server = Server(homes(request.param), "--workers", "2")
    yield server
    assert server.stop() == 0


@pytest.fixture
def pair(family: Server) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """A client of each worker."""
    with apart(family) as clients:
        yield clients


def workers(server: Server) -> list[int]:
    """The processes that serve, oldest first."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):  # it has ended meanwhile
            if folder.name.isdigit() and _parent(folder) == server.process.pid:
                found += [int(folder.name)] if b"spawn_main" in (folder / "cmdline").read_bytes() else []
    return sorted(found)


def _parent(folder: Path) -> int:
    return int((folder / "stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def only(pid: int, server: Server) -> Iterator[None]:
    """While it lasts, all others stand still: whoever connects now comes to this one, and stays with it."""
    others = [worker for worker in workers(server) if worker != pid]
    for other in others:
        os.kill(other, signal.SIGSTOP)
    try:
        yield
    finally:
        for other in others:
            os.kill(other, signal.SIGCONT)


@contextmanager
def apart(server: Server) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Two clients, each on a connection to a worker of its own."""
    first, second = workers(server)
    with server.client() as one, server.client() as other:
        for client, pid in ((one, first), (other, second)):
            with only(pid, server):
                assert client.get("/healthz").status_code == 200
        yield one, other


def until(what: Callable[[], Any], name: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, f"waited in vain for {name}"
        time.sleep(0.02)


# -- the same rules


Pair = tuple[httpx.Client, httpx.Client]


def test_idempotency_key_is_shared_between_workers(pair: Pair):
    one, other = pair
    body, key = {"text": "The code is 4711."}, {"Idempotency-Key": "fact-1"}
    first = one.post("/v1/facts", json=body, headers=key)
    again = other.post("/v1/facts", json=body, headers=key)
    assert (first.status_code, again.status_code) == (201, 201), again.text
    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert [fact["text"] for fact in other.get("/v1/facts").json()["items"]] == ["The code is 4711."]
    reused = other.post("/v1/facts", json={"text": "Another."}, headers=key)
    assert (reused.status_code, reused.json()["type"]) == (422, "/docs#idempotency-key-reused")


def test_answer_erased_by_one_worker_is_not_replayed_by_another(pair: Pair):
    one, other = pair
    assert one.post("/v1/sessions", json={"id": "erased"}).status_code == 201
    path, body, key = "/v1/sessions/erased/messages", {"role": "user", "content": "code 4711"}, {"Idempotency-Key": "e1"}
    made = one.post(path, json=body, headers=key).json()
    assert other.post(path, json=body, headers=key).json() == made
    assert other.post("/v1/erase", json={"session": "erased", "message": made["id"]}).status_code == 200
    again = one.post(path, json=body, headers=key)
    assert (again.status_code, again.json()["type"]) == (409, "/docs#erased")


def test_watch_delivers_messages_saved_by_another_worker(pair: Pair):
    one, other = pair
    assert one.post("/v1/sessions", json={"id": "watched"}).status_code == 201
    begun = threading.Event()
    seen: list[str] = []

    def watch() -> None:
        with other.stream("GET", "/v1/watch", params={"session": "watched"}) as answer:
            for line in answer.iter_lines():
                begun.set()
                if line.startswith("data: "):
                    seen.append(json.loads(line.removeprefix("data: "))["message"]["text"])
                    if len(seen) == 3:
                        return

    watching = threading.Thread(target=watch)
    watching.start()
    assert begun.wait(10)
    for number in range(3):
        said = {"role": "user", "content": f"said {number}"}
        assert one.post("/v1/sessions/watched/messages", json=said).status_code == 201
    watching.join(15)
    assert seen == ["said 0", "said 1", "said 2"]


def test_job_state_is_visible_to_every_worker(pair: Pair):
    one, other = pair
    lines = [{"messages": [{"role": "user", "content": f"line {number}"}]} for number in range(40)]
    begun = one.post("/v1/import", content="\n".join(map(json.dumps, lines)))
    assert begun.status_code == 202, begun.text
    job = wait_for_job(other, other.get(begun.headers["location"]).json())
    assert (job["state"], job["report"]["messages"]) == ("done", 40)
    assert one.get(begun.headers["location"]).json() == job


def test_temporary_sessions_are_refused_with_workers(pair: Pair):
    for http in pair:
        for path, body in (("/v1/sessions", {"temporary": True}), ("/v1/chat", {"message": "Hi", "temporary": True})):
            refused = http.post(path, json=body)
            assert (refused.status_code, refused.json()["type"]) == (409, "/docs#not-with-workers")


def test_metrics_of_each_worker_cover_all_workers(pair: Pair):
    def counted(http: httpx.Client) -> float:
        wanted = 'keepsaid_requests_total{method="GET",route="/v1/me",status="200"} '
        return sum(float(line.rpartition(" ")[2]) for line in http.get("/metrics").text.splitlines() if wanted in line)

    before = counted(pair[0])
    for http, times in zip(pair, (3, 4), strict=True):
        for _ in range(times):
            assert http.get("/v1/me").status_code == 200
    assert [counted(http) - before for http in pair] == [7, 7]


def test_rate_limit_is_shared_between_workers(serve: Callable[..., Server]):
    with apart(serve("--workers", "2", KEEPSAID_SERVER_RATE="30")) as pair:
        answers = [pair[number % 2].get("/v1/me") for number in range(8)]
    assert [answer.status_code for answer in answers].count(200) == 5
    assert answers[-1].status_code == 429
    assert [answer.headers["ratelimit-remaining"] for answer in answers[:3]] == ["4", "3", "2"]


def test_revoked_key_is_refused_by_every_worker(serve: Callable[..., Server]):
    server = serve("--workers", "2")
    with apart(server) as (one, other):
        made = one.post("/v1/admin/keys", json={"name": "laptop", "owner": "me", "scopes": ["read"]}).json()
        by_key = {"Authorization": f"Bearer {made['secret']}"}
        assert other.get("/v1/me", headers=by_key).status_code == 200
        assert one.delete(f"/v1/admin/keys/{made['id']}").status_code == 204
        begun = time.monotonic()
        until(lambda: other.get("/v1/me", headers=by_key).status_code == 401, "the key to be refused", 10)
        assert time.monotonic() - begun < 2, "the other worker was told, and did not wait for what it knew to grow old"


def test_session_has_one_running_turn_over_all_workers(serve: Callable[..., Server]):
    with serving() as model:
        model.otherwise = slowly(words=600)
        server = serve("--workers", "2", KEEPSAID_LLM="openai:m-2026", KEEPSAID_LLM_URL=model.url, KEEPSAID_LLM_KEY="k")
        with apart(server) as (one, other):
            assert one.post("/v1/sessions", json={"id": "s"}).status_code == 201
            with one.stream("POST", "/v1/chat", json={"session": "s", "message": "A story!", "stream": True}) as turn:
                lines = turn.iter_lines()
                assert "event: message.delta" in lines
                refused = other.post("/v1/chat", json={"session": "s", "message": "And now?"})
                assert (refused.status_code, refused.json()["type"]) == (409, "/docs#turn-running")
            assert model.closed_early.wait(5), "the reader is gone, and the model still talks"
            model.otherwise = slowly(words=2)
            until(
                lambda: other.post("/v1/chat", json={"session": "s", "message": "And now?"}).status_code == 200,
                "the next turn to be taken", 10,
            )  # fmt: skip


def test_only_one_worker_makes_backups(serve: Callable[..., Server], tmp_path: Path):
    folder = tmp_path / "backups"
    serve("--workers", "3", KEEPSAID_BACKUP_FOLDER=str(folder))
    until(lambda: list(folder.glob("*.db")), "a backup")
    time.sleep(1)
    assert len(list(folder.glob("*.db"))) == 1


# -- their end


@pytest.mark.parametrize("kind", ["sqlite", "redis", "postgres"])
def test_killed_worker_is_replaced_without_losing_messages(homes: Homes, kind: str):
    server = Server(homes(kind), "--workers", "2", KEEPSAID_SERVER_RATE="off")
    doomed, spared = workers(server)
    theirs, others = Crowd(server.url, 3), Crowd(server.url, 3, first=3)
    # Before any client writes: a client that is stopped while it writes to a file stops all others.
    with only(doomed, server):
        theirs.connect()
    with only(spared, server):
        others.connect()
    theirs.begin(until=30)
    others.begin(until=30)
    until(lambda: theirs.promised >= 60, "more to be said to the first worker")
    os.kill(doomed, signal.SIGKILL)
    theirs.end()
    said = others.promised
    until(lambda: others.promised > said + 20, "the other worker to go on")
    until(lambda: len(workers(server)) == 2, "another worker to take over")
    assert doomed not in workers(server)
    with apart(server) as pair:
        assert [http.get("/readyz").status_code for http in pair] == [200, 200]
    for talker in theirs.talkers:
        assert_promises_kept(server, talker)
        repeat_requests(server, talker)

    assert told_to_end(server) < 25
    others.end()
    with keepsaid.open(str(server.store), background=False, embedder="off") as memory:
        for talker in others.talkers:
            assert talker.refused == []
            said_by = [message.text for message in memory.chat(owner="me", session=talker.session).messages()]
            assert said_by in _expected_texts(talker)


def _expected_texts(talker: Talker) -> tuple[list[str], list[str]]:
    wanted = [talker.text(number) for number in talker.promised]
    return wanted, [*wanted, talker.text(talker.asked)]


def test_shutdown_lets_running_answer_finish(serve: Callable[..., Server]):
    with serving() as model:
        model.otherwise = slowly(words=20)
        server = serve("--workers", "2", KEEPSAID_LLM="openai:m-2026", KEEPSAID_LLM_URL=model.url, KEEPSAID_LLM_KEY="k")
        with server.client() as http:
            turn = stream_turn(http, "Tell me a story.")
            assert any(name == "message.delta" for name, _ in turn)
            ending = threading.Thread(target=told_to_end, args=(server,))
            ending.start()
            name, completed = list(turn)[-1]
        ending.join(30)
    assert (name, completed["finish"]) == ("turn.completed", "stop")
    assert completed["text"].split() == [f"word{number}" for number in range(20)]


def test_workers_end_with_their_parent(serve: Callable[..., Server]):
    server = serve("--workers", "2")
    pids = workers(server)
    server.process.kill()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "the workers to end")


@pytest.mark.parametrize(
    ("store", "options", "why"),
    [
        ("memory://", [], "an in-memory store lives in one process"),
        ("chat.db", ["--host", "0.0.0.0"], "requests need a key"),
    ],
)
def test_serve_with_workers_prints_one_error_for_bad_options(tmp_path: Path, store: str, options: list[str], why: str):
    place = store if "://" in store else str(tmp_path / store)
    result = CliRunner().invoke(main, ["--db", place, "serve", "--workers", "2", "--port", "0", *options])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert why in result.stderr
