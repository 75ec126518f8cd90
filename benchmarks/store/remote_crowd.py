"""Many callers in one process over a slow network: our async API, and a bare asynchronous driver."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import keepsaid
from benchmarks.common.texts import make_sentences
from benchmarks.search.figures import latency
from benchmarks.store.delaying_proxy import delaying_proxy
from benchmarks.store.drivers import STORE_OPTIONS, max_connections, open_async_bare_driver, open_bare_driver, open_store
from benchmarks.store.temporary_store import TemporaryStore
from keepsaid.aio import AsyncChat

Save = Callable[[int, int, str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class CrowdSizes:
    """The number of callers, and of messages that each saves in a round."""

    callers: int
    messages: int
    rounds: int
    delay: float


def measure_crowd(place: TemporaryStore, sizes: CrowdSizes) -> dict[str, Any]:
    """Measure the latency of a message over all callers; each side's best round counts."""
    open_store(place.url).close()
    open_bare_driver(place).close()
    with delaying_proxy(place.address, sizes.delay) as port:
        return asyncio.run(_measured(place, place.url_through_port(port), sizes))


async def _measured(place: TemporaryStore, url: str, sizes: CrowdSizes) -> dict[str, Any]:
    connections = max_connections(place)
    raw = open_async_bare_driver(place, url, connections)
    await raw.open()
    async with await keepsaid.open_async(url, **STORE_OPTIONS) as memory:
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


async def _crowd(save: Save, sizes: CrowdSizes) -> list[float]:
    texts = make_sentences(sizes.messages)
    taken: list[float] = []

    async def call(caller: int) -> None:
        for number, text in enumerate(texts):
            began = time.perf_counter()
            await save(caller, number, text)
            taken.append(time.perf_counter() - began)

    await asyncio.gather(*(call(caller) for caller in range(sizes.callers)))
    return taken
