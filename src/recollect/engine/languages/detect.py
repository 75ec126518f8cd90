"""The language of a text, by its script, its function words and letters that few languages have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from recollect.engine.languages.folding import fold_accents
from recollect.engine.languages.registry import LATIN, language_tables

MOST_WORDS = 60
"""Words that are looked at."""
MOST_CHARACTERS = 500
"""Characters that are looked at: about as many as that many words have."""
LETTER_WEIGHT = 1.0
"""What a telling letter counts for; a word that only one language has counts for 1."""
SINGLE_LETTER = 0.5
"""The same of a word of one letter: it may be a variable or a list's mark."""
LOWEST_SCORE = 1.0
"""A lower score is a guess."""
LEAD = 1.4
"""How many times the score of the next language the best one must have."""
SHORTEST = 2
"""Words of which none may be unknown if there are no more: "São Paulo" is a name, not Portuguese."""
LOWEST_SHARE = 0.08
"""The least score per word: one Spanish word in a long text of unknown words proves nothing."""
SHORTEST_HAN = 4
"""Han characters without kana that are taken for Chinese; fewer may be a Japanese word."""

_WORDS = re.compile(r"[^\W\d_]+")
_OTHER_SCRIPT = re.compile("[\u0400-\u052f\u0600-\u06ff\u0900-\u097f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SCRIPT_RUNS = re.compile(
    "(?P<latin>[A-Za-z\u00c0-\u024f]+)|(?P<ru>[\u0400-\u052f]+)|(?P<ar>[\u0600-\u06ff]+)|(?P<hi>[\u0900-\u097f]+)"
    "|(?P<ko>[\u1100-\u11ff\uac00-\ud7af]+)|(?P<ja>[\u3040-\u30ff\uff66-\uff9f]+)|(?P<zh>[\u3400-\u4dbf\u4e00-\u9fff]+)"
)
_SIZE_OF_WORD = {"latin": 1, "ja": 2, "zh": 2, "ko": 3}
"""Characters that make a word; Latin text is counted in words. Other scripts take 5."""
_FEWEST_CHARACTERS = {"ja": 2, "zh": SHORTEST_HAN, "ko": 2, "ru": 3, "ar": 3, "hi": 2}
_KANA_SHARE = 0.1
"""The least share of kana in Japanese: a Chinese text may name a Japanese thing."""
_NOT_ARABIC = frozenset("پچژگکیےںٹڈ")
"""Letters of Persian and Urdu, which are written in the same script."""


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language, or None if that is unsure.

    It knows en de fr es it pt nl sv pl tr ru zh ja ko ar hi. Only the beginning of a long text is looked at. Other languages
    in Cyrillic letters come out as ru and others in Devanagari as hi.

    >>> detect_language("Wo wohnt meine Schwester?"), detect_language("where does my sister live")
    ('de', 'en')
    >>> detect_language("妹はどこに住んでいますか"), detect_language("Ana, Madrid")
    ('ja', None)
    """
    sample = text[:MOST_CHARACTERS]
    if not sample.isascii() and _OTHER_SCRIPT.search(sample):
        script = _main_script(sample)
        if script != "latin":
            return script
    lowered = sample.lower()
    return language_of_words(_WORDS.findall(lowered)[:MOST_WORDS], lowered)


def foreign_language(text: str) -> str | None:
    """Return the language of a text if it is known and not English: what `detect_language` says, sooner for English.

    >>> foreign_language("Wo wohnt meine Schwester?"), foreign_language("Where does she live?")
    ('de', None)
    """
    if text.isascii() and FOREIGN_WORDS.isdisjoint(_WORDS.findall(text[:MOST_CHARACTERS].lower())[:MOST_WORDS]):
        return None
    language = detect_language(text)
    return None if language == "en" else language


def language_of_words(words: Sequence[str], lowered: str = "") -> str | None:
    """Return the language of words in Latin letters, given in lower case; the text they are from adds its letters.

    >>> language_of_words(["wo", "ist", "sie"])
    'de'
    """
    find, scores, unknown = _word_owners().get, dict[str, float](), 0
    for word in words[:MOST_WORDS]:
        owners = find(word, ())
        unknown += not owners
        for language, weight in owners:
            scores[language] = scores.get(language, 0.0) + weight
    if len(words) <= SHORTEST and unknown:
        return None
    if not lowered.isascii():
        _add_letters(lowered, scores)
    if not scores:
        return None
    best = max(scores, key=scores.__getitem__)
    score = scores.pop(best)
    lowest = max(LOWEST_SCORE, LOWEST_SHARE * min(len(words), MOST_WORDS))
    return best if score >= lowest and score >= LEAD * max(scores.values(), default=0.0) else None


class ForeignWords:
    """Frequent words of other languages that are no English words. Most texts are told to be English by having none.

    The set is made at the first use and then asked without a detour: this check runs for every message that is stored.

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
    """The script with most words: "latin", or the language that is written in it. None if that cannot be told."""
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
    """Which Latin languages have a word, each with the word's weight: the fewer there are, the more it tells."""
    owners: dict[str, list[str]] = {}
    plain: dict[str, list[str]] = {}
    for language in LATIN:
        table = language_tables()[language]
        for word in dict.fromkeys(_WORDS.findall(f"{table.stop_words} {table.cues}".lower())):
            owners.setdefault(word, []).append(language)
            if not word.isascii():
                plain.setdefault(fold_accents(word), []).append(language)
    for word, languages in plain.items():  # as people type who leave the accents out
        owners.setdefault(word, list(dict.fromkeys(languages)))
    weights = {
        word: (1 if len(word) > 1 else SINGLE_LETTER) / (len(having) + (word in _lookalikes()))
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
    return {letter: language for language in LATIN for letter in language_tables()[language].letters}
