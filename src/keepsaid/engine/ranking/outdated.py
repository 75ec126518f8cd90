"""Find outdated statements: what a person said and later changed, as far as two messages tell.

"Choir is on Tuesdays" is outdated by "Choir has been moved, it is on Thursdays now". The later message says that something
changed, and is about the same thing: it shares a content word, and the two are close in meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from keepsaid.engine.languages import detect_language
from keepsaid.engine.languages.change_words import says_changed
from keepsaid.engine.query.question_detection import is_question_text
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message, Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

CLOSE = 0.3
"""Cosine from which two messages are about the same thing, in the multilingual model."""

SHARED, SHARED_WITHOUT_VECTORS = 1, 2
"""Minimum number of content words shared by messages about the same thing, with and without vectors."""

MOST = 32
"""Messages that are compared: the best ones."""

LONGEST = 600
"""Maximum characters of a statement: longer messages are texts."""


def find_newer(messages: Sequence[Message], vectors: Matrix | None = None) -> list[int | None]:
    """Return for each message the index of a later one that seems to change what it says; None for most.

    `vectors` has a unit vector for each message, if there are vectors.

    >>> said = [Message(str(n), f"s{n}", 1, 0, Role.USER, text, 9, n, 0.5, False, {}) for n, text in enumerate([
    ...     "Choir practice is on Tuesdays.", "Choir has been moved: practice is on Thursdays now."])]
    >>> find_newer(said)
    [1, None]
    """
    best = messages[:MOST]
    statements = [at for at, message in enumerate(best) if _is_statement(message)]
    changes = [at for at in statements if says_changed(best[at].text)]
    newer: list[int | None] = [None] * len(messages)
    words: dict[int, frozenset[str]] = {}

    def shared(one: int, other: int) -> int:
        for at in (one, other):
            if at not in words:
                words[at] = _content_words(best[at])
        return len(words[one] & words[other])

    least = SHARED_WITHOUT_VECTORS if vectors is None else SHARED
    # Latest change first: the first one found for a statement counts.
    for change in sorted(changes, key=lambda at: -best[at].created):
        alike = [1.0] * len(best) if vectors is None else (vectors[: len(best)] @ vectors[change]).tolist()
        for at in statements:
            may_be = newer[at] is None and alike[at] >= CLOSE and _is_later(best[change], best[at])
            if may_be and shared(at, change) >= least:
                newer[at] = change
    return newer


def _is_statement(message: Message) -> bool:
    return message.role is Role.USER and len(message.text) <= LONGEST and not is_question_text(message.text)


def _is_later(message: Message, other: Message) -> bool:
    """Whether a message was said after another one, in another conversation."""
    return message.created > other.created and message.session != other.session


def _content_words(message: Message) -> frozenset[str]:
    language = detect_language(message.text)
    return frozenset(content_words(terms(message.text, language), language))
