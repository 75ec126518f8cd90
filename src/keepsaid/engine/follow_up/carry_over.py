"""Words that a question takes over from the one before it: "and in winter?" is still about the weather."""

from __future__ import annotations

from keepsaid.engine.text.phrases import NounPhrase, find_phrases
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms

MAX_WORDS = 8
"""Maximum number of content words taken over; of a longer question, only its names and nouns."""
MAX_NAMED_ITEMS = 4


def carry_over_words(before: str, question: str) -> list[str]:
    """Return the content words of the question before, without those that the new question replaces. Adjacent words stay
    together.

    >>> carry_over_words("What is the weather in Lisbon in summer?", "and in winter?")
    ['weather', 'Lisbon']
    >>> carry_over_words("How much is a season ticket for the zoo?", "For children?")
    ['season ticket', 'zoo']
    """
    gone = _find_replaced_terms(before, question)
    words = before.split()
    # A pasted text repeats its words: each is analyzed once.
    telling_stems = {word: content_words(terms(word)) for word in set(words)}
    runs: list[list[str]] = [[]]
    for word in words:
        stems = telling_stems[word]
        if stems and not gone.intersection(stems):
            runs[-1].append(word.strip(_MARKS))
        if not stems or word[-1] in _MARKS:
            runs.append([])
    if sum(map(len, runs)) > MAX_WORDS:
        return [phrase.text for phrase in find_phrases(before) if not gone.intersection(terms(phrase.text))][
            :MAX_NAMED_ITEMS
        ]
    return list(dict.fromkeys(" ".join(run) for run in runs if run))


_MARKS = '.,;:!?()"“”'


def _find_replaced_terms(before: str, question: str) -> set[str]:
    old = find_phrases(before)
    gone: set[str] = set()
    for new in find_phrases(question):
        gone.update(terms(_find_counterpart(old, new)))
    return gone.difference(terms(question))


def _find_counterpart(old: list[NounPhrase], new: NounPhrase) -> str:
    """Return the phrase that a new one replaces: the last of the same kind, else the one after the same preposition."""
    for phrase in reversed(old):
        if (phrase.is_time and new.is_time) or (phrase.is_name and new.is_name):
            return phrase.text
    for phrase in reversed(old):
        if new.lead and phrase.lead.split()[-1:] == new.lead.split()[-1:] and phrase.is_time == new.is_time:
            return phrase.text
    return ""
