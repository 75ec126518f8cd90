"""Four processes with eight threads each: no lock errors, no lost messages, and no gaps in the order."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

import keepsaid

from .crowder import EACH, OWNER, THREADS
from .rig import assert_gapless, start, word_of

PROCESSES = 4
ALL = ["all", *(f"p{p}" for p in range(PROCESSES)), *(f"p{p}t{t}" for p in range(PROCESSES) for t in range(THREADS))]


@contextmanager
def crowd(verb: str, path: Path, *more: object) -> Iterator[list[Popen[str]]]:
    """The children, all ready to begin. None of them may fail."""
    with ExitStack() as stack:
        children = [stack.enter_context(start("crowder", verb, path, process, *more)) for process in range(PROCESSES)]
        assert answers(children) == ["ready"] * PROCESSES
        yield children
        for child in children:
            child.stdin.close()
        assert [child.wait() for child in children] == [0] * PROCESSES


def tell(children: list[Popen[str]], line: object = "") -> None:
    for child in children:
        child.stdin.write(f"{line}\n")
        child.stdin.flush()


def answers(children: list[Popen[str]]) -> list[Any]:
    return [json.loads(child.stdout.readline() or '"it died: see its traceback"') for child in children]


def make_sessions(path: Path) -> None:
    with keepsaid.open(path) as memory:
        for session in ALL:
            memory.chat(owner=OWNER, session=session, create=True)


def verify(path: Path, acknowledged: list[tuple[str, int, str, str, int]]) -> None:
    """Checks that exactly the acknowledged messages are stored."""
    assert len(acknowledged) == PROCESSES * THREADS * EACH
    with keepsaid.open(path) as memory:
        stored: set[tuple[str, int, str, str]] = set()
        for session in ALL:
            chat = memory.chat(owner=OWNER, session=session)
            messages = chat.messages()
            assert_gapless(messages)
            info = chat.info()
            assert (info.message_count, info.head) == (len(messages), len(messages))
            assert info.token_count == sum(message.tokens for message in messages)
            stored |= {(session, m.seq, m.id, word_of(m.text)) for m in messages}
        assert stored == {(session, seq, id, f"{me}n{number}q") for session, seq, id, me, number in acknowledged}
        assert memory.check().healthy


def assert_own_order(acknowledged: list[tuple[str, int, str, str, int]]) -> None:
    """In every session, a thread's messages are in the order in which it said them."""
    said: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for session, seq, _, me, number in acknowledged:
        said[session, me].append((number, seq))
    assert len(said) == 3 * PROCESSES * THREADS
    for pairs in said.values():
        seqs = [seq for _, seq in sorted(pairs)]
        assert seqs == sorted(seqs)


@pytest.mark.parametrize("exists", [True, False])
def test_concurrent_appends_lose_no_messages(tmp_path: Path, exists: bool) -> None:
    """Appends to shared and separate sessions, in an existing store or one that all processes create at once."""
    path = tmp_path / "chat.db"
    if exists:
        make_sessions(path)
    with crowd("append", path) as children:
        tell(children)
        assert answers(children) == ["open"] * PROCESSES
        if not exists:
            make_sessions(path)
        tell(children)
        acknowledged = [tuple(entry) for answer in answers(children) for entry in answer]
    verify(path, acknowledged)
    assert_own_order(acknowledged)


def test_concurrent_opens_create_each_store_once(tmp_path: Path) -> None:
    """All processes open a missing file at the same moment; it is created once, and all of them use it."""
    stores = 50
    with crowd("create", tmp_path, stores) as children:
        tell(children, time.time() + 0.05)
        assert answers(children) == ["done"] * PROCESSES
    for number in range(stores):
        with keepsaid.open(tmp_path / f"{number}.db") as memory:
            assert {session.id for session in memory.sessions(owner=OWNER)} == {f"p{p}" for p in range(PROCESSES)}
            assert memory.check().healthy


def test_concurrent_creates_make_each_session_once(tmp_path: Path) -> None:
    """With `create`, one process creates the session, and all the others get it."""
    sessions = 50
    path = tmp_path / "chat.db"
    keepsaid.open(path).close()
    with crowd("join", path, sessions) as children:
        tell(children, time.time() + 0.05)
        assert answers(children) == ["done"] * PROCESSES
    with keepsaid.open(path) as memory:
        counts = [session.message_count for session in memory.sessions(owner=OWNER, limit=100)]
        assert counts == [PROCESSES] * sessions
        assert memory.check().healthy
