"""The text of a summary, from its lines."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine.digest.lines import Line
from recollect.engine.pattern import Pattern
from recollect.types import EPOCH, Role, moment

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_PERSONAL = Pattern(r"\b(?:i|i['’]\w+|me|my|mine|myself|we|we['’]\w+|us|our|ours|you|you['’]\w+|your|yours)\b")
_RELATIVE = Pattern(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:last|next|this|past) (?:night|week|weekend|month|quarter|year|\w+day|summer"
    r"|winter|spring|fall|autumn|morning|afternoon|evening|mon|tue|wed|thu|fri|sat|sun)|ago|on (?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)day)\b"
)


def render(lines: Sequence[Line]) -> str:
    """The text of a summary. Who speaks is said where it changes and matters; the day, where the words depend on it.

    >>> day = 24 * 3600 * 10**6
    >>> print(render([
    ...     Line("My sister moved to Lisbon yesterday", "fact", 1, 1, day, Role.USER),
    ...     Line("the ferry leaves at 9:40", "value", 1, 2, day, Role.ASSISTANT),
    ...     Line("I like ferries", "fact", 1, 3, day, Role.USER, "Ana"),
    ... ]))
    (2 Jan 1970) My sister moved to Lisbon yesterday
    the ferry leaves at 9:40
    Ana: I like ferries
    """
    speaker, dated = "", EPOCH
    found: list[str] = []
    for line in lines:
        words = words_of(line)
        who = _speaker(line)
        if who != speaker and _PERSONAL.search(words):
            words = f"{who or 'user'}: {words}"
            speaker = who
        said = moment(line.created)
        if said.date() != dated.date() and _RELATIVE.search(words):
            year = f" {said.year}" if said.year != dated.year or dated is EPOCH else ""
            words = f"({said.day} {_MONTHS[said.month - 1]}{year}) {words}"
            dated = said
        found.append(words)
    return "\n".join(found)


def words_of(line: Line) -> str:
    """What a line says, with what it is about."""
    joint = " " if line.about.endswith(("?", "？")) else ": "
    return f"{line.about}{joint}{line.text}" if line.about else line.text


def _speaker(line: Line) -> str:
    return line.name or ("assistant" if line.role is Role.ASSISTANT else "")
