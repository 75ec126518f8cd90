"""Drains a store of what waits for vectors, from several threads, and says on the pipe what was settled.

A line is: owner's number in the store, first number, last number. With "append" it also adds messages all the while, until
it is killed.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from pathlib import Path

from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing.index_conformance import EMBEDDER, GENERATION, embed_task

from .rig import build_text, over, together, wait_for_start

THREADS = 3
OWNERS = ("ada", "bob", "cleo")
LEASE = 300_000  # microseconds: a killed worker's messages are soon given to the next


def now() -> int:
    return time.time_ns() // 1000


def drain(storage: SqliteStorage, holder: str, *, for_ever: bool) -> None:
    """Claims and settles until nothing waits; one write of less than PIPE_BUF for each task, once it is settled."""
    while True:
        task = storage.claim(GENERATION, holder, now(), now() + LEASE, 4)
        if task is None:
            if not for_ever and storage.coverage(GENERATION).embedded == storage.coverage(GENERATION).messages:
                return
            time.sleep(0.002)
        elif storage.settle_task(task, embed_task(task), now()):
            os.write(1, f"{task.space} {task.after + 1} {task.upto}\n".encode())


def append_for_ever(path: str, run: str) -> None:
    memory = over(SqliteSource(Path(path)))
    chats = [memory.chat(owner=owner, session=f"{owner}-{run}", create=True) for owner in OWNERS]
    for number in itertools.count():
        chats[number % len(chats)].add("user", build_text(f"r{run}n{number}q"))
        time.sleep(0.001)


def main(path: str, run: str, *options: str) -> None:
    storage = SqliteStorage(SqliteSource(Path(path)))
    storage.begin_generation(GENERATION, EMBEDDER.dimensions)
    killed = "append" in options
    if "wait" in options:
        wait_for_start()
    if killed:
        threading.Thread(target=append_for_ever, args=(path, run)).start()
    together(THREADS, lambda thread: drain(storage, f"r{run}t{thread}", for_ever=killed))


if __name__ == "__main__":
    main(*sys.argv[1:])
