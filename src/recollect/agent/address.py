"""Facts as they are told to the person they are about: "User lives in Lisbon" is "you live in Lisbon"."""

from __future__ import annotations

import re

_OWNS = re.compile(r"User['’]s (?=\w)")
_DOES = re.compile(
    r"User (?P<adverb>(?:[a-z]+ly|also|often|always|never|now|still|just|already|sometimes) )?(?P<verb>[a-z'’]+)"
)
_WITH = re.compile(r"User and others (?=[a-z])")
_WHOSE = re.compile(r"\b(?:they|them|their|theirs|themselves|they're)\b", re.IGNORECASE)
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


def told_to(text: str) -> str:
    """A fact about the user, in words to the user. What may be about somebody else as well stays as it is.

    >>> told_to("User lives in Lisbon"), told_to("User's sister is called Nora"), told_to("User never studies at night")
    ('you live in Lisbon', 'your sister is called Nora', 'you never study at night')
    >>> told_to("User has moved to Porto"), told_to("User loves their job"), told_to("Allergic to nuts")
    ('you have moved to Porto', 'User loves their job', 'Allergic to nuts')
    """
    if _WHOSE.search(text):
        return text
    if owns := _OWNS.match(text):
        return f"your {text[owns.end() :]}"
    if others := _WITH.match(text):
        return f"you and others {text[others.end() :]}"
    does = _DOES.match(text)
    if does is None:
        return text
    return f"you {does['adverb'] or ''}{_with_you(does['verb'])}{text[does.end() :]}"


def _with_you(verb: str) -> str:
    """A verb as it goes with "you": the past and "can" are the same for all."""
    plain = verb.replace("’", "'")
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if not plain.endswith("s") or plain.endswith("ss"):
        return verb
    if plain.endswith("ies") and len(plain) > 4:
        return f"{plain[:-3]}y"
    return plain[:-2] if plain.endswith(_ES) else plain[:-1]
