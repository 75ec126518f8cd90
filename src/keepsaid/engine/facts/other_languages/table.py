"""The phrases of one language that distinguish lasting statements from small talk."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from keepsaid.engine.facts.other_languages.phrases import PhraseIndex, PhraseLines


@dataclass(frozen=True)
class PhraseTable:
    """Phrases of one language, grouped by what they show about a sentence.

    A `sure` phrase makes a sentence a fact by itself. A hint (`hints`) does so together with a second cue. `slots` are sure
    phrases for things of which people have one at a time, and may capture its value.
    """

    code: str
    first: PhraseLines
    """The speaker, in pronouns and verb endings. Hints count only with one of these."""
    close: PhraseLines
    """People and animals of the speaker: "my sister"."""
    states: PhraseLines
    """Lasting states of those people: "lives", "is called"."""
    instruction: PhraseLines
    """Cues of a standing instruction to the assistant."""
    one_off: PhraseLines
    """Cues that an instruction is for this time only."""
    sure: Mapping[str, PhraseLines]
    slots: Mapping[str, PhraseLines]
    hints: Mapping[str, PhraseLines]
    lasting: PhraseLines
    """Adverbs such as "always" and "for years"."""
    passing: PhraseLines
    """Adverbs such as "right now" and "tonight"."""
    blockers: PhraseLines
    """Suppositions, wondering, reported speech, stories, jokes."""
    requests: PhraseLines
    """How a request or a question begins."""
    play: PhraseLines
    """Cues that a whole message is role play or fiction."""
    private: PhraseLines
    """Requests not to remember a message, or to override the rules of the assistant."""
    paste: PhraseLines
    """Requests to translate or correct the text after a colon."""
    over: PhraseLines
    """Cues that something has ended: "no longer", "sold"."""
    change: PhraseLines
    """Cues that something has changed: "by now", "since last week"."""
    present: PhraseLines
    """The speaker as subject of a verb in the present tense, or their things. Makes a fact together with a hint."""
    vague: PhraseLines
    """Moods, opinions about the conversation, and other things not worth keeping."""
    past: PhraseLines
    """Verbs in the past tense: most events are not worth keeping."""
    kinds: tuple[str, ...] = field(
        default=("constraint", "identity", "project", "possession", "preference", "event", "person")
    )
    """Kinds by priority: in a tie, the earlier kind wins."""

    @cached_property
    def sentence_phrases(self) -> PhraseIndex:
        """Index of the phrases for sentences. Phrases that support a fact are grouped by kind, points and slot."""
        groups: dict[Hashable, PhraseLines] = {name: getattr(self, name) for name in _SENTENCE_FIELDS}
        for slot, lines in self.slots.items():
            groups[PhraseCue(SLOT_KINDS[slot], SURE_POINTS, slot)] = lines
        groups |= {PhraseCue(kind, SURE_POINTS, ""): lines for kind, lines in self.sure.items()}
        groups |= {PhraseCue(kind, HINT_POINTS, ""): lines for kind, lines in self.hints.items()}
        return PhraseIndex(groups, self.code, every=("states", "over"))

    @cached_property
    def message_phrases(self) -> PhraseIndex:
        """Index of the phrases for whole messages."""
        return PhraseIndex({name: getattr(self, name) for name in _MESSAGE_FIELDS}, self.code, every=("paste",))


class PhraseCue(NamedTuple):
    """What a phrase that supports a fact says."""

    kind: str
    points: int
    slot: str


_SENTENCE_FIELDS = (
    "first close states instruction one_off lasting passing blockers requests over change present vague past"
).split()
_MESSAGE_FIELDS = "play private paste".split()
SURE_POINTS = 3
"""Points of a phrase that makes a sentence a fact by itself."""
HINT_POINTS = 1
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
