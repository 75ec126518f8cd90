"""Judge which sentences of a message are lasting facts, and of which kind, by the phrase table of their language."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from keepsaid.engine.facts.other_languages.sentences import MessageSentence
from keepsaid.engine.facts.other_languages.spelling import UNSPACED, normalize
from keepsaid.engine.facts.other_languages.table import SLOT_KINDS, SURE_POINTS, PhraseCue, PhraseTable

MIN_FACT_SCORE = 2
"""Minimum points of a fact."""
LASTING_POINTS = 1
"""Points of an adverb such as "always"."""
PASSING_POINTS = -1
"""Points of an adverb such as "tonight"."""
PERSON_POINTS = 1
"""Points for a person close to the speaker."""
STATE_POINTS = 2
"""Points for a lasting statement about a person close to the speaker."""
PRESENT_POINTS = 1
"""Points for a statement in the present tense, about the speaker or a person close to them."""
VAGUE_POINTS = -2
"""Points for a mood or an opinion, unless a phrase is sure."""
PAST_POINTS = -2
"""Points for a statement about the past, unless a phrase is sure."""

PhraseMatches = Mapping[Hashable, list[re.Match[str]]]


class SentenceJudgement(NamedTuple):
    """The judgement of a sentence or clause. `value` is a span of the judged text.

    `corrects` is set if it states a change, and `ends` if it says that something ended.
    """

    kind: str
    score: int
    slot: str
    value: tuple[int, int]
    corrects: bool
    ends: bool


class SentenceReading(NamedTuple):
    """A judged span of a message."""

    start: int
    end: int
    judgement: SentenceJudgement


def read_sentence(sentence: MessageSentence, table: PhraseTable) -> Iterator[SentenceReading]:
    """Yield the parts of a sentence that state something lasting: mostly the whole sentence or nothing.

    A request or a question is judged clause by clause: "I am vegan, what could I cook?"
    """
    text = mask_quotes(normalize(sentence.text, table.code))
    same_places = len(text) == len(sentence.text)
    found = table.sentence_phrases.find(text)
    if "instruction" in found and "one_off" not in found:
        if not sentence.asks:
            yield SentenceReading(sentence.start, sentence.end, _with_valid_span(_judge_instruction(found), same_places))
        return
    if "blockers" in found:
        return
    if not sentence.asks and "requests" not in found:
        if judgement := judge_statement(text, found, table):
            yield SentenceReading(sentence.start, sentence.end, _with_valid_span(judgement, same_places))
    elif same_places and any(isinstance(name, PhraseCue) and name.points >= SURE_POINTS for name in found):
        yield from _read_clauses(sentence, text, table)


def _with_valid_span(judgement: SentenceJudgement, same_places: bool) -> SentenceJudgement:
    """Return a judgement, without the span of its value if the judged text differs in length from the original.

    The span would select the wrong part of the original.
    """
    return judgement if same_places else judgement._replace(value=(0, 0))


def _read_clauses(sentence: MessageSentence, text: str, table: PhraseTable) -> Iterator[SentenceReading]:
    """Yield the clauses before a question or after a request that state something by themselves."""
    clauses = list(_CLAUSE.finditer(text))
    for clause in clauses[:-1] if sentence.asks else clauses[1:]:
        found = table.sentence_phrases.find(clause[0])
        judgement = None if "requests" in found else judge_statement(clause[0], found, table)
        if judgement and judgement.score >= SURE_POINTS:
            yield SentenceReading(sentence.start + clause.start(), sentence.start + clause.end(), judgement)


_CLAUSE = re.compile(r"(?! )[^,;:，；：、،—–¿¡]{3,}(?<! )")
_QUOTED = re.compile(
    r'"[^"\n]{0,300}"|“[^”\n]{0,300}”|„[^“”"\n]{0,300}[“”"]|«[^»\n]{0,300}»|「[^」\n]{0,300}」|『[^』\n]{0,300}』'
    r"|《[^》\n]{0,100}》"
)


def mask_quotes(text: str) -> str:
    """Replace quoted text with underscores, so that it is not read as a statement.

    >>> mask_quotes("he said “I am ill”, ha")
    'he said “________”, ha'
    """
    return _QUOTED.sub(lambda match: f"{match[0][0]}{'_' * (len(match[0]) - 2)}{match[0][-1]}", text)


def _judge_instruction(found: PhraseMatches) -> SentenceJudgement:
    address = found.get(_ADDRESS)
    slot, value = (_ADDRESS.slot, _value_span(address[0])) if address else ("", (0, 0))
    return SentenceJudgement("instruction", SURE_POINTS, slot, value, *_change_flags(found))


_ADDRESS = PhraseCue("instruction", SURE_POINTS, "form of address")


def judge_statement(text: str, found: PhraseMatches, table: PhraseTable) -> SentenceJudgement | None:
    """Return the judgement of a normalized sentence; None if it states nothing lasting about the speaker."""
    scores: dict[str, int] = {}
    first_sure = len(text)
    personal = "first" in found or "present" in found
    for cue, matches in found.items():
        if not isinstance(cue, PhraseCue) or cue.kind == "instruction" or (cue.points < SURE_POINTS and not personal):
            continue
        scores[cue.kind] = max(cue.points, scores.get(cue.kind, 0))
        if cue.points >= SURE_POINTS and cue.kind != "person":
            first_sure = min(first_sure, matches[0].start())
    _score_people(found, table, scores, first_sure)
    kind = max(table.kinds, key=lambda name: scores.get(name, 0)) if scores else _HABIT
    score = scores.get(kind, 0) + _weigh_tense(found, scores.get(kind, 0))
    if score < MIN_FACT_SCORE:
        return None
    return SentenceJudgement(kind, score, *_find_slot(found, kind), *_change_flags(found))


_HABIT = "preference"
"""Kind of a lasting statement in the present tense that has no cue for another kind."""


def _weigh_tense(found: PhraseMatches, points: int) -> int:
    """Return the points that adverbs, tense and mood add. Only adverbs count if a phrase is sure."""
    weight = (LASTING_POINTS if "lasting" in found else 0) + (PASSING_POINTS if "passing" in found else 0)
    if points >= SURE_POINTS:
        return weight
    weight += PRESENT_POINTS if "present" in found or "close" in found else 0
    return weight + (VAGUE_POINTS if "vague" in found else 0) + (PAST_POINTS if "past" in found else 0)


def _score_people(found: PhraseMatches, table: PhraseTable, scores: dict[str, int], first_sure: int) -> None:
    """Add points for a person close to the speaker: a sentence that begins with such a person is about them."""
    close = found.get("close")
    if not close or close[0].start() > first_sure:
        return
    after = close[0].start() if table.code in UNSPACED else close[0].end()
    if any(state.start() >= after for state in found.get("states", ())):
        scores.update(dict.fromkeys(scores, 0))
        scores["person"] = PERSON_POINTS + STATE_POINTS
    else:
        scores["person"] = max(PERSON_POINTS, scores.get("person", 0))


def _find_slot(found: PhraseMatches, kind: str) -> tuple[str, tuple[int, int]]:
    """Return the slot of this kind that a sentence fills, and the span of its value."""
    for slot in SLOT_KINDS:
        if SLOT_KINDS[slot] == kind and (matches := found.get(PhraseCue(kind, SURE_POINTS, slot))):
            return slot, _value_span(matches[0])
    return "", (0, 0)


def _change_flags(found: PhraseMatches) -> tuple[bool, bool]:
    """Return whether a text states a change, and whether it says that something ended."""
    return "over" in found or "change" in found, "over" in found


def _value_span(match: re.Match[str]) -> tuple[int, int]:
    """Return the span of the captured value; an empty one if the phrase captures none."""
    return match.span(match.lastindex) if match.lastindex else (0, 0)
