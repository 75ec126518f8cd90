"""Render the text of a summary from its lines."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.engine.summary.lines import SummaryLine
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.types import EPOCH, Role, to_datetime

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_PERSONAL = EnglishPattern(r"\b(?:i|i['’]\w+|me|my|mine|myself|we|we['’]\w+|us|our|ours|you|you['’]\w+|your|yours)\b")
_RELATIVE = EnglishPattern(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:last|next|this|past) (?:night|week|weekend|month|quarter|year|\w+day|summer"
    r"|winter|spring|fall|autumn|morning|afternoon|evening|mon|tue|wed|thu|fri|sat|sun)|ago|on (?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)day)\b"
)


def render_lines(lines: Sequence[SummaryLine]) -> str:
    """Return the text of a summary. The speaker is named when it changes and matters; the day, if the words depend on it.

    >>> day = 24 * 3600 * 10**6
    >>> print(render_lines([
    ...     SummaryLine("My sister moved to Lisbon yesterday", "fact", 1, 1, day, Role.USER),
    ...     SummaryLine("the ferry leaves at 9:40", "value", 1, 2, day, Role.ASSISTANT),
    ...     SummaryLine("I like ferries", "fact", 1, 3, day, Role.USER, "Ana"),
    ... ]))
    (2 Jan 1970) My sister moved to Lisbon yesterday
    the ferry leaves at 9:40
    Ana: I like ferries
    """
    speaker, last_date = "", EPOCH
    found: list[str] = []
    for line in lines:
        words = format_line(line)
        who = _speaker(line)
        if who != speaker and _PERSONAL.search(words):
            words = f"{who or 'user'}: {words}"
            speaker = who
        created = to_datetime(line.created)
        if created.date() != last_date.date() and _RELATIVE.search(words):
            year = f" {created.year}" if created.year != last_date.year or last_date is EPOCH else ""
            words = f"({created.day} {_MONTHS[created.month - 1]}{year}) {words}"
            last_date = created
        found.append(words)
    return "\n".join(found)


def format_line(line: SummaryLine) -> str:
    """Return what a line says, with what it is about."""
    joint = " " if line.about.endswith(("?", "？")) else ": "
    return f"{line.about}{joint}{line.text}" if line.about else line.text


def _speaker(line: SummaryLine) -> str:
    return line.name or ("assistant" if line.role is Role.ASSISTANT else "")
