"""A lock that another process holds: waited for, up to the timeout."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import recollect
from recollect.errors import StoreBusy

HOLD = """
import sys, time, apsw
db = apsw.Connection(sys.argv[1])
db.execute("BEGIN " + sys.argv[3])
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
db.execute("ROLLBACK")
"""


@contextmanager
def lock_held(path: Path, seconds: float, kind: str = "IMMEDIATE") -> Iterator[None]:
    """Another process that has begun to write, and takes its time."""
    arguments = [sys.executable, "-c", HOLD, str(path), str(seconds), kind]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "locked\n"
        yield
        child.kill()


def test_a_lock_held_too_long(tmp_path: Path) -> None:
    """The caller is told after the timeout, nothing of his is kept, and readers were not disturbed at all."""
    with recollect.open(tmp_path / "chat.db", busy_timeout=0.5) as memory:
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


def test_a_lock_held_for_a_moment(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "chat.db", busy_timeout=10) as memory:
        chat = memory.chat(owner="u")
        chat.add("user", "before")
        with lock_held(tmp_path / "chat.db", 0.5):
            begin = time.monotonic()
            assert chat.add("user", "during").seq == 2
            assert 0.1 < time.monotonic() - begin < 5, "it did have to wait, and not for much longer than that"


def test_opening_while_another_writes(tmp_path: Path) -> None:
    """A store that is there opens at once: a writer does not stand in a reader's way."""
    recollect.open(tmp_path / "chat.db").close()
    with lock_held(tmp_path / "chat.db", 60), recollect.open(tmp_path / "chat.db", busy_timeout=0.5) as memory:
        assert memory.sessions(owner="u").items == ()


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_making_a_store_under_a_lock(tmp_path: Path, kind: str) -> None:
    """A new file that another process has locked: an error after the timeout, or made as soon as the lock is gone."""
    path = tmp_path / "chat.db"
    with lock_held(path, 60, kind), pytest.raises(StoreBusy):
        recollect.open(path, busy_timeout=0.5)
    with lock_held(path, 0.5, kind), recollect.open(path, busy_timeout=10) as memory:
        assert memory.check().healthy
