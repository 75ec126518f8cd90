"""Follow-up questions in languages other than English: what they refer to, and what was mentioned last.

The pronouns are in the language tables. There is no grammar: a short question with a pronoun that nothing in it explains
gets the names, or else the content words, of the user's last message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from keepsaid.engine.languages import detect_language, foreign_language
from keepsaid.engine.languages.registry import language_tables
from keepsaid.engine.text.stopwords import stop_terms
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message, Role

MAX_QUESTION_LENGTH = 200
"""Maximum characters of a follow-up question."""
MAX_CONTENT_WORDS = 3
"""Maximum content words of a question that may need others: with more it says itself what it asks."""
MAX_THINGS = 4
"""Maximum number of things taken from a message."""
MAX_TURN_LENGTH = 1_000
"""Characters of a message that are searched."""

_WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")
_SENTENCE_ENDS = re.compile(r"(?:^|[.!?:…\n])[\s\"“”„«'(*>¿¡-]*$")
_GOES_ON = re.compile(r"\W*(?:und|oder|et|ou|y|o|e|ed)\s", re.IGNORECASE)
"""How a question begins that continues the one before: "und im Winter?"."""


class ReferenceWord(NamedTuple):
    """The word of a question that refers back, and to what: a person, a thing, several, or the conversation as a whole."""

    kind: str
    text: str


def follow_up_language(question: str, recent: Sequence[Message]) -> str | None:
    """Return the language in which a question is completed: its own or, if it is too short, that of the user's last message.
    None for English and for languages whose pronouns are unknown.

    >>> follow_up_language("Wo wohnt sie jetzt?", []), follow_up_language("Where is she?", [])
    ('de', None)
    """
    language = foreign_language(question)
    if language is None and detect_language(question) is None:
        spoken = [message.text for message in recent if message.role is Role.USER]
        language = foreign_language(spoken[-1]) if spoken else None
    table = language_tables().get(language or "")
    return table.code if table and table.pronouns else None


def find_reference_word(question: str, language: str) -> ReferenceWord | None:
    """Return the word that refers back, or None if the question can be understood alone.

    >>> find_reference_word("Wo wohnt sie jetzt?", "de"), find_reference_word("Was kostet das Auto?", "de")
    (ReferenceWord(kind='person', text='sie'), None)
    >>> find_reference_word("et en hiver ?", "fr")
    ReferenceWord(kind='more', text='et en hiver')
    """
    content = [word for word in _WORD.finditer(question) if _is_content(word[0], language)]
    if len(question) > MAX_QUESTION_LENGTH or len(content) > MAX_CONTENT_WORDS:
        return None
    pronouns = _compile_pronouns(language)
    # The other words keep their positions.
    plain = pronouns["empty"].sub(lambda match: " " * len(match[0]), question)
    for kind in ("several", "person", "thing"):
        for match in pronouns[kind].finditer(plain):
            if not _is_explained(question, match, content, kind, language):
                return ReferenceWord(kind, match[0])
    if _GOES_ON.match(question) and question.rstrip().endswith("?") and content:
        return ReferenceWord("more", question.strip(" ?"))
    return None


def find_things(recent: Sequence[Message], language: str) -> list[str]:
    """Return what was mentioned last: the names and nouns in the user's newest message that has any content, with the words
    right before them; its content words if it has no names.

    >>> said = "Ma sœur Claire a déménagé à Lyon."
    >>> find_things([Message("m1", "s1", 1, 0, Role.USER, said, 8, 0, 0.5, False, {})], "fr")
    ['sœur Claire', 'Lyon']
    """
    for message in reversed(recent):
        if message.role is Role.USER and (things := list(_find_runs(message.text[:MAX_TURN_LENGTH], language))):
            return things[:MAX_THINGS]
    return []


def _is_content(word: str, language: str) -> bool:
    stops = stop_terms(language)
    return any(term not in stops and len(term) > 1 for term in terms(word, language))


def _is_explained(question: str, match: re.Match[str], content: Sequence[re.Match[str]], kind: str, language: str) -> bool:
    """Whether the question itself says what a word means: it is the article of a noun, or a name stands before it."""
    next_word = next((word for word in content if word.start() >= match.end()), None)
    if kind != "several" and next_word is not None:
        between = question[match.end() : next_word.start()]
        if not between.strip() and (next_word[0][0].isupper() or language != "de") and kind == "thing":
            return True  # "das Auto", "esta semana"
        if language == "de" and kind == "thing" and _NOUN_NEXT.match(question, match.end()):
            return True  # "das alte Auto"
    names = [word for word in content if word.end() <= match.start() and _is_name(question, word)]
    return bool(names) and kind != "several"


_NOUN_NEXT = re.compile(r"\s+[a-zäöüß]+e[nrsm]?\s+[A-ZÄÖÜ]")


def _is_name(text: str, word: re.Match[str]) -> bool:
    return word[0][0].isupper() and _SENTENCE_ENDS.search(text[max(0, word.start() - 8) : word.start()]) is None


def _find_runs(text: str, language: str) -> Iterator[str]:
    """Yield runs of content words; only those with a name or noun, if there are any."""
    runs: list[list[re.Match[str]]] = [[]]
    end = 0
    for word in _WORD.finditer(text):
        if runs[-1] and text[end : word.start()].strip():
            runs.append([])
        if _is_content(word[0], language) and not word[0].isdecimal():
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
        end = word.end()
    named = [run for run in runs if any(_is_name(text, word) for word in run)]
    seen: set[str] = set()
    for run in named or [run for run in runs if run]:
        thing = " ".join(word[0] for word in run[-MAX_CONTENT_WORDS:])
        if thing.lower() not in seen:
            seen.add(thing.lower())
            yield thing


@cache
def _compile_pronouns(language: str) -> dict[str, re.Pattern[str]]:
    """Return the pronouns of a language by kind."""
    found: dict[str, re.Pattern[str]] = {}
    for kind in ("empty", "several", "person", "thing"):
        words = sorted(language_tables()[language].pronouns.get(kind, "").split(), key=len, reverse=True)
        any_word = "|".join(map(re.escape, words)).replace("_", r"\s+") or "(?!)"
        found[kind] = re.compile(rf"(?<![\w'’-])(?:{any_word})(?![\w-])", re.IGNORECASE)
    return found
