"""Split a sentence into segments, at commas and before words such as "because", and group those that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from keepsaid.engine.summary.fillers import is_filler
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.values import ExactValue, find_values

MAX_CLAUSE_WORDS = 26
"""Maximum words of a clause. A longer one is cut at its end, or at its beginning if that has no values."""


class SentenceSegment(NamedTuple):
    start: int
    end: int
    kind: str
    """`own` stands alone; `part` continues what is before it; `relative`, `condition` and `aside` are optional."""
    values: tuple[ExactValue, ...]


def group_segments(sentence: str) -> list[list[SentenceSegment]]:
    """Return the segments of a sentence in groups that belong together.

    >>> said = "Ana won, so that's our treasurer, and I went home by bus."
    >>> [[said[one.start : one.end].strip() for one in group] for group in group_segments(said)]
    [['Ana won', "so that's our treasurer"], ['and I went home by bus.']]
    """
    return _join_groups(sentence, _group_by_kind(_split_segments(sentence)))


def has_definite_noun(sentence: str, segment: SentenceSegment) -> bool:
    """Whether a segment has a "the" or "my" with a thing that can be told from others."""
    return _NAMES_SOMETHING.search(sentence[segment.start : segment.end]) is not None


def count_words(text: str) -> int:
    """Return roughly how many words a text has."""
    return len(text.split()) if text.isascii() else len(text) // 3 + 1


# -- segments

_BREAK = EnglishPattern(
    r"[;,:](?=\s)|[；，、：()（）—]|(?<=\s)(?:[-–]+(?=\s)|(?:because|since|so|but|which|although|though|(?<!a\s)while|whereas"
    r"|unless|until"
    r"|when|if|after|before|once|in case|and)\b)"
)
_GOES_ON = frozenset("is are was were has had will would can could should must isn't wasn't".split())
_DASHES = "-–—"
_MARKS = frozenset(",;:-–—()（）；，、：")
_RELATIVE = frozenset("which who whose whom where".split())
_CONDITION = frozenset("when if unless until before after once till".split())
_REASONS = frozenset("because since though although while whereas otherwise".split())
LEADS = frozenset("after before once until since while because as".split())
PREPOSITIONS = frozenset(
    """
    to on at in for with from by under over until about as of per via into within without through during near behind between
    including especially like than and or plus not i.e e.g namely either
    """.split()
)
_SUBJECTS = frozenset(
    """
    i we you he she it they this that these those there the a an my our your his her its their everyone everybody nobody
    somebody someone each every all both one
    """.split()
)
_VERB = EnglishPattern(
    r"\b(?:is|are|was|were|be|been|am|has|have|had|will|would|can|could|should|shall|must|may|might|do|does|did|won['’]t"
    r"|\w+['’](?:s|re|ll|ve|m|d|t)|let|use|run|set|call|keep|send|put|take|go|need|want|buy|book|remember|ask|tell|check"
    r"|[a-z]{2,}ed|went|got|made|said|told|took|came|gave|left|met|bought|chose|sent|paid|found|kept|held|runs|uses|needs"
    r"|costs|starts|ends|lives|works|goes|takes|opens|closes|expires|wants|likes|prefers|owns|leads|moves|leaves|arrives"
    r"|comes"
    r"|stands|gets|makes|means|says|sits|holds|allows|fixes|handles|keeps|heard|knew|thought|think|know|see|saw|know)\b"
)
FIRST_WORD = re.compile(r"\W{0,3}([^\W\d_]+(?:['’]\w+)?)")


def _split_segments(sentence: str) -> list[SentenceSegment]:
    found = find_values(sentence)
    borders = [0, *_find_borders(sentence, found), len(sentence)]
    segments: list[SentenceSegment] = []
    for start, end in zip(borders[::2], borders[1::2], strict=True):
        if sentence[start:end].strip(" .!?…)") and not is_filler(sentence, start, end):
            within = tuple(value for value in found if start <= value.start and value.end <= end) if found else ()
            segments.append(
                SentenceSegment(start, end, _classify(sentence[start:end], sentence[start - 1] if start else ""), within)
            )
    return segments


def _find_borders(sentence: str, found: Sequence[ExactValue]) -> Iterator[int]:
    """Yield where segments end and begin: punctuation is between them, words such as "because" begin them. Values are not
    split."""
    at = 0
    while (cut := _BREAK.search(sentence, at)) is not None:
        start, at = cut.span()
        inside = next((value for value in found if value.start <= start < value.end), None)
        if inside is not None:
            at = max(at, inside.end)
            continue
        yield start
        yield at if cut[0][0] in _MARKS else start


def _classify(segment: str, mark: str) -> str:
    match = FIRST_WORD.match(segment)
    first = match[1].lower() if match else ""
    if mark and mark in "(（":
        return "aside"
    if first in _RELATIVE:
        return "relative"
    if mark and (mark in ":：" or (mark in _DASHES and first not in _SUBJECTS) or first in _GOES_ON):
        return "part"
    if first in _CONDITION:
        return "condition"
    if first in _REASONS:
        return "own"
    if first in ("and", "but", "so"):
        return "own" if _is_new_clause(segment) else "part"
    if first in PREPOSITIONS or (first.endswith("ing") and len(first) > 5):
        return "part"
    if first in _SUBJECTS and len(segment.split()) > 3:
        return "own"
    return "own" if _VERB.search(segment) or not segment.isascii() else "part"


_NEW_SUBJECT = EnglishPattern(
    r"(?:and|but|so) (?:[^\W\d]\S* ){0,4}?(?:the|my|our|your|his|her|their|its|a|an|i|we|you|he|she|it|they|this|that|there"
    r"|(?:i|we|you|he|she|it|they|that|there)['’]\w+|let['’]s|please|don['’]t|[A-Z]\w+)(?!\w)"
)


def _is_new_clause(segment: str) -> bool:
    """Whether what follows an "and" has its own subject: "and the", not "and bought"."""
    begins = _NEW_SUBJECT.match(segment)
    if begins is None:
        return False
    verb = _VERB.search(segment)
    return verb is not None and verb.end() >= begins.end()


# -- groups


def _group_by_kind(segments: Sequence[SentenceSegment]) -> list[list[SentenceSegment]]:
    """Group the segments that belong together. The beginning of a sentence ("after the talk, ...") belongs to what
    follows."""
    groups: list[list[SentenceSegment]] = []
    waiting: list[SentenceSegment] = []
    for segment in segments:
        if segment.kind == "own":
            groups.append([*waiting, segment])
            waiting = []
        elif groups:
            groups[-1].append(segment)
        else:
            waiting.append(segment)
    return [*groups, waiting] if waiting else groups


def _join_groups(sentence: str, groups: Sequence[list[SentenceSegment]]) -> list[list[SentenceSegment]]:
    """Join groups of which one has a value and the other says what the value is of: "Ana won, so that's our treasurer"."""
    joined: list[list[SentenceSegment]] = []
    for group in groups:
        if joined and _complete_each_other(sentence, joined[-1], group):
            joined[-1] = [*joined[-1], *group]
        else:
            joined.append(group)
    return joined


def _complete_each_other(sentence: str, one: Sequence[SentenceSegment], two: Sequence[SentenceSegment]) -> bool:
    here, there = _rate_exactness(one), _rate_exactness(two)
    valued, other = (one, two) if here > there else (two, one)
    return (
        here != there
        and count_words(sentence[one[0].start : two[-1].end]) <= MAX_CLAUSE_WORDS
        and not any(has_definite_noun(sentence, segment) for segment in valued)
        and any(has_definite_noun(sentence, segment) for segment in other)
    )


def _rate_exactness(group: Sequence[SentenceSegment]) -> int:
    """Return 0 for no values, 1 for names and days, 2 for exact ones."""
    kinds = {value.kind for segment in group for value in segment.values}
    return 2 if kinds - VAGUE_KINDS else 1 if kinds else 0


VAGUE_KINDS = frozenset(("name", "day"))
_NAMES_SOMETHING = EnglishPattern(
    r"\b(?:the|our|my|your|his|her|their|(?!(?:let|there|it|that|here|what)['’])\w+['’]s) "
    r"(?!(?:winner|name|result|answer|one|thing|best|same|end|moment|way|time|number|link|command|other|rest|first|last|day"
    r"|morning|trick|point)s?\b)\w"
)
