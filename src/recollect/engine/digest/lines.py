"""The lines of a summary, and what becomes of two that speak of the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.engine.digest.subject import subject
from recollect.engine.terms import terms
from recollect.engine.values import Value, values
from recollect.types import Microseconds, Role

SAME = 0.65
"""Share of common words from which two lines without values say the same."""
ALIKE = 0.75
"""Share of common words from which a newer value is the new value of the same thing."""
CORRECTED = 0.5
"""The same where the newer line says that it corrects something; of the words of the shorter one."""


class Line(NamedTuple):
    """One thing that a summary keeps, in the speaker's own words. `about` holds words of an earlier sentence or message
    that it cannot be understood without: the question it answers, the thing it corrects."""

    text: str
    kind: str
    weight: float
    seq: int
    created: Microseconds
    role: Role
    name: str | None = None
    about: str = ""
    tokens: int = 0


class Entry(NamedTuple):
    """A line with what is compared: its values, what it is about, and the words of the names in it."""

    line: Line
    values: frozenset[str]
    kinds: frozenset[str]
    subject: frozenset[str]
    names: frozenset[str]


def entry(line: Line, found: Sequence[Value] | None = None) -> Entry:
    """A line made ready to be compared. `found` are its values, if they are known."""
    if found is None:
        found = values(line.text)
    names = frozenset(term for value in found if value.kind == "name" for term in terms(value.text))
    about = subject(line.about, ()) if line.about else frozenset[str]()
    return Entry(
        line,
        frozenset(value.text.lower() for value in found),
        frozenset(value.kind for value in found),
        subject(line.text, found) | about,
        names,
    )


def merged(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, given in order of time, without repetitions and without what a later one corrects.

    >>> def said(seq, text, kind="value"):
    ...     return entry(Line(text, kind, 1.0, seq, seq, Role.USER))
    >>> both = said(1, "the staging port is 5432"), said(2, "it is 5433, not 5432", "correction")
    >>> [(one.line.about, one.line.text) for one in merged(both)]
    [('the staging port is', 'it is 5433, not 5432')]
    """
    kept: list[Entry] = []
    for new in entries:
        same = [old for old in kept if _is_same(old, new)]
        if any(old.line.weight >= new.line.weight for old in same):
            continue
        replaced = [old for old in kept if old not in same and _replaces(new, old)]
        kept = [old for old in kept if old not in same and old not in replaced]
        kept.append(_completed(new, replaced[-1]) if replaced else new)
    return sorted(kept, key=lambda one: (one.line.seq, one.line.created))


def _is_same(old: Entry, new: Entry) -> bool:
    """Whether two entries say the same thing in other words."""
    if old.values or new.values:
        within = new.values <= old.values or old.values <= new.values
        return bool(old.values and new.values) and within and _of_shorter(old.subject, new.subject) >= CORRECTED
    return _of_both(old.subject, new.subject) >= SAME


def _replaces(new: Entry, old: Entry) -> bool:
    """Whether the newer entry has the new value of what the older one is about."""
    if not new.values or not old.values or new.kinds.isdisjoint(old.kinds) or new.values == old.values:
        return False
    here, there = _core(new), _core(old)
    if new.line.kind == "correction":
        names_old = not new.values.isdisjoint(old.values)
        return (names_old and (not here or not here.isdisjoint(there))) or _of_shorter(here, there) > CORRECTED
    if len(new.values) != len(old.values) or (len(new.values) > 1 and new.values.isdisjoint(old.values)):
        return False
    return _of_both(here, there) >= ALIKE


def _core(one: Entry) -> frozenset[str]:
    """What an entry is about, without the names if these are its values."""
    return one.subject - one.names if one.kinds <= {"name"} else one.subject


def _completed(new: Entry, old: Entry) -> Entry:
    """A correction that does not say of what gets it from the line that it corrects."""
    if _core(new) or new.line.about:
        return new
    text = old.line.text
    place = min((at for value in old.values if (at := text.lower().find(value)) > 0), default=len(text))
    about = old.line.about or text[:place].rstrip(" \"'“`$€£(:,#")
    return new._replace(line=new.line._replace(about=about), subject=new.subject | old.subject)


def _of_both(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two) if one and two else 0.0


def _of_shorter(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0
