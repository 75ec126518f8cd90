"""A lock held by another process: calls wait for it up to the timeout."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import keepsaid
from keepsaid.errors import StoreBusy

HOLD = """
import sys, time, apsw
db = apsw.Connection(sys.argv[1])
db.set_busy_timeout(10_000)
db.execute("BEGIN " + sys.argv[3])
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
db.execute("ROLLBACK")
"""


@contextmanager
def lock_held(path: Path, seconds: float, kind: str = "IMMEDIATE") -> Iterator[None]:
    """Runs another process that holds a write lock for some seconds."""
    arguments = [sys.executable, "-c", HOLD, str(path), str(seconds), kind]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "locked\n"
        yield
        child.kill()


def test_append_raises_store_busy_after_timeout(tmp_path: Path) -> None:
    """The append fails after the timeout and leaves no data; readers are not affected."""
    with keepsaid.open(tmp_path / "chat.db", busy_timeout=0.5) as memory:
        chat = memory.chat(owner="u")
        chat.add("user", "before")
        with lock_held(tmp_path / "chat.db", 60):
            begin = time.monotonic()
            with pytest.raises(StoreBusy, match="lock"):
                chat.add("user", "during")
            assert 0.4 < time.monotonic() - begin < 5
            assert [message.text for message in chat.messages()] == ["before"]
        assert chat.add("user", "after").seq == 2
        assert [message.text for message in chat.messages()] == ["before", "after"]
        assert memory.check().healthy


def test_append_waits_for_short_lock(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db", busy_timeout=10) as memory:
        chat = memory.chat(owner="u")
        chat.add("user", "before")
        with lock_held(tmp_path / "chat.db", 0.5):
            begin = time.monotonic()
            assert chat.add("user", "during").seq == 2
            assert 0.1 < time.monotonic() - begin < 5, "it did have to wait, and not for much longer than that"


def test_open_does_not_wait_for_writer(tmp_path: Path) -> None:
    """An existing store opens at once: a writer does not block readers."""
    keepsaid.open(tmp_path / "chat.db").close()
    with lock_held(tmp_path / "chat.db", 60), keepsaid.open(tmp_path / "chat.db", busy_timeout=0.5) as memory:
        assert memory.sessions(owner="u").items == ()


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_create_store_waits_for_lock_until_timeout(tmp_path: Path, kind: str) -> None:
    """Opening a new file that is locked fails after the timeout, or creates the store once the lock is released."""
    path = tmp_path / "chat.db"
    with lock_held(path, 60, kind), pytest.raises(StoreBusy):
        keepsaid.open(path, busy_timeout=0.5)
    with lock_held(path, 0.5, kind), keepsaid.open(path, busy_timeout=10) as memory:
        assert memory.check().healthy
