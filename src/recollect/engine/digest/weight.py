"""What a clause is worth keeping for: exact values, decisions, tasks, corrections, facts about the user; not small talk.

A weight says how much would be lost without it. It does not fade with time: what was worth keeping once is worth it after
twenty more summaries.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from recollect.engine.digest.clauses import Clause
from recollect.engine.digest.signs import SERIOUS, signs
from recollect.engine.pattern import Pattern
from recollect.engine.values import Value
from recollect.types import Message, Role

LEAST = 1.0
"""A clause that weighs less is small talk."""


class Worth(NamedTuple):
    """How much a clause matters and as what: decision, correction, remember, task, fact, value, note or request."""

    kind: str
    weight: float


def worth(clause: Clause, message: Message, familiar: Collection[str] = ()) -> Worth:
    """What one clause of a message is worth. Names that are `familiar` (in lower case) are no news.

    >>> from recollect.engine.digest.clauses import clauses
    >>> from recollect.types import Role
    >>> def of(text):
    ...     message = Message("m1", "s1", 1, 0, Role.USER, text, 9, 0, 0.0, False, {})
    ...     return worth(clauses(text)[0], message)
    >>> of("We decided to go with Postgres 16 for the ledger.").kind
    'decision'
    >>> of("I had 2 coffees, haha.").weight < LEAST < of("The gate code is 4417.").weight
    True
    """
    found = signs(clause)
    strengths = sorted((_strength(value, familiar) for value in clause.values), reverse=True)
    exact = sum(strength * share for strength, share in zip(strengths, _LATER, strict=False))
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
        weight *= _of_assistant(clause, message, exact)
    weight += 0.4 * message.importance + (3.0 if message.pinned else 0.0)
    kind = next((kind for kind in _KINDS if kind in found), "value" if exact >= 1.5 else "note")
    return Worth(kind, round(weight, 3))


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
_LATER = (1.0, 0.35, 0.2, 0.1)
"""What the second, third and further values of a clause add: one is enough to keep it."""


def _strength(value: Value, familiar: Collection[str]) -> float:
    """How exact a value is: anybody can guess "2", nobody "5433"."""
    digits = sum(letter.isdigit() for letter in value.text)
    if value.kind == "name":
        return _of_name(value, digits, familiar)
    if value.kind == "time":
        return 1.2 if digits > 2 else 0.7
    if value.kind not in ("number", "money"):
        return _STRENGTH[value.kind]
    digits += any(mark in value.text for mark in ".,/")
    if digits < 2 or value.text in ("100%", "100 %"):
        return 0.5
    unit = 1.2 if _TECHNICAL.search(value.text) else 0.4 if _UNIT.search(value.text) else 0.0
    return min(3.0, (0.9, 2.4, 2.6)[min(digits, 4) - 2] + unit)


def _of_name(value: Value, digits: int, familiar: Collection[str]) -> float:
    if value.text.lower() in familiar:
        return 0.3
    if " " in value.text or digits:
        return 2.0
    return 1.4 if value.start else 0.9  # any word has a capital at the beginning of a sentence


# -- what is said

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
"""What share of its weight a clause loses; a firm one, with an exact value or a decision in it, loses a third of that."""
_KINDS = ("decision", "correction", "remember", "request", "task", "fact")
_FIRM = SERIOUS | {"identity"}

# -- assistants

_ADVICE = Pattern(
    r"^\W*(?:\w+ly,? )?(?:you (?:can|could|might|may|should|['’]ll)|consider|try|ensure|make sure|check|look|look for"
    r"|use|avoid"
    r"|remember to|start|choose|keep|be|don['’]t|here (?:are|is)|here['’]s|there are|some|these|if you)\b"
)
LONG_ANSWER = 120
"""Words from which an assistant's message is an essay: of its sentences few are about this user."""


def _of_assistant(clause: Clause, message: Message, exact: float) -> float:
    """How much less the words of an assistant count. It explains and advises; what matters it says in short."""
    essay = message.text.count(" ") > LONG_ANSWER
    factor = 0.2 if essay else 0.85
    if exact < 1 and _ADVICE.match(clause.text):
        factor *= 0.4
    return factor
