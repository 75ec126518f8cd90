"""Apply the rules to a statement."""

from __future__ import annotations

import re
from typing import NamedTuple

from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.rules import (
    AM_RULES,
    ENDED_RULES,
    HABITUAL_RULES,
    HAVE_RULES,
    PAST_RULES,
    PERSON_RULES,
    PRESENT_RULES,
    WAS_RULES,
    StatementRule,
)
from keepsaid.engine.facts.slots import number_of
from keepsaid.engine.facts.statement_kinds import refine_statement_kind
from keepsaid.engine.facts.statement_parser import ParsedStatement
from keepsaid.engine.facts.value_checks import has_no_references
from keepsaid.engine.facts.words import build_cued_pattern, collect_words
from keepsaid.engine.text.patterns import EnglishPattern


class RuleMatch(NamedTuple):
    """The result of a rule: `text` is the bullet, `start` and `end` are the span of the value in the message."""

    rule: StatementRule
    kind: ClaimKind
    text: str
    about: str
    start: int
    end: int


_TAIL = EnglishPattern(
    r"(?:,? (?:now|too|as well|though|lately|recently|these days|at the moment|right now|currently|actually|again"
    r"|any(?: )?more|so far|already|by the way|btw|lol|haha|thanks|for now|ever since|in general|since then|you know|myself"
    r"|for example|tbh))+$"
)
_LAST_WORDS = frozenset(
    "now too well though lately recently days moment currently actually again anymore more far already way btw lol haha"
    " thanks"
    " since general then know myself example tbh".split()
)
"""Last words of tails. A tail is looked for only if a value ends with one of them."""
_DANGLING = frozenset("in of for with to on at from by about".split())
"""Last words of values that were cut off: "a story in" from "a story in which I live on Mars"."""
_HABITUALLY = build_cued_pattern(
    "usually always often typically normally generally regularly",
    r"\b(?:usually|always|often|typically|normally|generally|regularly)\b",
)
_NOT = build_cued_pattern(
    "not never t nobody hardly barely could would should might may maybe perhaps used",
    r"\b(?:not|never|nobody|hardly|barely|could|would|should|might|may be|maybe|perhaps|used to)\b|n['’]t\b",
)
_DISTASTE = EnglishPattern(r"(?:don['’]t|can['’]t|do not|cannot) (?:like|eat|drink|stand|enjoy|care for)\b")
_ANY_MORE = EnglishPattern(r"(?:don['’]t|do not|doesn['’]t|does not|not) (?P<rest>.{3,100}?),?( any(?: )?more)$")
_NOT_BUT = EnglishPattern(r"\bnot [^,]{1,40}?,? but(?: rather)? ")


def _with_no_longer(said: ParsedStatement) -> ParsedStatement:
    """Return "don't work there any more" as "no longer work there", for which there are rules."""
    match = _ANY_MORE.match(said.rest) if said.rest.endswith("more") and said.helper in ("", "am") else None
    if match is None or _DISTASTE.match(said.rest):
        return said
    start, end = match.span("rest")
    return said._replace(late=f"{said.late} no longer".strip(), rest=said.rest[start:end], at=said.at + start)


def match_rules(said: ParsedStatement) -> RuleMatch | None:
    """Return the result of the first rule that matches a statement, or None."""
    said = _with_no_longer(said)
    if not has_no_references(said.rest) and said.who in ("I", "we"):
        return None
    if contrast := _NOT_BUT.search(said.rest):
        said = said.without(contrast.start(), contrast.end())
    for rule in _rules_for(said):
        match = rule.pattern.match(said.rest)
        if match is None:
            continue
        start, end = match.span("value")
        end -= _tail_length(said.rest[start:end])
        about = rule.about if isinstance(rule.about, str) else rule.about(match)
        counts_nothing = rule.about is number_of and not about
        value = said.rest[start:end]
        if rule.needs(value) and not counts_nothing and value.rpartition(" ")[2] not in _DANGLING:
            return RuleMatch(
                rule, _kind(said, rule, about), _bullet(said, rule, match), about, said.at + start, said.at + end
            )
    return None


def _rules_for(said: ParsedStatement) -> tuple[StatementRule, ...]:
    words = collect_words(said.rest)
    if "longer" in said.adverbs:
        return {"": PRESENT_RULES + ENDED_RULES, "am": AM_RULES, "have": HAVE_RULES}.get(said.helper, ())
    if _NOT.search(said.rest, words) and not (_DISTASTE.match(said.rest) and not _NOT.search(said.rest[6:], words)):
        return ()
    if said.helper:
        return {"am": AM_RULES, "have": HAVE_RULES + PAST_RULES, "was": WAS_RULES}[said.helper]
    if said.who in ("one", "many"):
        return PERSON_RULES + PAST_RULES
    return (
        PRESENT_RULES
        + (HABITUAL_RULES if _HABITUALLY.search(said.adverbs, collect_words(said.adverbs)) else ())
        + PAST_RULES
    )


def _tail_length(value: str) -> int:
    """Return the length of the tail of a value that is not part of it: "now", "by the way"."""
    if value.rpartition(" ")[2].lower() not in _LAST_WORDS:
        return 0
    tail = _TAIL.search(value)
    return len(value) - tail.start() if tail else 0


def _kind(said: ParsedStatement, rule: StatementRule, about: str) -> ClaimKind:
    if said.who in ("one", "many"):
        return "person"
    return refine_statement_kind(rule.kind, said.rest, about, is_state=said.helper == "am")


def _bullet(said: ParsedStatement, rule: StatementRule, match: re.Match[str]) -> str:
    if rule.tense != "present":
        return said.bullet("", said.rest)
    verb, _, more = match["verb"].partition(" ")
    return said.bullet(verb, f"{more}{said.rest[match.end('verb') :]}")
