"""The interactive loop: read a line, answer it, until the user exits."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from keepsaid import __version__
from keepsaid.cli.chat import commands
from keepsaid.cli.chat.answering import show_answer, show_late_notes
from keepsaid.cli.chat.choose_session import shortest_id_to_type
from keepsaid.cli.chat.commands.conversations import show_current_chat
from keepsaid.cli.chat.start import report_missing_model
from keepsaid.cli.chat.state import ChatExit, ChatState
from keepsaid.cli.lazy_group import describe_error
from keepsaid.cli.memory.lookup import all_sessions, is_blank
from keepsaid.cli.output.formatting import format_count
from keepsaid.cli.output.text import to_printable
from keepsaid.cli.store.vector_survey import describe_pending_embedding
from keepsaid.errors import KeepsaidError
from keepsaid.types import Role

if TYPE_CHECKING:
    from keepsaid.cli.open_store import StoreOpener
    from keepsaid.memory import Memory

RECENT_SESSIONS = 10
RECENT_WORDS = 50
"""Messages of each recent conversation that the arrow keys recall."""


def run_chat(state: ChatState, opener: StoreOpener) -> None:
    """Read lines and answer them until the user exits."""
    if state.screen.styled:
        from keepsaid.cli.chat.line_editor import LineReader

        state.reader = LineReader(state, lambda: fetch_recent_user_messages(state.memory, state.owner))
    _greet(state)
    if change := describe_pending_embedding(opener.settings()):
        state.screen.note(f"{change}.")
        state.screen.line()
    with _warm_up_in_background(state):
        _read_lines(state)
    _print_resume_hint(state, opener)


def _read_lines(state: ChatState) -> None:
    warned = False
    while True:
        try:
            line = state.reader.message().strip()
            warned = False
            show_late_notes(state)
            _handle_line(state, line)
            _print_gap(state, line)
        except KeyboardInterrupt:
            if warned:
                return
            warned = True
            state.screen.note("Press Ctrl-C again or Ctrl-D to exit.")
        except EOFError:
            state.screen.line()
            return
        except ChatExit:
            return
        except (KeepsaidError, OSError) as error:
            state.screen.warn(to_printable(describe_error(error)))
            _print_gap(state)


def _handle_line(state: ChatState, line: str) -> None:
    """Run a command, or answer a message."""
    if commands.is_command(line):
        commands.run_command(state, line)
    elif line:
        show_answer(state, line.removeprefix("/") if line.startswith("//") else line)


def _print_gap(state: ChatState, line: str = "…") -> None:
    """Print an empty line after output, on a full terminal only."""
    if line and state.screen.styled:
        state.screen.line()


def _greet(state: ChatState) -> None:
    known = sum(not is_blank(session) for session in all_sessions(state.memory, state.owner))
    by = f" · answers by {to_printable(state.model)}" if state.model else ""
    state.screen.note(f"Keepsaid {__version__} · {format_count(known, 'conversation')} of {to_printable(state.owner)}{by}")
    report_missing_model(state)
    state.screen.note("/help lists the commands, Ctrl-D exits.")
    if state.temporary:
        state.screen.line("A temporary conversation: it is never saved.", "magenta")
    if state.chat is not None:
        state.screen.line()
        show_current_chat(state)
    state.screen.line()


def _print_resume_hint(state: ChatState, opener: StoreOpener) -> None:
    """Print the command that continues this conversation."""
    info = None if state.temporary else state.info()
    if info is None or not info.message_count:
        return
    owner = state.owner if state.owner != replace(opener, named_owner=None).owner else None
    given = {"--db": opener.store, "--config": opener.config, "--key-file": opener.key_file, "--owner": owner}
    words = ["keepsaid"]
    for option, value in given.items():
        words += [] if value is None else [option, str(value)]
    words += ["chat", "-r", shortest_id_to_type(info)]
    state.screen.copyable_line(f"Continue later with: {shlex.join(words)}")


@contextmanager
def _warm_up_in_background(state: ChatState) -> Generator[None]:
    """Load the search and the model client while the user types, so that the first question does not wait for them."""

    def load() -> None:
        with suppress(Exception):
            state.memory.search("warm up", owner=state.owner, limit=1)
        if state.model is not None:
            with suppress(ImportError):
                import_module("openai")

    thread = threading.Thread(target=load, name="keepsaid-warm-up", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(timeout=5)


def fetch_recent_user_messages(memory: Memory, owner: str) -> Iterator[str]:
    """Yield the owner's messages in the newest conversations, newest first, without private ones.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> chat = memory.chat(owner="u1")
    >>> _ = chat.add("user", "one"), chat.add("assistant", "fine"), chat.add("user", "two")
    >>> list(fetch_recent_user_messages(memory, "u1"))
    ['two', 'one']
    """
    for session in memory.sessions(owner=owner, limit=RECENT_SESSIONS):
        messages = memory.chat(owner=owner, session=session.id).messages(last=RECENT_WORDS)
        for message in reversed(messages):
            if message.role is Role.USER and not message.private and message.text:
                yield message.text
