"""The load on a server: clients that send requests as fast as they are answered, each over one keep-alive connection.

HTTP is written by hand, so that sending a request costs little compared with answering it. It runs in a separate process,
`python -m benchmarks.server.load`, which reads an `LoadSpec` as JSON and prints the figures.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from time import perf_counter
from typing import Any, cast
from urllib.parse import urlsplit

from benchmarks.common.texts import make_sentences, vary_text
from benchmarks.search.figures import percentile
from benchmarks.search.search import make_questions

EXPECTED = {"append": 201, "context": 200, "search": 200}
"""The status of an answer to each kind of request; any other is an error."""
PATIENCE = 60.0
"""Seconds to wait for answers after the end."""
VARIETY = 200
"""Number of different texts and questions."""
BUDGET = 4096
SHARES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class LoadSpec:
    """A load: the URL, the duration, the number of clients, and the weight of each kind of request."""

    url: str
    seconds: float
    clients: int
    mix: Mapping[str, int] = field(default_factory=lambda: {"append": 1})


def client_session(client: int) -> str:
    """The session of a client.

    >>> client_session(3)
    'client-3'
    """
    return f"client-{client}"


def client_requests(order: LoadSpec, client: int) -> Iterator[tuple[str, bytes]]:
    """Yield the requests of a client without end: the kind of each, and its bytes.

    >>> kind, request = next(client_requests(LoadSpec("http://localhost:1", 1, 1), 0))
    >>> kind, request.partition(b" HTTP")[0]
    ('append', b'POST /v1/sessions/client-0/messages')
    """
    chance, host = random.Random(client), urlsplit(order.url).netloc
    ready = {kind: [_posted(host, *asked) for asked in _asked(kind, client)] for kind in order.mix}
    kinds, weights = list(order.mix), list(order.mix.values())
    while True:
        (kind,) = chance.choices(kinds, weights)
        yield kind, chance.choice(ready[kind])


def _asked(kind: str, client: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all different requests of a kind that a client sends: paths and bodies."""
    session, questioned = client_session(client), _questions()
    if kind == "append":
        yield from ((f"/v1/sessions/{session}/messages", {"role": "user", "content": text}) for text in _said(client))
    elif kind == "context":
        yield from (("/v1/context", {"session": session, "question": text, "budget": BUDGET}) for text in questioned)
    else:
        yield from (("/v1/search", {"query": text, "limit": 10}) for text in questioned)


@cache
def _questions() -> list[str]:
    return make_questions(VARIETY, seed=1)


def _said(client: int) -> list[str]:
    """Texts that are unique to a client."""
    chance = random.Random(client)
    return [vary_text(text, chance, share=0.5) for text in make_sentences(VARIETY)]


def _posted(host: str, path: str, body: Mapping[str, Any]) -> bytes:
    content = json.dumps(body).encode()
    head = (f"POST {path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json", f"Content-Length: {len(content)}")
    return "\r\n".join((*head, "", "")).encode() + content


def _knock(host: str) -> bytes:
    """A warm-up request that costs a server almost nothing."""
    return f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


class LoadFigures:
    """Collects the figures of a load."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.errors: Counter[str] = Counter()

    def answered(self, kind: str, status: int, seconds: float) -> None:
        """Record an answer."""
        self.seconds.setdefault(kind, []).append(seconds)
        if status != EXPECTED[kind]:
            self.errors[f"{kind}: status {status}"] += 1

    def summary(self, elapsed: float) -> dict[str, Any]:
        """Return the figures: answers per second, errors by kind, and latencies in milliseconds."""
        answers = sum(map(len, self.seconds.values()))
        return {
            "answers": answers,
            "per_second": round(answers / elapsed, 1),
            "errors": dict(self.errors),
            "kinds": {kind: _latency(taken) for kind, taken in sorted(self.seconds.items())},
        }


def _latency(seconds: list[float]) -> dict[str, float]:
    shares = {f"p{share}": round(1000 * percentile(seconds, share), 2) for share in SHARES}
    return {"answers": len(seconds), **shares, "longest": round(1000 * max(seconds), 2)}


class LoadClient(asyncio.Protocol):
    """One client: sends a request, waits for the whole answer, and repeats until the end.

    It sends a warm-up request first, and begins when all clients are connected: a server accepts connections one by one.
    """

    def __init__(self, asking: Iterator[tuple[str, bytes]], tally: LoadFigures, knock: bytes) -> None:
        self._asking = asking
        self._tally = tally
        self._knock = knock
        self._end = 0.0
        self._got = b""
        self._kind = "knock"
        self._sent = 0.0
        loop = asyncio.get_running_loop()
        self.heard, self.done = loop.create_future(), loop.create_future()

    def begin(self, end: float) -> None:
        """Begin to send requests, until the end."""
        if not self.done.done():
            self._end = end
            self._ask()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the warm-up request."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop has its own kind
        self._transport.write(self._knock)

    def data_received(self, data: bytes) -> None:
        """Process a part of an answer."""
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found or len(body) < _length(head):
            return
        self._got = b""
        if not self.heard.done():
            self.heard.set_result(None)
            return
        now = perf_counter()
        self._tally.answered(self._kind, int(head[9:12]), now - self._sent)
        if now < self._end:
            self._ask()
        else:
            self._leave()

    def connection_lost(self, exc: Exception | None) -> None:
        """Record a closed connection as an error, unless the client is done."""
        if not self.done.done():
            self._tally.errors[f"{self._kind}: connection lost"] += 1
            self.done.set_result(None)
        if not self.heard.done():
            self.heard.set_result(None)

    def _ask(self) -> None:
        self._kind, request = next(self._asking)
        self._sent = perf_counter()
        self._transport.write(request)

    def _leave(self) -> None:
        self.done.set_result(None)
        self._transport.close()


def _length(head: bytes) -> int:
    """The length of a body, from the head of its answer. Every answer of both servers has one."""
    return int(head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])


async def load(order: LoadSpec) -> dict[str, Any]:
    """Put a load on a server, and return the figures."""
    loop, tally = asyncio.get_running_loop(), LoadFigures()
    host, _, port = urlsplit(order.url).netloc.rpartition(":")
    asking = [client_requests(order, client) for client in range(order.clients)]
    for one in asking:
        next(one)  # prepare the requests before the measurement begins
    clients: list[LoadClient] = []
    for one in asking:
        _, client = await loop.create_connection(lambda one=one: LoadClient(one, tally, _knock(host)), host, int(port))
        clients.append(client)
    await asyncio.wait([client.heard for client in clients], timeout=PATIENCE)
    start = perf_counter()
    for client in clients:
        client.begin(start + order.seconds)
    _, late = await asyncio.wait([client.done for client in clients], timeout=order.seconds + PATIENCE)
    if late:
        tally.errors["no answer"] += len(late)
    return tally.summary(perf_counter() - start)


def load_spec_to_json(order: LoadSpec) -> str:
    """Convert an order to JSON for the load process.

    >>> load_spec_from_json(load_spec_to_json(LoadSpec("http://localhost:1", 1.5, 64))).clients
    64
    """
    return json.dumps(asdict(order))


def load_spec_from_json(order: str) -> LoadSpec:
    """Parse an order from JSON."""
    return LoadSpec(**json.loads(order))


def main() -> None:
    """Read an order, run it, and print the figures."""
    order = load_spec_from_json(sys.stdin.read())
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        result = asyncio.run(load(order))
    else:
        result = uvloop.run(load(order))
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
