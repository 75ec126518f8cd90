"""Other names of the people in a question: the name of "my sister", who "Nora" is, and the members of a family."""

from __future__ import annotations

import re

from keepsaid.engine.text.person_words import are_people, find_person_pronoun, is_pet
from keepsaid.memory import Memory

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
MAX_FACTS = 20
"""Maximum facts per word that are searched for names, and maximum words of a question."""


def find_other_names(memory: Memory, owner: str, text: str) -> list[str]:
    """Return other names or relations of the people whom a question names.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> _ = memory.remember("User's sister is called Nora", owner="u1")
    >>> find_other_names(memory, "u1", "Where does my sister live?"), find_other_names(memory, "u1", "Where does Nora live?")
    (['Nora'], ['sister'])
    """
    found: dict[str, None] = {}
    for match in list(_WORD.finditer(text))[:MAX_FACTS]:
        word = match[0].lower()
        if is_person_or_pet(word) or (match[0][0].isupper() and match.start()):
            found |= dict.fromkeys(_MEMBERS.get(word, ()))
            for who, name in _find_names(memory, owner, word):
                found |= dict.fromkeys([name] if who == word else [who] if name.lower() == word else [])
    own_words = {word.lower() for word in _WORD.findall(text)}
    return [word for word in found if word.lower() not in own_words]


def is_person_or_pet(word: str) -> bool:
    """Whether a lower-case word denotes people or pets.

    >>> is_person_or_pet("sister"), is_person_or_pet("family"), is_person_or_pet("sofa")
    (True, True, False)
    """
    return word in _MEMBERS or bool(find_person_pronoun(word)) or are_people(word) or is_pet(word)


def _find_names(memory: Memory, owner: str, word: str) -> list[tuple[str, str]]:
    """Return pairs of relation and name from the facts that contain a word."""
    facts = memory.facts(word, owner=owner, limit=MAX_FACTS)
    return [
        (match["who"].lower(), match["name"])
        for fact in facts
        for pattern in (_CALLED, _NAMED, _BESIDE)
        for match in pattern.finditer(fact.text)
        if is_person_or_pet(match["who"].lower())
    ]
