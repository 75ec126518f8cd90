"""One process of a crowd: opens the store, appends from several threads, and reports what was acknowledged as JSON.

The parent leads: the child goes on to the next step when it reads a line, and says when it has done it.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import keepsaid

from .rig import build_text, together

THREADS = 8
EACH = 25
OWNER = "crowd"


def say(value: Any) -> None:
    print(json.dumps(value), flush=True)


def wait_for(moment: float) -> None:
    """Sleeps most of the time and is then awake, so that all processes go on at the very same moment."""
    time.sleep(max(0.0, moment - time.time() - 0.005))
    while time.time() < moment:
        pass


def append(path: str, process: str) -> None:
    """Every thread appends in turns to the session of all, to that of its process, and to its own."""
    say("ready")
    sys.stdin.readline()
    with keepsaid.open(path) as memory:
        say("open")
        sys.stdin.readline()
        acknowledged: list[tuple[str, int, str, str, int]] = []

        def work(thread: int) -> None:
            me = f"p{process}t{thread}"
            chats = [memory.chat(owner=OWNER, session=session) for session in ("all", f"p{process}", me)]
            for number in range(EACH):
                chat = chats[number % len(chats)]
                saved = chat.add("user", build_text(f"{me}n{number}q", 40 * number))
                acknowledged.append((chat.id, saved.seq, saved.id, me, number))

        together(THREADS, work)
        say(acknowledged)


def create(folder: str, process: str, count: str) -> None:
    """Opens one new store after the other, each at the moment when all the others do, and makes a session in it."""
    say("ready")
    begin = float(sys.stdin.readline())
    for number in range(int(count)):
        wait_for(begin + 0.08 * number)
        with keepsaid.open(f"{folder}/{number}.db") as memory:
            memory.chat(owner=OWNER, session=f"p{process}", create=True)
    say("done")


def join(path: str, process: str, count: str) -> None:
    """Asks for the same sessions as all the others at the same moments, to be made if they are not there."""
    with keepsaid.open(path) as memory:
        say("ready")
        begin = float(sys.stdin.readline())
        for number in range(int(count)):
            wait_for(begin + 0.02 * number)
            memory.chat(owner=OWNER, session=f"s{number}", create=True).add("user", build_text(f"p{process}"))
    say("done")


if __name__ == "__main__":
    {"append": append, "create": create, "join": join}[sys.argv[1]](*sys.argv[2:])
