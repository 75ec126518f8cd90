"""Which kind a fact is of, where the rule that found it covers several."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine.facts.claim import Kind
from recollect.engine.facts.words import AILMENTS, PEOPLE, PETS
from recollect.engine.pattern import Pattern

_TABLE: tuple[tuple[Kind, Pattern], ...] = (
    ("constraint", Pattern(rf"(?:\S+ ){{0,6}}?{AILMENTS}\b")),
    ("constraint", Pattern(r"(?:can['’]t|cannot|can not|don['’]t|do not) (?:eat|drink|have|afford|take|walk|drive|swim)\b")),
    ("person", Pattern(rf"(?:got |have |has |adopted |rescued )*(?:\S+ ){{0,4}}?(?:{PEOPLE}|{PETS})\b(?!['’]s)")),
    ("identity", Pattern(
        r"(?:got |have |has )*(?:\S+ ){0,4}?(?:degree|diploma|master['’]?s|phd|bachelor['’]?s|passport|visa)\b")),
)  # fmt: skip
"""Kinds that words decide, whatever the verb is."""

_VERBS: tuple[tuple[Kind, Pattern], ...] = (
    ("person", Pattern(r"(?:adopted|rescued|got) .*\b(?:called|named) (?-i:[A-Z])")),
    ("possession", Pattern(
        r"(?:been )?(?:bought|purchased|ordered|acquired|inherited|sold|traded|swapped|got rid of|own|drive|play|use|using"
        r"|playing|got (?:a|an|my|our|some|the|new)|already got|keep|grow|collect|collecting|growing|picked up"
        r"|upgraded|installed|rented|leased)\b")),
    ("project", Pattern(
        r"(?:been )?(?:planning|scheduled|determined|aiming|moving|flying|going|traveling|travelling|heading|relocating"
        r"|driving|taking|getting|about to get|expecting|due|training|working on|learning|preparing|saving|renovating"
        r"|building|writing|practicing|practising|restoring|need|must|booked|signed up|registered|enrolled|applied"
        r"|decided)\b")),
    ("identity", Pattern(r"(?:been )?(?:studying|living|lived|worked|working|married|teaching|dating|graduated|studied)\b")),
    ("preference", Pattern(
        r"(?:been )?(?:quit|stopped|gave up|doing|eating|drinking|following|attending|reading|keeping)\b")),
)  # fmt: skip
"""Kinds of what somebody does, did or has done."""


def kind_of_statement(kind: Kind, rest: str, about: str, is_state: bool = False) -> Kind:
    """Return the kind of a statement that a rule of some kind found. `rest` is the statement from its main verb on, or what
    follows "I am" if `is_state`.

    >>> kind_of_statement("identity", "a dog named Rex", ""), kind_of_statement("event", "bought a Volvo", "")
    ('person', 'possession')
    >>> kind_of_statement("identity", "allergic to nuts", ""), kind_of_statement("identity", "in Porto", "home")
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


def _first_match(table: Sequence[tuple[Kind, Pattern]], text: str, default: Kind) -> Kind:
    for kind, pattern in table:
        if pattern.match(text):
            return kind
    return default


_LEADS = Pattern(r"(?:lead|manage|supervise|coach|teach|run)\b")
_HELD = Pattern(
    r"(?:own|drive|play|use|keep|grow|collect|got|a|an|my|our|some|two|three) (?!.*\b(?:person|owl|bird|child)\b)"
)
