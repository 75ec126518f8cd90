"""Late interaction: matches each token of a question with its best match among the tokens of a passage.

One vector for a whole passage blurs it. Here, a question for "my sister's town" can find "sister" and "Lisbon" in different
places of a message. The token vectors come from the same pass of the model as the passage's own vector.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from keepsaid.engine.text.dates import TimeRange
from keepsaid.engine.text.stopwords import stop_terms
from keepsaid.engine.text.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

STOP_WORD_WEIGHT = 1.0
"""Weight of a token of a stop word, where a rare word weighs 4 to 9: "before" and "my" say little, but not nothing."""

DATE_WORD_SHARE = 0.1
"""Share of its weight that a token inside a date keeps: the date is matched by time, not by words."""

UNIT_PRODUCT = 127 * 127
"""The product of two equal token vectors, which are unit vectors times 127."""

_WORD = re.compile(r"\w+")


def token_weights(
    text: str,
    spans: Sequence[tuple[int, int]],
    worth: Mapping[str, float],
    times: Sequence[TimeRange] = (),
    language: str | None = None,
) -> list[float]:
    """Return the weight of each token of a question; they sum to one. A token weighs as much as the rarest term of its word.

    >>> [round(weight, 2) for weight in token_weights("my sister", [(0, 2), (3, 9)], {"sister": 4.0})]
    [0.2, 0.8]
    """
    words = [(match.start(), match.end(), _word_weight(match[0], worth, language)) for match in _WORD.finditer(text)]
    weights: list[float] = []
    at = 0
    for start, end in spans:
        while at < len(words) and words[at][1] <= start:
            at += 1
        weight = words[at][2] if at < len(words) and words[at][0] < end else 0.0
        dated = any(start < time.span[1] and end > time.span[0] for time in times)
        weights.append(weight * DATE_WORD_SHARE if dated else weight)
    total = sum(weights)
    return [weight / total for weight in weights] if total else [1 / max(1, len(spans))] * len(spans)


def _word_weight(word: str, worth: Mapping[str, float], language: str | None) -> float:
    stops = stop_terms(language)
    known = [worth.get(term, STOP_WORD_WEIGHT) for term in terms(word, language) if term not in stops]
    return max(known, default=STOP_WORD_WEIGHT)


def best_matches(question: bytes, passages: Sequence[bytes], width: int) -> Matrix:
    """Return how well each token of the question (rows) is matched by the best token of each passage (columns).

    A passage without tokens matches nothing.

    >>> one, other = bytes([127, 0]), bytes([0, 127])
    >>> best_matches(one + other, [one, other + one, b""], 2).tolist()
    [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    import numpy as np
    import simsimd

    asked = np.frombuffer(question, np.int8).reshape(-1, width)
    found = np.zeros((len(asked), len(passages)), np.float32)
    full = [index for index, tokens in enumerate(passages) if tokens]
    if not full or not len(asked):
        return found
    rows = np.frombuffer(b"".join(passages[index] for index in full), np.int8).reshape(-1, width)
    starts = np.cumsum([0] + [len(passages[index]) // width for index in full[:-1]])
    # Not `asked @ rows.T`: on a busy machine numpy's own threads cost more than they gain.
    products = np.asarray(simsimd.cdist(asked, rows, "dot", out_dtype="float32"))
    found[:, full] = np.maximum.reduceat(products, starts, axis=1) / UNIT_PRODUCT
    return found
