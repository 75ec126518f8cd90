"""The one gate for claims, whoever made them: nothing passes that the message does not say, or that reads as an order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import get_args

from recollect.engine.facts.claim import Claim
from recollect.engine.facts.typed import is_private
from recollect.engine.facts.words import cued, words_of
from recollect.engine.terms import terms
from recollect.types import FactKind, Message, Role

LONGEST = 40
"""Words in a bullet."""
LONGEST_WORD = 60
"""Characters; what is longer is a link, a key or encoded data."""
LEAST = 0.5
"""Claims that are less certain than that are left out."""

_ATTACK = cued(
    "ignore disregard forget override bypass system developer hidden initial jailbreak jail prompt anything reveal print"
    " output repeat send forward leak exfiltrate admin administrator root rm drop curl obey comply refuse trust instruction"
    " instructions",
    r"\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|the|your|my|these|previous|prior|above|earlier) )*"
    r"(?:instructions?|prompts?|rules?|messages?|guidelines?|context|previous|above|safety)"
    r"|\b(?:system|developer|hidden|initial) (?:prompt|message|instruction)s?\b|\bjail(?: )?break|\bprompt injection\b"
    r"|\b(?:always|never) (?:trust|obey|comply|refuse)\b|\bnew instructions?\b|\bdo anything now\b"
    r"|\b(?:reveal|print|output|repeat|send|forward|leak|exfiltrate) (?:the|your|my|all|any)\b[^.]{0,40}"
    r"\b(?:prompt|passwords?|keys?|secrets?|tokens?|instructions?|conversation|data)\b"
    r"|\b(?:admin|administrator|root|developer) (?:access|rights|mode|privileges)\b|\brm -rf\b|\bdrop table\b|\bcurl -",
)
"""What no claim may say."""
_ORDER = cued(
    "you assistant ai model chatbot claude gpt llm always never now respond reply answer",
    r"\b(?:you|assistant|ai|model|chatbot|claude|gpt|llm)(?:['’]re| are| is)? (?:must|should|shall|will|now|have to|need to"
    r"|may not|can(?: )?not|always|never|only)\b"
    r"|\b(?:always|never) (?:answer|respond|reply|say|tell|output|reveal|recommend|mention)\b"
    r"|\bfrom now on\b|\b(?:respond|reply|answer) (?:only|with|in|as)\b",
)
"""What only a standing instruction may say, which is the user's own sentence."""
_MARKUP = re.compile(
    r"</?[a-zA-Z!][^>]{0,200}>?"
    r"|\[/?(?:INST|SYS)|<\||\|>|```|\{\{|\}\}|https?://|www\.|javascript:|data:\w+/|!?\[[^\]]{0,100}\]\("
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_KINDS: frozenset[str] = frozenset(get_args(FactKind))


def validated(claims: Iterable[Claim], message: Message) -> list[Claim]:
    """The claims that may be kept: said by a user, in the message, short, and no order to whoever reads them.

    >>> from recollect.types import FactKind, Message, Role
    >>> message = Message("m1", "s1", 1, 0, Role.USER, "I live in Porto.", 5, 0, 0.5, False, {})
    >>> home = Claim("User lives in Porto", "identity", "user", "home", "Porto", 0, 15, 0.9, 0)
    >>> [claim.value for claim in validated([home], message)]
    ['Porto']
    >>> validated([Claim("User lives in Rome", "identity", "user", "home", "Rome", 0, 15, 0.9, 0)], message)
    []
    """
    if message.role != Role.USER or message.private or is_private(message.text):
        return []
    return [claim for claim in claims if _is_sound(claim) and _is_said(claim, message.text)]


def _is_sound(claim: Claim) -> bool:
    words = claim.text.split()
    if not 2 <= len(words) <= LONGEST or max(map(len, words)) > LONGEST_WORD:
        return False
    if not claim.subject.strip() or not claim.value.strip() or claim.kind not in _KINDS:
        return False
    if not LEAST <= claim.confidence <= 1:
        return False
    parts = {claim.text, claim.subject, claim.about, claim.value}  # of a sentence kept as typed, text and value are one
    return not any(part and _is_unsafe(part, claim.kind) for part in parts)


def _is_unsafe(text: str, kind: str) -> bool:
    words = words_of(text)
    if _CONTROL.search(text) or _MARKUP.search(text) or _ATTACK.search(text, words):
        return True
    return kind != "instruction" and _ORDER.search(text, words) is not None


def _is_said(claim: Claim, text: str) -> bool:
    """Whether the words of the value stand where the claim says it rests."""
    if not 0 <= claim.start < claim.end <= len(text):
        return False
    place = text[claim.start : claim.end]
    if place != claim.text and _is_unsafe(place, claim.kind):
        return False
    if claim.kind == "instruction":  # in the user's own words, or a model could put an order of its own into every prompt
        return claim.text in text and claim.value in place
    if claim.value in place:
        return True
    value = terms(claim.value)
    return bool(value) and set(value) <= set(terms(place))
