"""A statement taken apart: who it is about, the helping verb, the adverbs, and what is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from recollect.engine.facts.statements import Statement
from recollect.engine.facts.voice import Speaker, retold, third
from recollect.engine.facts.words import GIVEN, PEOPLE, PETS, any_of, words_of
from recollect.engine.pattern import Pattern


class Said(NamedTuple):
    """One statement. `name` begins the bullet, `subject` is whom the claim is about; `who` is how they were referred to.

    `helper` is the plain form of the helping verb ("am", "have", "was" or none), with its adverbs before (`early`) and
    behind it (`late`); `rest` is the statement from the main verb on, which begins at `at` in the message.
    """

    who: str
    name: str
    subject: str
    helper: str
    early: str
    late: str
    rest: str
    at: int

    def without(self, start: int, end: int) -> Said:
        """The same without a part of what is said, and with the place of what follows that part."""
        return self._replace(rest=self.rest[:start] + self.rest[end:], at=self.at + end - start)

    def bullet(self, verb: str, rest: str) -> str:
        """The statement in the third person: the verb, if it is in the present, and what follows it."""
        helper = self._helper()
        verb = third(verb) if verb and not helper and self.who == "I" else verb
        parts = (self.name, _telling(self.early), helper, _telling(self.late), verb, retold(rest))
        return " ".join(part for part in parts if part)

    @property
    def adverbs(self) -> str:
        """All the adverbs, on both sides of the helping verb."""
        return f"{self.early} {self.late}".strip()

    def _helper(self) -> str:
        if self.who in ("we", "many"):
            return {"am": "are", "was": "were"}.get(self.helper, self.helper)
        return {"am": "is", "have": "has"}.get(self.helper, self.helper)


def _telling(adverbs: str) -> str:
    return " ".join(word for word in adverbs.split() if word.lower() not in _EMPTY)


_EMPTY = frozenset("just actually also even definitely totally honestly really simply".split())

_ADVERBS = "(?: {})*".format(
    any_of(
        "just recently actually currently now also finally already still usually always really typically often originally"
        " generally normally officially even mostly mainly personally absolutely totally definitely especially truly simply"
        " sometimes regularly no_longer"
    )
)
_HELPER = Pattern(
    rf"(?P<early>{_ADVERBS})(?:['’]?(?P<am>m|re)\b| (?P<be>am|are|is)\b|['’]?(?P<have>ve)\b|['’](?P<short>s)\b"
    rf"| (?P<had>have|has)\b| (?P<was>was|were)\b)?(?P<late>{_ADVERBS})(?= |$)"
)
_PERSON = Pattern(
    rf"(?:my|our) (?P<given>(?:{GIVEN} )*)(?P<person>{PEOPLE}|{PETS})(?![\w-])"
    r"(?:,? (?-i:(?P<named>[A-Z][a-zA-Zéèáíóöüñ]{1,20}))(?![\w'’])(?:, )?)?"
)
_US = Pattern(
    rf"my (?:{GIVEN} )*(?P<person>{PEOPLE})(?:,? (?-i:[A-Z]\w{{1,20}}),?)? and i\b"
    r"|(?-i:(?P<named>[A-Z][a-z]{1,20})) and i\b|we\b"
)
_ME = Pattern(r"i(?=['’]|\b)|i(?=m\b|ve\b)")
_PRONOUN = Pattern(r"(?P<pronoun>she|he|they)(?=['’ ])")
_NAME = Pattern(r"(?-i:[A-Z])[\w-]+")
_PARTICIPLE = Pattern(r"(?:been|had|got|gotten|\w+ed|\w+en|\w+ing|become|moved|done|made|gone|won|lost|\w+ght)\b")

_MALE = frozenset(
    "father dad papa brother son husband boyfriend fiancé fiance grandfather grandpa grandson uncle nephew".split()
)
_FEMALE = frozenset(
    "mother mom mum mama sister daughter wife girlfriend fiancée fiancee grandmother grandma aunt niece".split()
)


class Person(NamedTuple):
    """Somebody of the speaker's, as they were mentioned."""

    words: str
    word: str
    named: str

    def may_be(self, pronoun: str) -> bool:
        """Whether "he", "she" or "they" can mean them."""
        word = self.word.lower()
        if pronoun.lower() == "they":
            return self.are_many
        return not self.are_many and word not in (_FEMALE if pronoun.lower() == "he" else _MALE)

    @property
    def are_many(self) -> bool:
        """Whether they are several."""
        word = self.word.lower()
        return (word.endswith("s") and word != "boss") or word in ("children", "family")


