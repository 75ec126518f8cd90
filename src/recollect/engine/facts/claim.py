"""A fact as it was claimed: who it is about, what it says, where it was said, and which older one it replaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.engine.pattern import Pattern
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.types import Microseconds

Kind = Literal["preference", "identity", "relation", "event", "decision", "task"]

SHARED = 2
"""Telling words that two slots must have in common where one of them is named more fully: "best time", "best time in 5K"."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that somebody said about themselves or about what is theirs.

    `text` is a bullet that stands alone. `about` names the slot that `value` fills, and a newer claim with the same subject
    and slot replaces an older one; without a slot it stands on its own. `start` and `end` are where the message says so.
    `corrects` is set where it was said as a change of something.

    >>> Claim("User lives in Lisbon", "identity", "user", "home", "Lisbon", 0, 17, 0.9, 0).corrects
    False
    """

    text: str
    kind: Kind
    subject: str
    about: str
    value: str
    start: int
    end: int
    confidence: float
    valid_from: Microseconds
    corrects: bool = False

    @property
    def ends(self) -> bool:
        """Whether it says that something is over, and nothing about what came instead.

        >>> Claim("User no longer eats meat", "preference", "user", "", "meat", 0, 9, 0.9, 0, corrects=True).ends
        True
        """
        return self.corrects and _ENDS.search(self.text) is not None


_ENDS = Pattern(r"\b(?:no longer|not|any(?: )?more|quit|stopped|gave up|got rid of|sold)\b|n['’]t\b")


def supersedes(newer: Claim, older: Claim) -> bool:
    """Whether the first claim, said after the second one, leaves it out of date.

    Claims of one slot replace each other. What can be true of several things at once has no slot, and ends only when
    somebody says so.

    >>> porto = Claim("User lives in Porto", "identity", "user", "home", "Porto", 0, 16, 0.9, 1)
    >>> lisbon = Claim("User moved to Lisbon", "identity", "user", "home", "Lisbon", 0, 17, 0.9, 2)
    >>> supersedes(lisbon, porto), supersedes(porto, lisbon)
    (True, False)
    """
    if newer.subject.casefold() != older.subject.casefold() or older.valid_from > newer.valid_from:
        return False
    if newer.ends:
        return not older.ends and _same_value(newer, older) and (newer.about or older.about) in (older.about, "")
    return bool(newer.about and older.about) and _same_slot(newer.about, older.about)


def _same_value(newer: Claim, older: Claim) -> bool:
    one, two = set(telling(terms(newer.value))), set(telling(terms(older.value)))
    return bool(one and two) and (one <= two or two <= one)


def _same_slot(one: str, two: str) -> bool:
    """Slots are the same if their words are; of long ones it is enough that one says all that the other does."""
    if one.casefold() == two.casefold():
        return True
    if one.startswith("number of ") and two.startswith("number of "):
        return _same_count(one, two)
    mine, theirs = frozenset(telling(terms(one))), frozenset(telling(terms(two)))
    if mine == theirs:
        return bool(mine)
    return len(mine & theirs) >= SHARED and (mine <= theirs or theirs <= mine)


def _same_count(one: str, two: str) -> bool:
    """Counts are of the same if the things are, and the deeds where both name one: "number of tops (bought)"."""
    (things, _, deed), (others, _, other) = one.partition(" ("), two.partition(" (")
    return set(terms(things)) == set(terms(others)) and (not deed or not other or terms(deed) == terms(other))
