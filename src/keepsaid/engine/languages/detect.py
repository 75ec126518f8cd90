"""Detect the language of a text by its script, its function words and its rare letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from keepsaid.engine.languages.folding import fold_accents
from keepsaid.engine.languages.registry import LATIN_LANGUAGES, language_tables
from keepsaid.engine.text.hash_cache import cache_by_hash

MAX_WORDS = 60
"""Words that are examined."""
MAX_CHARACTERS = 500
"""Characters that are examined: about as many as `MAX_WORDS` words have."""
LETTER_WEIGHT = 1.0
"""Weight of a letter of few languages. A word that only one language has counts 1."""
SINGLE_LETTER_WEIGHT = 0.5
"""Weight of a word of one letter, which may be a variable or a list marker."""
LOWEST_SCORE = 1.0
"""Minimum score of the best language. A lower score is a guess."""
MIN_SCORE_LEAD = 1.4
"""Minimum ratio between the scores of the best language and the next one."""
MIN_KNOWN_WORDS = 2
"""A text of at most this many words must have no unknown word: "São Paulo" is a name, not Portuguese."""
LOWEST_SHARE = 0.08
"""Minimum score per word: one Spanish word in a long text of unknown words proves nothing."""
MIN_HAN_CHARACTERS = 4
"""Minimum number of Han characters without kana that count as Chinese. Fewer may be a Japanese word."""

_WORDS = re.compile(r"[^\W\d_]+")
_OTHER_SCRIPT = re.compile("[\u0400-\u052f\u0600-\u06ff\u0900-\u097f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SCRIPT_RUNS = re.compile(
    "(?P<latin>[A-Za-z\u00c0-\u024f]+)|(?P<ru>[\u0400-\u052f]+)|(?P<ar>[\u0600-\u06ff]+)|(?P<hi>[\u0900-\u097f]+)"
    "|(?P<ko>[\u1100-\u11ff\uac00-\ud7af]+)|(?P<ja>[\u3040-\u30ff\uff66-\uff9f]+)|(?P<zh>[\u3400-\u4dbf\u4e00-\u9fff]+)"
)
_SIZE_OF_WORD = {"latin": 1, "ja": 2, "zh": 2, "ko": 3}
"""Characters per word. Latin text is counted in words. The default for other scripts is 5."""
_FEWEST_CHARACTERS = {"ja": 2, "zh": MIN_HAN_CHARACTERS, "ko": 2, "ru": 3, "ar": 3, "hi": 2}
_KANA_SHARE = 0.1
"""Minimum share of kana in Japanese: a Chinese text may name a Japanese thing."""
_NOT_ARABIC = frozenset("پچژگکیےںٹڈ")
"""Letters of Persian and Urdu, which are written in the same script."""


@cache_by_hash
def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language, or None if it is uncertain.

    Supported are en de fr es it pt nl sv pl tr ru zh ja ko ar hi. Only the beginning of a long text is examined. Other
    languages in Cyrillic letters are detected as ru, and others in Devanagari as hi.

    >>> detect_language("Wo wohnt meine Schwester?"), detect_language("where does my sister live")
    ('de', 'en')
    >>> detect_language("妹はどこに住んでいますか"), detect_language("Ana, Madrid")
    ('ja', None)
    """
    sample = text[:MAX_CHARACTERS]
    if not sample.isascii() and _OTHER_SCRIPT.search(sample):
        script = _main_script(sample)
        if script != "latin":
            return script
    lowered = sample.lower()
    return detect_word_language(_WORDS.findall(lowered)[:MAX_WORDS], lowered)


def foreign_language(text: str) -> str | None:
    """Return the language of a text if it is known and not English. Like `detect_language`, but faster for English.

    >>> foreign_language("Wo wohnt meine Schwester?"), foreign_language("Where does she live?")
    ('de', None)
    """
    if text.isascii() and FOREIGN_WORDS.isdisjoint(_WORDS.findall(text[:MAX_CHARACTERS].lower())[:MAX_WORDS]):
        return None
    language = detect_language(text)
    return None if language == "en" else language


