"""Why a message was found, in one line that a person can read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.engine.query import Question
from recollect.engine.terms import terms
from recollect.types import Message

MOST_WORDS = 4
STRONG = 0.15
"""How much better the neighbourhood of a message must match than the message itself to be named as a reason."""

CLOSE = 0.55
"""From here on two texts are called close in meaning."""

_WORD = re.compile(r"\w+")


def reason(typed: Sequence[str], message: Message, shares: Sequence[float], signals: Mapping[str, float]) -> str:
    """The signals that speak for a message; `shares` says how much each word of the question adds, as it was `typed`.

    >>> from datetime import UTC, datetime
    >>> from recollect.engine.query import understand
    >>> from recollect.types import Message, Role
    >>> said = Message("m1", "s1", 1, 0, Role.USER, "My sister moved.", 4, 1_778_000_000_000_000, 0.0, False, {})
    >>> asked = understand("Where does my sister live?", datetime(2026, 5, 13, tzinfo=UTC))
    >>> reason(as_typed(asked), said, (0.4, 0.0), {"meaning": 0.7, "time": 0.0})
    "matches 'sister'; close in meaning; May 2026"
    """
    found = [word for _, word in sorted(zip(shares, typed, strict=True), reverse=True) if _ > 0]
    # Several terms may come from one typed word.
    named = list(dict.fromkeys(found))[:MOST_WORDS]
    reasons = [f"matches {', '.join(map(repr, named))}"] if named else []
    reasons += [text for text, holds in _others(message, signals) if holds]
    return "; ".join([*reasons, f"{message.created_at:%B %Y}"])


def _others(message: Message, signals: Mapping[str, float]) -> list[tuple[str, bool]]:
    def at(name: str) -> float:
        return signals.get(name, 0.0)

    nearby = max(at("nearby_words") - at("words"), at("nearby_meaning") - at("meaning"))
    return [
        ("has the phrase", at("phrase") > 0),
        ("close in meaning", at("meaning") >= CLOSE),
        ("answers a matching question", at("answers") > STRONG),
        ("next to a strong match", at("answers") <= STRONG and nearby > STRONG),
        ("from the time asked for", at("time") > 0.9),
        (f"said by {message.name}", at("speaker") > 0),
        ("said by the user", at("user") > 0),
        ("said by the assistant", at("assistant") > 0),
        ("important", at("importance") >= 0.6),
    ]


def as_typed(question: Question) -> list[str]:
    """The question's words as they were typed."""
    typed: dict[str, str] = {}
    for word in _WORD.findall(question.text):
        for term in terms(word, question.language):
            typed.setdefault(term, word)
    return [typed.get(word[0], word[0]) for word in question.words]
