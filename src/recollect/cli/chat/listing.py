"""Conversations, messages and facts as lines to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from rich.text import Text

from recollect.cli.chat.talk import UNTITLED
from recollect.cli.clean import harmless
from recollect.cli.sessions import expiry, status_word
from recollect.cli.text import cells, fitted, printable
from recollect.cli.words import count
from recollect.prompt import ProfileLine
from recollect.types import Fact, Message, Role, Session, Status

WHO = {Role.USER: ("you", "bold green"), Role.ASSISTANT: ("assistant", "bold cyan"), Role.TOOL: ("tool", "dim")}
BRIEF_LINES = 3
NARROW = 56
"""Cells below which a title and what is told of it do not fit beside each other."""


def when(moment: datetime, now: datetime) -> str:
    """A moment as people say it: the time of today, the day of this year.

    >>> from datetime import UTC
    >>> now = datetime(2026, 5, 3, 12, tzinfo=UTC)
    >>> [when(datetime(*day, 9, 30, tzinfo=UTC), now) for day in ((2026, 5, 3), (2026, 4, 1), (2024, 4, 1))]
    ['09:30', '1 Apr', '1 Apr 2024']
    """
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    return f"{moment.day} {moment:%b}" + (f" {moment.year}" if moment.year != now.year else "")


def session_lines(sessions: Sequence[Session], current: str | None, width: int) -> Iterator[Text]:
    """A numbered line for each conversation; the current one is marked."""
    now = datetime.now().astimezone()
    for number, session in enumerate(sessions, 1):
        when_said = when(session.updated_at.astimezone(), now)
        tail = f"  {when_said:>11}  {count(session.message_count, 'message'):>12}"
        if session.status is not Status.ACTIVE:
            tail += f"  {status_word(session)}"
        if ends := expiry(session):
            tail += f"  {ends}"
        mark = "→" if session.id == current else " "
        head = Text(f"{mark}{number:3}. ", "bold cyan" if mark == "→" else "dim")
        if width < NARROW:
            yield head.append(fitted(printable(session.title or UNTITLED), width - 6), "")
            yield Text(" " * 6 + " ".join(tail.split()), "dim")
            continue
        room = max(10, min(width, 100) - len(tail) - 6)
        title = fitted(printable(session.title or UNTITLED), room)
        yield Text.assemble(head, title, " " * (room - cells(title)), (tail, "dim"))


def message_lines(messages: Iterable[Message], width: int, *, brief: bool = False) -> Iterator[Text]:
    """Each message with who said it and when; only its first lines, if it is to be brief."""
    now = datetime.now().astimezone()
    for message in messages:
        who, style = WHO.get(message.role, (str(message.role), "dim"))
        head = Text.assemble((who, style), (f"  {when(message.created_at.astimezone(), now)}", "dim"))
        if message.pinned:
            head.append("  pinned", "yellow")
        yield head
        lines = harmless(message.text).strip().split("\n")
        if not message.text and message.tool_calls:
            lines = [f"(uses {', '.join(printable(call.name) for call in message.tool_calls)})"]
        if brief:
            shown = [fitted(printable(line), width - 2) for line in lines[:BRIEF_LINES]]
            lines = [*shown, "…"] if len(lines) > BRIEF_LINES else shown
        for line in lines:
            yield Text("  " + line, "dim" if brief or message.role is Role.TOOL else "")


def fact_lines(facts: Sequence[Fact], width: int, *, numbered: bool = True) -> Iterator[Text]:
    """A line for each fact, with the day since which it is true; pinned ones are marked."""
    for number, fact in enumerate(facts, 1):
        tail = f"  since {fact.since.astimezone():%Y-%m-%d}" if fact.is_current else "  no longer true"
        tail += "  pinned" if fact.pinned else ""
        tail += "  hidden" if fact.hidden else ""
        room = max(20, width - len(tail) - 5)
        head = f"{number:3}. " if numbered else "   - "
        yield Text.assemble((head, "dim"), fitted(printable(fact.text), room), (tail, "yellow" if fact.pinned else "dim"))


def profile_lines(lines: Sequence[ProfileLine], width: int) -> Iterator[Text]:
    """A line for each fact of a profile; pinned ones are marked."""
    for number, line in enumerate(lines, 1):
        tail = f"  {line.kind}" + ("  pinned" if line.pinned else "")
        room = max(20, width - len(tail) - 5)
        yield Text.assemble((f"{number:3}. ", "dim"), fitted(printable(line.text), room), (tail, "dim"))
