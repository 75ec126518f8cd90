"""Split a message into sentences, and tell which can be skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepsaid.engine.text.patterns import EnglishPattern

HEAD, TAIL = 4000, 1000
"""Characters read of a long message: its beginning and its end. What is between was pasted."""

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s{0,3}>[^\n]*$", re.MULTILINE)
_BULLET = re.compile(r"\s*(?:[-*•#>]{1,6}|\d{1,2}[.)])\s+")
_BOLD = re.compile(r"(?<!\w)\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?!\w)")
_SENTENCE_END = re.compile(r"[.!?…]+[)\"'”’\]*]{0,3}(?=\s)|[。！？｡]+[」』）]?|\n+")
_ABBREVIATED = EnglishPattern(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|approx|no|fig|inc|ltd|co|jr|sr|e\.g|i\.e|a\.m|p\.m|[a-z])\.|^\s*\d{1,2}\.)$"
)


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a message, without quoted lines, code blocks and bullets.

    >>> list(split_sentences("Hi Dr. Who! 会议在五点。好的\\n- one thing"))
    ['Hi Dr. Who!', '会议在五点。', '好的', 'one thing']
    """
    if len(text) > HEAD + TAIL:
        text = _drop_partial_word(text[:HEAD]) + "\n" + _drop_partial_word(text[-TAIL:][::-1])[::-1]
    if "```" in text:
        text = _FENCE.sub("\n", text)
    if ">" in text:
        text = _QUOTED_LINE.sub("", text)
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end[0][0] == "." and _ABBREVIATED.search(text[max(start, end.start() - 8) : end.start() + 1]):
            continue
        yield from _clean_sentence(text[start : end.end()])
        start = end.end()
    yield from _clean_sentence(text[start:])


def _clean_sentence(text: str) -> Iterator[str]:
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    if text := text.strip():
        yield text


def _drop_partial_word(text: str) -> str:
    """Return a truncated text without the word at the cut: half a number would be another number."""
    return text.rpartition(" ")[0] or text


_INFORMATIVE = re.compile(r"[\d`/@\"“_\\=#$~]|--|\w,? [A-Z](?!\W)")
_WEIGHTY = frozenset(
    """
    remember forget mind note record reminder decided agreed settled chose picked let's let’s go going with use deadline due
    final decision instead not stick called named
    """.split()
)
_PERSONAL = _WEIGHTY | frozenset(
    "i i'm i’m i've i’ve my our we we're we’re we've we’ve i'll i’ll we'll we’ll must need".split()
)


def has_little_content(sentence: str) -> bool:
    """Whether a sentence can be skipped: a question that tells nothing, or a few words without anything exact, personal or
    important. In a lively conversation that is every second sentence."""
    if not sentence.isascii() or _INFORMATIVE.search(sentence):
        return False
    words = sentence.lower().split()
    if len(words) < 5 or sentence.endswith("?"):
        return _WEIGHTY.isdisjoint(words)
    return len(words) < 8 and _PERSONAL.isdisjoint(words)
