"""Split messages into clauses: of each sentence, the parts that say something, in the speaker's own words.

"Oh, and by the way, the alarm code is 4417, so please don't forget it" becomes "the alarm code is 4417". Words are removed
at the ends and between commas, never changed. What a clause needs to be understood, such as the thing that its "it" stands
for, is added from the sentence before (`about`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from keepsaid.engine.summary.fillers import skip_fillers, trim_clause_ending
from keepsaid.engine.summary.segments import (
    FIRST_WORD,
    LEADS,
    MAX_CLAUSE_WORDS,
    PREPOSITIONS,
    VAGUE_KINDS,
    SentenceSegment,
    count_words,
    group_segments,
    has_definite_noun,
)
from keepsaid.engine.summary.sentences import has_little_content, split_sentences
from keepsaid.engine.summary.subject import find_subject, is_pronominal
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.terms import UNSPACED, terms
from keepsaid.engine.text.values import ExactValue

TERSE = 14
"""Words that a clause may have before its optional parts are removed."""
APPOSED = 7
"""Maximum words of a remark after a value."""


class MessageClause(NamedTuple):
    """Something said: the words to keep, the exact values in them, what it is about, and all words that belong to it,
    including those that only say how it is meant ("please remember", "that's final", the question mark)."""

    text: str
    values: tuple[ExactValue, ...]
    subject: frozenset[str]
    whole: str
    about: str = ""


def split_clauses(text: str) -> list[MessageClause]:
    """Return the clauses of a message, in order.

    >>> [clause.text for clause in split_clauses("Oh, and by the way, the alarm code is 4417, so don't forget it!")]
    ['the alarm code is 4417']
    >>> split_clauses("I found the spare key for the cabin. It hangs behind shed 3.")[1].about
    'the spare key for the cabin'
    """
    found: list[MessageClause] = []
    before = ""
    for sentence in split_sentences(text):
        if not has_little_content(sentence):
            found.extend(_split_sentence(sentence, before))
        before = sentence
    return found


def _split_sentence(sentence: str, before: str) -> list[MessageClause]:
    found: list[MessageClause] = []
    parts = group_segments(sentence)
    # Cached, since a long list of dates needs the sentence before for each of them.
    last_before = cache(lambda: _split_sentence(before, "")[-1:] if before else [])
    whole, at = "", 0
    for number, group in enumerate(parts):
        whole += sentence[at : group[-1].end]
        at = group[-1].end
        clause = _build_clause(sentence, _remove_optional(sentence, group))
        if clause is None or not (clause.subject or clause.values):
            if found:
                found[-1] = found[-1]._replace(whole=found[-1].whole + whole)
                whole = ""
            continue
        if not clause.subject - _find_name_terms(clause) or (
            is_pronominal(clause.text) and (clause.values or len(clause.subject) > 2)
        ):
            clause = _complete(sentence, clause, group, parts[number - 1] if number else [], last_before)
        found.append(clause._replace(whole=whole))
        whole = ""
    if found and (rest := (whole + sentence[at:]).strip(" .!…")):
        found[-1] = found[-1]._replace(whole=f"{found[-1].whole} {rest}")
    if found and sentence.rstrip(_CLOSING).endswith(("?", "？")):
        found = [clause._replace(whole=clause.whole + "?") for clause in found]
    return found


_IS = EnglishPattern(r"\b(?:is|was|are|were)\b|['’]s ")


def _find_name_terms(clause: MessageClause) -> frozenset[str]:
    """Return the words of the names in a clause that has no other values: whom they belong to is a separate question."""
    if not clause.values or any(value.kind != "name" for value in clause.values) or not _IS.search(clause.text):
        return frozenset()
    return frozenset(term for value in clause.values for term in terms(value.text))


_CLOSING = " )\"'”’」』"


# -- what is removed


def _remove_optional(sentence: str, group: Sequence[SentenceSegment]) -> list[SentenceSegment]:
    """Return a group without its optional parts: introductions, remarks between commas, and conditions if it is long."""
    if len(group) == 1:
        return list(group)
    head = next((segment for segment in group if segment.kind == "own"), group[0])
    exact = (value.end for segment in group for value in segment.values if value.kind not in VAGUE_KINDS)
    last = max(exact, default=len(sentence))
    kept: list[SentenceSegment] = []
    words = 0
    for segment in group:
        more = words + count_words(sentence[segment.start : segment.end])
        if segment is head or _is_needed(sentence, segment, head, last) or _is_condition(sentence, segment, more):
            kept.append(segment)
            words = more
    if len(kept) > 1 and not head.values and is_pronominal(sentence[head.start : head.end].lstrip()):
        others = [segment for segment in kept if segment is not head]
        if any(segment.values and has_definite_noun(sentence, segment) for segment in others):
            return others
    if any(has_definite_noun(sentence, segment) for segment in kept) or not any(segment.values for segment in kept):
        return kept
    return [segment for segment in group if segment in kept or has_definite_noun(sentence, segment)]


def _is_condition(sentence: str, segment: SentenceSegment, words: int) -> bool:
    """Whether a segment says when or of what something is true, and is short enough to stay."""
    if segment.kind not in ("relative", "condition") or words > (MAX_CLAUSE_WORDS if segment.kind == "relative" else TERSE):
        return False
    first = FIRST_WORD.match(sentence, segment.start)
    if segment.start == 0 and first is not None and first[1].lower() in LEADS:
        return False
    return segment.start == 0 or has_definite_noun(sentence, segment)


def _is_needed(sentence: str, segment: SentenceSegment, head: SentenceSegment, last: int) -> bool:
    if segment.start >= head.start:
        return bool(segment.values) or (segment.kind == "part" and segment.end <= last) or _explains(sentence, segment, last)
    first = FIRST_WORD.match(sentence, segment.start)
    if first is not None and _is_introduction(first[1].lower()):
        return any(value.kind not in ("name", "day") for value in segment.values) or bool(segment.values and not head.values)
    return segment.kind == "part" or bool(segment.values)


def _explains(sentence: str, segment: SentenceSegment, last: int) -> bool:
    """Whether a few words right after the last value say what it is: "call Ana - best lawyer in town"."""
    if segment.kind not in ("part", "aside") or segment.start < last:
        return False
    return (
        not sentence[last : segment.start].strip(" `\"'”’,-–—(（")
        and count_words(sentence[segment.start : segment.end]) <= APPOSED
    )


def _is_introduction(word: str) -> bool:
    return word in PREPOSITIONS or word in LEADS or word.endswith("ly")


# -- the words


def _build_clause(sentence: str, pieces: Sequence[SentenceSegment]) -> MessageClause | None:
    """Return the words of some segments, without fillers. Adjacent segments keep what is between them."""
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        if spans and not sentence[spans[-1][1] : piece.start].strip(" ,;:，、：()（）-–—"):
            spans[-1] = (spans[-1][0], piece.end)
        else:
            spans.append((piece.start, piece.end))
    if not spans:
        return None
    spans[0] = (skip_fillers(sentence, *spans[0]), spans[0][1])
    spans = _shorten(sentence, spans, [value for piece in pieces for value in piece.values])
    text = " ".join(_close_bracket(sentence, start, end) for start, end in spans).strip()
    if not text:
        return None
    within = tuple(v for piece in pieces for v in piece.values if any(s <= v.start and v.end <= e for s, e in spans))
    return MessageClause(text, within, find_subject(text, within), "")


def _close_bracket(sentence: str, start: int, end: int) -> str:
    """Return some words of a sentence, trimmed; a bracket opened in them is closed."""
    text = trim_clause_ending(sentence[start:end])
    opened = text.count("(") > text.count(")")
    return text + ")" if opened and sentence[end : end + 1] == ")" else text


def _shorten(sentence: str, spans: list[tuple[int, int]], within: Sequence[ExactValue]) -> list[tuple[int, int]]:
    """Cut what is too long: words at the end after the last value, then words at the beginning."""
    start, end = spans[0][0], spans[-1][1]
    if end - start <= 2 * MAX_CLAUSE_WORDS or (sentence.isascii() and sentence.count(" ", start, end) < MAX_CLAUSE_WORDS):
        return spans
    words = [(match.start(), match.end()) for match in _CUTTABLE.finditer(sentence, start, end)]
    if len(words) <= MAX_CLAUSE_WORDS:
        return spans
    last = max((value.end for value in within if value.end <= end), default=start)
    first = min((value.start for value in within if value.start >= start), default=start)
    cut = next((at for at, (_, stop) in enumerate(words) if stop >= last), 0)
    keep_from = max(
        0, min(cut - MAX_CLAUSE_WORDS + 1, next((at for at, (_, stop) in enumerate(words) if stop >= first), 0) - 6)
    )
    begin, stop = words[keep_from][0] if keep_from else start, words[min(len(words), keep_from + MAX_CLAUSE_WORDS) - 1][1]
    stop = max((value.end for value in within if value.start < stop < value.end), default=stop)
    return [(max(one, begin), min(two, stop)) for one, two in spans if max(one, begin) < min(two, stop)]


_CUTTABLE = re.compile(rf"[{UNSPACED}]{{1,3}}|[^\s{UNSPACED}]+")


# -- what it is about


_DETERMINED = EnglishPattern(r"\b(?:the|my|our|your|his|her|their|this|that|these|those|a|an|\w+['’]s)\s+(?!\w+ly\b)\w")


def _complete(
    sentence: str,
    clause: MessageClause,
    group: Sequence[SentenceSegment],
    previous: Sequence[SentenceSegment],
    last_before: Callable[[], list[MessageClause]],
) -> MessageClause:
    """Return a clause that does not say what it is about with what does: from its own sentence, else from the one before."""
    if not clause.subject and (wider := _build_clause(sentence, group)) and wider.subject:
        clause = wider
        if not is_pronominal(clause.text):
            return clause
    if previous and (earlier := _build_clause(sentence, previous)) and earlier.subject:
        return clause._replace(about=_find_thing(earlier), subject=clause.subject | earlier.subject)
    last = last_before()
    if last and last[0].subject:
        return clause._replace(about=_find_thing(last[0]), subject=clause.subject | last[0].subject)
    return clause


def _find_thing(clause: MessageClause) -> str:
    """Return the thing that a clause is about: from its first "the", "my" or name on, and not too long."""
    found = _DETERMINED.search(clause.text)
    start = found.start() if found else 0
    names = [value.text for value in clause.values if value.kind == "name"]
    if names and (place := clause.text.find(names[0])) >= 0 and (found is None or place < start):
        start = place
    words = clause.text[start:].split(" ")
    return " ".join(words[:10]).rstrip(" ,;:.!?")
