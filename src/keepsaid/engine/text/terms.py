"""Convert text to index terms: one rule for writing the keyword index, querying it and scoring its results.

Words are converted to lower case, stemmed by the rules of the text's language (engine/languages) and stripped of accents.
Runs of scripts without spaces between words give single characters and overlapping pairs, so that Chinese and Japanese are
found by any part of a word. On LoCoMo, BM25 over these terms finds 63.5 % of the evidence in ten messages, and 58.9 %
without stemming (docs/decisions/0002-keyword-index.md).

A question is often too short to detect its language. So its words are searched for under every stem that they may have
(`term_alternatives`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import add

from keepsaid.engine.languages import detect_language
from keepsaid.engine.languages.detect import FOREIGN_WORDS, detect_word_language
from keepsaid.engine.languages.folding import fold_accents, lower_with_accents, replace_characters
from keepsaid.engine.languages.registry import LATIN_LANGUAGES
from keepsaid.engine.languages.stemming import ENGLISH_STEMS, MAX_WORD_LENGTH, find_stems

VERSION = "3"
"""Stored in every store. An index made by another version is rebuilt when the store is opened."""

MAX_WORD_CHARACTERS = MAX_WORD_LENGTH
FIRST_WORDS = 16
"""Words of an ASCII text that show whether it can be in another language than English."""
MAX_UNKNOWN_LANGUAGE_WORDS = 16
"""Words of a question in an unknown language that are searched for in every language."""
MAX_TERMS_SOUGHT = 64
"""Maximum terms that are searched for one by one before a text is tokenized. With more, tokenizing is faster."""
FIRST_CHARACTERS = 160
"""Characters that mostly contain more than `FIRST_WORDS` words."""

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af\u1100-\u11ff"  # Hangul, whose particles are attached to the word
)
_RUNS = re.compile(f"([{UNSPACED}]+)")
_MARKS = "\u0900-\u0963\u0966-\u0dff"
"""Indic scripts, whose vowel signs are parts of words but not letters to Python."""
_WORDS = re.compile(rf"[\w{_MARKS}]+")
_WORDS_WITH_ACCENTS = re.compile(rf"[\w{_MARKS}\u0300-\u036f\u064b-\u065f\u0670]+")
_PUNCTUATION = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) == "_"))
_SPACES = bytes.maketrans(_PUNCTUATION, b" " * len(_PUNCTUATION))
_LOWER_SPACES = bytes.maketrans(_PUNCTUATION + bytes(range(65, 91)), b" " * len(_PUNCTUATION) + bytes(range(97, 123)))
"""Converts to lower case in the same pass."""
_PUNCTUATION_MARKS = frozenset(_PUNCTUATION.decode("ascii"))


def terms(text: str, language: str | None = None) -> list[str]:
    """Return the index terms of a text, in order, with repetitions.

    Without a language, words are stemmed as English, so that the terms of two texts can be compared.

    >>> terms("My sisters moved to Lisbon; São Paulo was too far.")
    ['my', 'sister', 'move', 'to', 'lisbon', 'sao', 'paulo', 'was', 'too', 'far']
    >>> terms("東京タワー")[:4]
    ['東', '東京', '京', '京タ']
    >>> terms("die alten Häuser", "de")
    ['die', 'alt', 'haus']
    """
    stems = find_stems(language)
    if text.isascii():
        return list(map(stems.__getitem__, text.encode().translate(_LOWER_SPACES).decode("ascii").split()))
    if stems is ENGLISH_STEMS:
        return _split(fold_accents(text))
    found: list[str] = []
    for number, piece in enumerate(_RUNS.split(lower_with_accents(text))):
        found.extend(_pairs(piece) if number % 2 else map(stems.__getitem__, _WORDS_WITH_ACCENTS.findall(piece)))
    return list(filter(None, found))  # an accent that stands alone leaves nothing


def index_terms(text: str) -> list[str]:
    """Return the terms of a text as the keyword index stores them, in the language of the text.

    >>> index_terms("Ich habe meine Schwestern in Bremen besucht.")[-4:]
    ['schwest', 'in', 'brem', 'besucht']
    """
    if not text.isascii():
        return terms(text, detect_language(text))
    words = text.encode().translate(_LOWER_SPACES).decode("ascii").split()
    if FOREIGN_WORDS.isdisjoint(words[:FIRST_WORDS]):
        return list(map(ENGLISH_STEMS.__getitem__, words))
    return list(map(find_stems(detect_word_language(words)).__getitem__, words))


def term_alternatives(text: str, language: str | None) -> list[tuple[str, ...]]:
    """Return for each word of a question, once and in order, the terms under which the index may have it.

    These are its stems in the question's language and in English, with and without accents. If the language is unknown,
    they are its stems in every language in Latin letters, unless there are many words: a long text in an unknown language
    is a log, a table or a program.

    >>> term_alternatives("Häuser", "de"), term_alternatives("houses", "en")
    ([('haus', 'hauser')], [('hous',)])
    """
    words: dict[str, bool] = {}
    for number, piece in enumerate(_RUNS.split(lower_with_accents(text))):
        words |= dict.fromkeys(_pairs(piece) if number % 2 else _WORDS_WITH_ACCENTS.findall(piece), bool(number % 2))
    languages = (
        ((language, "en") if language else LATIN_LANGUAGES)
        if len(words) <= MAX_UNKNOWN_LANGUAGE_WORDS or language
        else ("en",)
    )
    alternatives = ((word,) if unspaced else _stems_of_word(word, languages) for word, unspaced in words.items())
    return [stems for stems in alternatives if stems]


def _stems_of_word(word: str, languages: Sequence[str]) -> tuple[str, ...]:
    plain = word if word.isascii() else fold_accents(word)
    found: dict[str, None] = {}
    for language in languages:
        stems = find_stems(language)
        found |= dict.fromkeys((stems[plain],) if stems is ENGLISH_STEMS else (stems[word], stems[plain]))
    return tuple(filter(None, found))


def may_contain_terms(text: str, wanted: Sequence[str]) -> bool:
    """Whether a text may have any of these terms: a fast check that is False only if it has none of them.

    >>> may_contain_terms("We went hiking.", ["hike"]), may_contain_terms("We went hiking.", ["sister"])
    (True, False)
    """
    if not text.isascii() or len(wanted) > MAX_TERMS_SOUGHT:
        return True
    lowered = text.lower()
    for beginning in _beginnings(tuple(wanted)):
        if beginning in lowered:
            return True
    # The stemmers of other languages also change the middle of words.
    words = ascii_words(lowered[:FIRST_CHARACTERS])
    if len(words) <= FIRST_WORDS and len(lowered) > FIRST_CHARACTERS:  # the last one may be cut
        words = ascii_words(lowered)
    return not FOREIGN_WORDS.isdisjoint(words[:FIRST_WORDS])


@lru_cache(256)
def _beginnings(wanted: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_beginning, wanted))


def _beginning(term: str) -> str:
    """Return the beginning that all words of a term share: stemming changes their ends, and at most the last letter left."""
    if term in ("die", "lie", "tie"):  # dying, lying, tying
        return term[0]
    return term[:-1] if len(term) > 2 else term


def ascii_words(text: str) -> list[str]:
    """Return the words of a text, split at ASCII punctuation, in a third of the time of a regular expression.

    >>> ascii_words("don't forget")
    ['don', 't', 'forget']
    """
    if text.isascii():
        return text.encode().translate(_SPACES).decode("ascii").split()
    return replace_characters(text, _PUNCTUATION_MARKS.intersection(text), " ").split()


def _split(plain: str) -> list[str]:
    found: list[str] = []
    for number, piece in enumerate(_RUNS.split(plain)):
        found.extend(_pairs(piece) if number % 2 else map(ENGLISH_STEMS.__getitem__, _WORDS.findall(piece)))
    return list(filter(None, found))


def _pairs(run: str) -> list[str]:
    found = [""] * (2 * len(run) - 1)
    found[::2] = run
    found[1::2] = map(add, run, run[1:])
    return found
