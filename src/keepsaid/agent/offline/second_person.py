"""Rewrite facts about the user to address the user: "User lives in Lisbon" becomes "you live in Lisbon"."""

from __future__ import annotations

import re

_OWNS = re.compile(r"User['’]s (?=\w)")
_DOES = re.compile(
    r"User (?P<adverb>(?:[a-z]+ly|also|often|always|never|now|still|just|already|sometimes) )?(?P<verb>[a-z'’]+)"
)
_WITH = re.compile(r"User and others (?=[a-z])")
_AMBIGUOUS = re.compile(r"\b(?:they|them|their|theirs|themselves|they're)\b", re.IGNORECASE)
_IRREGULAR = {
    "is": "are",
    "isn't": "aren't",
    "was": "were",
    "wasn't": "weren't",
    "has": "have",
    "hasn't": "haven't",
    "does": "do",
    "doesn't": "don't",
}
_ES = ("shes", "ches", "xes", "zes", "sses", "oes")


def to_second_person(text: str) -> str:
    """Rewrite a fact about the user in the second person. A fact that may also be about other people stays unchanged.

    >>> (to_second_person("User lives in Lisbon"), to_second_person("User's sister is called Nora"),
    ...  to_second_person("User never studies at night"))
    ('you live in Lisbon', 'your sister is called Nora', 'you never study at night')
    >>> (to_second_person("User has moved to Porto"), to_second_person("User loves their job"),
    ...  to_second_person("Allergic to nuts"))
    ('you have moved to Porto', 'User loves their job', 'Allergic to nuts')
    """
    if _AMBIGUOUS.search(text):
        return text
    if owns := _OWNS.match(text):
        return f"your {text[owns.end() :]}"
    if others := _WITH.match(text):
        return f"you and others {text[others.end() :]}"
    does = _DOES.match(text)
    if does is None:
        return text
    return f"you {does['adverb'] or ''}{_second_person_verb(does['verb'])}{text[does.end() :]}"


def _second_person_verb(verb: str) -> str:
    """Return the form of a verb that goes with "you". Past forms and "can" do not change."""
    plain = verb.replace("’", "'")
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if not plain.endswith("s") or plain.endswith("ss"):
        return verb
    if plain.endswith("ies") and len(plain) > 4:
        return f"{plain[:-3]}y"
    return plain[:-2] if plain.endswith(_ES) else plain[:-1]
