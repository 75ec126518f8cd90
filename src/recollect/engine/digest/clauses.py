"""Messages in clauses: of a sentence, the part that says something, in the speaker's own words.

"Oh, and by the way, the alarm code is 4417, so please don't forget it" becomes "the alarm code is 4417". Words are left out
at the ends and between commas, never changed. What a clause cannot be understood without, the thing that its "it" stands
for, comes along from the sentence before (`about`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from recollect.engine.digest.fillers import tidy, without_fillers
from recollect.engine.digest.segments import (
    FIRST_WORD,
    LEADS,
    LONGEST,
    PREPOSITIONS,
    VAGUE_KINDS,
    Segment,
    groups,
    length,
    names_something,
)
from recollect.engine.digest.sentences import says_little, sentences
from recollect.engine.digest.subject import is_pronominal, subject
from recollect.engine.pattern import Pattern
from recollect.engine.terms import UNSPACED, terms
from recollect.engine.values import Value

TERSE = 14
"""Words that a clause may have before what could be left out is left out."""
APPOSED = 7
"""Words that a remark behind a value may have."""


class Clause(NamedTuple):
    """Something said: the words to keep, the exact values in them, what it is about, and all words that belong to it,
    also those that only say how it is meant ("please remember", "that's final", the question mark)."""

    text: str
    values: tuple[Value, ...]
    subject: frozenset[str]
    whole: str
    about: str = ""


def clauses(text: str) -> list[Clause]:
    """What a message says, clause by clause, in order.

    >>> [clause.text for clause in clauses("Oh, and by the way, the alarm code is 4417, so don't forget it!")]
    ['the alarm code is 4417']
    >>> clauses("I found the spare key for the cabin. It hangs behind shed 3.")[1].about
    'the spare key for the cabin'
    """
    found: list[Clause] = []
    before = ""
    for sentence in sentences(text):
        if not says_little(sentence):
            found.extend(_clauses(sentence, before))
        before = sentence
    return found


def _clauses(sentence: str, before: str) -> list[Clause]:
    found: list[Clause] = []
    parts = groups(sentence)
    whole, at = "", 0
    for number, group in enumerate(parts):
        whole += sentence[at : group[-1].end]
        at = group[-1].end
        clause = _clause(sentence, _worth_keeping(sentence, group))
        if clause is None or not (clause.subject or clause.values):
            if found:
                found[-1] = found[-1]._replace(whole=found[-1].whole + whole)
                whole = ""
            continue
        if not clause.subject - _of_names(clause) or (
            is_pronominal(clause.text) and (clause.values or len(clause.subject) > 2)
        ):
            clause = _completed(sentence, clause, group, parts[number - 1] if number else [], before)
        found.append(clause._replace(whole=whole))
        whole = ""
    if found and (rest := (whole + sentence[at:]).strip(" .!…")):
        found[-1] = found[-1]._replace(whole=f"{found[-1].whole} {rest}")
    if found and sentence.rstrip(_CLOSING).endswith(("?", "？")):
        found = [clause._replace(whole=clause.whole + "?") for clause in found]
    return found


_IS = Pattern(r"\b(?:is|was|are|were)\b|['’]s ")


def _of_names(clause: Clause) -> frozenset[str]:
    """The words of the names in a clause that has no other values: who they belong to is another matter."""
    if not clause.values or any(value.kind != "name" for value in clause.values) or not _IS.search(clause.text):
        return frozenset()
    return frozenset(term for value in clause.values for term in terms(value.text))


_CLOSING = " )\"'”’」』"


# -- what is left out


def _worth_keeping(sentence: str, group: Sequence[Segment]) -> list[Segment]:
    """A group without what could be left out: how it leads up, remarks between commas, conditions if it is long."""
    if len(group) == 1:
        return list(group)
    head = next((segment for segment in group if segment.kind == "own"), group[0])
    exact = (value.end for segment in group for value in segment.values if value.kind not in VAGUE_KINDS)
    last = max(exact, default=len(sentence))
    kept: list[Segment] = []
    words = 0
    for segment in group:
        more = words + length(sentence[segment.start : segment.end])
        if segment is head or _is_needed(sentence, segment, head, last) or _is_condition(sentence, segment, more):
            kept.append(segment)
            words = more
    if len(kept) > 1 and not head.values and is_pronominal(sentence[head.start : head.end].lstrip()):
        others = [segment for segment in kept if segment is not head]
        if any(segment.values and names_something(sentence, segment) for segment in others):
            return others
    if any(names_something(sentence, segment) for segment in kept) or not any(segment.values for segment in kept):
        return kept
    return [segment for segment in group if segment in kept or names_something(sentence, segment)]


def _is_condition(sentence: str, segment: Segment, words: int) -> bool:
    """Whether a segment says when or of what something holds, and is short enough to stay."""
    if segment.kind not in ("relative", "condition") or words > (LONGEST if segment.kind == "relative" else TERSE):
        return False
    first = FIRST_WORD.match(sentence, segment.start)
    if segment.start == 0 and first is not None and first[1].lower() in LEADS:
        return False
    return segment.start == 0 or names_something(sentence, segment)


def _is_needed(sentence: str, segment: Segment, head: Segment, last: int) -> bool:
    if segment.start >= head.start:
        return bool(segment.values) or (segment.kind == "part" and segment.end <= last) or _explains(sentence, segment, last)
    first = FIRST_WORD.match(sentence, segment.start)
    if first is not None and _leads_up(first[1].lower()):
        return any(value.kind not in ("name", "day") for value in segment.values) or bool(segment.values and not head.values)
    return segment.kind == "part" or bool(segment.values)


def _explains(sentence: str, segment: Segment, last: int) -> bool:
    """Whether a few words come right behind the last value, to say what it is: "call Ana - best lawyer in town"."""
    if segment.kind not in ("part", "aside") or segment.start < last:
        return False
    return (
        not sentence[last : segment.start].strip(" `\"'”’,-–—(（")
        and length(sentence[segment.start : segment.end]) <= APPOSED
    )


def _leads_up(word: str) -> bool:
    return word in PREPOSITIONS or word in LEADS or word.endswith("ly")


# -- the words


def _clause(sentence: str, pieces: Sequence[Segment]) -> Clause | None:
    """The words of some segments, without fillers. Segments that follow one another keep what is between them."""
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        if spans and not sentence[spans[-1][1] : piece.start].strip(" ,;:，、：()（）-–—"):
            spans[-1] = (spans[-1][0], piece.end)
        else:
            spans.append((piece.start, piece.end))
    if not spans:
        return None
    spans[0] = (without_fillers(sentence, *spans[0]), spans[0][1])
    spans = _shortened(sentence, spans, [value for piece in pieces for value in piece.values])
    text = " ".join(_closed(sentence, start, end) for start, end in spans).strip()
    if not text:
        return None
    within = tuple(v for piece in pieces for v in piece.values if any(s <= v.start and v.end <= e for s, e in spans))
    return Clause(text, within, subject(text, within), "")


def _closed(sentence: str, start: int, end: int) -> str:
    """Some words of a sentence, tidied; a bracket that is opened in them is closed."""
    text = tidy(sentence[start:end])
    opened = text.count("(") > text.count(")")
    return text + ")" if opened and sentence[end : end + 1] == ")" else text


def _shortened(sentence: str, spans: list[tuple[int, int]], within: Sequence[Value]) -> list[tuple[int, int]]:
    """Cuts what is too long: words at the end that come after the last value, then words at the beginning."""
    start, end = spans[0][0], spans[-1][1]
    if end - start <= 2 * LONGEST or (sentence.isascii() and sentence.count(" ", start, end) < LONGEST):
        return spans
    words = [(match.start(), match.end()) for match in _CUTTABLE.finditer(sentence, start, end)]
    if len(words) <= LONGEST:
        return spans
    last = max((value.end for value in within if value.end <= end), default=start)
    first = min((value.start for value in within if value.start >= start), default=start)
    cut = next((at for at, (_, stop) in enumerate(words) if stop >= last), 0)
    keep_from = max(0, min(cut - LONGEST + 1, next((at for at, (_, stop) in enumerate(words) if stop >= first), 0) - 6))
    begin, stop = words[keep_from][0] if keep_from else start, words[min(len(words), keep_from + LONGEST) - 1][1]
    stop = max((value.end for value in within if value.start < stop < value.end), default=stop)
    return [(max(one, begin), min(two, stop)) for one, two in spans if max(one, begin) < min(two, stop)]


_CUTTABLE = re.compile(rf"[{UNSPACED}]{{1,3}}|[^\s{UNSPACED}]+")


# -- what it is about


_DETERMINED = Pattern(r"\b(?:the|my|our|your|his|her|their|this|that|these|those|a|an|\w+['’]s)\s+(?!\w+ly\b)\w")


def _completed(sentence: str, clause: Clause, group: Sequence[Segment], previous: Sequence[Segment], before: str) -> Clause:
    """A clause that does not say what it is about, with what does: from its own sentence, else from the one before."""
    if not clause.subject and (wider := _clause(sentence, group)) and wider.subject:
        clause = wider
        if not is_pronominal(clause.text):
            return clause
    if previous and (earlier := _clause(sentence, previous)) and earlier.subject:
        return clause._replace(about=_thing(earlier), subject=clause.subject | earlier.subject)
    last = _clauses(before, "")[-1:] if before else []
    if last and last[0].subject:
        return clause._replace(about=_thing(last[0]), subject=clause.subject | last[0].subject)
    return clause


def _thing(clause: Clause) -> str:
    """The thing a clause speaks of: from its first "the", "my" or name on, and not too long."""
    found = _DETERMINED.search(clause.text)
    start = found.start() if found else 0
    names = [value.text for value in clause.values if value.kind == "name"]
    if names and (place := clause.text.find(names[0])) >= 0 and (found is None or place < start):
        start = place
    words = clause.text[start:].split(" ")
    return " ".join(words[:10]).rstrip(" ,;:.!?")
