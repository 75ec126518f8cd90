"""How much a message matters, guessed from its words: decisions, facts, numbers, names, an explicit "remember".

A score from 0 to 1. It only orders what to keep when space is short; a person's own mark always wins.
"""

from __future__ import annotations

import re

from recollect.engine.terms import ascii_words

LOOKED_AT = 4000
"""Characters read of a long message: what matters is said near the top, and a pasted log should not cost milliseconds."""

_SIGNS: tuple[tuple[float, frozenset[str], re.Pattern[str]], ...] = tuple(
    (weight, frozenset(cues.split()), re.compile(pattern))
    for weight, cues, pattern in (
        (0.6, "remember forget mind note record important",
         r"\b(?:remember (?:that|this|my)|don'?t forget|keep in mind|note that|for the record|important)\b"),
        (0.4, "decided agreed go use answer approved deadline must",
         r"\b(?:decided|agreed|let'?s go with|we(?:'ll| will) (?:use|go)|final answer|approved|deadline|must)\b"),
        (0.3, "my our m am",
         r"\b(?:my|our) \w+(?: \w+)? (?:is|are|was|lives?|moved|works?|called)\b|\bi(?:'m| am) (?:an?|from)\b"),
        (0.2, "prefer like love hate need want use used work live moved bought changed switched",
         r"\bi (?:prefer|like|love|hate|need|want|used?|work|live|moved|bought|changed|switched)\b"),
    )
)  # fmt: skip
"""What a sign is worth, the words without which it cannot be there, and the sign itself."""

_CUES = frozenset[str]().union(*(cues for _, cues, _ in _SIGNS))
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"[a-z,;:] [A-Z][a-z]{2}")


def importance(text: str, role: str) -> float:
    """The score of one message.

    >>> importance("Remember that my sister moved to Lisbon on 3 May.", "user")
    1.0
    >>> importance("ok", "user")
    0.0
    """
    if role in ("system", "tool"):
        return 0.0
    text = text[:LOOKED_AT]
    lower = text.lower()
    score = 0.0
    # Looking for single words first spares most messages the slow patterns.
    if cues := _CUES.intersection(ascii_words(lower)):
        for weight, needed, sign in _SIGNS:
            if not needed.isdisjoint(cues) and sign.search(lower):
                score += weight
    if _NUMBER.search(text):
        score += 0.15
    if _NAME.search(text):
        score += 0.1
    return min(1.0, round(score, 2))
