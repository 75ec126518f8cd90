"""The facts of a message that is not, or not only, in English: the user's own sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from recollect.engine.facts.claim import Claim, Kind
from recollect.engine.facts.typed import looked_at
from recollect.engine.facts.verbatim.clues import guess_language, has_clues
from recollect.engine.facts.verbatim.reader import Reading, mask_quotes, read_sentence
from recollect.engine.facts.verbatim.registry import phrase_table
from recollect.engine.facts.verbatim.sentences import Sentence, split_sentences
from recollect.engine.facts.verbatim.spelling import normalize
from recollect.engine.facts.verbatim.table import PhraseTable
from recollect.engine.languages import detect_language
from recollect.engine.languages.detect import FOREIGN_WORDS
from recollect.types import Message, Role

FEWEST_WORDS = 4
"""A sentence of so many words may be in another language than its message."""
SURE_CLUES = 2
"""Clues of one language that count for more than the function words of a short text."""
LONGEST_WORD = 60
"""Characters; what is longer is a link, a key or encoded data. Scripts without spaces have no such words."""

_WORDS = re.compile(r"[^\W\d_]+")
_UNSAFE = re.compile(
    r"https?://|www\.|```|</?[a-zA-Z!]|<\||\|>|\{\{|\}\}|\[/?(?:INST|SYS)|javascript:|!?\[[^\]]{0,100}\]\("
    r"|[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Markup, links and invisible characters, which nobody types who states something."""
_AFTER_PASTE = re.compile(r"[^.!?。！？\n:：]{0,80}[:：]")


class OtherLanguageClaims(NamedTuple):
    """The facts of a message in other languages than English, and its sentences that are in English."""

    claims: list[Claim]
    english: list[Sentence]

    def merge(self, english_claims: Sequence[Claim]) -> list[Claim]:
        """Return these facts and those that English rules find, without what they find in a sentence of another language."""
        found = [claim for claim in english_claims if any(_overlap(claim, one) for one in self.english)]
        return [*found, *(one for one in self.claims if not any(_overlap(one, old) for old in found))]


def _overlap(one: Claim, other: Claim | Sentence) -> bool:
    return one.start < other.end and other.start < one.end


def read_other_languages(message: Message) -> OtherLanguageClaims | None:
    """Return the facts that a user states in a message that is not, or not only, in English; None for an English one.

    >>> from recollect.types import Message, Role
    >>> said = "Ich wohne jetzt in Chemnitz. Wie ist das Wetter?"
    >>> message = Message("m1", "s1", 1, 0, Role.USER, said, 9, 0, 0.5, False, {})
    >>> [(claim.text, claim.kind, claim.about, claim.value) for claim in read_other_languages(message).claims]
    [('Ich wohne jetzt in Chemnitz', 'identity', 'home', 'Chemnitz')]
    """
    language = message_language(message)
    if language is None:
        return None
    found = _read_message(message, language)
    if not found.claims and message.text.isascii():
        return None  # a name or two can make a short English text look foreign
    return found


def message_language(message: Message) -> str | None:
    """Return the language of a user's message, or None if no sentence of it can be in another language than English."""
    if message.role != Role.USER:
        return None
    text = message.text
    words = _WORDS.findall(looked_at(text).lower())
    foreign = not FOREIGN_WORDS.isdisjoint(words)
    if text.isascii() and not foreign and not has_clues(words):
        return None
    language = (guess_language(text, SURE_CLUES) if not text.isascii() or foreign else None) or detect_language(text)
    language = language or guess_language(text)
    return None if language == "en" and not foreign else language


def _read_message(message: Message, language: str) -> OtherLanguageClaims:
    english: list[Sentence] = []
    paste = len(message.text) + 1
    if table := phrase_table(language):
        text = mask_quotes(normalize(looked_at(message.text), table.code))
        found = table.message_phrases.find(text)
        if message.private or "play" in found or "private" in found:
            return OtherLanguageClaims([], [])
        paste = _paste_start(text, found.get("paste", ()))
    claims: dict[Claim, None] = {}
    sentences = split_sentences(message.text)
    for sentence in sentences:
        own = _sentence_language(sentence, language) if len(sentences) > 1 else language
        if own == "en":
            english.append(sentence)
        table = phrase_table(own)
        if table is not None and sentence.end <= paste and _is_plain(sentence.text, table):
            claims |= dict.fromkeys(_claim(reading, message) for reading in read_sentence(sentence, table))
    return OtherLanguageClaims(list(claims), english)


def _sentence_language(sentence: Sentence, language: str) -> str:
    """The language of a sentence, if it is long enough to tell; else that of its message."""
    if sentence.text.count(" ") + 1 < FEWEST_WORDS:
        return language
    return detect_language(sentence.text) or language


def _paste_start(text: str, requests: Sequence[re.Match[str]]) -> int:
    """Where text begins that the user wants translated or corrected; the end if there is none."""
    for request in requests:
        if colon := _AFTER_PASTE.match(text, request.end()):
            return colon.end()
    return len(text) + 1


def _is_plain(text: str, table: PhraseTable) -> bool:
    return not _UNSAFE.search(text) and (table.code in ("zh", "ja") or max(map(len, text.split())) <= LONGEST_WORD)


def _claim(reading: Reading, message: Message) -> Claim:
    found = reading.judgement
    text = message.text[reading.start : reading.end]
    value = text[found.value[0] : found.value[1]].strip()
    return Claim(
        text=text,
        kind=cast(Kind, found.kind),
        subject="user",
        about=found.slot,
        value=text if found.ends or not value else value,
        start=reading.start,
        end=reading.end,
        confidence=round(min(0.9, 0.5 + 0.1 * found.score), 2),
        valid_from=message.created,
        corrects=found.corrects,
    )
