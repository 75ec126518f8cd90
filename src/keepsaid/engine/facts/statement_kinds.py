"""Determine the kind of a fact if the rule that found it covers several kinds."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.words import AILMENTS, PEOPLE, PETS
from keepsaid.engine.text.patterns import EnglishPattern

_TABLE: tuple[tuple[ClaimKind, EnglishPattern], ...] = (
    ("constraint", EnglishPattern(rf"(?:\S+ ){{0,6}}?{AILMENTS}\b")),
    ("constraint", EnglishPattern(
        r"(?:can['’]t|cannot|can not|don['’]t|do not) (?:eat|drink|have|afford|take|walk|drive|swim)\b")),
    ("person", EnglishPattern(rf"(?:got |have |has |adopted |rescued )*(?:\S+ ){{0,4}}?(?:{PEOPLE}|{PETS})\b(?!['’]s)")),
    ("identity", EnglishPattern(
        r"(?:got |have |has )*(?:\S+ ){0,4}?(?:degree|diploma|master['’]?s|phd|bachelor['’]?s|passport|visa)\b")),
)  # fmt: skip
"""Kinds that are decided by words, whatever the verb is."""

_VERBS: tuple[tuple[ClaimKind, EnglishPattern], ...] = (
    ("person", EnglishPattern(r"(?:adopted|rescued|got) .*\b(?:called|named) (?-i:[A-Z])")),
    ("possession", EnglishPattern(
        r"(?:been )?(?:bought|purchased|ordered|acquired|inherited|sold|traded|swapped|got rid of|own|drive|play|use|using"
        r"|playing|got (?:a|an|my|our|some|the|new)|already got|keep|grow|collect|collecting|growing|picked up"
        r"|upgraded|installed|rented|leased)\b")),
    ("project", EnglishPattern(
        r"(?:been )?(?:planning|scheduled|determined|aiming|moving|flying|going|traveling|travelling|heading|relocating"
        r"|driving|taking|getting|about to get|expecting|due|training|working on|learning|preparing|saving|renovating"
        r"|building|writing|practicing|practising|restoring|need|must|booked|signed up|registered|enrolled|applied"
        r"|decided)\b")),
    ("identity", EnglishPattern(
        r"(?:been )?(?:studying|living|lived|worked|working|married|teaching|dating|graduated|studied)\b")),
    ("preference", EnglishPattern(
        r"(?:been )?(?:quit|stopped|gave up|doing|eating|drinking|following|attending|reading|keeping)\b")),
)  # fmt: skip
"""Kinds of actions, by their verbs."""


def refine_statement_kind(kind: ClaimKind, rest: str, about: str, is_state: bool = False) -> ClaimKind:
    """Return the kind of a statement, given the kind of the rule that found it.

    `rest` is the statement from its main verb on, or what follows "I am" if `is_state`.

    >>> refine_statement_kind("identity", "a dog named Rex", ""), refine_statement_kind("event", "bought a Volvo", "")
    ('person', 'possession')
    >>> refine_statement_kind("identity", "allergic to nuts", ""), refine_statement_kind("identity", "in Porto", "home")
    ('constraint', 'identity')
    """
    if about == "diet":
        return "constraint"
    if about in ("home", "job", "employer", "age", "origin", "birth", "marital status", "name", "line of work"):
        return kind
    if about.startswith(("how often", "time of")):
        return "preference" if about.startswith("how often") else "project"
    if kind == "preference" or (is_state and kind == "identity"):
        return "constraint" if _TABLE[0][1].match(rest) or _TABLE[1][1].match(rest) else kind
    if kind == "identity":
        is_count = about.startswith("number of") and not _LEADS.match(rest)
        return _first_match(_TABLE, rest, "possession" if is_count or _HELD.match(rest) else kind)
    return _first_match((_TABLE[0], *_VERBS), rest, kind) if kind == "event" else kind


def _first_match(table: Sequence[tuple[ClaimKind, EnglishPattern]], text: str, default: ClaimKind) -> ClaimKind:
    for kind, pattern in table:
        if pattern.match(text):
            return kind
    return default


_LEADS = EnglishPattern(r"(?:lead|manage|supervise|coach|teach|run)\b")
_HELD = EnglishPattern(
    r"(?:own|drive|play|use|keep|grow|collect|got|a|an|my|our|some|two|three) (?!.*\b(?:person|owl|bird|child)\b)"
)
