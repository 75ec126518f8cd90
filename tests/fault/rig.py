"""What the fault tests share: texts that show their own damage, child processes, a memory over any source."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from keepsaid.llm import tokens
from keepsaid.memory import Memory
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.types import Message

_FILLER = "the quick brown fox jumps over the lazy dog while it rains in Lisbon "
_COUNTER = tokens.counter_for(tokens.DEFAULT_ENCODING)


def build_text(word: str, size: int = 60) -> str:
    """A text of about this size with a word of its own and, at the end, a checksum of all before it."""
    body = f"{word} {(_FILLER * (size // len(_FILLER) + 1))[:size]}"
    return f"{body} {zlib.crc32(body.encode()):08x}"


def is_whole(text: str) -> bool:
    """Whether a marked text is as it was made."""
    body, _, checksum = text.rpartition(" ")
    return bool(body) and checksum == f"{zlib.crc32(body.encode()):08x}"


def word_of(text: str) -> str:
    """The word that a marked text begins with."""
    return text.partition(" ")[0]


def over(source: SqliteSource) -> Memory:
    """A memory over a SQLite file that is opened in a special way."""
    return Memory(SqliteStorage(source), MemoryStorage(), _COUNTER)


def together(threads: int, work: Callable[[int], None]) -> None:
    """Runs the work in so many threads at once, each with its number; what one of them raises is raised here."""
    line = threading.Barrier(threads)

    def run(thread: int) -> None:
        line.wait()
        work(thread)

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(run, thread) for thread in range(threads)]:
            done.result()


def start(script: str, *arguments: object, before: Iterable[str] = ()) -> subprocess.Popen[str]:
    """Runs a module of this package in a process of its own, with pipes to it; `before` are words such as `unshare`."""
    package = __package__ or ""
    return subprocess.Popen(
        [*before, sys.executable, "-m", f"{package}.{script}", *map(str, arguments)],
        cwd=Path(__file__).parents[package.count(".") + 1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for_start() -> None:
    """In a child: say that it is ready, and wait until the parent lets it go (`run_side_by_side`)."""
    os.write(1, b"ready\n")
    sys.stdin.readline()


def run_side_by_side(script: str, path: Path) -> list[list[str]]:
    """Run a module of this package in two processes that begin at the same moment, and return the lines of each."""
    with start(script, path, 0, "wait") as one, start(script, path, 1, "wait") as two:
        for child in (one, two):
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in (one, two):
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        lines = [child.stdout.readlines() for child in (one, two) if child.stdout is not None]
    assert (one.returncode, two.returncode) == (0, 0)
    return lines


def assert_gapless(messages: list[Message]) -> None:
    """Whole messages, numbered 1, 2, 3 and so on, each after the one before."""
    assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
    assert [message.parent for message in messages] == list(range(len(messages)))
    assert [message.id for message in messages if not is_whole(message.text)] == []
