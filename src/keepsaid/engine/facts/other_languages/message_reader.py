"""Find the facts in a message that is not, or not only, in English. They are the user's own sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from keepsaid.engine.facts.claim import ClaimKind, FactClaim
from keepsaid.engine.facts.other_languages.language_clues import guess_language, has_clues
from keepsaid.engine.facts.other_languages.registry import load_phrase_table
from keepsaid.engine.facts.other_languages.sentence_reader import SentenceReading, mask_quotes, read_sentence
from keepsaid.engine.facts.other_languages.sentences import MessageSentence, split_sentences
from keepsaid.engine.facts.other_languages.spelling import normalize
from keepsaid.engine.facts.other_languages.table import PhraseTable
from keepsaid.engine.facts.typed_lines import trim_long_message
from keepsaid.engine.languages import detect_language
from keepsaid.engine.languages.detect import FOREIGN_WORDS
from keepsaid.types import Message, Role

MIN_SENTENCE_WORDS = 4
"""Minimum number of words of a sentence that may be in another language than its message."""
MIN_SURE_CLUES = 2
"""Number of clues of one language that outweigh the function words of a short text."""
MAX_WORD_CHARACTERS = 60
"""Characters. A longer word is a link, a key or encoded data, except in scripts without spaces."""

_WORDS = re.compile(r"[^\W\d_]+")
_UNSAFE = re.compile(
    r"https?://|www\.|```|</?[a-zA-Z!]|<\||\|>|\{\{|\}\}|\[/?(?:INST|SYS)|javascript:|!?\[[^\]]{0,100}\]\("
    r"|[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Markup, links and invisible characters, which are not typed in a statement."""
_BEFORE_PASTE = re.compile(r"[^.!?。！？\n:：]{0,80}[:：]")


class OtherLanguageClaims(NamedTuple):
    """The facts of a message in languages other than English, and its sentences that are in English."""

    claims: list[FactClaim]
    english: list[MessageSentence]

    def merge(self, english_claims: Sequence[FactClaim]) -> list[FactClaim]:
        """Return these facts and those that the English rules found in English sentences."""
        found = [claim for claim in english_claims if any(_overlap(claim, one) for one in self.english)]
        return [*found, *(one for one in self.claims if not any(_overlap(one, old) for old in found))]


def _overlap(one: FactClaim, other: FactClaim | MessageSentence) -> bool:
    return one.start < other.end and other.start < one.end


def extract_foreign_claims(message: Message) -> OtherLanguageClaims | None:
    """Return the facts that a user states in a message that is not, or not only, in English; None for an English one.

    >>> from keepsaid.types import Message, Role
    >>> said = "Ich wohne jetzt in Chemnitz. Wie ist das Wetter?"
    >>> message = Message("m1", "s1", 1, 0, Role.USER, said, 9, 0, 0.5, False, {})
    >>> [(claim.text, claim.kind, claim.about, claim.value) for claim in extract_foreign_claims(message).claims]
    [('Ich wohne jetzt in Chemnitz', 'identity', 'home', 'Chemnitz')]
    """
    language = detect_message_language(message)
    if language is None:
        return None
    found = _read_message(message, language)
    if not found.claims and message.text.isascii():
        return None  # a name or two can make a short English text look foreign
    return found


def detect_message_language(message: Message) -> str | None:
    """Return the language of a user's message; None if no sentence can be in a language other than English."""
    if message.role != Role.USER:
        return None
    text = message.text
    words = _WORDS.findall(trim_long_message(text).lower())
    foreign = not FOREIGN_WORDS.isdisjoint(words)
    if text.isascii() and not foreign and not has_clues(words):
        return None
    language = (guess_language(text, MIN_SURE_CLUES) if not text.isascii() or foreign else None) or detect_language(text)
    language = language or guess_language(text)
    return None if language == "en" and not foreign else language


def _read_message(message: Message, language: str) -> OtherLanguageClaims:
    english: list[MessageSentence] = []
    paste = len(message.text) + 1
    if table := load_phrase_table(language):
        text = mask_quotes(normalize(trim_long_message(message.text), table.code))
        found = table.message_phrases.find(text)
        if message.private or "play" in found or "private" in found:
            return OtherLanguageClaims([], [])
        # Normalizing may have removed characters, so the pasted text begins at this position or later.
        paste = _paste_start(text, found.get("paste", ()), paste)
    claims: dict[FactClaim, None] = {}
    sentences = split_sentences(message.text)
    for sentence in sentences:
        own = _sentence_language(sentence, language) if len(sentences) > 1 else language
        if own == "en":
            english.append(sentence)
        table = load_phrase_table(own)
        if table is not None and sentence.end <= paste and _is_plain(sentence.text, table):
            claims |= dict.fromkeys(_build_claim(reading, message) for reading in read_sentence(sentence, table))
    return OtherLanguageClaims(list(claims), english)


def _sentence_language(sentence: MessageSentence, language: str) -> str:
    """Return the language of a sentence if it is long enough to detect, else that of its message."""
    if sentence.text.count(" ") + 1 < MIN_SENTENCE_WORDS:
        return language
    return detect_language(sentence.text) or language


def _paste_start(text: str, requests: Sequence[re.Match[str]], otherwise: int) -> int:
    """Return where the text begins that the user wants translated or corrected."""
    for request in requests:
        if colon := _BEFORE_PASTE.match(text, request.end()):
            return colon.end()
    return otherwise


def _is_plain(text: str, table: PhraseTable) -> bool:
    return not _UNSAFE.search(text) and (table.code in ("zh", "ja") or max(map(len, text.split())) <= MAX_WORD_CHARACTERS)


def _build_claim(reading: SentenceReading, message: Message) -> FactClaim:
    found = reading.judgement
    text = message.text[reading.start : reading.end]
    value = text[found.value[0] : found.value[1]].strip()
    return FactClaim(
        text=text,
        kind=cast(ClaimKind, found.kind),
        subject="user",
        about=found.slot,
        value=text if found.ends or not value else value,
        start=reading.start,
        end=reading.end,
        confidence=round(min(0.9, 0.5 + 0.1 * found.score), 2),
        valid_from=message.created,
        corrects=found.corrects,
    )