def detect_word_language(words: Sequence[str], lowered: str = "") -> str | None:
    """Return the language of words in Latin letters, given in lower case. `lowered` is their text, for its rare letters.

    >>> detect_word_language(["wo", "ist", "sie"])
    'de'
    """
    find, scores, unknown = _word_owners().get, dict[str, float](), 0
    for word in words[:MAX_WORDS]:
        owners = find(word, ())
        unknown += not owners
        for language, weight in owners:
            scores[language] = scores.get(language, 0.0) + weight
    if len(words) <= MIN_KNOWN_WORDS and unknown:
        return None
    if not lowered.isascii():
        _add_letters(lowered, scores)
    if not scores:
        return None
    best = max(scores, key=scores.__getitem__)
    score = scores.pop(best)
    lowest = max(LOWEST_SCORE, LOWEST_SHARE * min(len(words), MAX_WORDS))
    return best if score >= lowest and score >= MIN_SCORE_LEAD * max(scores.values(), default=0.0) else None


class ForeignWords:
    """Frequent words of other languages that are not English words. Most texts are recognized as English by having none.

    The set is built at the first use and then accessed directly, because this check runs for every stored message.

    >>> FOREIGN_WORDS.isdisjoint(["and", "so"]), FOREIGN_WORDS.isdisjoint(["und", "so"])
    (True, False)
    """

    def __init__(self) -> None:
        self.isdisjoint: Callable[[Iterable[str]], bool] = self._load

    def _load(self, words: Iterable[str]) -> bool:
        self.isdisjoint = _foreign_words().isdisjoint
        return self.isdisjoint(words)


FOREIGN_WORDS = ForeignWords()


def _add_letters(lowered: str, scores: dict[str, float]) -> None:
    for letter, language in _letter_owners().items():
        if letter in lowered:
            scores[language] = scores.get(language, 0.0) + LETTER_WEIGHT


def _main_script(sample: str) -> str | None:
    """Return the script with most words: "latin", or the language written in it. None if it is unclear."""
    sizes: dict[str, int] = {}
    for run in _SCRIPT_RUNS.finditer(sample):
        script = run.lastgroup or ""
        length = len(run[0])
        sizes[script] = sizes.get(script, 0) + (length if script != "latin" else 1)
    weights = {script: size / _SIZE_OF_WORD.get(script, 5) for script, size in sizes.items()}
    if "ja" in weights and "zh" in weights and sizes["ja"] >= _KANA_SHARE * (sizes["ja"] + sizes["zh"]):
        weights["ja"], sizes["ja"] = weights["ja"] + weights.pop("zh"), sizes["ja"] + sizes["zh"]
    script = max(weights, key=lambda name: weights[name])
    if script == "latin":
        return script
    if script == "ar" and len(_NOT_ARABIC.intersection(sample)) > 1:
        return None
    return script if sizes[script] >= _FEWEST_CHARACTERS[script] else None


@cache
def _word_owners() -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Return the Latin languages that have each word, with its weight, which is higher the fewer languages have it."""
    owners: dict[str, list[str]] = {}
    plain: dict[str, list[str]] = {}
    for language in LATIN_LANGUAGES:
        table = language_tables()[language]
        for word in dict.fromkeys(_WORDS.findall(f"{table.stop_words} {table.cues}".lower())):
            owners.setdefault(word, []).append(language)
            if not word.isascii():
                plain.setdefault(fold_accents(word), []).append(language)
    for word, languages in plain.items():  # accents are often left out
        owners.setdefault(word, list(dict.fromkeys(languages)))
    weights = {
        word: (1 if len(word) > 1 else SINGLE_LETTER_WEIGHT) / (len(having) + (word in _lookalikes()))
        for word, having in owners.items()
    }
    return {word: tuple((language, weights[word]) for language in having) for word, having in owners.items()}


@cache
def _lookalikes() -> frozenset[str]:
    return frozenset(language_tables()["en"].lookalikes.split())


@cache
def _foreign_words() -> frozenset[str]:
    return frozenset(
        word
        for word, having in _word_owners().items()
        if len(word) > 1 and word not in _lookalikes() and all(language != "en" for language, _ in having)
    )


@cache
def _letter_owners() -> Mapping[str, str]:
    return {letter: language for language in LATIN_LANGUAGES for letter in language_tables()[language].letters}
