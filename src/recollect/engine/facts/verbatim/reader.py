"""Which sentences of a message are lasting facts in a language that has a table of phrases, and of which kind."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from recollect.engine.facts.verbatim.sentences import Sentence
from recollect.engine.facts.verbatim.spelling import UNSPACED, normalize
from recollect.engine.facts.verbatim.table import SLOT_KINDS, SURE, Cue, PhraseTable

LOWEST_SCORE = 2
"""Points that make a fact."""
LASTING = 1
"""Points of an adverb such as "always"."""
PASSING = -1
"""Points of an adverb such as "tonight"."""
PERSON = 1
"""Points for somebody close."""
STATE = 2
"""Points for what lasts and is said of somebody close."""
PRESENT = 1
"""Points for a statement in the present, about the speaker or somebody close."""
VAGUE = -2
"""Points for a mood or an opinion, unless a phrase is sure."""
PAST = -2
"""Points for what is told of the past, unless a phrase is sure."""

Matches = Mapping[Hashable, list[re.Match[str]]]


class Judgement(NamedTuple):
    """What a sentence or clause was found to be. `value` is a span of the text that was judged.

    `corrects` is set where it tells a change, and `ends` where it says that something is over.
    """

    kind: str
    score: int
    slot: str
    value: tuple[int, int]
    corrects: bool
    ends: bool


class Reading(NamedTuple):
    """A judged stretch of a message."""

    start: int
    end: int
    judgement: Judgement


def read_sentence(sentence: Sentence, table: PhraseTable) -> Iterator[Reading]:
    """Yield the stretches of a sentence that state something lasting: mostly the whole sentence or nothing.

    A request or a question is read clause by clause: "I am vegan, what could I cook?"
    """
    text = mask_quotes(normalize(sentence.text, table.code))
    found = table.sentence_phrases.find(text)
    if "instruction" in found and "one_off" not in found:
        if not sentence.asks:
            yield Reading(sentence.start, sentence.end, _judge_instruction(found))
        return
    if "blockers" in found:
        return
    if not sentence.asks and "requests" not in found:
        if judgement := judge_statement(text, found, table):
            yield Reading(sentence.start, sentence.end, judgement)
    elif len(text) == len(sentence.text) and any(isinstance(name, Cue) and name.points >= SURE for name in found):
        yield from _read_clauses(sentence, text, table)


def _read_clauses(sentence: Sentence, text: str, table: PhraseTable) -> Iterator[Reading]:
    """The clauses before a question and after a request that state something by themselves."""
    clauses = list(_CLAUSE.finditer(text))
    for clause in clauses[:-1] if sentence.asks else clauses[1:]:
        found = table.sentence_phrases.find(clause[0])
        judgement = None if "requests" in found else judge_statement(clause[0], found, table)
        if judgement and judgement.score >= SURE:
            yield Reading(sentence.start + clause.start(), sentence.start + clause.end(), judgement)


_CLAUSE = re.compile(r"(?! )[^,;:，；：、،—–¿¡]{3,}(?<! )")
_QUOTED = re.compile(
    r'"[^"\n]{0,300}"|“[^”\n]{0,300}”|„[^“”"\n]{0,300}[“”"]|«[^»\n]{0,300}»|「[^」\n]{0,300}」|『[^』\n]{0,300}』'
    r"|《[^》\n]{0,100}》"
)


def mask_quotes(text: str) -> str:
    """Replace what is quoted by underscores, so that it is not read as a statement.

    >>> mask_quotes("he said “I am ill”, ha")
    'he said “________”, ha'
    """
    return _QUOTED.sub(lambda match: f"{match[0][0]}{'_' * (len(match[0]) - 2)}{match[0][-1]}", text)


def _judge_instruction(found: Matches) -> Judgement:
    address = found.get(_ADDRESS)
    slot, value = (_ADDRESS.slot, _value(address[0])) if address else ("", (0, 0))
    return Judgement("instruction", SURE, slot, value, *_update(found))


_ADDRESS = Cue("instruction", SURE, "form of address")


def judge_statement(text: str, found: Matches, table: PhraseTable) -> Judgement | None:
    """Return what a normalized sentence states about the speaker that lasts, or None."""
    scores: dict[str, int] = {}
    first_sure = len(text)
    personal = "first" in found or "present" in found
    for cue, matches in found.items():
        if not isinstance(cue, Cue) or cue.kind == "instruction" or (cue.points < SURE and not personal):
            continue
        scores[cue.kind] = max(cue.points, scores.get(cue.kind, 0))
        if cue.points >= SURE and cue.kind != "person":
            first_sure = min(first_sure, matches[0].start())
    _score_people(found, table, scores, first_sure)
    kind = max(table.kinds, key=lambda name: scores.get(name, 0)) if scores else _HABIT
    score = scores.get(kind, 0) + _weigh_tense(found, scores.get(kind, 0))
    if score < LOWEST_SCORE:
        return None
    return Judgement(kind, score, *_find_slot(found, kind), *_update(found))


_HABIT = "preference"
"""What a lasting statement in the present is that says nothing else."""


def _weigh_tense(found: Matches, points: int) -> int:
    """What adverbs, tense and mood add to the points of a sentence; only adverbs count where a phrase is sure."""
    weight = (LASTING if "lasting" in found else 0) + (PASSING if "passing" in found else 0)
    if points >= SURE:
        return weight
    weight += PRESENT if "present" in found or "close" in found else 0
    return weight + (VAGUE if "vague" in found else 0) + (PAST if "past" in found else 0)


def _score_people(found: Matches, table: PhraseTable, scores: dict[str, int], first_sure: int) -> None:
    """Somebody close whom a sentence begins with is what it is about."""
    close = found.get("close")
    if not close or close[0].start() > first_sure:
        return
    after = close[0].start() if table.code in UNSPACED else close[0].end()
    if any(state.start() >= after for state in found.get("states", ())):
        scores.update(dict.fromkeys(scores, 0))
        scores["person"] = PERSON + STATE
    else:
        scores["person"] = max(PERSON, scores.get("person", 0))


def _find_slot(found: Matches, kind: str) -> tuple[str, tuple[int, int]]:
    """The slot of that kind which a sentence fills, and the place of its value."""
    for slot in SLOT_KINDS:
        if SLOT_KINDS[slot] == kind and (matches := found.get(Cue(kind, SURE, slot))):
            return slot, _value(matches[0])
    return "", (0, 0)


def _update(found: Matches) -> tuple[bool, bool]:
    """Whether a text tells a change, and whether it says that something is over."""
    return "over" in found or "change" in found, "over" in found


def _value(match: re.Match[str]) -> tuple[int, int]:
    """The span of the captured value; an empty one if the phrase captures none."""
    return match.span(match.lastindex) if match.lastindex else (0, 0)
