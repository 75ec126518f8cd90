"""Find texts that say no more than the facts derived from them: including both costs tokens and adds nothing."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.engine.languages import detect_language
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms


def has_new_content_words(text: str, facts: Sequence[str]) -> bool:
    """Whether a text has a content word that the facts derived from it do not have.

    Only for facts derived from this very text: "I don't live in Porto" has no other content words than "User lives in
    Porto".

    >>> home = "User lives in Porto"
    >>> has_new_content_words("I live in Porto!", [home]), has_new_content_words("I live in Porto, by the river.", [home])
    (False, True)
    """
    if not facts:
        return True
    language = detect_language(text)
    return not _content_words([text], language) <= _content_words(facts, language)


def _content_words(texts: Sequence[str], language: str | None) -> frozenset[str]:
    return frozenset(word for text in texts for word in content_words(terms(text, language), language))
