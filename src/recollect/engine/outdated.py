"""Outdated statements: what a person said and later changed, as far as two messages tell.

"Choir is on Tuesdays" is outdated once "Choir has been moved, it is on Thursdays now" was said. The later message says that
something changed, and is about the same: it shares a content word, and the two are close in meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.engine.asks import asks
from recollect.engine.languages import detect_language
from recollect.engine.languages.change_words import says_changed
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.types import Message, Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

CLOSE = 0.3
"""The cosine of two messages about the same, by the multilingual model."""

SHARED, SHARED_WITHOUT_VECTORS = 1, 2
"""Content words that messages about the same share, at the least."""

MOST = 32
"""Messages that are compared: the best ones."""

LONGEST = 600
"""Characters of a message that states something: longer ones are texts, not statements."""


def find_newer(messages: Sequence[Message], vectors: Matrix | None = None) -> list[int | None]:
    """For each message, the place of a later one that seems to change what it says; None for most.

    `vectors` has a row of length one for each message, where there are vectors.

    >>> said = [Message(str(n), f"s{n}", 1, 0, Role.USER, text, 9, n, 0.5, False, {}) for n, text in enumerate([
    ...     "Choir practice is on Tuesdays.", "Choir has been moved: practice is on Thursdays now."])]
    >>> find_newer(said)
    [1, None]
    """
    best = range(min(len(messages), MOST))
    statements = [at for at in best if _states(messages[at])]
    changes = [at for at in statements if says_changed(messages[at].text)]
    newer: list[int | None] = [None] * len(messages)
    if not changes:
        return newer
    alike = None if vectors is None else vectors[: len(best)] @ vectors[: len(best)].T
    words = {at: _content_words(messages[at]) for at in statements}
    least = SHARED_WITHOUT_VECTORS if alike is None else SHARED
    for at in statements:
        later = [one for one in changes if _is_later(messages[one], messages[at])]
        about_same = [
            one for one in later if len(words[at] & words[one]) >= least and (alike is None or alike[at, one] >= CLOSE)
        ]
        if about_same:
            newer[at] = max(about_same, key=lambda one: messages[one].created)
    return newer


def _states(message: Message) -> bool:
    return message.role is Role.USER and len(message.text) <= LONGEST and not asks(message.text)


def _is_later(message: Message, other: Message) -> bool:
    """Whether a message was said after another one, in another conversation."""
    return message.created > other.created and message.session != other.session


def _content_words(message: Message) -> frozenset[str]:
    language = detect_language(message.text)
    return frozenset(telling(terms(message.text, language), language))
