"""Texts that say no more than facts which were made of them: telling both costs tokens and adds nothing."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine.languages import detect_language
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms


def says_more(text: str, facts: Sequence[str]) -> bool:
    """Return whether a text has a content word that the facts which were made of it do not have.

    Only for facts made of this very text: "I don't live in Porto" has no other content words than "User lives in Porto".

    >>> home = "User lives in Porto"
    >>> says_more("I live in Porto!", [home]), says_more("I live in Porto, by the river.", [home])
    (False, True)
    """
    if not facts:
        return True
    language = detect_language(text)
    return not _content_words([text], language) <= _content_words(facts, language)


def _content_words(texts: Sequence[str], language: str | None) -> frozenset[str]:
    return frozenset(word for text in texts for word in telling(terms(text, language), language))
