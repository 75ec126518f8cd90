"""Explain in one readable line why a message was found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from keepsaid.engine.query.query import ParsedQuery
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message

MOST_WORDS = 4
STRONG = 0.15
"""How much better the neighbours of a message must match than the message itself to be named as a reason."""

CLOSE = 0.55
"""Value from which two texts are called close in meaning."""

_WORD = re.compile(r"\w+")


def explain_match(typed: Sequence[str], message: Message, shares: Sequence[float], signals: Mapping[str, float]) -> str:
    """Return the signals in favour of a message. `shares` is how much each word of the question, as `typed`, adds.

    >>> from datetime import UTC, datetime
    >>> from keepsaid.engine.query.query import parse_query
    >>> from keepsaid.types import Message, Role
    >>> said = Message("m1", "s1", 1, 0, Role.USER, "My sister moved.", 4, 1_778_000_000_000_000, 0.0, False, {})
    >>> asked = parse_query("Where does my sister live?", datetime(2026, 5, 13, tzinfo=UTC))
    >>> explain_match(list_typed_words(asked), said, (0.4, 0.0), {"meaning": 0.7, "time": 0.0})
    "matches 'sister'; close in meaning; May 2026"
    """
    found = [word for _, word in sorted(zip(shares, typed, strict=True), reverse=True) if _ > 0]
    # Several terms may come from one typed word.
    named = list(dict.fromkeys(found))[:MOST_WORDS]
    reasons = [f"matches {', '.join(map(repr, named))}"] if named else []
    reasons += [text for text, holds in _list_reasons(message, signals) if holds]
    return "; ".join([*reasons, f"{message.created_at:%B %Y}"])


def _list_reasons(message: Message, signals: Mapping[str, float]) -> list[tuple[str, bool]]:
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


def list_typed_words(question: ParsedQuery) -> list[str]:
    """Return the question's words as they were typed."""
    typed: dict[str, str] = {}
    for word in _WORD.findall(question.text):
        for term in terms(word, question.language):
            typed.setdefault(term, word)
    return [typed.get(word[0], word[0]) for word in question.words]
