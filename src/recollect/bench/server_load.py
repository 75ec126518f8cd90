"""The load on a server: clients that ask as fast as they are answered, each over one connection that stays open.

HTTP is written by hand, so that asking costs little beside answering. It runs in a process of its own,
`python -m recollect.bench.server_load`: an `Order` as JSON comes in, and what came of it goes out.
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

from recollect.bench.figures import percentile
from recollect.bench.search import questions
from recollect.bench.texts import sentences, varied

EXPECTED = {"append": 201, "context": 200, "search": 200}
"""The status of an answer to each kind of request; any other is an error."""
PATIENCE = 60.0
"""Seconds after the end that an answer is waited for."""
VARIETY = 200
"""Different texts and questions."""
BUDGET = 4096
SHARES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Order:
    """A load: where to, for how long, by how many clients, and how much of each kind they ask for."""

    url: str
    seconds: float
    clients: int
    mix: Mapping[str, int] = field(default_factory=lambda: {"append": 1})


def session_of(client: int) -> str:
    """The session that a client talks in.

    >>> session_of(3)
    'client-3'
    """
    return f"client-{client}"


def requests(order: Order, client: int) -> Iterator[tuple[str, bytes]]:
    """What a client asks, for ever: the kind of each request, and its bytes.

    >>> kind, request = next(requests(Order("http://localhost:1", 1, 1), 0))
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
    """All different requests of a kind that a client has: paths and bodies."""
    session, questioned = session_of(client), _questions()
    if kind == "append":
        yield from ((f"/v1/sessions/{session}/messages", {"role": "user", "content": text}) for text in _said(client))
    elif kind == "context":
        yield from (("/v1/context", {"session": session, "question": text, "budget": BUDGET}) for text in questioned)
    else:
        yield from (("/v1/search", {"query": text, "limit": 10}) for text in questioned)


@cache
def _questions() -> list[str]:
    return questions(VARIETY, seed=1)


def _said(client: int) -> list[str]:
    """Texts that no other client has."""
    chance = random.Random(client)
    return [varied(text, chance, share=0.5) for text in sentences(VARIETY)]


def _posted(host: str, path: str, body: Mapping[str, Any]) -> bytes:
    content = json.dumps(body).encode()
    head = (f"POST {path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json", f"Content-Length: {len(content)}")
    return "\r\n".join((*head, "", "")).encode() + content


def _knock(host: str) -> bytes:
    """A request that costs a server nothing, whatever it answers."""
    return f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


class Tally:
    """What came of a load."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.errors: Counter[str] = Counter()

    def answered(self, kind: str, status: int, seconds: float) -> None:
        """Notes an answer."""
        self.seconds.setdefault(kind, []).append(seconds)
        if status != EXPECTED[kind]:
            self.errors[f"{kind}: status {status}"] += 1

    def summary(self, elapsed: float) -> dict[str, Any]:
        """The figures: answers a second, errors by what they were, and milliseconds by kind."""
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


class Client(asyncio.Protocol):
    """One client: asks, waits for the whole answer, and asks again until the end.

    It knocks first, and begins when all are heard: a server takes in a crowd one by one.
    """

    def __init__(self, asking: Iterator[tuple[str, bytes]], tally: Tally, knock: bytes) -> None:
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
        """Begins to ask, until the end."""
        if not self.done.done():
            self._end = end
            self._ask()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Knocks."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop has its own kind
        self._transport.write(self._knock)

    def data_received(self, data: bytes) -> None:
        """Takes a piece of an answer."""
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
        """The server hung up: an error, unless the client is done."""
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
    """The length of a body, by the head of its answer. Without one, it would have to be read to the end: none of ours is."""
    return int(head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])


async def load(order: Order) -> dict[str, Any]:
    """Puts a load on a server, and tells what came of it."""
    loop, tally = asyncio.get_running_loop(), Tally()
    host, _, port = urlsplit(order.url).netloc.rpartition(":")
    asking = [requests(order, client) for client in range(order.clients)]
    for one in asking:
        next(one)  # what they say is made now, before it counts
    clients: list[Client] = []
    for one in asking:
        _, client = await loop.create_connection(lambda one=one: Client(one, tally, _knock(host)), host, int(port))
        clients.append(client)
    await asyncio.wait([client.heard for client in clients], timeout=PATIENCE)
    start = perf_counter()
    for client in clients:
        client.begin(start + order.seconds)
    _, late = await asyncio.wait([client.done for client in clients], timeout=order.seconds + PATIENCE)
    if late:
        tally.errors["no answer"] += len(late)
    return tally.summary(perf_counter() - start)


def written(order: Order) -> str:
    """An order as the process reads it.

    >>> read(written(Order("http://localhost:1", 1.5, 64))).clients
    64
    """
    return json.dumps(asdict(order))


def read(order: str) -> Order:
    """An order as it was written."""
    return Order(**json.loads(order))


def main() -> None:
    """Reads an order, and prints what came of it."""
    order = read(sys.stdin.read())
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        result = asyncio.run(load(order))
    else:
        result = uvloop.run(load(order))
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
