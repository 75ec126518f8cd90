"""A statement read with the rules."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.engine.facts.claim import Kind
from recollect.engine.facts.parse import Said
from recollect.engine.facts.rules import AM, ENDED, HABITUAL, HAVE, PAST, PERSON, PRESENT, WAS, Rule
from recollect.engine.facts.slots import number_of
from recollect.engine.facts.words import cued, words_of
from recollect.engine.facts.worth import is_clear
from recollect.engine.pattern import Pattern


class Found(NamedTuple):
    """What a rule made of a statement: `text` is the bullet, `start` and `end` are the value's place in the message."""

    rule: Rule
    kind: Kind
    text: str
    about: str
    start: int
    end: int


_TAIL = Pattern(
    r"(?:,? (?:now|too|as well|though|lately|recently|these days|at the moment|right now|currently|actually|again"
    r"|any(?: )?more|so far|already|by the way|btw|lol|haha|thanks|for now|ever since|in general|since then|you know|myself"
    r"|for example|tbh))+$"
)
_LAST_WORDS = frozenset(
    "now too well though lately recently days moment currently actually again anymore more far already way btw lol haha"
    " thanks"
    " since general then know myself example tbh".split()
)
"""With which a tail ends: it is looked for only behind one of them."""
_HABITUALLY = cued(
    "usually always often typically normally generally regularly",
    r"\b(?:usually|always|often|typically|normally|generally|regularly)\b",
)
_NOT = cued(
    "not never t nobody hardly barely could would should might may maybe perhaps used",
    r"\b(?:not|never|nobody|hardly|barely|could|would|should|might|may be|maybe|perhaps|used to)\b|n['’]t\b",
)
_DISTASTE = Pattern(r"(?:don['’]t|can['’]t|do not|cannot) (?:like|eat|drink|stand|enjoy|care for)\b")
_ANY_MORE = Pattern(r"(?:don['’]t|do not) (?P<rest>.{3,100}) any(?: )?more$")
_NOT_BUT = Pattern(r"\bnot [^,]{1,40}?,? but(?: rather)? ")


def found(said: Said) -> Found | None:
    """What the first rule that fits makes of a statement."""
    if not is_clear(said.rest) and said.who in ("I", "we"):
        return None
    if contrast := _NOT_BUT.search(said.rest):
        said = said.without(contrast.start(), contrast.end())
    for rule in _rules(said):
        match = rule.pattern.match(said.rest)
        if match is None:
            continue
        start, end = match.span("value")
        end -= _tail(said.rest[start:end])
        about = rule.about if isinstance(rule.about, str) else rule.about(match)
        counts_nothing = rule.about is number_of and not about
        if rule.needs(said.rest[start:end]) and not counts_nothing:
            return Found(rule, _kind(said, rule), _bullet(said, rule, match), about, said.at + start, said.at + end)
    return None


def _rules(said: Said) -> tuple[Rule, ...]:
    words = words_of(said.rest)
    if "longer" in said.adverbs:
        return {"": PRESENT + ENDED, "am": AM, "have": HAVE}.get(said.helper, ())
    if _NOT.search(said.rest, words) and not (_DISTASTE.match(said.rest) and not _NOT.search(said.rest[6:], words)):
        return ()
    if said.helper:
        return {"am": AM, "have": HAVE + PAST, "was": WAS}[said.helper]
    if said.who in ("one", "many"):
        return PERSON + PAST
    return PRESENT + (HABITUAL if _HABITUALLY.search(said.adverbs, words_of(said.adverbs)) else ()) + PAST


def _tail(value: str) -> int:
    """How many characters at the end of a value say nothing of it: "now", "by the way"."""
    if value.rpartition(" ")[2].lower() not in _LAST_WORDS:
        return 0
    tail = _TAIL.search(value)
    return len(value) - tail.start() if tail else 0


def _kind(said: Said, rule: Rule) -> Kind:
    return "relation" if said.who in ("one", "many") and rule.kind in ("identity", "preference") else rule.kind


def _bullet(said: Said, rule: Rule, match: re.Match[str]) -> str:
    if rule.tense != "present":
        return said.bullet("", said.rest)
    verb, _, more = match["verb"].partition(" ")
    return said.bullet(verb, f"{more}{said.rest[match.end('verb') :]}")
