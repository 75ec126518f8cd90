"""Find echoes: hits that only repeat what a person said before, or what is being asked.

An assistant's answer that was based on memories, and a question that was asked before, match a turn as well as what they
repeat, and add nothing. Neither may rank above its source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from keepsaid.engine.query.question_detection import is_question_text
from keepsaid.engine.ranking.signals import CLOSE_TEXT, is_from_person
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.types import SearchHit

REPEATED = 0.7
"""Share of a text's content words that come from elsewhere from which on it is an echo."""

MOST_CHARACTERS = 600
"""Characters of a hit that are compared: echoes are short."""

BELOW_SOURCE = 0.5
"""Score of an echo as a share of its source's score."""


def put_sources_first(hits: Sequence[SearchHit], question_words: Sequence[str]) -> list[SearchHit]:
    """Return the hits with every echo scored below the weakest of what it repeats, best first.

    A hit from an assistant is an echo if its content words come from earlier messages of people among the hits. A person's
    question is an echo if its content words are those of the turn itself.
    """
    limits = _limit_echoes(hits, question_words)
    if not limits:
        return list(hits)
    lowered = [replace(hit, score=min(hit.score, limits.get(hit.number, hit.score))) for hit in hits]
    return sorted(lowered, key=lambda hit: -hit.score)


def drop_echoes(hits: Sequence[SearchHit], question_words: Sequence[str]) -> list[SearchHit]:
    """Return the hits without echoes: what they repeat is among the others."""
    limits = _limit_echoes(hits, question_words)
    return [hit for hit in hits if hit.number not in limits]


def _limit_echoes(hits: Sequence[SearchHit], question_words: Sequence[str]) -> dict[int, float]:
    """Return the maximum score of every echo among the hits, by message number."""
    words = {hit.number: _content_words(hit) for hit in hits}
    sources = [hit for hit in hits if is_from_person(hit.message) and not is_question_text(hit.message.text)]
    question = frozenset(question_words)
    repeated = {hit.number: _find_source_score(hit, words, sources, question) for hit in hits}
    return {number: BELOW_SOURCE * score for number, score in repeated.items() if score is not None}


def _may_answer(source: SearchHit, words: Mapping[int, frozenset[str]], question: frozenset[str]) -> bool:
    """Whether a statement is related to a question: it shares a word with it, or is close in meaning."""
    return bool(words[source.number] & question) or source.signals.get("closeness", 0.0) >= CLOSE_TEXT


def _content_words(hit: SearchHit) -> frozenset[str]:
    text = hit.message.text
    return frozenset(content_words(terms(text if len(text) <= MOST_CHARACTERS else hit.passage[:MOST_CHARACTERS])))


def _find_source_score(
    hit: SearchHit, words: Mapping[int, frozenset[str]], sources: Sequence[SearchHit], question: frozenset[str]
) -> float | None:
    """Return the score of what a hit repeats, or None if it is no echo."""
    own = words[hit.number]
    if not own:
        return None
    if is_from_person(hit.message):
        if not is_question_text(hit.message.text) or len(own & question) < REPEATED * len(own):
            return None
        return max((source.score for source in sources if _may_answer(source, words, question)), default=None)
    earlier = [source for source in sources if source.number < hit.number and words[source.number] & own]
    known_words = frozenset[str]().union(*(words[source.number] for source in earlier)) | question
    if not earlier or len(own & known_words) < REPEATED * len(own):
        return None
    return min(source.score for source in earlier)
