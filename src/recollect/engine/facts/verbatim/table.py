"""The phrases of one language by which lasting statements are told from passing talk."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from recollect.engine.facts.verbatim.phrases import Lines, PhraseIndex


@dataclass(frozen=True)
class PhraseTable:
    """Phrases of one language, grouped by what they say about a sentence.

    `sure` phrases make a sentence a fact by themselves. `hints` do so together with a second cue. `slots` are sure phrases
    that name a thing of which people have one at a time, and may hold its value.
    """

    code: str
    first: Lines
    """The speaker, in pronouns and verb endings. Hints count only with one of these."""
    close: Lines
    """People and animals of the speaker: "my sister"."""
    states: Lines
    """What is said of those and lasts: "lives", "is called"."""
    instruction: Lines
    """Cues of a standing instruction to the assistant."""
    one_off: Lines
    """What makes an instruction one for this time only."""
    sure: Mapping[str, Lines]
    slots: Mapping[str, Lines]
    hints: Mapping[str, Lines]
    lasting: Lines
    """Adverbs such as "always" and "for years"."""
    passing: Lines
    """Adverbs such as "right now" and "tonight"."""
    blockers: Lines
    """Suppositions, wondering, reported speech, stories, jokes."""
    requests: Lines
    """How a request or a question begins."""
    play: Lines
    """What makes a whole message role play or fiction."""
    private: Lines
    """What asks not to remember a message, or to override the rules of the assistant."""
    paste: Lines
    """Requests to translate or correct the text after a colon."""
    over: Lines
    """What says that something has ended: "no longer", "sold"."""
    change: Lines
    """What says that something has changed: "by now", "since last week"."""
    present: Lines
    """The speaker as the subject of a verb in the present, or what is theirs. Makes a fact together with a hint."""
    vague: Lines
    """Moods, opinions about the talk, and other things that nobody notes."""
    past: Lines
    """Verbs in the past: most of what happened is not worth a note."""
    kinds: tuple[str, ...] = field(
        default=("constraint", "identity", "project", "possession", "preference", "event", "person")
    )
    """Kinds from the one that wins a tie to the one that loses it."""

    @cached_property
    def sentence_phrases(self) -> PhraseIndex:
        """What is looked for in a sentence. Phrases that speak for a fact are named by kind, points and slot."""
        groups: dict[Hashable, Lines] = {name: getattr(self, name) for name in _SENTENCE_FIELDS}
        for slot, lines in self.slots.items():
            groups[Cue(SLOT_KINDS[slot], SURE, slot)] = lines
        groups |= {Cue(kind, SURE, ""): lines for kind, lines in self.sure.items()}
        groups |= {Cue(kind, HINT, ""): lines for kind, lines in self.hints.items()}
        return PhraseIndex(groups, self.code, every=("states", "over"))

    @cached_property
    def message_phrases(self) -> PhraseIndex:
        """What is looked for in a whole message."""
        return PhraseIndex({name: getattr(self, name) for name in _MESSAGE_FIELDS}, self.code, every=("paste",))


class Cue(NamedTuple):
    """What a phrase says that speaks for a fact."""

    kind: str
    points: int
    slot: str


_SENTENCE_FIELDS = (
    "first close states instruction one_off lasting passing blockers requests over change present vague past"
).split()
_MESSAGE_FIELDS = "play private paste".split()
SURE = 3
"""Points of a phrase that makes a sentence a fact."""
HINT = 1
"""Points of a phrase that needs another one."""
SLOT_KINDS = {
    "name": "identity",
    "age": "identity",
    "birthday": "identity",
    "home": "identity",
    "origin": "identity",
    "job": "identity",
    "employer": "identity",
    "marital status": "identity",
    "diet": "constraint",
    "car": "possession",
    "form of address": "instruction",
}
