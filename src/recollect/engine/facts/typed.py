"""What a person typed of a message, in earnest and for the record: no paste, no play, nothing off the record."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.engine.facts.words import any_of, cued, words_of
from recollect.engine.pattern import Pattern

LONG = 2_000
"""Characters; a longer message is mostly pasted, and only its first and its last paragraph are read."""
PARAGRAPH = 700
"""Characters; a longer paragraph of a long message is what was pasted."""

_FICTION = any_of(
    "story stories poem song lyrics screenplay scene dialogue monologue fanfic fan_fiction limerick joke haiku rap skit"
    " sonnet diary blog essay speech prompt bio"
)
_PLAY = cued(
    "pretend role roleplay act acting play imagine hypothetical fictional suppose voice are want write create generate"
    " compose continue draft tell make come kidding joking jk sarcasm",
    r"\b(?:pretend|role-?play|act as|acting as|play the (?:role|part)|imagine|hypothetical|fictional|suppose"
    r"|in the voice of|you are (?:a|an|now|going to)|i want you to (?:be|become|act|respond|behave|play)"
    r"|(?:write|create|generate|compose|continue|draft|tell|make up|come up with)(?: me| us)? [^.?!\n]{0,60}"
    rf"\b{_FICTION}|(?:just|i['’]m|am|was|only) (?:kidding|joking)|jk|sarcasm)\b",
)
_PRIVATE = cued(
    "remember store save memorize memorise record keep forget between",
    r"\b(?:(?:never|don['’]t|do not|not to) (?:ever )?(?:remember|store|save|memori[sz]e|record|keep) (?:any of )?"
    r"(?:this|that|it|what|my|anything)|off the record|forget (?:that )?(?:i (?:said|told)|this|what i)"
    r"|between (?:you and me|us)|keep (?:this|it) private)\b",
)
_PASTED = cued(
    "proofread rewrite re rephrase paraphrase translate summarize summarise edit correct improve analyze analyse check"
    " fix review grade explain following below here text email letter essay paragraph draft article code transcript"
    " prompt resume",
    r"\b(?:proofread|rewrite|re-write|rephrase|paraphrase|translate|summari[sz]e|edit|correct|improve|analy[sz]e|check|fix"
    r"|review|grade|explain|following|below|here is|here['’]s|here are|text|email|letter|essay|paragraph|draft|article"
    r"|code|transcript|prompt|resume)\b[^.!?\n:]{0,120}:\s",
)
_DOCUMENT = Pattern(r"\s*(?:dear|subject:|abstract\b|chapter \d|from:|to:|to whom|user:|assistant:|human:|system:)")
_FENCE = re.compile(r"```|~~~")
_MATTER = re.compile(r"^(?:[>|#<$%]|\s{4}|\t|[-*•] |\d+[.)] |.{0,200}[{};]\s*$)")


def looked_at(text: str) -> str:
    """The part of a message that is looked at.

    >>> len(looked_at("word " * 20_000))
    1401
    """
    return text if len(text) <= LONG else f"{text[:PARAGRAPH]}\n{text[-PARAGRAPH:]}"


def is_private(text: str) -> bool:
    """Whether a message asks not to be remembered, or is told in confidence. Wider than `engine.private` on purpose: there
    a whole message is lost to searches, here only a fact.

    >>> is_private("Never remember this: I'm moving out."), is_private("Remember that I'm moving out.")
    (True, False)
    """
    seen = looked_at(text)
    return _PRIVATE.search(seen, words_of(seen)) is not None


def typed(text: str, words: frozenset[str]) -> list[tuple[int, int]]:
    """The lines of a message, as spans, that its author typed in earnest. `words` are the words that are looked at.

    >>> typed("I'm a nurse.\\n> I live in Porto.\\nWhere?", words_of("I'm a nurse. I live in Porto. Where?"))
    [(0, 12), (32, 38)]
    """
    seen = looked_at(text)
    if _PLAY.search(seen, words) or _PRIVATE.search(seen, words):
        return []
    ends = [(0, len(text))]
    if len(text) > LONG:
        head, tail = text.find("\n", 0, PARAGRAPH), text.rfind("\n", len(text) - PARAGRAPH)
        ends = [(0, max(0, head)), (tail + 1 if tail > 0 else len(text), len(text))]
    return [line for start, end in ends for line in _lines(text, start, _before_paste(text, start, end, words))]


def _before_paste(text: str, start: int, end: int, words: frozenset[str]) -> int:
    """Where a paste begins: with "proofread this:", or at a code fence."""
    piece = text[start:end]
    cuts = [match.start() for match in (_FENCE.search(piece), _PASTED.search(piece, words)) if match]
    return start + min(cuts, default=len(piece))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines that are prose, up to the salutation of a letter or the head of a document."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if _DOCUMENT.match(text, start):
            return
        if not _MATTER.match(text[start:stop]):
            yield start, stop
        start = stop + 1
