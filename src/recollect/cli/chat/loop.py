"""The conversation: a line, an answer, and so on until the user leaves."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from recollect import __version__
from recollect.cli.chat import commands
from recollect.cli.chat.answering import answered
from recollect.cli.chat.choosing import typed_id
from recollect.cli.chat.commands.conversations import welcome_back
from recollect.cli.chat.opening import say_whether_alone
from recollect.cli.chat.talk import Leave, Talk
from recollect.cli.front import plainly
from recollect.cli.lookup import all_sessions, is_blank
from recollect.cli.text import printable
from recollect.cli.words import count
from recollect.errors import RecollectError
from recollect.types import Role

if TYPE_CHECKING:
    from recollect.cli.door import Door
    from recollect.memory import Memory

RECENT_SESSIONS = 10
RECENT_WORDS = 50
"""Messages of each of them that the arrow keys bring back."""


def converse(talk: Talk, door: Door) -> None:
    """Reads and answers until the user has had enough."""
    if talk.screen.styled:
        from recollect.cli.chat.line import LineReader

        talk.reader = LineReader(talk, lambda: said_before(talk.memory, talk.owner))
    _greet(talk)
    with _warmed_up(talk):
        _go_on(talk)
    _part(talk, door)


def _go_on(talk: Talk) -> None:
    warned = False
    while True:
        try:
            line = talk.reader.message().strip()
            warned = False
            _take(talk, line)
            _gap(talk, line)
        except KeyboardInterrupt:
            if warned:
                return
            warned = True
            talk.screen.note("Ctrl-C once more, or Ctrl-D, leaves.")
        except EOFError:
            talk.screen.line()
            return
        except Leave:
            return
        except (RecollectError, OSError) as error:
            talk.screen.trouble(printable(plainly(error)))
            _gap(talk)


def _take(talk: Talk, line: str) -> None:
    """A command, or something to be answered."""
    if commands.is_command(line):
        commands.run(talk, line)
    elif line:
        answered(talk, line.removeprefix("/") if line.startswith("//") else line)


def _gap(talk: Talk, line: str = "…") -> None:
    """An empty line behind whatever was said, where somebody looks at it."""
    if line and talk.screen.styled:
        talk.screen.line()


def _greet(talk: Talk) -> None:
    known = sum(not is_blank(session) for session in all_sessions(talk.memory, talk.owner))
    by = f" · answers by {printable(talk.model)}" if talk.model else ""
    talk.screen.note(f"Recollect {__version__} · {count(known, 'conversation')} of {printable(talk.owner)}{by}")
    say_whether_alone(talk)
    talk.screen.note("/help lists the commands, Ctrl-D leaves.")
    if talk.temporary:
        talk.screen.line("A temporary conversation: nothing of it is ever written.", "magenta")
    if talk.chat is not None:
        talk.screen.line()
        welcome_back(talk)
    talk.screen.line()


def _part(talk: Talk, door: Door) -> None:
    """How to come back."""
    info = None if talk.temporary else talk.info()
    if info is None or not info.message_count:
        return
    owner = talk.owner if talk.owner != replace(door, named=None).owner else None
    given = {"--db": door.store, "--config": door.config, "--key-file": door.key_file, "--owner": owner}
    words = ["recollect"]
    for option, value in given.items():
        words += [] if value is None else [option, str(value)]
    words += ["chat", "-r", typed_id(info)]
    talk.screen.to_copy(f"Go on later with: {shlex.join(words)}")


@contextmanager
def _warmed_up(talk: Talk) -> Generator[None]:
    """Loads what searches and what asks the model while the user types: the first question should not wait for it."""

    def load() -> None:
        with suppress(Exception):
            talk.memory.search("warm up", owner=talk.owner, limit=1)
        if talk.model is not None:
            with suppress(ImportError):
                import_module("openai")

    thread = threading.Thread(target=load, name="recollect-warm-up", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(timeout=5)


def said_before(memory: Memory, owner: str) -> Iterator[str]:
    """What the owner said in the newest conversations, newest first; nothing that is private.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> chat = memory.chat(owner="u1")
    >>> _ = chat.add("user", "one"), chat.add("assistant", "fine"), chat.add("user", "two")
    >>> list(said_before(memory, "u1"))
    ['two', 'one']
    """
    for session in memory.sessions(owner=owner, limit=RECENT_SESSIONS):
        messages = memory.chat(owner=owner, session=session.id).messages(last=RECENT_WORDS)
        for message in reversed(messages):
            if message.role is Role.USER and not message.private and message.text:
                yield message.text
