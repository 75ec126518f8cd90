"""Match messages against quoted phrases. A message is tokenized once, however many phrases there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from keepsaid.engine.text.passages import prefix_speaker
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message

TermSequence = tuple[str, ...]
"""Consecutive index terms."""

_SEPARATOR = "\n"
"""Separator between terms. No term contains it."""


class PhraseMatch(NamedTuple):
    """The phrases of a question that a message has."""

    share: float
    """The share of the phrases that its text has; 0 if there are no phrases."""
    has_all: bool
    """Whether its name and text have every phrase."""
    is_excluded: bool
    """Whether its name and text have an excluded phrase."""


class PhraseMatcher:
    """Compares messages with the phrases that a question asks for and those that it excludes.

    Results are cached, so that a search reads each message once.

    >>> from keepsaid.types import Role
    >>> said = Message("m1", "s1", 1, 0, Role.USER, "My big sister moved.", 5, 0, 0.0, False, {})
    >>> PhraseMatcher([("big", "sister"), ("brother",)], [("move",)]).match(said)
    PhraseMatch(share=0.5, has_all=False, is_excluded=True)
    """

    def __init__(self, phrases: Sequence[TermSequence], excluded: Sequence[TermSequence]) -> None:
        self._phrases = [join_terms(phrase) for phrase in phrases]
        self._excluded = [join_terms(phrase) for phrase in excluded]
        self._found: dict[tuple[str, str], PhraseMatch] = {}

    def match(self, message: Message) -> PhraseMatch:
        """Return which of the phrases the message has."""
        key = message.session, message.id
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._read(message)
        return found

    def _read(self, message: Message) -> PhraseMatch:
        if not self._phrases and not self._excluded:
            return PhraseMatch(0.0, has_all=True, is_excluded=False)
        text = join_terms(terms(message.text))
        said = join_terms(terms(prefix_speaker(message.name, message.text))) if message.name else text
        share = sum(phrase in text for phrase in self._phrases) / max(1, len(self._phrases))
        has_all = all(phrase in said for phrase in self._phrases)
        return PhraseMatch(share, has_all, any(phrase in said for phrase in self._excluded))


def join_terms(run: Sequence[str]) -> str:
    """Return terms as one string, which is a substring of another if the terms are consecutive there.

    >>> join_terms(["big", "sister"]) in join_terms(["my", "big", "sister"])
    True
    >>> join_terms(["my", "sister"]) in join_terms(["my", "big", "sister"])
    False
    """
    return f"{_SEPARATOR}{_SEPARATOR.join(run)}{_SEPARATOR}" if run else ""
