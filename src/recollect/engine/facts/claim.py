"""A fact as it was claimed: who it is about, what it says, where it was said, and which older one it replaces."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.engine.facts.verbatim.endings import ends_older, says_over, says_what_instead
from recollect.engine.pattern import Pattern
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.types import FactKind, Microseconds

Kind = FactKind
"""What a fact is about."""

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
        return self.corrects and (_ENDS.search(self.text) is not None or says_over(self.text))

    @property
    def is_verbatim(self) -> bool:
        """Whether it is the user's own sentence, kept as typed.

        >>> Claim("I take my coffee black", "preference", "user", "", "I take my coffee black", 0, 22, 0.8, 0).is_verbatim
        True
        """
        return self.text == self.value and not self.about


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
    if not _same_subject(newer.subject, older.subject) or older.valid_from > newer.valid_from:
        return False
    if newer.ends and says_over(newer.text):
        return not older.ends and _ends_in_other_language(newer, older)
    if newer.ends:
        return not older.ends and _same_value(newer, older) and (newer.about or older.about) in (older.about, "")
    return bool(newer.about and older.about) and _same_slot(newer.about, older.about)


def _same_subject(newer: str, older: str) -> bool:
    """Whether two claims are about the same: also where only one of them has a name, as "user's sister Nora" has."""
    one, two = newer.casefold(), older.casefold()
    return one == two or (" " in one and " " in two and (one.startswith(f"{two} ") or two.startswith(f"{one} ")))


def _ends_in_other_language(newer: Claim, older: Claim) -> bool:
    if (newer.kind == "person") != (older.kind == "person"):
        return False
    same_slot = bool(newer.about) and newer.about == older.about and says_what_instead(newer.text)
    return same_slot or ends_older(newer.text, older.text, newer.kind == "person")


def _same_value(newer: Claim, older: Claim) -> bool:
    """Whether two claims are about the same thing: all telling words of one are in the other. Of sentences kept verbatim
    two words are enough, because most of their words are about something else."""
    one, two = _subject_words(newer), _subject_words(older)
    if not one or not two:
        return False
    if one <= two or two <= one:
        return True
    return (newer.is_verbatim or older.is_verbatim) and len(one & two) >= SHARED


def _subject_words(claim: Claim) -> set[str]:
    """The telling words of a claim's value, without those that say only that something goes on or is over."""
    words = set(telling(terms(claim.value)))
    return words - _GENERAL or words if claim.is_verbatim else words


_GENERAL = frozenset(
    terms(
        "longer anymore stopped stop quit gave give sold rid used instead like love enjoy prefer work live use eat go get"
        " got have take make do play want need time day week month year lately currently recently actually usually always"
        " new old people thing lot"
    )
)
"""Words that two sentences can share without being about the same."""


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