NOBODY: Mapping[str, Person] = {}


def people(text: str) -> list[tuple[Person, int, int]]:
    """Everybody of the speaker's whom a text mentions, with where.

    >>> [person.words for person, _, _ in people("My older sister Ana and my dog are here.")]
    ['older sister Ana', 'dog']
    """
    found: list[tuple[Person, int, int]] = []
    if _MINE.isdisjoint(words_of(text)):
        return found
    at = 0
    while match := _PERSON.search(text, at):
        found.append((_person(match), match.start(), match.end()))
        at = match.end()
    return found


_MINE = frozenset(("my", "our"))
_CALLED = Pattern(r"user['’]s (?P<words>[\w' -]+?) (?P<person>[\w-]+) is called (?-i:(?P<named>[A-Z][\w-]+))$"
                  r"|user['’]s (?P<one>[\w-]+) is called (?-i:(?P<name>[A-Z][\w-]+))$")  # fmt: skip


OF_USER = "User's "
"""What a stored fact about somebody of the user's begins with."""


def named_people(text: str) -> dict[str, Person]:
    """Those of the speaker's whom a text or a stored fact names, by name.

    >>> named_people("My sister Nora lives in Lisbon.")["Nora"].words, named_people("User's dog is called Rex")["Rex"].words
    ('sister Nora', 'dog Rex')
    """
    if match := _CALLED.match(text):
        word, name = match["person"] or match["one"], match["named"] or match["name"]
        words = " ".join(filter(None, (match["words"], word, name)))
        return {name: Person(words, word, name)}
    if text.startswith(OF_USER):
        text = f"my {text.removeprefix(OF_USER)}"
    return {person.named: person for person, _, _ in people(text) if person.named}


def _person(match: re.Match[str]) -> Person:
    words = " ".join(part for part in (match["given"].strip(), match["person"], match["named"] or "") if part)
    return Person(words, match["person"], match["named"] or "")


def parsed_statement(
    statement: Statement, speaker: Speaker, mentioned: Person | None, known: Mapping[str, Person] = NOBODY
) -> Said | None:
    """A statement taken apart; None if it is not about the speaker or somebody of theirs. `mentioned` is who was spoken of
    last, whom "she" or "he" may mean; `known` are people whom a name alone means.

    >>> said = parsed_statement(Statement("my sister just moved to Porto", 0, 28, ""), Speaker.of(None), None)
    >>> said.subject, said.adverbs, said.rest
    ("user's sister", 'just', 'moved to Porto')
    """
    text = statement.text
    if match := _US.match(text):
        other = f"their {match['person']}" if match["person"] else match["named"] or "others"
        name = f"{speaker.name} and {other}"
        return _taken_apart(statement, "we", name, speaker.subject, match.end())
    if match := _ME.match(text):
        return _taken_apart(statement, "I", speaker.name, speaker.subject, match.end())
    if match := _PERSON.match(text):
        person, end = _person(match), match.end()
        if text[end - 1] == " ":
            end -= 1
    elif (match := _PRONOUN.match(text)) and mentioned and mentioned.may_be(match["pronoun"]):
        person, end = mentioned, match.end()
    elif (match := _NAME.match(text)) and match[0] in known:
        person, end = known[match[0]], match.end()
    else:
        return None
    who = "many" if person.are_many else "one"
    return _taken_apart(statement, who, speaker.owner(person.words), f"{speaker.subject}'s {person.words}", end)


def _taken_apart(statement: Statement, who: str, name: str, subject: str, end: int) -> Said | None:
    match = _HELPER.match(statement.text, end)
    if match is None:
        return None
    at = match.end() + 1
    rest = statement.text[at:]
    helper = ""
    if match["am"] or match["be"]:
        helper = "am"
    elif match["short"]:
        helper = "have" if _PARTICIPLE.match(rest) and not rest.lower().startswith("a ") and rest[-3:] != "ing" else "am"
    elif match["have"] or match["had"]:
        helper = "have"
    elif match["was"]:
        helper = "was"
    return Said(who, name, subject, helper, match["early"].strip(), match["late"].strip(), rest, statement.start + at)
