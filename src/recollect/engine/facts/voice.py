"""From "I love my job" to "Ana loves their job": a statement in the first person, told by somebody else."""

from __future__ import annotations

import re
from typing import NamedTuple


class Speaker(NamedTuple):
    """Who says "I": the word that stands for them in a bullet, and in the subject of a claim.

    >>> Speaker.of(None).owner("sister"), Speaker.of("Ana").owner("sister")
    ("User's sister", "Ana's sister")
    """

    name: str
    subject: str

    @classmethod
    def of(cls, name: str | None) -> Speaker:
        """The speaker of a message that may carry a name."""
        return cls(name, name) if name else cls("User", "user")

    def owner(self, what: str) -> str:
        """Something of theirs, as a bullet begins with it."""
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


def retold(rest: str) -> str:
    """What follows the verb, with the speaker's pronouns turned.

    >>> retold("my job because I was bored, and it suits me")
    'their job because they were bored, and it suits them'
    >>> retold("the house I'm in, in the US")
    "the house they're in, in the US"
    >>> retold("World War I")
    'World War I'
    """
    return _PRONOUNS.sub(_turned, _SPACE.sub(" ", rest)).strip()


def _turned(match: re.Match[str]) -> str:
    if match[0] == "I" and _NUMERAL.search(match.string[max(0, match.start() - 24) : match.start()]):
        return "I"
    return _OTHERS[match[0].lower().replace("’", "'")]


_NUMERAL = re.compile(r"\b[A-Z]\w+ $")


def third(verb: str) -> str:
    """The present of a verb as it goes with "she".

    >>> [third(verb) for verb in ("love", "go", "study", "play", "have", "don't", "teach", "can't")]
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
