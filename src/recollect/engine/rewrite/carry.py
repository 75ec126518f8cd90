"""What a question that only goes on takes over from the one before it: "and in winter?" is still about the weather."""

from __future__ import annotations

from recollect.engine.phrases import Phrase, phrases
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms

MOST_WORDS = 8
"""Telling words that are taken over; of a longer question only what it names."""
MOST_NAMED = 4


def carried(before: str, question: str) -> list[str]:
    """The telling words of the question before, without those in whose place the new ones are; neighbours stay together.

    >>> carried("What is the weather in Lisbon in summer?", "and in winter?")
    ['weather', 'Lisbon']
    >>> carried("How much is a season ticket for the zoo?", "For children?")
    ['season ticket', 'zoo']
    """
    gone = _replaced(before, question)
    words = before.split()
    # A pasted text says the same words over and over: each is looked at once.
    telling_stems = {word: telling(terms(word)) for word in set(words)}
    runs: list[list[str]] = [[]]
    for word in words:
        stems = telling_stems[word]
        if stems and not gone.intersection(stems):
            runs[-1].append(word.strip(_MARKS))
        if not stems or word[-1] in _MARKS:
            runs.append([])
    if sum(map(len, runs)) > MOST_WORDS:
        return [phrase.text for phrase in phrases(before) if not gone.intersection(terms(phrase.text))][:MOST_NAMED]
    return list(dict.fromkeys(" ".join(run) for run in runs if run))


_MARKS = '.,;:!?()"“”'


def _replaced(before: str, question: str) -> set[str]:
    old = phrases(before)
    gone: set[str] = set()
    for new in phrases(question):
        gone.update(terms(_counterpart(old, new)))
    return gone.difference(terms(question))


def _counterpart(old: list[Phrase], new: Phrase) -> str:
    """Whose place a phrase takes: the last of the same kind, else the one behind the same preposition."""
    for phrase in reversed(old):
        if (phrase.is_time and new.is_time) or (phrase.is_name and new.is_name):
            return phrase.text
    for phrase in reversed(old):
        if new.lead and phrase.lead.split()[-1:] == new.lead.split()[-1:] and phrase.is_time == new.is_time:
            return phrase.text
    return ""
