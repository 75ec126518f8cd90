"""SentencePiece's unigram tokenizer: the most probable segmentation of a text into the pieces of a vocabulary.

SentencePiece writes a space as "▁" and puts one before the text. No piece of this vocabulary has a space inside, so a text
can be split at spaces first and each word tokenized by itself. The pieces of a word are cached, so most words are looked up.

The model's own normalization table is equivalent to NFKC, except for the 13 characters in `SPACES` (and for 73 that are
newer than the table and in no piece).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

SPACE = "▁"
UNKNOWN, START, END = 0, 1, 2
"""The ids of the special pieces in every model that SentencePiece trains with its defaults."""

SPACES = dict.fromkeys(map(ord, "\t\n\f\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"), " ")
UNKNOWN_PENALTY = 10.0
"""How much less probable an unknown character is than the least probable piece, by SentencePiece's definition."""

MAX_CACHED_WORD_LENGTH = 40
"""A longer "word" is a sentence without spaces, or noise, and unlikely to be repeated."""


def split_words(text: str) -> list[str]:
    """Return the normalized words of a text.

    >>> split_words(" Ｆｕｌｌ  width\\nﬁne ")
    ['Full', 'width', 'fine']
    """
    return [word for word in unicodedata.normalize("NFKC", text.translate(SPACES)).split(" ") if word]


class UnigramTokenizer:
    """Cuts texts into pieces. `scores` has the logarithm of the probability of each id.

    >>> pieces = {"▁": 3, "▁un": 4, "known": 5, "k": 6, "now": 7, "n": 8}
    >>> UnigramTokenizer(pieces, [0, 0, 0, -5, -3, -4, -6, -5, -6]).encode("unknown nowé")
    [1, 4, 5, 3, 7, 0, 2]
    """

    def __init__(self, ids: Mapping[str, int], scores: Sequence[float], reach: Mapping[str, int] | None = None) -> None:
        """`reach` is the result of `longest_pieces`, which is slow for a large vocabulary, if it is known already."""
        self._ids = ids
        self._scores = scores
        self._reach = longest_pieces(ids) if reach is None else reach
        self._unknown_score = min(scores) - UNKNOWN_PENALTY
        self._cached_pieces = lru_cache(50_000)(self._split)

    def encode(self, text: str, limit: int | None = None) -> list[int]:
        """Return the ids of a text between its start and end marks: at most `limit`, marks included."""
        ids = [START]
        for word in split_words(text):
            pieces = self._cached_pieces(word) if len(word) <= MAX_CACHED_WORD_LENGTH else self._split(word)
            ids += pieces
            if limit is not None and len(ids) >= limit:
                del ids[limit - 1 :]
                break
        ids.append(END)
        return ids

    def _split(self, word: str) -> tuple[int, ...]:
        """Find the pieces of one word with the highest sum of scores (Viterbi)."""
        marked = SPACE + word
        length = len(marked)
        best = [0.0] + [float("-inf")] * length
        begin, piece = [0] * (length + 1), [UNKNOWN] * (length + 1)
        find, reach, scores = self._ids.get, self._reach.get, self._scores
        for start, character in enumerate(marked):
            before = best[start]
            id = find(character)
            score = before + (self._unknown_score if id is None else scores[id])
            if score > best[start + 1]:
                best[start + 1], begin[start + 1], piece[start + 1] = score, start, UNKNOWN if id is None else id
            for end in range(start + 2, min(start + reach(marked[start : start + 2], 0), length) + 1):
                id = find(marked[start:end])
                if id is not None and before + scores[id] > best[end]:
                    best[end], begin[end], piece[end] = before + scores[id], start, id
        return _trace(begin, piece)


def _trace(begin: Sequence[int], piece: Sequence[int]) -> tuple[int, ...]:
    """Collect the best pieces from the last to the first. SentencePiece merges neighboring unknown pieces."""
    ids: list[int] = []
    end = len(begin) - 1
    while end > 0:
        if not (piece[end] == UNKNOWN and ids and ids[-1] == UNKNOWN):
            ids.append(piece[end])
        end = begin[end]
    return tuple(reversed(ids))


def longest_pieces(pieces: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest piece for each two-character prefix.

    >>> longest_pieces(["a", "ab", "abc", "bc"])
    {'ab': 3, 'bc': 2}
    """
    reach: dict[str, int] = {}
    for piece in pieces:
        if len(piece) > max(1, reach.get(piece[:2], 0)):
            reach[piece[:2]] = len(piece)
    return reach
