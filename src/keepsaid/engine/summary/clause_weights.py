"""Weights of clauses: exact values, decisions, tasks, corrections and facts about the user count; small talk does not.

A weight says how much would be lost without the clause. It does not fade with time: what was worth keeping once still is
after twenty more summaries.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from keepsaid.engine.summary.clause_signs import SERIOUS_SIGNS, find_signs
from keepsaid.engine.summary.clauses import MessageClause
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.values import ExactValue
from keepsaid.types import Message, Role

MIN_WEIGHT = 1.0
"""A clause with less weight is small talk."""


class ClauseWeight(NamedTuple):
    """The weight and kind of a clause: decision, correction, remember, task, fact, value, note or request."""

    kind: str
    weight: float


def weigh_clause(clause: MessageClause, message: Message, familiar: Collection[str] = ()) -> ClauseWeight:
    """Return the weight of one clause of a message. Names that are `familiar` (in lower case) are no news.

    >>> from keepsaid.engine.summary.clauses import split_clauses
    >>> from keepsaid.types import Role
    >>> def of(text):
    ...     message = Message("m1", "s1", 1, 0, Role.USER, text, 9, 0, 0.0, False, {})
    ...     return weigh_clause(split_clauses(text)[0], message)
    >>> of("We decided to go with Postgres 16 for the ledger.").kind
    'decision'
    >>> of("I had 2 coffees, haha.").weight < MIN_WEIGHT < of("The gate code is 4417.").weight
    True
    """
    found = find_signs(clause)
    strengths = sorted((_strength(value, familiar) for value in clause.values), reverse=True)
    exact = sum(strength * share for strength, share in zip(strengths, _VALUE_SHARES, strict=False))
    weight = exact + (0.1 if exact >= 1.5 else 0.16) * min(6, len(clause.subject))
    weight += sum(gain for sign, gain in _GAIN.items() if sign in found)
    if strengths and strengths[0] >= 1.5:
        weight += sum(gain for sign, gain in _GAIN_OF_VALUES.items() if sign in found)
    if clause.values and not clause.subject:
        weight *= 0.4
    firm = exact >= 2.4 or not found.isdisjoint(_FIRM)
    for sign, loss in _LOSS.items():
        if sign in found:
            weight *= 1 - loss * (0.3 if firm else 1.0)
    if message.role is Role.ASSISTANT and not message.name:
        weight *= _assistant_factor(clause, message, exact)
    weight += 0.4 * message.importance + (3.0 if message.pinned else 0.0)
    kind = next((kind for kind in _KINDS if kind in found), "value" if exact >= 1.5 else "note")
    return ClauseWeight(kind, round(weight, 3))


# -- exact values

_STRENGTH: dict[str, float] = {
    "url": 3.0,
    "email": 3.0,
    "path": 3.0,
    "command": 3.0,
    "code": 2.6,
    "id": 3.0,
    "version": 2.6,
    "date": 2.6,
    "quote": 1.8,
    "day": 0.6,
}
_UNIT = re.compile(r"[^\W\d]|[%°$€£¥₹]")
_TECHNICAL = re.compile(
    r"\d\s?(?i:[kmgtp]i?b(?:ytes?|its?)?(?:/s|ps)?|ms|[mgk]?hz|k?wh?|volts?|watts?|v|px|dpi|rpm|fps|cores?|x)\b"
)
_VALUE_SHARES = (1.0, 0.35, 0.2, 0.1)
"""What the second, third and further values of a clause add: one is enough to keep it."""


def _strength(value: ExactValue, familiar: Collection[str]) -> float:
    """Return how exact a value is: "2" could be guessed, "5433" could not."""
    digits = sum(letter.isdigit() for letter in value.text)
    if value.kind == "name":
        return _name_strength(value, digits, familiar)
    if value.kind == "time":
        return 1.2 if digits > 2 else 0.7
    if value.kind not in ("number", "money"):
        return _STRENGTH[value.kind]
    digits += any(mark in value.text for mark in ".,/")
    if digits < 2 or value.text in ("100%", "100 %"):
        return 0.5
    unit = 1.2 if _TECHNICAL.search(value.text) else 0.4 if _UNIT.search(value.text) else 0.0
    return min(3.0, (0.9, 2.4, 2.6)[min(digits, 4) - 2] + unit)


def _name_strength(value: ExactValue, digits: int, familiar: Collection[str]) -> float:
    if value.text.lower() in familiar:
        return 0.3
    if " " in value.text or digits:
        return 2.0
    return 1.4 if value.start else 0.9  # any word has a capital at the beginning of a sentence


# -- signs

_GAIN = {
    "decision": 2.4,
    "correction": 0.6,
    "remember": 1.8,
    "task": 0.4,
    "fact": 0.7,
    "identity": 1.2,
    "equates": 1.0,
    "event": 0.6,
    "request": 0.4,
}
_GAIN_OF_VALUES = {"states": 0.6, "definite": 0.5}
_LOSS = {
    "question": 0.75,
    "request": 0.3,
    "passing": 0.65,
    "fleeting": 0.2,
    "told": 0.2,
    "polite": 0.7,
    "hedged": 0.3,
    "praise": 0.6,
    "bare": 0.5,
    "vague": 0.3,
}
"""Share of its weight that a clause loses. A firm clause, with an exact value or a decision, loses a third of that."""
_KINDS = ("decision", "correction", "remember", "request", "task", "fact")
_FIRM = SERIOUS_SIGNS | {"identity"}

# -- assistants

_ADVICE = EnglishPattern(
    r"^\W*(?:\w+ly,? )?(?:you (?:can|could|might|may|should|['’]ll)|consider|try|ensure|make sure|check|look|look for"
    r"|use|avoid"
    r"|remember to|start|choose|keep|be|don['’]t|here (?:are|is)|here['’]s|there are|some|these|if you)\b"
)
LONG_ANSWER = 120
"""Words from which an assistant's message is an essay: few of its sentences are about the user."""


def _assistant_factor(clause: MessageClause, message: Message, exact: float) -> float:
    """Return the factor for the words of an assistant, which explains and advises; what matters it says briefly."""
    essay = message.text.count(" ") > LONG_ANSWER
    factor = 0.2 if essay else 0.85
    if exact < 1 and _ADVICE.match(clause.text):
        factor *= 0.4
    return factor
