"""How calls and memory grow with the messages of one owner and with the number of owners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.growth import growing_store, growth_calls
from benchmarks.growth.growth_calls import Numbers
from benchmarks.search.recall import ProgressFunction, cache_folder
from keepsaid.embed import embedder_for
from keepsaid.ports import Embedder

INDEX_MEMORY = (512, 128)
"""The settings `index_memory`, in megabytes, that the memory of active owners is measured with."""

Measure = Callable[..., Numbers]


@dataclass(frozen=True, slots=True)
class GrowthSizes:
    """What is measured: messages of one owner, numbers of owners with a few messages each, and active owners with the
    messages that each of them has."""

    messages: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    owners: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000)
    active: tuple[tuple[int, int], ...] = ((1_000, 1_000), (70, 10_000))
    texts: int = growing_store.TEXTS


def run(
    spec: str,
    sizes: GrowthSizes,
    *,
    folder: Path | None = None,
    keep: bool = False,
    tell: ProgressFunction = lambda what, done, total: None,
) -> Numbers:
    """Build the stores if necessary, and measure each in a new process. With `keep=False` each is removed afterwards."""
    folder, embedder = folder or cache_folder(), embedder_for(spec)
    pool = growing_store.embed_pool(folder, embedder, tell, sizes.texts)
    numbers: Numbers = {"embedder": embedder.name, "few": growing_store.FEW}
    if sizes.messages:
        path = growing_store.build_message_store(folder, embedder, sizes.messages, pool, tell)
        numbers["messages"] = {
            str(size): measure(growth_calls.measure_owner, spec, path, tell, size, pool.texts) for size in sizes.messages
        }
        _clear(path, keep)
    short = growing_store.select_short(pool)
    numbers["owners"] = {}
    for count in sizes.owners:
        path = growing_store.build_owner_store(folder, embedder, count, growing_store.FEW, short, tell)
        numbers["owners"][str(count)] = measure(growth_calls.measure_owners, spec, path, tell, count, short.texts)
        _clear(path, keep)
    numbers["active"] = {}
    for count, each in sizes.active:
        path = growing_store.build_active_store(folder, embedder, count, each, pool, tell)
        for megabytes in INDEX_MEMORY:
            found = measure(growth_calls.measure_active_owners, spec, path, tell, count, megabytes)
            numbers["active"][f"{count} {each} {megabytes}"] = found
        _clear(path, keep)
    return numbers


def measure(function: Measure, spec: str, path: Path, tell: ProgressFunction, size: int, *options: Any) -> Numbers:
    """Run one of the measurements in a new process, so that its memory is not that of the ones before."""
    tell(f"{function.__name__.replace('_', ' ')} {size:,}", 0, 1)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        found = processes.submit(run_measurement, function, spec, path, size, *options).result()
    tell(f"{function.__name__.replace('_', ' ')} {size:,}", 1, 1)
    return found


def run_measurement(function: Measure, spec: str, path: Path, size: int, *options: Any) -> Numbers:
    """Run a measurement with the embedder that a setting names."""
    return function(path, _open_embedder(spec), size, *options)


def _open_embedder(spec: str) -> Embedder:
    return embedder_for(spec)


def _clear(path: Path, keep: bool) -> None:
    if not keep:
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            (path.parent / name).unlink(missing_ok=True)


def merge(parts: Sequence[Numbers]) -> Numbers:
    """Join the results of several runs with the same embedder.

    >>> merge([{"embedder": "x", "owners": {"10": {}}}, {"embedder": "x", "owners": {"100": {}}}])["owners"]
    {'10': {}, '100': {}}
    """
    merged: Numbers = {}
    for part in parts:
        for name, value in part.items():
            merged[name] = merged.get(name, {}) | value if isinstance(value, dict) else value
    return merged
