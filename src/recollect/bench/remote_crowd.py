"""Many callers of one process over a network that takes its time: ours with `await`, and a bare asynchronous driver."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import recollect
from recollect.aio import AsyncChat
from recollect.bench.figures import latency
from recollect.bench.places import Place
from recollect.bench.sides import OURS, async_bare, bare, connections_of, open_store
from recollect.bench.texts import sentences
from recollect.bench.wire import delaying

Save = Callable[[int, int, str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many callers, and how many messages each of them saves in a round."""

    callers: int
    messages: int
    rounds: int
    delay: float


def measured(place: Place, sizes: Sizes) -> dict[str, Any]:
    """The time that a message takes, of all callers together; each side's best round counts."""
    open_store(place.url).close()
    bare(place).close()
    with delaying(place.address, sizes.delay) as port:
        return asyncio.run(_measured(place, place.through(port), sizes))


async def _measured(place: Place, url: str, sizes: Sizes) -> dict[str, Any]:
    connections = connections_of(place)
    raw = async_bare(place, url, connections)
    await raw.open()
    async with await recollect.open_async(url, **OURS) as memory:
        asked = [memory.chat(owner=f"caller-{number}", session="s", create=True) for number in range(sizes.callers)]
        chats: list[AsyncChat] = await asyncio.gather(*asked)

        async def ours(caller: int, number: int, text: str) -> object:
            return await chats[caller].add("user", text)

        best: dict[str, dict[str, float]] = {}
        # The first round warms up.
        for round in range(sizes.rounds + 1):
            for name, save in (("ours", ours), ("bare", raw.append)):
                found = latency(await _crowd(save, sizes))
                if round and found["p95"] < best.get(name, {"p95": float("inf")})["p95"]:
                    best[name] = found
    await raw.close()
    return {
        "crowd_x_bare": best["ours"]["p95"] / best["bare"]["p95"],
        "crowd_p95_ms": best["ours"]["p95"],
        "crowd_bare_p95_ms": best["bare"]["p95"],
        "crowd_p50_ms": best["ours"]["p50"],
        "crowd_bare_p50_ms": best["bare"]["p50"],
        "crowd_callers": sizes.callers,
        "crowd_connections": connections,
        "crowd_delay_ms": sizes.delay * 1000,
    }


async def _crowd(save: Save, sizes: Sizes) -> list[float]:
    texts = sentences(sizes.messages)
    taken: list[float] = []

    async def call(caller: int) -> None:
        for number, text in enumerate(texts):
            began = time.perf_counter()
            await save(caller, number, text)
            taken.append(time.perf_counter() - began)

    await asyncio.gather(*(call(caller) for caller in range(sizes.callers)))
    return taken
