"""Two workers in separate processes that share the pending work: every item must be settled once.

`python -m benchmarks.store.remote_work URL` is one of them. It reports when it is ready, begins when its standard input
ends, and prints how many messages it settled and which texts it embedded.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any
from zlib import crc32

from benchmarks.common.texts import make_sentences
from benchmarks.store.drivers import open_store
from benchmarks.store.temporary_store import TemporaryStore
from keepsaid.types import MessageDraft

WORKERS = 2
OWNERS = 12
DIMENSIONS = 32
SLOW = 0.01
"""Seconds that a call of the embedder takes, so that both workers are busy at the same time."""

_embedded: Counter[str] = Counter()


def embed_by_words(texts: Sequence[str]) -> list[list[float]]:
    """Embed texts by their words: similar if words are shared, and the same in every process.

    >>> one, same, other = embed_by_words(["tea for two", "tea for two", "a ship"])
    >>> one == same, one == other
    (True, False)
    """
    _embedded.update(texts)
    time.sleep(SLOW)
    made: list[list[float]] = []
    for text in texts:
        vector = [0.01] * DIMENSIONS
        for word in text.lower().split():
            vector[crc32(word.encode()) % DIMENSIONS] += 1.0
        made.append(vector)
    return made


def measure_shared_work(place: TemporaryStore, messages: int) -> dict[str, Any]:
    """Save messages of several owners, and let two workers embed them."""
    each = messages // OWNERS
    texts = make_sentences(each * OWNERS)
    with open_store(place.url, notes=False) as memory:
        for number in range(OWNERS):
            chat = memory.chat(owner=f"owner-{number}")
            chat.add_many([MessageDraft("user", text) for text in texts[number * each : (number + 1) * each]])
    reports = _worked(place.url)
    embedded = Counter(text for report in reports for text in report["texts"])
    return {
        "work_messages": len(texts),
        "work_settled": sum(report["settled"] for report in reports),
        "work_shares": sorted(report["settled"] for report in reports),
        "work_left": sum(text not in embedded for text in texts),
        "work_twice": sum(embedded[text] > 1 for text in texts),
    }


def _worked(url: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", __name__, url]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ExitStack() as stack:
        processes = [stack.enter_context(subprocess.Popen(command, **pipes)) for _ in range(WORKERS)]  # ours
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
        return [json.loads(process.stdout.readline()) for process in processes if process.stdout is not None]


def _work(url: str) -> None:
    with open_store(url, embedder=embed_by_words, notes=False) as memory:
        _say("ready")
        sys.stdin.read()
        settled = memory.maintain()
    _say(json.dumps({"settled": settled, "texts": list(_embedded.elements())}))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _work(sys.argv[1])
