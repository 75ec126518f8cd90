"""Conversations, messages and facts as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from rich.text import Text

from keepsaid.cli.chat.state import UNTITLED
from keepsaid.cli.memory.sessions import describe_session_expiry, status_word
from keepsaid.cli.output.control_codes import strip_controls
from keepsaid.cli.output.formatting import format_count
from keepsaid.cli.output.text import display_width, to_printable, truncate_to_width
from keepsaid.types import Fact, Message, Role, Session, SessionStatus
from keepsaid.types.prompts import ProfileLine

ROLE_LABELS = {Role.USER: ("you", "bold green"), Role.ASSISTANT: ("assistant", "bold cyan"), Role.TOOL: ("tool", "dim")}
BRIEF_LINES = 3
NARROW = 56
"""Below this width, a title and its details are shown on two lines."""


def format_short_date(date: datetime, now: datetime) -> str:
    """Return a date in short form: the time if it is today, the day and month if it is this year.

    >>> from datetime import UTC
    >>> now = datetime(2026, 5, 3, 12, tzinfo=UTC)
    >>> [format_short_date(datetime(*day, 9, 30, tzinfo=UTC), now) for day in ((2026, 5, 3), (2026, 4, 1), (2024, 4, 1))]
    ['09:30', '1 Apr', '1 Apr 2024']
    """
    if date.date() == now.date():
        return f"{date:%H:%M}"
    return f"{date.day} {date:%b}" + (f" {date.year}" if date.year != now.year else "")


def session_lines(sessions: Sequence[Session], current: str | None, width: int) -> Iterator[Text]:
    """Yield a numbered line for each conversation; the current one is marked."""
    now = datetime.now().astimezone()
    for number, session in enumerate(sessions, 1):
        when_said = format_short_date(session.updated_at.astimezone(), now)
        tail = f"  {when_said:>11}  {format_count(session.message_count, 'message'):>12}"
        if session.status is not SessionStatus.ACTIVE:
            tail += f"  {status_word(session)}"
        if ends := describe_session_expiry(session):
            tail += f"  {ends}"
        mark = "→" if session.id == current else " "
        head = Text(f"{mark}{number:3}. ", "bold cyan" if mark == "→" else "dim")
        if width < NARROW:
            yield head.append(truncate_to_width(to_printable(session.title or UNTITLED), width - 6), "")
            yield Text(" " * 6 + " ".join(tail.split()), "dim")
            continue
        room = max(10, min(width, 100) - len(tail) - 6)
        title = truncate_to_width(to_printable(session.title or UNTITLED), room)
        yield Text.assemble(head, title, " " * (room - display_width(title)), (tail, "dim"))


def message_lines(messages: Iterable[Message], width: int, *, brief: bool = False) -> Iterator[Text]:
    """Yield each message with its role and date; with `brief`, only its first lines."""
    now = datetime.now().astimezone()
    for message in messages:
        who, style = ROLE_LABELS.get(message.role, (str(message.role), "dim"))
        head = Text.assemble((who, style), (f"  {format_short_date(message.created_at.astimezone(), now)}", "dim"))
        if message.pinned:
            head.append("  pinned", "yellow")
        yield head
        lines = strip_controls(message.text).strip().split("\n")
        if not message.text and message.tool_calls:
            lines = [f"(uses {', '.join(to_printable(call.name) for call in message.tool_calls)})"]
        if brief:
            shown = [truncate_to_width(to_printable(line), width - 2) for line in lines[:BRIEF_LINES]]
            lines = [*shown, "…"] if len(lines) > BRIEF_LINES else shown
        for line in lines:
            yield Text("  " + line, "dim" if brief or message.role is Role.TOOL else "")


def fact_lines(facts: Sequence[Fact], width: int, *, numbered: bool = True) -> Iterator[Text]:
    """Yield a line for each fact with its start date; pinned and hidden ones are marked."""
    for number, fact in enumerate(facts, 1):
        tail = f"  since {fact.since.astimezone():%Y-%m-%d}" if fact.is_current else "  no longer true"
        tail += "  pinned" if fact.pinned else ""
        tail += "  hidden" if fact.hidden else ""
        room = max(20, width - len(tail) - 5)
        head = f"{number:3}. " if numbered else "   - "
        yield Text.assemble(
            (head, "dim"), truncate_to_width(to_printable(fact.text), room), (tail, "yellow" if fact.pinned else "dim")
        )


def profile_lines(lines: Sequence[ProfileLine], width: int) -> Iterator[Text]:
    """Yield a line for each fact of a profile; pinned ones are marked."""
    for number, line in enumerate(lines, 1):
        tail = f"  {line.kind}" + ("  pinned" if line.pinned else "")
        room = max(20, width - len(tail) - 5)
        yield Text.assemble((f"{number:3}. ", "dim"), truncate_to_width(to_printable(line.text), room), (tail, "dim"))
