"""Four processes with eight threads each: nobody sees a lock, nothing is lost, and the order has no gaps."""

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

import recollect

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
    with recollect.open(path) as memory:
        for session in ALL:
            memory.chat(owner=OWNER, session=session, create=True)


def verify(path: Path, acknowledged: list[tuple[str, int, str, str, int]]) -> None:
    """What the children were told is what is there, no more and no less."""
    assert len(acknowledged) == PROCESSES * THREADS * EACH
    with recollect.open(path) as memory:
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
def test_a_crowd_appends(tmp_path: Path, exists: bool) -> None:
    """To the same session and to different ones, in a store that is there or that all of them make at once."""
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


def test_a_crowd_makes_new_stores(tmp_path: Path) -> None:
    """At the same moment all open a file that is not there; it is made once, and all of them use it."""
    stores = 50
    with crowd("create", tmp_path, stores) as children:
        tell(children, time.time() + 0.05)
        assert answers(children) == ["done"] * PROCESSES
    for number in range(stores):
        with recollect.open(tmp_path / f"{number}.db") as memory:
            assert {session.id for session in memory.sessions(owner=OWNER)} == {f"p{p}" for p in range(PROCESSES)}
            assert memory.check().healthy


def test_a_crowd_makes_the_same_sessions(tmp_path: Path) -> None:
    """With `create`, one of them makes the session, and all the others get it."""
    sessions = 50
    path = tmp_path / "chat.db"
    recollect.open(path).close()
    with crowd("join", path, sessions) as children:
        tell(children, time.time() + 0.05)
        assert answers(children) == ["done"] * PROCESSES
    with recollect.open(path) as memory:
        counts = [session.message_count for session in memory.sessions(owner=OWNER, limit=100)]
        assert counts == [PROCESSES] * sessions
        assert memory.check().healthy
