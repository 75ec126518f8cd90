"""Appends to a store until it is killed, and says on the pipe what has been saved, once the call has returned.

A line is: session, seq, message id, the message's own word.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
import threading

import keepsaid
from keepsaid.memory.chat import Chat

from .rig import build_text, word_of

OWNERS = ("ada", "bob")
SESSIONS = 3
THREADS = 3
MAX_CALL_MESSAGES = 5


def append_for_ever(chats: list[Chat], prefix: str, chance: random.Random) -> None:
    """One message or several at a time, short and long, in a session at random."""
    for number in itertools.count():
        chat = chance.choice(chats)
        size = chance.choice((1, 1, 1, MAX_CALL_MESSAGES))
        texts = [build_text(f"{prefix}n{number}i{index}of{size}q", chance.choice((20, 400, 9000))) for index in range(size)]
        if size == 1:
            saved = [chat.add("user", texts[0])]
        else:
            saved = chat.add_many({"role": "assistant", "content": text} for text in texts)
        # One write of less than PIPE_BUF: a kill cannot cut a line in two.
        os.write(1, "".join(f"{chat.id} {m.seq} {m.id} {word_of(m.text)}\n" for m in saved).encode())


def main(path: str, run: str) -> None:
    """Opens the store and appends from several threads, so that group commits are killed, too."""
    memory = keepsaid.open(path)
    chats = [
        memory.chat(owner=owner, session=f"{owner}-{number}", create=True) for owner in OWNERS for number in range(SESSIONS)
    ]
    for thread in range(THREADS):
        prefix = f"r{run}t{thread}"
        threading.Thread(target=append_for_ever, args=(chats, prefix, random.Random(prefix))).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
