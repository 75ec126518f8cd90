"""While an import runs, messages of other owners are embedded and noted, and their erases finish at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import keepsaid
from keepsaid.services.background import worker
from keepsaid.testing import HashEmbedder


def until(holds: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.02)


def export_with_notes(path: Path) -> int:
    """Write a file with a message that has a fact; returns how many facts."""
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        memory.chat(owner="x", session="old", create=True).add("user", "My sister moved to Lisbon. I am allergic to nuts.")
        memory.maintain()
        memory.export(path, owner="x")
        return len(memory.facts(owner="x"))


def test_other_owners_do_not_wait_for_an_import(tmp_path: Path):
    noted = export_with_notes(tmp_path / "kept.json")
    assert noted
    begun, end = threading.Event(), threading.Event()

    def progress(done: int, total: int) -> None:
        begun.set()
        assert end.wait(20)

    with keepsaid.open(tmp_path / "chat.db", embedder=HashEmbedder(16)) as memory:
        importing = threading.Thread(
            target=memory.import_, args=(tmp_path / "kept.json",), kwargs={"owner": "ann", "progress": progress}
        )
        importing.start()
        try:
            assert begun.wait(10)
            chat = memory.chat(owner="bob", session="s", create=True)
            chat.add("user", "I live in Porto, and I like tea.")
            until(lambda: (found := memory.coverage()) is not None and found.embedded >= 1)
            until(lambda: bool(memory.facts(owner="bob")))
            start = time.monotonic()
            chat.context("Where do I live?")
            assert chat.erase().messages == 1
            assert time.monotonic() - start < worker.PAUSE_TIMEOUT
        finally:
            end.set()
            importing.join(20)
        memory.maintain()
        assert len(memory.facts(owner="ann")) == noted, "the notes came with the messages, and were not taken again"


class Endless:
    """A job that never runs out of work, and does it in steps."""

    def __init__(self) -> None:
        self.steps = 0

    def begin(self) -> None: ...

    def process_batch(self, stopping: threading.Event) -> int | None:
        time.sleep(0.1)
        self.steps += 1
        return 1

    def progress(self) -> tuple[int, int]:
        return 0, 1

    def finish(self) -> None: ...


def test_paused_worker_stops_after_its_current_step():
    craft = Endless()
    busy = worker.BackgroundWorker(lambda: craft)
    busy.start()
    try:
        until(lambda: craft.steps > 0)
        for _ in range(5):
            start = time.monotonic()
            with busy.paused():
                assert time.monotonic() - start < worker.PAUSE_TIMEOUT / 2
                steps = craft.steps
                time.sleep(0.15)
                assert craft.steps == steps
    finally:
        busy.stop()


def test_import_starts_no_worker_in_a_memory_without_background_work(tmp_path: Path):
    export_with_notes(tmp_path / "kept.json")
    with keepsaid.open(tmp_path / "chat.db", embedder=HashEmbedder(16), background=False) as memory:
        before = set(threading.enumerate())
        memory.import_(tmp_path / "kept.json", owner="ann")
        assert set(threading.enumerate()) <= before
