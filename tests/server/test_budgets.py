"""Hostile requests end within a time limit and do not slow down another owner.

The second owner's requests are measured beside each hostile request and just before it, in turns, so that a noisy machine
slows both. A hostile request may be refused or answered, but must be quick and must not break anything.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

import keepsaid

from .conftest import Server
from .test_access import make_key

MAX_REQUEST_SECONDS = 10.0
"""Seconds that any of these requests may take, on a machine that does other things, too."""
ATTACKERS = 8
NOTICED = 2.0
"""How many times as long a request of the second owner may take."""
UNNOTICED = 0.25
"""Seconds that nobody notices, whatever they are a multiple of. All threads share one interpreter: where a request takes
a few milliseconds, a search beside it costs some more of them, and a time slice where the machine does other things, too."""
FEWEST = 40


class Nasty(NamedTuple):
    """A request that means harm."""

    path: str
    body: Any = None
    content: bytes | None = None


def nest_arrays(depth: int) -> bytes:
    return b'{"metadata": {"a": ' + b"[" * depth + b"]" * depth + b"}}"


WORDS = [f"w{number}" for number in range(400)]
PROMPT = {"session": "long", "question": " ".join(WORDS[:200]), "budget": 100_000}
BATCH = {"messages": [{"role": "user", "content": "x"}] * 500}
NASTY = {
    "many words": Nasty("/v1/search", {"query": " ".join(WORDS)}),
    "many phrases": Nasty("/v1/search", {"query": " ".join(f'"{one} {two}"' for one, two in pairwise(WORDS))}),
    "many exclusions": Nasty("/v1/search", {"query": "w1 " + " ".join(f'-"{word} x"' for word in WORDS[:150])}),
    "one long word": Nasty("/v1/search", {"query": "a" * 8_000}),
    "many quotes": Nasty("/v1/search", {"query": '"' * 4_000}),
    "a prompt of everything": Nasty("/v1/context", PROMPT),
    "a deep body": Nasty("/v1/sessions", content=nest_arrays(100_000)),
    "a body of brackets": Nasty("/v1/sessions", content=b"[" * 1_900_000),
    "many fields": Nasty("/v1/sessions", {f"f{number}": number for number in range(50_000)}),
    "many tags": Nasty("/v1/sessions", {"tags": ["x"] * 200_000}),
    "a huge number": Nasty("/v1/sessions", content=b'{"metadata": {"a": ' + b"9" * 100_000 + b"}}"),
    "a message of marks": Nasty("/v1/sessions/long/messages", {"role": "user", "content": ">" * 5_000}),
    "a message of list items": Nasty("/v1/sessions/long/messages", {"role": "user", "content": "a\n-\n" * 25_000}),
    "a batch of small ones": Nasty("/v1/sessions/long/messages/batch", BATCH),
}  # fmt: skip


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A server where one owner has a long conversation, and another a short one; and the key of both."""
    store = tmp_path_factory.mktemp("budgets") / "chat.db"
    key = make_key(Path(store), "--tenant", "acme")
    with keepsaid.open(store, embedder="off", background=False) as memory:
        chat = memory.chat(owner="acme/ann", session="long", create=True)
        for number in range(10):
            chat.add("user", " ".join(WORDS[(number * step) % len(WORDS)] for step in range(2_000)))
        quiet = memory.chat(owner="acme/bob", session="s", create=True)
        quiet.add_many([{"role": "user", "content": f"Tea number {number} at the harbour."} for number in range(50)])
    running = Server(store, KEEPSAID_SERVER_AUTH="on", KEEPSAID_SERVER_RATE="off")
    yield running, key
    assert running.stop() == 0


def client(server: Server, key: str, user: str) -> httpx.Client:
    return server.client(key, **{"Keepsaid-User": user})


def send(http: httpx.Client, nasty: Nasty) -> httpx.Response:
    if nasty.content is not None:
        return http.post(nasty.path, content=nasty.content, headers={"Content-Type": "application/json"})
    return http.post(nasty.path, json=nasty.body)


@pytest.mark.parametrize("name", NASTY)
def test_hostile_request_ends_in_time_without_server_error(pair: tuple[Server, str], name: str):
    server, key = pair
    with client(server, key, "ann") as http:
        begun = time.monotonic()
        answer = send(http, NASTY[name])
        assert time.monotonic() - begun < MAX_REQUEST_SECONDS
    assert answer.status_code < 500, answer.text[:500]


class SecondOwner:
    """Works as people do: saves, searches, looks around; and knows how long each of these took."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._numbers = count()

    def work(self, until: threading.Event, least: int) -> list[float]:
        """Seconds that requests took, until it is over."""
        took: list[float] = []
        while len(took) < least or not until.is_set():
            said = {"role": "user", "content": f"Tea {next(self._numbers)}"}
            for method, path, body in (
                ("POST", "/v1/sessions/s/messages", said),
                ("POST", "/v1/search", {"query": "tea at the harbour"}),
                ("GET", "/v1/sessions", None),
            ):
                begun = time.perf_counter()
                assert self._http.request(method, path, json=body).status_code < 300
                took.append(time.perf_counter() - begun)
        return took


def p95(took: list[float]) -> float:
    return statistics.quantiles(took, n=20)[-1]


@pytest.mark.parametrize("name", ["many words", "many phrases", "a prompt of everything"])
def test_hostile_requests_do_not_slow_another_owner(pair: tuple[Server, str], name: str):
    server, key = pair
    over = threading.Event()
    over.set()
    quiet, beside = list[float](), list[float]()

    def attack(end: threading.Event) -> None:
        with client(server, key, "ann") as http, suppress(httpx.TransportError):
            while not end.is_set():
                send(http, NASTY[name])

    with client(server, key, "bob") as http:
        bob = SecondOwner(http)
        bob.work(over, 6)  # what is made at first use is made
        for _ in range(2):  # in turns: what else the machine does meets both
            quiet += bob.work(over, FEWEST)
            end = threading.Event()
            attackers = [threading.Thread(target=attack, args=(end,)) for _ in range(ATTACKERS)]
            for attacker in attackers:
                attacker.start()
            beside += bob.work(over, FEWEST)
            end.set()
            for attacker in attackers:
                attacker.join(60)
    assert p95(beside) < max(NOTICED * p95(quiet), UNNOTICED), (p95(quiet), p95(beside))
