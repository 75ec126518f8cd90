"""Recalled messages that a prompt's profile says already: telling them again costs tokens and adds nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.engine.compile.profile import ProfileEntry
from recollect.engine.languages import detect_language
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms

def says_more(number: int, text: str, profile: Iterable[ProfileEntry]) -> bool:
    """Return whether a message has a content word that the lines of a profile which rest on it do not have.

    >>> from recollect.types import Artifact, Source
    >>> home = Artifact("a1", "fact", "User lives in Porto", 4, 0, sources=(Source(7),))
    >>> entry = ProfileEntry(home, "identity", "- User lives in Porto", 6, 1)
    >>> says_more(7, "I live in Porto!", [entry]), says_more(7, "I live in Porto, near the river.", [entry])
    (False, True)
    """
    resting = [entry.fact.text for entry in profile if any(source.number == number for source in entry.fact.sources)]
    if not resting:
        return True
    own = _content_words([text], detect_language(text))
    known = _content_words(resting, detect_language(text))
    return not own <= known


def _content_words(texts: Sequence[str], language: str | None) -> frozenset[str]:
    return frozenset(word for text in texts for word in telling(terms(text, language), language))
