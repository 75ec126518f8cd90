"""Texts that say no more than facts which were made of them: telling both costs tokens and adds nothing."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine.languages import detect_language
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms


def says_more(text: str, made_of_it: Sequence[str], others: Sequence[str] = ()) -> bool:
    """Return whether a text has a content word that neither the facts made of it have, taken together, nor any single one
    of other facts.

    >>> home = "User lives in Porto"
    >>> says_more("I live in Porto!", [home]), says_more("I live in Porto, by the river.", [home])
    (False, True)
    >>> says_more("I live in Porto!", [], ["User likes tea", home])
    False
    """
    if not made_of_it and not others:
        return True
    language = detect_language(text)
    own = _content_words([text], language)
    return not any(own <= _content_words(facts, language) for facts in (made_of_it, *([fact] for fact in others)))


def _content_words(texts: Sequence[str], language: str | None) -> frozenset[str]:
    return frozenset(word for text in texts for word in telling(terms(text, language), language))
