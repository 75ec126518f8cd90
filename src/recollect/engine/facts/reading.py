"""A statement read with the rules."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.engine.facts.claim import Kind
from recollect.engine.facts.kinds import kind_of_statement
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
_DANGLING = frozenset("in of for with to on at from by about".split())
"""With which a value ends that was cut in two: "a story in", of "a story in which I live on Mars"."""
_HABITUALLY = cued(
    "usually always often typically normally generally regularly",
    r"\b(?:usually|always|often|typically|normally|generally|regularly)\b",
)
_NOT = cued(
    "not never t nobody hardly barely could would should might may maybe perhaps used",
    r"\b(?:not|never|nobody|hardly|barely|could|would|should|might|may be|maybe|perhaps|used to)\b|n['’]t\b",
)
_DISTASTE = Pattern(r"(?:don['’]t|can['’]t|do not|cannot) (?:like|eat|drink|stand|enjoy|care for)\b")
_ANY_MORE = Pattern(r"(?:don['’]t|do not|doesn['’]t|does not|not) (?P<rest>.{3,100}?),?( any(?: )?more)$")
_NOT_BUT = Pattern(r"\bnot [^,]{1,40}?,? but(?: rather)? ")


def _with_no_longer(said: Said) -> Said:
    """Return "don't work there any more" as "no longer work there", for which there are rules."""
    match = _ANY_MORE.match(said.rest) if said.rest.endswith("more") and said.helper in ("", "am") else None
    if match is None or _DISTASTE.match(said.rest):
        return said
    start, end = match.span("rest")
    return said._replace(late=f"{said.late} no longer".strip(), rest=said.rest[start:end], at=said.at + start)


def found(said: Said) -> Found | None:
    """What the first rule that fits makes of a statement."""
    said = _with_no_longer(said)
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
        value = said.rest[start:end]
        if rule.needs(value) and not counts_nothing and value.rpartition(" ")[2] not in _DANGLING:
            return Found(rule, _kind(said, rule, about), _bullet(said, rule, match), about, said.at + start, said.at + end)
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


def _kind(said: Said, rule: Rule, about: str) -> Kind:
    if said.who in ("one", "many"):
        return "person"
    return kind_of_statement(rule.kind, said.rest, about, is_state=said.helper == "am")


def _bullet(said: Said, rule: Rule, match: re.Match[str]) -> str:
    if rule.tense != "present":
        return said.bullet("", said.rest)
    verb, _, more = match["verb"].partition(" ")
    return said.bullet(verb, f"{more}{said.rest[match.end('verb') :]}")
