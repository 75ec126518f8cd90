"""The benchmark of stores on servers: that it measures what it says, and leaves nothing behind."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from redis_servers import redis_server
from servers import postgres_admin

from recollect.bench import remote, remote_crowd, remote_table, scale, scale_table
from recollect.bench.places import borrowed, with_options
from recollect.bench.wire import Address, counting, delaying
from recollect.cli import main
from recollect.memory import Memory

TINY = remote.Sizes(
    append_rounds=1, appends=5, messages=100, read_rounds=1, reads=3, histories=(30, 60), prompts=1,
    crowd=remote_crowd.Sizes(callers=6, messages=2, rounds=1, delay=0.005), work=24, batch=50,
)  # fmt: skip


@pytest.fixture(scope="module", params=["postgres", "redis"])
def measured(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote, "QUICK", TINY)
        # A developer's own settings must not reach the stores that are measured.
        patch.setenv("RECOLLECT_KEY", "a passphrase")
        if request.param == "postgres":
            url = postgres_admin()
            yield _numbers(url)
            with psycopg.connect(url) as db:
                assert db.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%bench%'").fetchall() == []
        else:
            with redis_server() as server:
                yield _numbers(server.url)
                assert server.ask("DBSIZE") == 0


def _numbers(url: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["bench", "store", "--quick", "--json", "--url", url])
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def test_ratios_are_of_what_was_measured(measured: dict[str, Any]):
    for line in remote_table.LINES:
        assert measured[line.ours] > 0
        assert measured[line.ratio] == pytest.approx(measured[line.ours] / measured[line.bare], rel=0.01)
    assert measured["crowd_p95_ms"] >= measured["crowd_p50_ms"] >= TINY.crowd.delay * 1000


def test_work_is_settled_once(measured: dict[str, Any]):
    assert measured["work_messages"] == measured["work_settled"] == sum(measured["work_shares"]) == 24
    assert measured["work_left"] == 0


def test_prompts_take_some_trips_however_long_the_history(measured: dict[str, Any]):
    trips = {name: count for name, count in measured.items() if name.startswith(("trips_words_", "trips_vectors_"))}
    assert len(trips) == 4
    assert min(trips.values()) >= 1
    assert max(trips.values()) == measured["trips"]


def test_the_table_judges_a_full_run_alone(measured: dict[str, Any]):
    assert "MISSED" not in remote_table.table(measured)
    full = measured | {"quick": False, "append_x_bare": 1.0, "last20_x_bare": 1.0, "crowd_x_bare": 1.0, "trips": 4}
    assert "MISSED" not in remote_table.table(full)
    for worse in ({"last20_x_bare": 2.1}, {"trips": 5}, {"work_left": 1}, {"work_settled": 25}):
        assert remote_table.table(full | worse).count("MISSED") == 1
    missed = remote_table.table(full | {"append_x_bare": 3.1, "crowd_x_bare": 2.1}).count("MISSED")
    assert missed == (2 if measured["place"] == "PostgreSQL" else 0)
    assert max(map(len, remote_table.table(full).splitlines()[1:])) < 100


def test_what_has_no_bare_driver_is_refused():
    for url in ("firestore://project/x", "chat.db"):
        result = CliRunner().invoke(main, ["bench", "store", "--url", url])
        assert (result.exit_code, result.stdout) == (2, "")
        assert "--url takes postgresql:// and redis://" in result.stderr


# -- what a store takes when it holds more and more


def test_a_store_is_filled_and_measured(monkeypatch: pytest.MonkeyPatch):
    for name in ("APPENDS", "READS", "SEARCHES", "PROMPTS"):
        monkeypatch.setattr(scale, name, 5)
    url = postgres_admin()
    command = ["bench", "scale", "--json", "--url", url, "--messages", "2000", "--messages", "500"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    numbers = json.loads(result.stdout)
    assert list(numbers["steps"]) == ["500", "2000"]
    step = numbers["steps"]["2000"]
    assert (step["messages"], step["owners"], step["largest"]["messages"]) == (2000, 10, 200)
    assert step["saved_per_second"] > 0
    assert step["vectors_per_second"] > 0
    vector = scale.DIMENSIONS * 2
    assert vector < step["bytes"]["vectors"]["rows"] < 2 * vector, "one for each message, two bytes for each dimension"
    assert step["bytes"]["messages"]["rows"] > 120
    for owner in ("small", "largest"):
        for name in scale_table.CALLS:
            assert 0 < step[owner][name]["p50"] <= step[owner][name]["p95"]
    lines = scale_table.table(numbers).splitlines()
    assert next(line.split()[-2:] for line in lines if line.startswith("messages  ")) == ["500", "2,000"]
    assert max(map(len, lines)) < 100
    with psycopg.connect(url) as db:
        assert db.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%bench%'").fetchall() == []


def test_what_is_asked_is_found_by_words_and_by_vectors(monkeypatch: pytest.MonkeyPatch):
    """Otherwise the times would be those of looking into nothing."""
    seen: dict[str, list[int]] = {}
    asked = scale._asked

    def watched(memory: Memory, owner: str, kind: str) -> dict[str, Any]:
        mode = "meaning" if kind == "vectors" else "words"
        found = [len(memory.search(one, owner=owner, mode=mode)) for one in scale.questions(5, seed=1)]
        seen.setdefault(kind, []).extend(found)
        return asked(memory, owner, kind)

    monkeypatch.setattr(scale, "_asked", watched)
    for name in ("APPENDS", "READS", "SEARCHES", "PROMPTS"):
        monkeypatch.setattr(scale, name, 1)
    with redis_server() as server:
        numbers = scale.run(server.url, [500])
        assert server.ask("DBSIZE") == 0
    assert numbers["place"] == "Redis"
    for found in seen.values():
        assert len(found) == 10
        assert sum(count > 0 for count in found) > 5
    assert "bytes" not in scale_table.table(numbers)


def test_a_place_is_removed_when_it_fails():
    with redis_server() as server:
        with suppress(RuntimeError), borrowed(server.url) as place:
            with remote.open_store(place.url) as memory:
                memory.chat(owner="me").add("user", "Hello")
            assert server.ask("DBSIZE") > 0
            raise RuntimeError
        assert server.ask("DBSIZE") == 0


# -- the wire


@pytest.fixture
def echo() -> Iterator[Address]:
    """A server that answers with what it was told."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            with caller:
                while heard := caller.recv(100):
                    caller.sendall(heard)

    thread = threading.Thread(target=serve)
    thread.start()
    yield Address("127.0.0.1", listener.getsockname()[1])
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def _heard(caller: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        found += caller.recv(100)
    return found


def test_a_wire_counts_what_is_waited_for(echo: Address):
    with counting(echo, 0.2) as (wire, port), socket.create_connection(("127.0.0.1", port)) as caller:
        for word in (b"one", b"two", b"three"):
            caller.sendall(word)
            assert _heard(caller, len(word)) == word
        assert wire.trips == 3
        caller.sendall(b"four")
        time.sleep(0.005)
        caller.sendall(b"five")
        assert _heard(caller, 8) == b"fourfive"
        assert wire.trips == 4, "what is said before an answer comes is waited for once"


def test_a_wire_takes_its_time_and_keeps_the_order(echo: Address):
    with delaying(echo, 0.05) as port, socket.create_connection(("127.0.0.1", port)) as caller:
        began = time.monotonic()
        sent = b"".join(b"%04d" % number for number in range(200))
        for start in range(0, len(sent), 40):
            caller.sendall(sent[start : start + 40])
        assert _heard(caller, len(sent)) == sent
        assert 0.05 <= time.monotonic() - began < 0.5


def test_urls_go_through_a_wire():
    with redis_server() as server, borrowed(with_options(server.url, db="1")) as place:
        assert place.address == Address("127.0.0.1", server.port)
        assert place.through(4711) == f"redis://127.0.0.1:4711?db=1&prefix={place.name}"
