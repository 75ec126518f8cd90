"""Echoes: hits that only repeat what a person said before, or what is being asked right now.

An assistant's answer that was made of memories, and a question that was asked before, match a turn as well as what they
repeat, and say nothing new. Neither may stand before its source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.engine.asks import asks
from recollect.engine.rank import CLOSE_TEXT, is_person
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.types import Hit

REPEATED = 0.7
"""The share of a text's content words that come from elsewhere, from which on it is an echo."""

MOST_CHARACTERS = 600
"""Characters of a hit that are compared: an echo is short."""

BELOW_SOURCE = 0.5
"""What an echo scores, as a share of its source's score."""


def put_sources_first(hits: Sequence[Hit], question_words: Sequence[str]) -> list[Hit]:
    """The hits with every echo scored below the weakest of what it repeats, best first.

    An assistant's hit is an echo where its content words come from earlier words of people among the hits; a person's
    question is one where its content words are those of the turn itself.
    """
    limits = _limits_of_echoes(hits, question_words)
    if not limits:
        return list(hits)
    lowered = [replace(hit, score=min(hit.score, limits.get(hit.number, hit.score))) for hit in hits]
    return sorted(lowered, key=lambda hit: -hit.score)


def drop_echoes(hits: Sequence[Hit], question_words: Sequence[str]) -> list[Hit]:
    """The hits without echoes: what they repeat is among the others."""
    limits = _limits_of_echoes(hits, question_words)
    return [hit for hit in hits if hit.number not in limits]


def _limits_of_echoes(hits: Sequence[Hit], question_words: Sequence[str]) -> dict[int, float]:
    """For every echo among the hits, by number, the most that it may score."""
    words = {hit.number: _content_words(hit) for hit in hits}
    sources = [hit for hit in hits if is_person(hit.message) and not asks(hit.message.text)]
    question = frozenset(question_words)
    repeated = {hit.number: _repeated_score(hit, words, sources, question) for hit in hits}
    return {number: BELOW_SOURCE * score for number, score in repeated.items() if score is not None}


def _may_answer(source: Hit, words: Mapping[int, frozenset[str]], question: frozenset[str]) -> bool:
    """Whether a statement has anything to do with a question: it shares a word with it, or is close in meaning."""
    return bool(words[source.number] & question) or source.signals.get("closeness", 0.0) >= CLOSE_TEXT


def _content_words(hit: Hit) -> frozenset[str]:
    text = hit.message.text
    return frozenset(telling(terms(text if len(text) <= MOST_CHARACTERS else hit.passage[:MOST_CHARACTERS])))


def _repeated_score(
    hit: Hit, words: Mapping[int, frozenset[str]], sources: Sequence[Hit], question: frozenset[str]
) -> float | None:
    """The score of what a hit repeats; None if it is no echo."""
    own = words[hit.number]
    if not own:
        return None
    if is_person(hit.message):
        if not asks(hit.message.text) or len(own & question) < REPEATED * len(own):
            return None
        return max((source.score for source in sources if _may_answer(source, words, question)), default=None)
    earlier = [source for source in sources if source.number < hit.number and words[source.number] & own]
    said = frozenset[str]().union(*(words[source.number] for source in earlier)) | question
    if not earlier or len(own & said) < REPEATED * len(own):
        return None
    return min(source.score for source in earlier)
