"""A fact as claimed in a message: its subject, its text, its source, and which older claim it replaces."""

from __future__ import annotations

from dataclasses import dataclass

from keepsaid.engine.facts.other_languages.ended_facts import ends_older_fact, names_replacement, says_ended
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.types import FactKind, Microseconds

ClaimKind = FactKind
"""What a fact is about."""

MIN_SHARED_WORDS = 2
"""Content words that two slots must share if one name is longer than the other: "best time", "best time in 5K"."""


@dataclass(frozen=True, slots=True)
class FactClaim:
    """One thing that a person said about themselves, their people or their things.

    `text` is a bullet that can be understood alone. `about` names the slot that `value` fills: a newer claim with the same
    subject and slot replaces an older one. A claim without a slot replaces nothing. `start` and `end` are its span in the
    message. `corrects` is set if it was stated as a change.

    >>> FactClaim("User lives in Lisbon", "identity", "user", "home", "Lisbon", 0, 17, 0.9, 0).corrects
    False
    """

    text: str
    kind: ClaimKind
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
        """Whether it says that something ended.

        >>> FactClaim("User no longer eats meat", "preference", "user", "", "meat", 0, 9, 0.9, 0, corrects=True).ends
        True
        """
        return self.corrects and (_ENDS.search(self.text) is not None or says_ended(self.text))

    @property
    def is_verbatim(self) -> bool:
        """Whether it is the user's own sentence, kept as typed.

        >>> coffee = "I take my coffee black"
        >>> FactClaim(coffee, "preference", "user", "", coffee, 0, 22, 0.8, 0).is_verbatim
        True
        """
        return self.text == self.value and not self.about


_ENDS = EnglishPattern(r"\b(?:no longer|not|any(?: )?more|quit|stopped|gave up|got rid of|sold)\b|n['’]t\b")


def supersedes(newer: FactClaim, older: FactClaim) -> bool:
    """Whether the first claim, stated after the second one, makes it outdated.

    Claims of one slot replace each other. A claim without a slot, which can be true of several things at once, ends only if
    a later claim says so.

    >>> porto = FactClaim("User lives in Porto", "identity", "user", "home", "Porto", 0, 16, 0.9, 1)
    >>> lisbon = FactClaim("User moved to Lisbon", "identity", "user", "home", "Lisbon", 0, 17, 0.9, 2)
    >>> supersedes(lisbon, porto), supersedes(porto, lisbon)
    (True, False)
    """
    if not _same_subject(newer.subject, older.subject) or older.valid_from > newer.valid_from:
        return False
    if newer.ends and says_ended(newer.text):
        return not older.ends and _ends_in_other_language(newer, older)
    if newer.ends:
        return not older.ends and _same_value(newer, older) and (newer.about or older.about) in (older.about, "")
    return bool(newer.about and older.about) and _same_slot(newer.about, older.about)


def _same_subject(newer: str, older: str) -> bool:
    """Whether two subjects are the same, even if only one of them includes a name, such as "user's sister Nora"."""
    one, two = newer.casefold(), older.casefold()
    return one == two or (" " in one and " " in two and (one.startswith(f"{two} ") or two.startswith(f"{one} ")))


def _ends_in_other_language(newer: FactClaim, older: FactClaim) -> bool:
    if (newer.kind == "person") != (older.kind == "person"):
        return False
    same_slot = bool(newer.about) and newer.about == older.about and names_replacement(newer.text)
    return same_slot or ends_older_fact(newer.text, older.text, newer.kind == "person")


def _same_value(newer: FactClaim, older: FactClaim) -> bool:
    """Whether two claims are about the same thing: one has all content words of the other.

    For verbatim sentences two shared words are enough, because most of their words are about something else.
    """
    one, two = _subject_words(newer), _subject_words(older)
    if not one or not two:
        return False
    if one <= two or two <= one:
        return True
    return (newer.is_verbatim or older.is_verbatim) and len(one & two) >= MIN_SHARED_WORDS


def _subject_words(claim: FactClaim) -> set[str]:
    """Return the content words of a claim's value, without those that only say that something continues or ended."""
    words = set(content_words(terms(claim.value)))
    return words - _GENERAL or words if claim.is_verbatim else words


_GENERAL = frozenset(
    terms(
        "longer anymore stopped stop quit gave give sold rid used instead like love enjoy prefer work live use eat go get"
        " got have take make do play want need time day week month year lately currently recently actually usually always"
        " new old people thing lot"
    )
)
"""Words that two sentences can share without being about the same thing."""


def _same_slot(one: str, two: str) -> bool:
    """Whether two slots have the same words, or at least two words of which one slot has all that the other has."""
    if one.casefold() == two.casefold():
        return True
    if one.startswith("number of ") and two.startswith("number of "):
        return _same_count(one, two)
    mine, theirs = frozenset(content_words(terms(one))), frozenset(content_words(terms(two)))
    if mine == theirs:
        return bool(mine)
    return len(mine & theirs) >= MIN_SHARED_WORDS and (mine <= theirs or theirs <= mine)


def _same_count(one: str, two: str) -> bool:
    """Whether two counts are of the same things, with the same verb if both have one: "number of tops (bought)"."""
    (things, _, deed), (others, _, other) = one.partition(" ("), two.partition(" (")
    return set(terms(things)) == set(terms(others)) and (not deed or not other or terms(deed) == terms(other))
