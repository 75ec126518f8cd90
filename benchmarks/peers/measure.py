"""Ours and other libraries, side by side in one run: the same conversation saved, read, searched and made into prompts.

The libraries take turns, and the best round of each counts, because noise only adds time. For saving, it is the median.
"""

from __future__ import annotations

import gc
import math
import os
import platform
import random
import sqlite3
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import apsw

from benchmarks.peers.conversation import WARM_UP, PeerData, PeerMessage, PeerSizes, make_data
from benchmarks.peers.driver import LAST, LIBRARIES, SESSIONS, TOKENS, PeerDriver, PeerLibrary, library_version, open_driver
from benchmarks.search.recall import ProgressFunction, cache_folder
from keepsaid import __version__
from keepsaid.ports import Embedder

ENVIRONMENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "LANGSMITH_TRACING": "false",
    "TOKENIZERS_PARALLELISM": "false",
}
"""So that no library sends anything."""
HOMES = ("MEM0_DIR", "MEMPALACE_CONFIG_DIR")
"""Folders that libraries would make in the user's home."""

Call = Callable[[int], Any]
"""One call of an operation, by its number, so that no two ask the same."""


@dataclass(slots=True)
class PeerRun:
    """A library that takes part, and what was measured of it: seconds a call, by operation."""

    library: PeerLibrary
    driver: PeerDriver
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    failure: str = ""


def run(
    embedder: Embedder,
    sizes: PeerSizes,
    *,
    libraries: Sequence[PeerLibrary] = LIBRARIES,
    folder: Path | None = None,
    tell: ProgressFunction = lambda what, done, total: None,
) -> dict[str, Any]:
    """Measure every library that is installed, in a temporary folder that is removed. The vectors of the texts are kept."""
    data = make_data(folder or cache_folder(), embedder, sizes, tell)
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="keepsaid-peers-", ignore_cleanup_errors=True)))
        stack.enter_context(quiet_environment(place))
        runs, missing = open_libraries(libraries, place, data, stack)
        fill(runs, data, sizes, tell)
        for operation in ("last", "newest_fitting", "newest_sessions", "search", "prompt"):
            measure_operation(runs, operation, data, sizes, tell)
        measure_saving(runs, data, tell)
    return {
        "messages": sizes.messages,
        "sessions": sizes.sessions,
        "python": platform.python_version(),
        "sqlite": {"ours": apsw.sqlite_lib_version(), "theirs": sqlite3.sqlite_version},
        "cores": os.cpu_count(),
        "embedder": embedder.name,
        "libraries": [describe_run(one, sizes.messages) for one in runs],
        "missing": missing | {one.library.title: one.failure for one in runs if one.failure},
    }


@contextmanager
def quiet_environment(place: Path) -> Generator[None]:
    """Set the environment in which libraries neither send anything nor write outside of a folder, and ignore warnings."""
    before = dict(os.environ)
    os.environ |= ENVIRONMENT | {name: str(place / name.lower()) for name in HOMES}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.environ.clear()
        os.environ |= before
        gc.unfreeze()


@contextmanager
def closed_quietly(driver: PeerDriver) -> Generator[None]:
    """Close a driver at the end. A library that cannot close its files does not cost the others their figures."""
    try:
        yield
    finally:
        with suppress(Exception):
            driver.close()


def describe_run(one: PeerRun, messages: int) -> dict[str, Any]:
    """Return what is reported of a library."""
    version = library_version(one.library) if one.library.packages else ""
    return {
        "title": one.library.title,
        "version": __version__ if one.library.title == "Keepsaid" else version,
        "prompt": one.library.prompt,
        "messages": min(messages, one.library.most_messages or messages),
        "seconds": one.seconds,
    }


def open_libraries(
    libraries: Sequence[PeerLibrary], place: Path, data: PeerData, stack: ExitStack
) -> tuple[list[PeerRun], dict[str, str]]:
    """Open all libraries, and say which are missing, and why."""
    runs: list[PeerRun] = []
    missing: dict[str, str] = {}
    for library in libraries:
        try:
            driver = open_driver(library, place, data.vectors)
        except ImportError as error:
            missing[library.title] = f"{error.name or error} is not installed"
            continue
        except Exception as error:
            if not library.packages:
                raise
            missing[library.title] = f"cannot be opened: {type(error).__name__}: {error}"
            continue
        stack.enter_context(closed_quietly(driver))
        runs.append(PeerRun(library, driver))
    return runs, missing


