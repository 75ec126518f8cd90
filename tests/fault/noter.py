"""Takes notes of a store from several threads, and says on the pipe what was settled.

A line is: owner's number in the store, first number, last number. Every message becomes a fact under an id that is never
used again, so that what is kept twice is seen twice. With "append" it also adds messages all the while, until it is killed.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import uuid
from pathlib import Path

from keepsaid.ports import ArtifactChanges, VisibleMessage, WorkLease
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.types import Artifact, ArtifactKind
from keepsaid.types import ArtifactSource as Place

from .drainer import LEASE, THREADS, append_for_ever, now
from .rig import together, wait_for_start, word_of

LINE = "notes 1"


def notes_of(task: WorkLease) -> ArtifactChanges:
    """A fact for every message, and for every session a summary that ends at the last one."""
    facts = [build_artifact("fact", f"said {word_of(seen.message.text)}", seen) for seen in task.messages]
    last = {seen.message.session: seen for seen in task.messages}
    summaries = [build_artifact("summary", f"up to {seen.message.seq}", seen, seen.message.seq) for seen in last.values()]
    return ArtifactChanges([*facts, *summaries])


def build_artifact(kind: ArtifactKind, text: str, seen: VisibleMessage, upto: int = 0) -> Artifact:
    """What is made of one message."""
    rests = (Place(seen.number, 0, 3),)
    return Artifact(uuid.uuid4().hex, kind, text, 3, seen.number, seen.message.session, rests, upto=upto)


def take_notes(storage: SqliteStorage, holder: str, *, for_ever: bool) -> None:
    """Claims and settles until nothing waits; one write of less than PIPE_BUF for each task, once it is settled."""
    while True:
        task = storage.claim(LINE, holder, now(), now() + LEASE, 4)
        if task is None:
            if not for_ever and not storage.unnoted(LINE):
                return
            time.sleep(0.002)
        elif storage.settle_notes(task, notes_of(task), now()):
            os.write(1, f"{task.space} {task.after + 1} {task.upto}\n".encode())


def main(path: str, run: str, *options: str) -> None:
    storage = SqliteStorage(SqliteSource(Path(path)))
    storage.begin_notes(LINE)
    killed = "append" in options
    if "wait" in options:
        wait_for_start()
    if killed:
        threading.Thread(target=append_for_ever, args=(path, run)).start()
    together(THREADS, lambda thread: take_notes(storage, f"r{run}t{thread}", for_ever=killed))


if __name__ == "__main__":
    main(*sys.argv[1:])
