"""Find the lines of a message that its author typed seriously: no pasted text, no role play, nothing confidential."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepsaid.engine.facts.words import any_of, build_cued_pattern, collect_words
from keepsaid.engine.text.patterns import EnglishPattern

LONG_MESSAGE = 2_000
"""Characters. A longer message is mostly pasted, so only its first and its last paragraph are read."""
MAX_PARAGRAPH = 700
"""Characters. A longer paragraph of a long message is taken for pasted text."""

_FICTION = any_of(
    "story stories poem song lyrics screenplay scene dialogue monologue fanfic fan_fiction limerick joke haiku rap skit"
    " sonnet diary blog essay speech prompt bio"
)
_PLAY = build_cued_pattern(
    "pretend role roleplay act acting play imagine hypothetical fictional suppose voice are want write create generate"
    " compose continue draft tell make come kidding joking jk sarcasm",
    r"\b(?:pretend|role-?play|act as|acting as|play the (?:role|part)|imagine|hypothetical|fictional|suppose"
    r"|in the voice of|you are (?:a|an|now|going to)|i want you to (?:be|become|act|respond|behave|play)"
    r"|(?:write|create|generate|compose|continue|draft|tell|make up|come up with)(?: me| us)? [^.?!\n]{0,60}"
    rf"\b{_FICTION}|(?:just|i['’]m|am|was|only) (?:kidding|joking)|jk|sarcasm)\b",
)
_PRIVATE = build_cued_pattern(
    "remember store save memorize memorise record keep forget between",
    r"\b(?:(?:never|don['’]t|do not|not to) (?:ever )?(?:remember|store|save|memori[sz]e|record|keep) (?:any of )?"
    r"(?:this|that|it|what|my|anything)|off the record|forget (?:that )?(?:i (?:said|told)|this|what i)"
    r"|between (?:you and me|us)|keep (?:this|it) private)\b",
)
_PASTED = build_cued_pattern(
    "proofread rewrite re rephrase paraphrase translate summarize summarise edit correct improve analyze analyse check"
    " fix review grade explain following below here text email letter essay paragraph draft article code transcript"
    " prompt resume",
    r"\b(?:proofread|rewrite|re-write|rephrase|paraphrase|translate|summari[sz]e|edit|correct|improve|analy[sz]e|check|fix"
    r"|review|grade|explain|following|below|here is|here['’]s|here are|text|email|letter|essay|paragraph|draft|article"
    r"|code|transcript|prompt|resume)\b[^.!?\n:]{0,120}:\s",
)
_DOCUMENT = EnglishPattern(r"\s*(?:dear|subject:|abstract\b|chapter \d|from:|to:|to whom|user:|assistant:|human:|system:)")
_FENCE = re.compile(r"```|~~~")
_NOT_PROSE = re.compile(r"^(?:[>|#<$%]|\s{4}|\t|[-*•] |\d+[.)] |.{0,200}[{};]\s*$)")


def trim_long_message(text: str) -> str:
    """Return the part of a message that is read: all of it or, of a long one, the beginning and the end.

    >>> len(trim_long_message("word " * 20_000))
    1401
    """
    return text if len(text) <= LONG_MESSAGE else f"{text[:MAX_PARAGRAPH]}\n{text[-MAX_PARAGRAPH:]}"


def is_privacy_request(text: str) -> bool:
    """Whether a message asks not to be remembered or is confidential.

    The pattern is deliberately wider than that of `engine.messages.privacy_requests`: a match there hides the whole message
    from searches, a match here only drops a fact.

    >>> is_privacy_request("Never remember this: I'm moving out."), is_privacy_request("Remember that I'm moving out.")
    (True, False)
    """
    seen = trim_long_message(text)
    return _PRIVATE.search(seen, collect_words(seen)) is not None


def find_typed_lines(text: str, words: frozenset[str]) -> list[tuple[int, int]]:
    """Return the spans of the lines that the author of a message typed seriously. `words` are the words that are read.

    >>> find_typed_lines("I'm a nurse.\\n> I live in Porto.\\nWhere?", collect_words("I'm a nurse. I live in Porto. Where?"))
    [(0, 12), (32, 38)]
    """
    seen = trim_long_message(text)
    if _PLAY.search(seen, words) or _PRIVATE.search(seen, words):
        return []
    ends = [(0, len(text))]
    if len(text) > LONG_MESSAGE:
        head, tail = text.find("\n", 0, MAX_PARAGRAPH), text.rfind("\n", len(text) - MAX_PARAGRAPH)
        ends = [(0, max(0, head)), (tail + 1 if tail > 0 else len(text), len(text))]
    return [line for start, end in ends for line in _lines(text, start, _before_paste(text, start, end, words))]


def _before_paste(text: str, start: int, end: int, words: frozenset[str]) -> int:
    """Return where pasted text begins: at "proofread this:" or at a code fence."""
    piece = text[start:end]
    cuts = [match.start() for match in (_FENCE.search(piece), _PASTED.search(piece, words)) if match]
    return start + min(cuts, default=len(piece))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the lines that are prose, up to the salutation of a letter or the head of a document."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if _DOCUMENT.match(text, start):
            return
        if not _NOT_PROSE.match(text[start:stop]):
            yield start, stop
        start = stop + 1
