"""Rules for English statements that are facts, one table for each beginning: "I am …", "I have …", "I like …", "I moved …".

A rule matches the text after the subject and its helping verb. The first rule that matches and accepts its value wins. A
rule has no slot if several values can be true at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from keepsaid.engine.facts import slots as slot
from keepsaid.engine.facts import value_checks as value_checks
from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.words import (
    ABOUT,
    ACTIVITIES,
    HABITS,
    JOBS,
    KINDS_OF_PEOPLE,
    LASTING_DEEDS,
    LIKES,
    LONG_UNIT,
    MINOR_DEEDS,
    NATIONALITIES,
    NUMBER,
    NUMBER_WORDS,
    PARTICIPLE,
    STATES,
    TRIPS,
    UNIT,
)  # fmt: skip
from keepsaid.engine.text.patterns import EnglishPattern

VerbTense = Literal["present", "past", ""]


class StatementRule(NamedTuple):
    """A pattern with a group `value`, and its meaning. In the present tense, the group `verb` agrees with its subject."""

    pattern: EnglishPattern
    kind: ClaimKind
    about: str | Callable[[re.Match[str]], str]
    confidence: float
    needs: Callable[[str], bool]
    tense: VerbTense


def _rule(
    kind: ClaimKind,
    about: str | Callable[[re.Match[str]], str],
    confidence: float,
    needs: Callable[[str], bool],
    pattern: str,
    tense: VerbTense = "",
) -> StatementRule:
    return StatementRule(EnglishPattern(pattern), kind, about, confidence, needs, tense)


_VALUE = r"(?P<value>.{2,160})$"
_WORK = r"(?P<how>as|at|for) (?P<value>.{2,100}?)(?: (?:as|at|for|in|on|and|since|with)\b.{1,80})?$"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DURATION = (
    rf"for (?:the (?:past|last) )?{ABOUT}(?P<value>(?:{NUMBER}|an?|several|a few|a couple of)(?: and a half)? {LONG_UNIT})\b"
)
_RATE = (
    rf"(?P<value>(?:once|twice|thrice|{NUMBER}(?:-\w+)? (?:times|days|hours|minutes)) (?:a|an|per|each|every)"
    rf" (?:day|week|month|year)|every (?:other |single )?(?:day|week|month|year|morning|evening|night|weekend|{_WEEKDAY})s?"
    rf"|(?:on )?{_WEEKDAY}s|{ABOUT}(?:an|one|{NUMBER}) (?:hours?|minutes) (?:a|each|every|per) (?:day|week))"
)
_THING = (
    r"(?P<thing>(?:[\w'’&.-]+ ){0,4}?[\w'’-]+)(?= (?:in|on|at|from|with|for|so|since|to|this|already|now|by|over|last|during"
    r"|including|of|and|that|right|currently|stocked|left|waiting|as|together|while|within|per|each|every|today"
    r"|yesterday)\b|,|$)"
)
_COUNTED = rf"{ABOUT}(?P<value>{NUMBER}) (?!(?:{UNIT}|of|in|for|on|at|so|since|already|now|more|times|to|and|or)\b){_THING}"
_ORDINAL = r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:nd|rd|th|st))"
_NOT_MORE = r"(?!(?:more|about|how|notes|up|a (?:look|break|bit|lot))\b)"

_ASIDE = r"(?:, (?:an?|from|the|\d|living|working|currently|nice|your)\b.{0,100})?$"
"""What people add after their name."""

AM_RULES = (
    _rule("identity", "age", 0.9, value_checks.is_any_value, r"(?:a |an )?(?P<value>\d{1,2})(?:[- ]years?[- ]old\b|$)"),
    _rule("identity", slot.state, 0.85, value_checks.is_any_value,
          rf"(?P<value>{STATES})\b(?! (?:out|in|to|with|on|about|from|ingredients))"),
    _rule("identity", "", 0.9, value_checks.is_any_value, rf"(?:half[- ])?(?P<value>{NATIONALITIES}){_ASIDE}"),
    _rule("identity", "name", 0.9, value_checks.can_be_name,
          r"(?P<value>(?-i:(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?[A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+){0,2}))" + _ASIDE),
    _rule("identity", "origin", 0.9, value_checks.starts_with_name, r"(?:originally )?from (?P<value>(?-i:[A-Z]).{1,60})$"),
    _rule("identity", "", 0.95, value_checks.is_specific,
          r"(?:highly |very |also |severely )?(?:allergic|intolerant|sensitive) to (?P<value>.{2,60})$"),
    _rule("identity", slot.home, 0.85, value_checks.is_lasting, rf"(?:living|based) (?:in|near|on|with) {_VALUE}"),
    _rule("identity", slot.job_or_employer, 0.85, value_checks.is_lasting, rf"working (?:full-time |part-time )?{_WORK}"),
    _rule("preference", slot.taste, 0.85, value_checks.is_standalone,
          rf"(?:such |so |quite )?an? (?:(?:huge|big|massive|avid|die-?hard|total|long-?time) )?(?:fan|lover"
          rf"|admirer) of {_VALUE}"),
    _rule("preference", slot.taste, 0.8, value_checks.is_standalone,
          r"(?:very |so |quite |super )?(?:into|obsessed with|passionate about|fond of|addicted to|terrified of|afraid of"
          rf"|scared of|hooked on) {_VALUE}"),
    _rule("identity", "job", 0.85, value_checks.is_specific, rf"(?P<value>an? (?:[\w'’-]+ ){{0,4}}{JOBS}\b.{{0,80}})$"),
    _rule("identity", "", 0.85, value_checks.is_specific,
          rf"(?P<value>an? (?:[\w'’-]+ ){{0,3}}{KINDS_OF_PEOPLE}\b.{{0,80}})$"),
    _rule("event", slot.progress, 0.8, value_checks.is_any_value,
          rf"on (?P<what>page|chapter|episode|level|season|week|day|lesson|unit|volume) (?P<value>{NUMBER}|one)"
          r"(?P<of> (?:of|in) .{2,80})$"),
    _rule("identity", slot.number_of, 0.8, value_checks.is_any_value,
          rf"(?P<verb>)(?:at|up to|down to) {_COUNTED}.{{0,60}}$"),
    _rule("event", slot.goal, 0.8, value_checks.is_specific,
          r"(?:determined|aiming) to (?P<value>(?:reach|hit|run|lose|save|finish|complete|read|write|earn|get to) "
          rf"(?P<what>.{{0,40}}?){NUMBER}.{{0,60}})$"),
    _rule("person", "name", 0.9, value_checks.starts_with_name, r"(?:called|named) (?P<value>(?-i:[A-Z]).{1,40})$"),
    _rule("project", "marital status", 0.8, value_checks.is_any_value,
          r"(?:getting|about to get) (?P<value>married|divorced)\b.{0,60}$"),
    _rule("event", "", 0.8, value_checks.is_specific,
          r"(?:expecting|due) (?P<value>(?:a|our|my|in|on|twins|triplets)\b.{2,60})$"),
    _rule("event", "", 0.75, value_checks.is_lasting,
          rf"(?:{ACTIVITIES}|majoring in|saving up for|recovering from|renovating|preparing for) {_NOT_MORE}{_VALUE}"),
    _rule("event", "", 0.75, value_checks.is_notable_plan, rf"planning (?P<value>(?:an?|my"
          rf"|our) (?:[\w'’-]+ ){{0,3}}{TRIPS}\b.{{0,100}})$"),
    _rule("event", "", 0.65, value_checks.is_notable_plan, rf"(?:planning|scheduled) to (?!(?:the|be)\b){_VALUE}"),
    _rule("event", "", 0.8, value_checks.has_name_or_date,
          r"(?:moving|going|flying|traveling|travelling|heading|relocating"
          r"|driving) (?:back )?to (?P<value>(?-i:[A-Z]).{2,100})$"),
)  # fmt: skip
"""What follows "I am"."""

HAVE_RULES = (
    _rule("event", slot.how_long, 0.85, value_checks.is_any_value,
          rf"(?P<what>(?:been|had|lived|worked|known|owned|played|practiced) .{{2,90}}?) {_DURATION}.{{0,30}}$"),
    _rule("event", slot.how_often, 0.8, value_checks.is_any_value,
          rf"been (?P<what>\w+ing) {_RATE} (?P<more>(?:to|on|at|with|for) .{{2,60}})$"),
    _rule("event", slot.how_often, 0.85, value_checks.is_any_value, rf"been (?P<what>.{{3,80}}?) {_RATE}.{{0,30}}$"),
    _rule("identity", slot.home, 0.8, value_checks.is_lasting, rf"been (?:living|based) (?:in|with|near) {_VALUE}"),
    _rule("identity", slot.job_or_employer, 0.8, value_checks.is_lasting, rf"been working {_WORK}"),
    _rule("event", "", 0.75, value_checks.is_standalone,
          r"been using (?P<value>(?:my|our|the) .{2,100}|(?-i:[A-Z]).{2,100})$"),
    _rule("event", "", 0.7, value_checks.is_lasting,
          rf"been (?:{ACTIVITIES}|seeing|dating|playing|collecting|growing|following|suffering from|struggling with"
          rf"|dealing with|diagnosed with|eating|drinking|keeping|attending) {_NOT_MORE}{_VALUE}"),
    _rule("event", "", 0.8, value_checks.has_name_or_date,
          rf"(?:been to|visited|lived in|traveled to|travelled to) {_VALUE}"),
    _rule("event", slot.time_spent, 0.8, value_checks.is_any_value,
          rf"spent {ABOUT}(?P<value>{NUMBER} {UNIT}) (?P<what>(?:on|in|with|working|at) .{{2,60}})$"),
    _rule("event", slot.times_done, 0.8, value_checks.is_any_value,
          rf"(?P<verb>\w{{3,20}}) (?P<what>(?:my|the|our|(?-i:[A-Z])).{{2,80}}?) (?P<value>{NUMBER} times"
          rf"|twice)\b.{{0,40}}$"),
    _rule("event", slot.number_of, 0.8, value_checks.is_any_value, rf"managed to (?P<verb>\w{{2,20}}) {_COUNTED}.{{0,60}}$"),
    _rule("identity", slot.number_of, 0.8, value_checks.is_any_value, rf"(?:got )?(?P<verb>){_COUNTED}.{{0,90}}$"),
    _rule("event", slot.number_of, 0.8, value_checks.is_any_value, rf"(?P<verb>{PARTICIPLE}) {_COUNTED}.{{0,90}}$"),
    _rule("event", slot.time_of, 0.75, value_checks.is_scheduled, rf"(?:got )?{_VALUE}"),
    _rule("identity", "", 0.8, value_checks.is_possession, rf"(?:got )?{_VALUE}"),
    _rule("project", "", 0.8, value_checks.has_date, r"to (?P<value>.{3,100}?\b(?:by|before|until) .{2,40})$"),
)  # fmt: skip
"""What follows "I have" or "I've"."""

PRESENT_RULES = (
    _rule("identity", slot.home, 0.9, value_checks.is_lasting, rf"(?P<verb>live) (?:in|near|on|with) {_VALUE}", "present"),
    _rule("identity", slot.job_or_employer, 0.9, value_checks.is_lasting,
          rf"(?P<verb>work) (?:full-time |part-time |remotely )?{_WORK}", "present"),
    _rule("identity", "line of work", 0.8, value_checks.is_specific,
          r"(?P<verb>work) (?P<value>(?:in|with|from) .{2,80})$", "present"),
    _rule("preference", slot.taste, 0.85, value_checks.is_generic,
          rf"(?P<verb>{LIKES}) (?!(?:to )?(?:hear|see|know|think|say|hearing|seeing)\b|how|that|when|where|what){_VALUE}",
          "present"),
    _rule("identity", slot.number_of, 0.85, value_checks.is_any_value,
          rf"(?P<verb>lead|manage|supervise|coach|teach|run) (?:a|the) (?:team|group|class|staff"
          rf"|crew) of {_COUNTED}.{{0,60}}$",
          "present"),
    _rule("identity", slot.number_of, 0.85, value_checks.is_any_value,
          rf"(?P<verb>own|lead|manage|coach|teach|raise|collect) {_COUNTED}.{{0,90}}$", "present"),
    _rule("identity", "", 0.9, value_checks.starts_with_name, r"(?P<verb>speak) (?P<value>(?-i:[A-Z]).{2,60})$", "present"),
    _rule("preference", slot.how_often, 0.85, value_checks.is_any_value,
          rf"(?P<verb>{HABITS}) (?P<what>.{{2,80}}?) {_RATE}.{{0,30}}$", "present"),
    _rule("identity", "", 0.75, value_checks.is_lasting,
          r"(?P<verb>own|run|manage|teach|collect|drive|coach|play|study|volunteer|use|keep|grow) (?:(?:at|in|for|with"
          r"|on) )?"
          rf"{_VALUE}", "present"),
    _rule("project", "", 0.8, value_checks.has_date,
          r"(?P<verb>need to|must) (?P<value>.{3,100}?\b(?:by|before|until|no later than) .{2,40})$", "present"),
)  # fmt: skip
"""What follows "I" in the present tense."""

HABITUAL_RULES = (_rule("preference", "", 0.75, value_checks.is_standalone, rf"(?P<verb>{HABITS}) {_VALUE}", "present"),)
"""What follows "I usually"."""

ENDED_RULES = (
    _rule(
        "preference",
        "",
        0.85,
        value_checks.is_specific,
        rf"(?P<verb>\w{{2,20}}) (?:(?:at|in|for|with|on|to) )?{_VALUE}",
        "present",
    ),
)
"""What follows "I no longer"."""

PAST_RULES = (
    _rule("identity", slot.home, 0.85, value_checks.is_specific,
          r"(?:moved|relocated) (?:(?:back|out|away|in) )?(?:here )?(?:from .{2,40} )?(?:in)?to (?P<value>.{2,80})$",
          "past"),
    _rule("event", "", 0.8, value_checks.is_specific,
          r"(?:switched|changed|upgraded|converted) (?:(?:over|back) )?(?:from .{2,40} )?to (?P<value>.{2,80})$", "past"),
    _rule("event", "job", 0.85, value_checks.is_specific, r"(?:got|been) promoted to (?P<value>.{2,60})$", "past"),
    _rule("event", "", 0.85, value_checks.is_any_value, r"(?:got|been) (?P<value>promoted)\b.{0,40}$", "past"),
    _rule("identity", slot.job, 0.8, value_checks.is_specific,
          r"(?:became|become) (?P<value>(?:a|an|the) .{2,80})$", "past"),
    _rule("event", "marital status", 0.85, value_checks.is_any_value,
          r"(?:got|been) (?P<value>married|divorced|engaged)\b.{0,60}$", "past"),
    _rule("identity", "age", 0.85, value_checks.is_any_value,
          rf"turned (?P<value>\d{{1,2}}|{NUMBER_WORDS})\b.{{0,40}}$", "past"),
    _rule("identity", "", 0.85, value_checks.is_lasting, rf"grew up (?:in|on|near|with) {_VALUE}", "past"),
    _rule("identity", "", 0.85, value_checks.is_specific, rf"(?:graduated|studied|majored) {_VALUE}", "past"),
    _rule("project", "", 0.8, value_checks.is_lasting_decision,
          rf"(?:decided|chose|opted|agreed|committed) (?:to|on|that|not to|against) {_VALUE}", "past"),
    _rule("event", "", 0.85, value_checks.is_specific,
          r"(?:got|been) (?P<value>(?:diagnosed|hired|fired|laid off|accepted|admitted|elected|approved"
          r"|pre-approved)\b.{0,80})$",
          "past"),
    _rule("event", slot.number_of, 0.8, value_checks.is_any_value,
          rf"(?:reached|hit|passed|surpassed|crossed)(?P<verb>) {_COUNTED}.{{0,60}}$", "past"),
    _rule("event", slot.number_of, 0.75, value_checks.is_any_value,
          r"(?P<verb>finished|completed|read|watched|ran|wrote|made) (?:(?:reading|watching|writing) )?my "
          rf"(?P<value>{_ORDINAL}) {_THING}.{{0,60}}$", "past"),
    _rule("event", "", 0.75, value_checks.is_lasting,
          rf"{LASTING_DEEDS} (?!(?:out|about|seeing|thinking|feeling|noticing)\b){_VALUE}", "past"),
    _rule("event", "", 0.75, value_checks.is_standalone, r"(?:started|began) (?P<value>\w+ing .{2,80})$", "past"),
    _rule("event", "", 0.75, value_checks.is_new_or_notable,
          rf"(?:got|picked up|had|took|made|signed up for|came back from|got back from) {_VALUE}", "past"),
    _rule("event", "", 0.7, value_checks.has_name_or_date,
          rf"{MINOR_DEEDS} (?!about\b)(?:(?:to|at|in|on|with|for|from|through|into) )?{_VALUE}", "past"),
    _rule("event", "", 0.75, value_checks.is_specific, rf"(?:quit|stopped|gave up|got rid of|sold) {_VALUE}", "past"),
)  # fmt: skip
"""What follows "I" in the past tense."""

WAS_RULES = (
    _rule("identity", "birth", 0.9, value_checks.has_name_or_date, rf"born (?:and raised )?(?:in|on) {_VALUE}", "past"),
    _rule("event", "", 0.85, value_checks.is_specific,
          r"(?P<value>(?:diagnosed|hired|fired|laid off|promoted|accepted|admitted|elected|pre-approved)\b.{0,80})$",
          "past"),
)  # fmt: skip
"""What follows "I was"."""

PERSON_RULES = (
    _rule("person", slot.home, 0.85, value_checks.is_lasting, rf"lives? (?:in|near|on|with) {_VALUE}"),
    _rule("person", slot.job_or_employer, 0.85, value_checks.is_lasting, rf"works? {_WORK}"),
    _rule("person", slot.taste, 0.8, value_checks.is_standalone,
          rf"(?:love|like|enjoy|hate|prefer|adore)s? (?!that|how|it){_VALUE}"),
    _rule("person", "", 0.75, value_checks.is_long_held,
          rf"(?:has|have|owns?|plays?|teach(?:es)?|stud(?:ies|y)|runs?|speaks?|collects?) {_VALUE}"),
    _rule("person", "", 0.9, value_checks.is_any_value, r"(?P<value>passed away|died)\b.{0,60}$", "past"),
    _rule("person", "", 0.85, value_checks.is_any_value,
          r"(?:had|gave birth to) (?P<value>(?:a|an|their|her|his) .{0,40}(?:baby|boy|girl|son|daughter|twins|child"
          r"|surgery)\b.{0,60})$",
          "past"),
    _rule("person", "", 0.75, value_checks.is_lasting, rf"(?:gave|taught|bought|sent|got) me {_VALUE}", "past"),
)  # fmt: skip
"""What follows "my sister"."""
