"""Split a statement into its subject, helping verb, adverbs and the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from keepsaid.engine.facts.statements import StatementClause
from keepsaid.engine.facts.third_person import SpeakerIdentity, conjugate_third_person, convert_to_third_person
from keepsaid.engine.facts.words import PEOPLE, PERSON_ADJECTIVES, PETS, any_of, collect_words
from keepsaid.engine.text.patterns import EnglishPattern


class ParsedStatement(NamedTuple):
    """A statement split into parts.

    `name` begins the bullet, `subject` is whom the claim is about, and `who` is how they were referred to. `helper` is the
    base form of the helping verb ("am", "have", "was" or none); `early` and `late` are the adverbs before and after it.
    `rest` is the statement from the main verb on, which begins at `at` in the message.
    """

    who: str
    name: str
    subject: str
    helper: str
    early: str
    late: str
    rest: str
    at: int

    def without(self, start: int, end: int) -> ParsedStatement:
        """Return the statement without a part of `rest`, with the position of the text after that part."""
        return self._replace(rest=self.rest[:start] + self.rest[end:], at=self.at + end - start)

    def bullet(self, verb: str, rest: str) -> str:
        """Return the statement in the third person: the verb, if it is in the present tense, and what follows it."""
        helper = self._helper()
        verb = conjugate_third_person(verb) if verb and not helper and self.who == "I" else verb
        parts = (self.name, _drop_fillers(self.early), helper, _drop_fillers(self.late), verb, convert_to_third_person(rest))
        return " ".join(part for part in parts if part)

    @property
    def adverbs(self) -> str:
        """All adverbs, before and after the helping verb."""
        return f"{self.early} {self.late}".strip()

    def _helper(self) -> str:
        if self.who in ("we", "many"):
            return {"am": "are", "was": "were"}.get(self.helper, self.helper)
        return {"am": "is", "have": "has"}.get(self.helper, self.helper)


def _drop_fillers(adverbs: str) -> str:
    return " ".join(word for word in adverbs.split() if word.lower() not in _FILLERS)


_FILLERS = frozenset("just actually also even definitely totally honestly really simply".split())

_ADVERBS = "(?: {})*".format(
    any_of(
        "just recently actually currently now also finally already still usually always really typically often originally"
        " generally normally officially even mostly mainly personally absolutely totally definitely especially truly simply"
        " sometimes regularly no_longer"
    )
)
_HELPER = EnglishPattern(
    rf"(?P<early>{_ADVERBS})(?:['’]?(?P<am>m|re)\b| (?P<be>am|are|is)\b|['’]?(?P<have>ve)\b|['’](?P<short>s)\b"
    rf"| (?P<had>have|has)\b| (?P<was>was|were)\b)?(?P<late>{_ADVERBS})(?= |$)"
)
_PERSON = EnglishPattern(
    rf"(?:my|our) (?P<given>(?:{PERSON_ADJECTIVES} )*)(?P<person>{PEOPLE}|{PETS})(?![\w-])"
    r"(?:,? (?-i:(?P<named>[A-Z][a-zA-Zéèáíóöüñ]{1,20}))(?![\w'’])(?:, )?)?"
)
_US = EnglishPattern(
    rf"my (?:{PERSON_ADJECTIVES} )*(?P<person>{PEOPLE})(?:,? (?-i:[A-Z]\w{{1,20}}),?)? and i\b"
    r"|(?-i:(?P<named>[A-Z][a-z]{1,20})) and i\b|we\b"
)
_ME = EnglishPattern(r"i(?=['’]|\b)|i(?=m\b|ve\b)")
_PRONOUN = EnglishPattern(r"(?P<pronoun>she|he|they)(?=['’ ])")
_NAME = EnglishPattern(r"(?-i:[A-Z])[\w-]+")
_PARTICIPLE = EnglishPattern(r"(?:been|had|got|gotten|\w+ed|\w+en|\w+ing|become|moved|done|made|gone|won|lost|\w+ght)\b")

_MALE = frozenset(
    "father dad papa brother son husband boyfriend fiancé fiance grandfather grandpa grandson uncle nephew".split()
)
_FEMALE = frozenset(
    "mother mom mum mama sister daughter wife girlfriend fiancée fiancee grandmother grandma aunt niece".split()
)


class MentionedPerson(NamedTuple):
    """A relative, friend or pet of the speaker, as mentioned."""

    words: str
    word: str
    named: str

    def matches_pronoun(self, pronoun: str) -> bool:
        """Whether a pronoun ("he", "she" or "they") can refer to this person."""
        word = self.word.lower()
        if pronoun.lower() == "they":
            return self.is_several
        return not self.is_several and word not in (_FEMALE if pronoun.lower() == "he" else _MALE)

    @property
    def is_several(self) -> bool:
        """Whether this is more than one person."""
        word = self.word.lower()
        return (word.endswith("s") and word != "boss") or word in ("children", "family")


NO_PEOPLE: Mapping[str, MentionedPerson] = {}


def find_people(text: str) -> list[tuple[MentionedPerson, int, int]]:
    """Return the people of the speaker that a text mentions, each with its start and end.

    >>> [person.words for person, _, _ in find_people("My older sister Ana and my dog are here.")]
    ['older sister Ana', 'dog']
    """
    found: list[tuple[MentionedPerson, int, int]] = []
    if _MINE.isdisjoint(collect_words(text)):
        return found
    at = 0
    while match := _PERSON.search(text, at):
        found.append((_matched_person(match), match.start(), match.end()))
        at = match.end()
    return found


_MINE = frozenset(("my", "our"))
_CALLED = EnglishPattern(r"user['’]s (?P<words>[\w' -]+?) (?P<person>[\w-]+) is called (?-i:(?P<named>[A-Z][\w-]+))$"
                  r"|user['’]s (?P<one>[\w-]+) is called (?-i:(?P<name>[A-Z][\w-]+))$")  # fmt: skip


USER_PREFIX = "User's "
"""Beginning of a stored fact about a person of the user."""


def named_people(text: str) -> dict[str, MentionedPerson]:
    """Return the people of the speaker that a text or a stored fact names, by name.

    >>> named_people("My sister Nora lives in Lisbon.")["Nora"].words, named_people("User's dog is called Rex")["Rex"].words
    ('sister Nora', 'dog Rex')
    """
    if match := _CALLED.match(text):
        word, name = match["person"] or match["one"], match["named"] or match["name"]
        words = " ".join(filter(None, (match["words"], word, name)))
        return {name: MentionedPerson(words, word, name)}
    if text.startswith(USER_PREFIX):
        text = f"my {text.removeprefix(USER_PREFIX)}"
    return {person.named: person for person, _, _ in find_people(text) if person.named}


def _matched_person(match: re.Match[str]) -> MentionedPerson:
    words = " ".join(part for part in (match["given"].strip(), match["person"], match["named"] or "") if part)
    return MentionedPerson(words, match["person"], match["named"] or "")


def parse_statement(
    statement: StatementClause,
    speaker: SpeakerIdentity,
    mentioned: MentionedPerson | None,
    known: Mapping[str, MentionedPerson] = NO_PEOPLE,
) -> ParsedStatement | None:
    """Split a statement into parts; return None if it is not about the speaker or a person of theirs.

    `mentioned` is the person mentioned last, to whom "she" or "he" may refer. `known` maps names to people who can be
    referred to by name alone.

    >>> said = parse_statement(StatementClause("my sister just moved to Porto", 0, 28, ""), SpeakerIdentity.of(None), None)
    >>> said.subject, said.adverbs, said.rest
    ("user's sister", 'just', 'moved to Porto')
    """
    text = statement.text
    if match := _US.match(text):
        other = f"their {match['person']}" if match["person"] else match["named"] or "others"
        name = f"{speaker.name} and {other}"
        return _split_statement(statement, "we", name, speaker.subject, match.end())
    if match := _ME.match(text):
        return _split_statement(statement, "I", speaker.name, speaker.subject, match.end())
    if match := _PERSON.match(text):
        person, end = _matched_person(match), match.end()
        if text[end - 1] == " ":
            end -= 1
    elif (match := _PRONOUN.match(text)) and mentioned and mentioned.matches_pronoun(match["pronoun"]):
        person, end = mentioned, match.end()
    elif (match := _NAME.match(text)) and match[0] in known:
        person, end = known[match[0]], match.end()
    else:
        return None
    who = "many" if person.is_several else "one"
    return _split_statement(statement, who, speaker.owner(person.words), f"{speaker.subject}'s {person.words}", end)


def _split_statement(statement: StatementClause, who: str, name: str, subject: str, end: int) -> ParsedStatement | None:
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
    return ParsedStatement(
        who, name, subject, helper, match["early"].strip(), match["late"].strip(), rest, statement.start + at
    )
