"""Other words for those whom a question is about: the name of "my sister", who "Nora" is, and who belongs to a family."""

from __future__ import annotations

import re

from recollect.engine.people import are_people, is_pet, person
from recollect.memory import Memory

_KIN = (
    "mother mom mum father dad sister brother wife husband partner son daughter kids children parents"
    " grandmother grandfather aunt uncle cousin niece nephew"
)
_MEMBERS = {
    "family": _KIN.split(),
    "relatives": _KIN.split(),
    "parents": "mother mom mum father dad".split(),
    "siblings": "sister brother".split(),
    "kids": "children son daughter".split(),
    "children": "kids son daughter".split(),
    "pets": "dog cat rabbit hamster bird parrot horse fish".split(),
    "pet": "dog cat rabbit hamster bird parrot horse fish".split(),
}
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NAME = r"(?P<name>[^\W\d_a-z][\w-]*)"
_CALLED = re.compile(rf"\bUser['’]s (?:\w+ )?(?P<who>[\w-]+?)(?:['’]s name)? is (?:called |named )?{_NAME}(?!\w)")
_NAMED = re.compile(rf"\b(?P<who>[\w-]+),? (?:named|called) {_NAME}")
_BESIDE = re.compile(rf"\bUser['’]s (?:\w+ )?(?P<who>[\w-]+) {_NAME} [a-z]")
LOOKED_AT = 20
"""Facts about a word in which a name for it is looked for."""


def other_words(memory: Memory, owner: str, text: str) -> list[str]:
    """Words by which those are called, too, whom a question names.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> _ = memory.remember("User's sister is called Nora", owner="u1")
    >>> other_words(memory, "u1", "Where does my sister live?"), other_words(memory, "u1", "Where does Nora live?")
    (['Nora'], ['sister'])
    """
    found: dict[str, None] = {}
    for match in list(_WORD.finditer(text))[:LOOKED_AT]:
        word = match[0].lower()
        if is_someone(word) or (match[0][0].isupper() and match.start()):
            found |= dict.fromkeys(_MEMBERS.get(word, ()))
            for who, name in _ties(memory, owner, word):
                found |= dict.fromkeys([name] if who == word else [who] if name.lower() == word else [])
    said = {word.lower() for word in _WORD.findall(text)}
    return [word for word in found if word.lower() not in said]


def is_someone(word: str) -> bool:
    """Whether a lower-case word is one for people or animals that somebody may ask about.

    >>> is_someone("sister"), is_someone("family"), is_someone("sofa")
    (True, True, False)
    """
    return word in _MEMBERS or bool(person(word)) or are_people(word) or is_pet(word)


def _ties(memory: Memory, owner: str, word: str) -> list[tuple[str, str]]:
    """Who has which name, by the facts that have a word."""
    facts = memory.facts(word, owner=owner, limit=LOOKED_AT)
    return [
        (match["who"].lower(), match["name"])
        for fact in facts
        for pattern in (_CALLED, _NAMED, _BESIDE)
        for match in pattern.finditer(fact.text)
        if is_someone(match["who"].lower())
    ]
