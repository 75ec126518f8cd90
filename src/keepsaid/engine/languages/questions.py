"""Recognize questions, what they ask for, and the first person, in languages other than English."""

from __future__ import annotations

import re
from functools import cache

from keepsaid.engine.languages.folding import fold_accents
from keepsaid.engine.languages.registry import language_tables

MAX_WORDS = 14
"""Maximum words of a question without a question mark. A longer sentence that begins so is a statement."""
_UNSPACED = ("zh", "ja", "ko")
_GREETING = re.compile(r"^\W*\w+,\s+")
_LEAD = r"^\W*(?:\w+[,:]\s+)?(?:(?:und|aber|also|hey|et|mais|y|pero|e|ma|mas|en|maar|och|men|i|a|ale|и|а|но|ve|ama|و)\s+)?"
"""What may precede a question word: a greeting, an "and"."""


def is_foreign_question(sentence: str, language: str) -> bool:
    """Return whether a sentence without a question mark is a question, in a language other than English.

    >>> is_foreign_question("wo wohnt meine schwester", "de"), is_foreign_question("Wo ich wohne, ist es ruhig.", "de")
    (True, False)
    >>> is_foreign_question("妹はどこに住んでいますか", "ja")
    True
    """
    table = language_tables().get(language)
    if table is None or sentence.rstrip().endswith((".", "!", "。", "！", "।")):
        return False
    plain = _plain(sentence, language)
    if language in _UNSPACED:
        if _ending_pattern(language).search(plain):
            return True
        return len(plain) <= 4 * MAX_WORDS and _question_words(language).search(plain) is not None
    if len(plain.split()) > MAX_WORDS or "," in _GREETING.sub("", plain):
        return False  # "Wo ich wohne, ist es ruhig"
    if language in ("tr", "hi"):  # the question word is before the verb
        return _question_words(language).search(plain) is not None or _ending_pattern(language).search(plain) is not None
    return _opening_pattern(language).match(plain) is not None


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
    """Return whether a text uses the first person: I, my, me, we, our. Without a language, English is assumed.

    >>> is_first_person("Mi hermana vive en Sevilla", "es"), is_first_person("Ana vive en Sevilla", "es")
    (True, False)
    """
    table = language_tables().get(language or "en")
    return table is not None and _first_person_pattern(table.code).search(text) is not None


@cache
def _first_person_pattern(language: str) -> re.Pattern[str]:
    table = language_tables()[language]
    words = "|".join(map(re.escape, sorted(table.first_person.split(), key=len, reverse=True)))
    # Chinese and Japanese have no word boundaries. In "I’m" the apostrophe is a boundary.
    whole = rf"(?:{words})" if language in ("zh", "ja") else rf"(?<![\w-])(?:{words})(?!\w)"
    return re.compile(f"{whole}|{table.first_person_pattern}" if table.first_person_pattern else whole, re.IGNORECASE)


@cache
def _question_words(language: str) -> re.Pattern[str]:
    """Return a pattern for question words, in groups named after what they ask for.

    The longest words come first, so that "wie viele" is not taken for "wie".
    """
    phrases = [(kind, phrase) for kind, text in language_tables()[language].questions.items() for phrase in _phrases(text)]
    phrases.sort(key=lambda entry: -len(entry[1]))
    kinds: dict[str, list[str]] = {}
    for kind, phrase in phrases:
        kinds.setdefault(kind, []).append(_phrase_pattern(phrase, language))
    # Kinds are tried in the order of the table, in which "how many", with the longer phrases, is first.
    order = [kind for kind in language_tables()[language].questions if kind in kinds]
    alternatives = "|".join(f"(?P<{kind}>{'|'.join(kinds[kind])})" for kind in order)
    return re.compile(alternatives if language in _UNSPACED else rf"(?<!\w)(?:{alternatives})(?!\w)")


@cache
def _opening_pattern(language: str) -> re.Pattern[str]:
    table = language_tables()[language]
    phrases = [phrase for text in (*table.questions.values(), table.requests) for phrase in _phrases(text)]
    return re.compile(rf"{_LEAD}(?:{'|'.join(_phrase_pattern(phrase, language) for phrase in phrases)})(?!\w)")


@cache
def _ending_pattern(language: str) -> re.Pattern[str]:
    table = language_tables()[language]
    endings, requests = (
        "|".join(_phrase_pattern(phrase, language) for phrase in _phrases(text)) or "(?!)"
        for text in (table.question_endings, table.requests)
    )
    border = "" if language in _UNSPACED else r"(?<!\w)"
    return re.compile(rf"(?:{requests})|{border}(?:{endings})\W*$")


def _phrases(text: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip()]


def _phrase_pattern(phrase: str, language: str) -> str:
    return re.escape(_plain(phrase, language)).replace(r"\ ", r"\s+").replace("'", "['’]")


def _plain(text: str, language: str) -> str:
    """Return a text without accents, which many people leave out. Chinese, Japanese and Korean keep their marks."""
    return text.lower() if language in _UNSPACED else fold_accents(text)
