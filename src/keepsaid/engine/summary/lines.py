"""Lines of a summary, and how lines about the same thing are merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from keepsaid.engine.summary.subject import find_subject
from keepsaid.engine.text.terms import terms
from keepsaid.engine.text.values import ExactValue, find_values
from keepsaid.types import Microseconds, Role

SAME = 0.65
"""Share of common words from which two lines without values say the same."""
ALIKE = 0.75
"""Share of common words from which a newer value replaces that of the same thing."""
CORRECTED = 0.5
"""The same if the newer line says that it corrects something; as a share of the words of the shorter line."""


class SummaryLine(NamedTuple):
    """One thing that a summary keeps, in the speaker's own words. `about` has words of an earlier sentence or message that
    are needed to understand it: the question it answers, the thing it corrects."""

    text: str
    kind: str
    weight: float
    seq: int
    created: Microseconds
    role: Role
    name: str | None = None
    about: str = ""
    tokens: int = 0


class ComparableLine(NamedTuple):
    """A line with what is compared: its values, what it is about, and the words of the names in it."""

    line: SummaryLine
    values: frozenset[str]
    kinds: frozenset[str]
    subject: frozenset[str]
    names: frozenset[str]


def make_comparable(line: SummaryLine, found: Sequence[ExactValue] | None = None) -> ComparableLine:
    """Return a line prepared for comparison. `found` are its values, if they are known."""
    if found is None:
        found = find_values(line.text)
    names = frozenset(term for value in found if value.kind == "name" for term in terms(value.text))
    about = find_subject(line.about, ()) if line.about else frozenset[str]()
    return ComparableLine(
        line,
        frozenset(value.text.lower() for value in found),
        frozenset(value.kind for value in found),
        find_subject(line.text, found) | about,
        names,
    )


def merge_lines(entries: Iterable[ComparableLine]) -> list[ComparableLine]:
    """Return the entries, given in order of time, without repetitions and without those that a later one corrects.

    >>> def said(seq, text, kind="value"):
    ...     return make_comparable(SummaryLine(text, kind, 1.0, seq, seq, Role.USER))
    >>> both = said(1, "the staging port is 5432"), said(2, "it is 5433, not 5432", "correction")
    >>> [(one.line.about, one.line.text) for one in merge_lines(both)]
    [('the staging port is', 'it is 5433, not 5432')]
    """
    kept: list[ComparableLine] = []
    for new in entries:
        same = [old for old in kept if _is_same(old, new)]
        if any(old.line.weight >= new.line.weight for old in same):
            continue
        replaced = [old for old in kept if old not in same and _replaces(new, old)]
        kept = [old for old in kept if old not in same and old not in replaced]
        kept.append(_complete_correction(new, replaced[-1]) if replaced else new)
    return sorted(kept, key=lambda one: (one.line.seq, one.line.created))


def _is_same(old: ComparableLine, new: ComparableLine) -> bool:
    """Whether two entries say the same thing in different words."""
    if old.values or new.values:
        within = new.values <= old.values or old.values <= new.values
        return bool(old.values and new.values) and within and _shorter_overlap(old.subject, new.subject) >= CORRECTED
    return _union_overlap(old.subject, new.subject) >= SAME


def _replaces(new: ComparableLine, old: ComparableLine) -> bool:
    """Whether the newer entry has a new value of what the older one is about."""
    if not new.values or not old.values or new.kinds.isdisjoint(old.kinds) or new.values == old.values:
        return False
    here, there = _find_core(new), _find_core(old)
    if new.line.kind == "correction":
        names_old = not new.values.isdisjoint(old.values)
        return (names_old and (not here or not here.isdisjoint(there))) or _shorter_overlap(here, there) > CORRECTED
    if len(new.values) != len(old.values) or (len(new.values) > 1 and new.values.isdisjoint(old.values)):
        return False
    return _union_overlap(here, there) >= ALIKE


def _find_core(one: ComparableLine) -> frozenset[str]:
    """Return what an entry is about, without the names if these are its values."""
    return one.subject - one.names if one.kinds <= {"name"} else one.subject


def _complete_correction(new: ComparableLine, old: ComparableLine) -> ComparableLine:
    """Complete a correction that does not say what it is about, from the line that it corrects."""
    if _find_core(new) or new.line.about:
        return new
    text = old.line.text
    place = min((at for value in old.values if (at := text.lower().find(value)) > 0), default=len(text))
    about = old.line.about or text[:place].rstrip(" \"'“`$€£(:,#")
    return new._replace(line=new.line._replace(about=about), subject=new.subject | old.subject)


def _union_overlap(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two) if one and two else 0.0


def _shorter_overlap(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0
