"""Validate claims from any source: reject what the message does not say, and what reads like an instruction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import get_args

from keepsaid.engine.facts.claim import FactClaim
from keepsaid.engine.facts.typed_lines import is_privacy_request
from keepsaid.engine.facts.words import build_cued_pattern, collect_words
from keepsaid.engine.text.terms import terms
from keepsaid.types import FactKind, Message, Role

MAX_BULLET_WORDS = 40
"""Maximum number of words of a bullet."""
MAX_WORD_CHARACTERS = 60
"""Characters. A longer word is a link, a key or encoded data."""
MIN_CONFIDENCE = 0.5
"""Minimum confidence of a claim."""

_ATTACK = build_cued_pattern(
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
"""Prompt injection: rejected in every claim."""
_ORDER = build_cued_pattern(
    "you assistant ai model chatbot claude gpt llm always never now respond reply answer",
    r"\b(?:you|assistant|ai|model|chatbot|claude|gpt|llm)(?:['’]re| are| is)? (?:must|should|shall|will|now|have to|need to"
    r"|may not|can(?: )?not|always|never|only)\b"
    r"|\b(?:always|never) (?:answer|respond|reply|say|tell|output|reveal|recommend|mention)\b"
    r"|\bfrom now on\b|\b(?:respond|reply|answer) (?:only|with|in|as)\b",
)
"""Orders to the assistant: accepted only in a standing instruction, which is the user's own sentence."""
_MARKUP = re.compile(
    r"</?[a-zA-Z!][^>]{0,200}>?"
    r"|\[/?(?:INST|SYS)|<\||\|>|```|\{\{|\}\}|https?://|www\.|javascript:|data:\w+/|!?\[[^\]]{0,100}\]\("
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_KINDS: frozenset[str] = frozenset(get_args(FactKind))


def validate_claims(claims: Iterable[FactClaim], message: Message) -> list[FactClaim]:
    """Return the claims that may be kept: stated by a user in the message, short, and not instructions to their reader.

    >>> from keepsaid.types import FactKind, Message, Role
    >>> message = Message("m1", "s1", 1, 0, Role.USER, "I live in Porto.", 5, 0, 0.5, False, {})
    >>> home = FactClaim("User lives in Porto", "identity", "user", "home", "Porto", 0, 15, 0.9, 0)
    >>> [claim.value for claim in validate_claims([home], message)]
    ['Porto']
    >>> validate_claims([FactClaim("User lives in Rome", "identity", "user", "home", "Rome", 0, 15, 0.9, 0)], message)
    []
    """
    if message.role != Role.USER or message.private or is_privacy_request(message.text):
        return []
    return [claim for claim in claims if _is_sound(claim) and _is_in_message(claim, message.text)]


def _is_sound(claim: FactClaim) -> bool:
    words = claim.text.split()
    if not 2 <= len(words) <= MAX_BULLET_WORDS or max(map(len, words)) > MAX_WORD_CHARACTERS:
        return False
    if not claim.subject.strip() or not claim.value.strip() or claim.kind not in _KINDS:
        return False
    if not MIN_CONFIDENCE <= claim.confidence <= 1:
        return False
    parts = {claim.text, claim.subject, claim.about, claim.value}  # text and value are equal in a verbatim sentence
    return not any(part and _is_unsafe(part, claim.kind) for part in parts)


def _is_unsafe(text: str, kind: str) -> bool:
    words = collect_words(text)
    if _CONTROL.search(text) or _MARKUP.search(text) or _ATTACK.search(text, words):
        return True
    return kind != "instruction" and _ORDER.search(text, words) is not None


def _is_in_message(claim: FactClaim, text: str) -> bool:
    """Whether the words of the value are in the span of the message that the claim gives."""
    if not 0 <= claim.start < claim.end <= len(text):
        return False
    place = text[claim.start : claim.end]
    if place != claim.text and _is_unsafe(place, claim.kind):
        return False
    if claim.kind == "instruction":  # else a model could put its own order into every prompt
        return claim.text in text and claim.value in place
    if claim.value in place:
        return True
    value = terms(claim.value)
    return bool(value) and set(value) <= set(terms(place))
