"""Convert statements from the first to the third person: "I love my job" becomes "Ana loves their job"."""

from __future__ import annotations

import re
from typing import NamedTuple


class SpeakerIdentity(NamedTuple):
    """The names of the author of a message: `name` in a bullet, `subject` in the subject of a claim.

    >>> SpeakerIdentity.of(None).owner("sister"), SpeakerIdentity.of("Ana").owner("sister")
    ("User's sister", "Ana's sister")
    """

    name: str
    subject: str

    @classmethod
    def of(cls, name: str | None) -> SpeakerIdentity:
        """Return the speaker of a message, given the name in the message, if any."""
        return cls(name, name) if name else cls("User", "user")

    def owner(self, what: str) -> str:
        """Return the beginning of a bullet about something of the speaker."""
        return f"{self.name}'s {what}"


_PRONOUNS = re.compile(
    r"(?<![\w'’])(?:I['’]m|I was|I am|I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|us|[Oo]ur|[Oo]urs|[Oo]urselves)(?![\w-])"
)
_OTHERS = {
    "i": "they",
    "i was": "they were",
    "i am": "they are",
    "i'm": "they're",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "we": "they",
    "us": "them",
    "our": "their",
    "ours": "theirs",
    "ourselves": "themselves",
}
_SPACE = re.compile(r"\s+")


def convert_to_third_person(rest: str) -> str:
    """Return the text after the verb with the speaker's pronouns, and a second verb, in the third person.

    >>> convert_to_third_person("my job because I was bored, and it suits me")
    'their job because they were bored, and it suits them'
    >>> convert_to_third_person("the house I'm in, in the US")
    "the house they're in, in the US"
    >>> convert_to_third_person("World War I")
    'World War I'
    >>> convert_to_third_person("aisle seats and hate layovers")
    'aisle seats and hates layovers'
    """
    converted = _PRONOUNS.sub(_convert_pronoun, _SPACE.sub(" ", rest)).strip()
    return _SECOND_VERB.sub(lambda match: conjugate_third_person(match[0]), converted)


def _convert_pronoun(match: re.Match[str]) -> str:
    if match[0] == "I" and _NUMERAL.search(match.string[max(0, match.start() - 24) : match.start()]):
        return "I"
    return _OTHERS[match[0].lower().replace("’", "'")]


_SECOND_VERB = re.compile(r"(?<= (?:and|but) )(?:hate|dislike|detest|loathe|prefer|enjoy|adore|avoid|don['’]t)(?= \w)")
"""A second verb with the same subject as the first. Words that are also common nouns are left out."""
_NUMERAL = re.compile(r"\b[A-Z]\w+ $")


def conjugate_third_person(verb: str) -> str:
    """Return the present tense of a verb in the third person singular.

    >>> [conjugate_third_person(verb) for verb in ("love", "go", "study", "play", "have", "don't", "teach", "can't")]
    ['loves', 'goes', 'studies', 'plays', 'has', "doesn't", 'teaches', "can't"]
    """
    lowered = verb.lower().replace("’", "'")
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered]
    if lowered.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{lowered}es"
    if lowered.endswith("y") and lowered[-2:-1] not in tuple("aeiou"):
        return f"{lowered[:-1]}ies"
    return f"{lowered}s"


_IRREGULAR = {"have": "has", "am": "is", "don't": "doesn't", "do not": "does not"} | {
    word: word for word in ("can't", "cannot", "was", "must")
}
