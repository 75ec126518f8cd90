"""Questions and speakers in other languages than English: how questions begin, what they ask for, and who says "I"."""

from __future__ import annotations

import re
from functools import cache

from recollect.engine.languages.folding import fold_accents
from recollect.engine.languages.registry import language_tables

MOST_WORDS = 14
"""Words of a question that is typed without a question mark; a longer sentence that begins so tells something."""
_UNSPACED = ("zh", "ja", "ko")
_GREETING = re.compile(r"^\W*\w+,\s+")
_LEAD = r"^\W*(?:\w+[,:]\s+)?(?:(?:und|aber|also|hey|et|mais|y|pero|e|ma|mas|en|maar|och|men|i|a|ale|и|а|но|ve|ama|و)\s+)?"
"""What may stand before a question word: a greeting, an "and"."""


def asks_in_language(sentence: str, language: str) -> bool:
    """Return whether a sentence without a question mark asks, in a language other than English.

    >>> asks_in_language("wo wohnt meine schwester", "de"), asks_in_language("Wo ich wohne, ist es ruhig.", "de")
    (True, False)
    >>> asks_in_language("妹はどこに住んでいますか", "ja")
    True
    """
    table = language_tables().get(language)
    if table is None or sentence.rstrip().endswith((".", "!", "。", "！", "।")):
        return False
    plain = _plain(sentence, language)
    if language in _UNSPACED:
        if _ending(language).search(plain):
            return True
        return len(plain) <= 4 * MOST_WORDS and _question_words(language).search(plain) is not None
    if len(plain.split()) > MOST_WORDS or "," in _GREETING.sub("", plain):
        return False  # "Wo ich wohne, ist es ruhig"
    if language in ("tr", "hi"):  # the question word stands before the verb
        return _question_words(language).search(plain) is not None or _ending(language).search(plain) is not None
    return _opening(language).match(plain) is not None


def question_kind(sentence: str, language: str) -> str | None:
    """Return what a question in a language other than English asks for, by its first question word; None without one.

    >>> question_kind("Wie viele Zähne hat ein Hund?", "de"), question_kind("¿dónde vive Ana?", "es")
    ('how_many', 'where')
    """
    table = language_tables().get(language)
    if table is None or not table.questions:
        return None
    match = _question_words(language).search(_plain(sentence, language))
    return match.lastgroup if match else None


def is_first_person(text: str, language: str | None) -> bool:
    """Return whether a text speaks of its speaker: I, my, me, we, our. Without a language, it is taken for English.

    >>> is_first_person("Mi hermana vive en Sevilla", "es"), is_first_person("Ana vive en Sevilla", "es")
    (True, False)
    """
    table = language_tables().get(language or "en")
    return table is not None and _first_person(table.code).search(text) is not None


@cache
def _first_person(language: str) -> re.Pattern[str]:
    table = language_tables()[language]
    words = "|".join(map(re.escape, sorted(table.first_person.split(), key=len, reverse=True)))
    # Chinese and Japanese have no borders between words. "I’m": the mark is a border.
    whole = rf"(?:{words})" if language in ("zh", "ja") else rf"(?<![\w-])(?:{words})(?!\w)"
    return re.compile(f"{whole}|{table.first_person_pattern}" if table.first_person_pattern else whole, re.IGNORECASE)


@cache
def _question_words(language: str) -> re.Pattern[str]:
    """Any question word, in a group that is named after what it asks for; the longest first, so that "wie viele" is not
    taken for "wie"."""
    phrases = [(kind, phrase) for kind, text in language_tables()[language].questions.items() for phrase in _phrases(text)]
    phrases.sort(key=lambda entry: -len(entry[1]))
    kinds: dict[str, list[str]] = {}
    for kind, phrase in phrases:
        kinds.setdefault(kind, []).append(_pattern(phrase, language))
    # Kinds are tried in the order of the table: that of "how many" has the longer phrases.
    order = [kind for kind in language_tables()[language].questions if kind in kinds]
    alternatives = "|".join(f"(?P<{kind}>{'|'.join(kinds[kind])})" for kind in order)
    return re.compile(alternatives if language in _UNSPACED else rf"(?<!\w)(?:{alternatives})(?!\w)")


@cache
def _opening(language: str) -> re.Pattern[str]:
    table = language_tables()[language]
    phrases = [phrase for text in (*table.questions.values(), table.requests) for phrase in _phrases(text)]
    return re.compile(rf"{_LEAD}(?:{'|'.join(_pattern(phrase, language) for phrase in phrases)})(?!\w)")


@cache
def _ending(language: str) -> re.Pattern[str]:
    table = language_tables()[language]
    endings, requests = (
        "|".join(_pattern(phrase, language) for phrase in _phrases(text)) or "(?!)"
        for text in (table.question_endings, table.requests)
    )
    border = "" if language in _UNSPACED else r"(?<!\w)"
    return re.compile(rf"(?:{requests})|{border}(?:{endings})\W*$")


def _phrases(text: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip()]


def _pattern(phrase: str, language: str) -> str:
    return re.escape(_plain(phrase, language)).replace(r"\ ", r"\s+").replace("'", "['’]")


def _plain(text: str, language: str) -> str:
    """Without accents, which many people leave out; Chinese, Japanese and Korean as they are."""
    return text.lower() if language in _UNSPACED else fold_accents(text)