def fill(runs: Sequence[PeerRun], data: PeerData, sizes: PeerSizes, tell: ProgressFunction) -> None:
    """Save the sessions, and the conversation in batches. The median of the second half of the batches counts."""
    taken: dict[str, list[float]] = {one.library.title: [] for one in runs}
    for one in runs:
        if add_sessions := getattr(one.driver, "add_sessions", None):
            attempt(one, lambda add=add_sessions: add(data.titles))
    for at in range(0, len(data.messages), sizes.batch):
        for one in shuffled(runs, at):
            batch = conversation_of(one, data)[at : at + sizes.batch]
            if batch:
                seconds = attempt(one, lambda one=one, batch=batch: one.driver.save(batch))
                taken[one.library.title].append(seconds / len(batch))
        tell("saving the conversation", at + sizes.batch, len(data.messages))
    for one in runs:
        if not one.failure:
            all_taken = taken[one.library.title]
            one.seconds["save_batch"] = median(all_taken[len(all_taken) // 2 :])
        if prepare := getattr(one.driver, "prepare", None):
            attempt(one, prepare)
    gc.collect()
    gc.freeze()  # the messages that some libraries hold in memory should not slow down the others


def measure_saving(runs: Sequence[PeerRun], data: PeerData, tell: ProgressFunction) -> None:
    """Measure saving one message. It waits for the disk, which other programs use: the libraries take turns after each
    message, in random order, and the median counts."""
    taken: dict[str, list[float]] = {one.library.title: [] for one in runs}
    for number, message in enumerate(data.later, 1):
        for one in shuffled(runs, number):
            taken[one.library.title].append(attempt(one, lambda one=one, message=message: one.driver.save([message])))
        tell("saving single messages", number, len(data.later))
    for one in runs:
        if not one.failure:
            one.seconds["save"] = median(taken[one.library.title][WARM_UP:])


def shuffled(runs: Sequence[PeerRun], seed: int) -> list[PeerRun]:
    """Return the runs in random order."""
    return random.Random(seed).sample(runs, len(runs))


def conversation_of(one: PeerRun, data: PeerData) -> list[PeerMessage]:
    """Return the conversation as far as a library gets it."""
    return data.messages[: one.library.most_messages]


def attempt(one: PeerRun, call: Callable[[], Any]) -> float:
    """Return the seconds that a call takes. A library that fails takes no further part, and the others go on."""
    if one.failure:
        return math.inf
    start = perf_counter()
    try:
        call()
    except Exception as error:
        if not one.library.packages:
            raise
        one.failure = f"failed: {type(error).__name__}: {error}"
        one.seconds.clear()
    return perf_counter() - start


def measure_operation(
    runs: Sequence[PeerRun], operation: str, data: PeerData, sizes: PeerSizes, tell: ProgressFunction
) -> None:
    """Measure an operation of all libraries that have it. Each round of a library has as many calls as fit its time."""
    measured = [(one, calls_of(one.driver, operation, data)) for one in runs if hasattr(one.driver, operation)]
    counts: dict[str, int] = {}
    for one, call in measured:
        if check := CHECKS.get(operation):
            attempt(one, lambda one=one, check=check: check(one, operation, data))
        # The first call warms up, the second tells how long one takes.
        attempt(one, lambda call=call: call(0))
        once = attempt(one, lambda call=call: call(1))
        most = len(data.questions) if operation in ("search", "prompt") else sizes.most_calls
        counts[one.library.title] = 1 if one.failure else min(most, max(1, int(sizes.seconds / once)))
        if operation in ("search", "prompt"):
            attempt(one, lambda call=call, count=counts[one.library.title]: repeat(call, count))
    best: dict[str, float] = {one.library.title: math.inf for one, _ in measured}
    for number in range(1, sizes.rounds + 1):
        for one, call in measured:
            title, count = one.library.title, counts[one.library.title]
            seconds = attempt(one, lambda call=call, count=count: repeat(call, count))
            best[title] = min(best[title], seconds / count)
        tell(operation.replace("_", " "), number, sizes.rounds)
    for one, _ in measured:
        if not one.failure:
            one.seconds[operation] = best[one.library.title]


def repeat(call: Call, count: int) -> None:
    """Call an operation several times."""
    for at in range(count):
        call(at)


def calls_of(driver: Any, operation: str, data: PeerData) -> Call:
    """Return a call of an operation."""
    method = getattr(driver, operation)
    if operation in ("search", "prompt"):
        return lambda at: method(data.questions[at % len(data.questions)])
    argument = {"last": LAST, "newest_fitting": TOKENS, "newest_sessions": SESSIONS}[operation]
    return lambda at: method(argument)


def check_texts(one: PeerRun, operation: str, data: PeerData) -> None:
    """Raise ValueError if a library does not return the end of the conversation."""
    found: list[str] = getattr(one.driver, operation)(LAST if operation == "last" else TOKENS)
    if not found or found != [message.text for message in conversation_of(one, data)[-len(found) :]]:
        raise ValueError(f"{operation} did not return the end of the conversation")
    if operation == "last" and len(found) != LAST:
        raise ValueError(f"{operation} returned {len(found)} messages")


def check_found(one: PeerRun, operation: str, data: PeerData) -> None:
    """Raise ValueError if a library does not find a message by its own text."""
    text = conversation_of(one, data)[7].text
    found: list[str] = getattr(one.driver, operation)(text)
    if not any(text in hit for hit in found):
        raise ValueError(f"{operation} did not find a message by its own text")


def check_sessions(one: PeerRun, operation: str, data: PeerData) -> None:
    """Raise ValueError if a library does not list so many sessions."""
    found: list[str] = getattr(one.driver, operation)(SESSIONS)
    if len(found) != SESSIONS:
        raise ValueError(f"{operation} returned {len(found)} sessions")


CHECKS = {"last": check_texts, "newest_fitting": check_texts, "newest_sessions": check_sessions, "search": check_found}
"""What is checked of a library's answer before it is timed."""
