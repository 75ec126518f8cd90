"""Short statements in the present tense about what a person does, is or has in general: "I collect old maps".

There is no list of activities. A statement counts unless its verb is about thinking, speaking or this moment, or it refers
to something known only from this conversation.
"""

from __future__ import annotations

from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.value_checks import has_no_references
from keepsaid.engine.facts.words import NUMBER_WORDS, PEOPLE, PERSON_ADJECTIVES, PETS, THINGS, any_of
from keepsaid.engine.text.patterns import EnglishPattern

MAX_STATEMENT_WORDS = 14
"""Words. Longer sentences are about more than one thing."""

NOT_LASTING = EnglishPattern(
    r"\b(?:right now|at the moment|today|tonight|this (?:morning|afternoon|evening)|wait|find|believe|imagine|remember"
    r"|decide|figure|seem|help but|agree|thank|hope|guess|wonder(?:ing)?|think(?:ing)?|thought|feels?|felt|sounds?|sure"
    r"|great time|blast|a question|struggling with|have to|has to|had to|kidding|needs? help"
    r"|so (?:much|cute|happy|excited|proud|good|nice|sweet))\b"
)
"""Words about this moment, or about what a person thinks."""
_ONCE = EnglishPattern(
    r"\bthe (?!(?-i:[A-Z])|\d|mornings?|evenings?|afternoons?|weekends?|bus|train|radio|news|gym|piano|guitar|violin|same)"
    r"|\b(?:please|tomorrow|now|again|later|yet|each time|minutes?|that as|errors?|exceptions?|codes?|functions?|scripts?"
    r"|files?|quer(?:y|ies)|outputs?|returns?|bugs?|crash\w*|api|datasets?|columns?|rows?|prompts?|essays?|paragraphs?"
    r"|texts?|articles?|recommendations?|coupons?)\b"
)
"""Words about something done once, or about the material at hand, and not about the person's life."""

_DOES = EnglishPattern(
    r"(?:i|we)(?: (?:often|mostly|mainly|sometimes|regularly|still|also))* (?P<verb>[a-z]{2,15}) (?!up\b|together\b).{2,}"
)
_NOT_ACTIVITIES = frozenset(
    "think thought guess know knew believe feel felt hope wish want wanna need agree understand see saw hear heard mean"
    " meant wonder appreciate bet remember forget forgot look try am was were are have had has get got gotta like love"
    " enjoy hate prefer can could will would should might may must do did say said tell told ask find found notice"
    " realize realise suppose assume doubt expect suggest recommend reccomend promise thank apologize apologise admit"
    " swear mind care keep kept plan seem highly totally completely definitely especially recently almost just really"
    " only even actually never nearly once finally already probably usually always went made make took gave came ran won"
    " lost broke wrote met bought brought taught caught sold built spent left put held flew drove drew sang swam slept"
    " became began grew kind sort all both wait imagine figure decide choose chose aim start stay back chill gain set"
    " test run call receive face struggle cherish die rest stand select click open press type copy paste count come"
    " leave send sit cannot often mostly mainly sometimes regularly still also".split()
)
"""Second words of sentences that do not say what a person does in general."""

_NOT_OWNED = any_of(
    "question questions problem problems issue issues goal goals plan plans idea ideas point mind guess thought thoughts"
    " apologies bad mistake understanding request task experience concern concerns hope next main first current previous"
    " last initial original own only conversation discussion answer answers response bet pleasure turn way work day week"
    " time life heart body mood motivation strategy target audience process content research topic presentation findings"
    " results project team design setup recipe recipes art"
)
_SEEMS = any_of(
    "is has was does says thinks wants hurts keeps looks seems feels sounds needs tells asks gives makes gets shows means"
    " helps goes comes lets works motivates this its his as us always"
)
"""Verbs that describe a thing at one moment."""
_IS = EnglishPattern(
    rf"(?:my|our) (?!{_NOT_OWNED}\b)[\w'’-]+(?: (?!(?:is|are|has|have)\b)[\w'’-]+){{0,2}} (?:is|are|has|have|starts)"
    rf" (?:(?:actually|about|around|only|called) )?(?:an? |[$€£]?\d|{NUMBER_WORDS}\b|(?-i:[A-Z])"
    r"|(?:in|between|from|at|on|with|near) ).{2,}"
)
_ACTS = EnglishPattern(
    rf"(?:my|our) (?!{_NOT_OWNED}\b)[\w'’-]+(?: (?!(?:is|has)\b)[\w'’-]+)? (?!{_SEEMS}\b)[a-z]{{2,14}}s"
    r" (?!off\b|out\b).{4,}"
)
_JUDGES = EnglishPattern(
    r"\b(?:so|very|really|super|pretty|quite|too|such|great|good|awesome|amazing|fun|best|better|important|interested"
    r"|excited|happy|ready|done|full|been|increased|improved|slow|broken|down|dead|empty|stuck|late|wrong|weird|here"
    r"|gone|loud|dirty|fine|okay|ok|tired|motivation|inspiration|everything)\b"
)
_HAS = EnglishPattern(
    r"(?:i|we)(?:['’]ve got| have got| have| own| rent) (?:an?|two|three|four|five|six)"
    r" (?!(?:few|lot|bit|bunch|couple|question|comment|feeling|great|good|strong|funny|problem|hard|tough|long|meeting"
    r"|idea|plan|list|clear|better|chance|similar|specific|general|particular|photo|picture|pic|story|schedule|different"
    r"|new|headache|cold|deadline|call)\b)[\w'’-]+.*"
)

_KINDS: tuple[tuple[ClaimKind, EnglishPattern], ...] = (
    ("person", EnglishPattern(
        rf"(?!i (?:\w+ )?(?:use|wear|drive|own)).*?\b(?:my|our) (?:{PERSON_ADJECTIVES} )*(?:{PEOPLE}|{PETS})\b"
        rf"|(?:i|we)(?:['’]ve got| have| have got) .{{0,20}}\b(?:{PEOPLE}|{PETS})\b")),
    ("identity", EnglishPattern(
        r"(?:i|we) (?:\w+ )?(?:work|teach|study|speak|live|sell|mentor|coach|\w+ as an?)\b"
        r"|(?:my|our) (?:background|surname|pronouns|accent|faith)\b")),
    ("possession", EnglishPattern(
        r"(?:i|we)(?:['’]ve got| have| own| rent| use| drive| ride| collect| \w+ use)\b"
        rf"|(?:my|our) (?:[\w'’-]+ )?{THINGS}\b")),
)  # fmt: skip


def general_kind(text: str) -> ClaimKind | None:
    """Return the kind of a short general statement; None for any other sentence.

    >>> general_kind("I collect old maps"), general_kind("My background is in law"), general_kind("I click the button")
    ('possession', 'identity', None)
    """
    if text.count(" ") >= MAX_STATEMENT_WORDS or not (_HAS.match(text) or _states_activity(text) or _states_condition(text)):
        return None
    if NOT_LASTING.search(text) or _ONCE.search(text) or not has_no_references(text):
        return None
    for kind, pattern in _KINDS:
        if pattern.match(text):
            return kind
    return "preference"


def _states_activity(text: str) -> bool:
    match = _DOES.match(text)
    if match is None:
        return False
    verb = match["verb"].lower()
    return verb not in _NOT_ACTIVITIES and not verb.endswith("ed")


def _states_condition(text: str) -> bool:
    return (_IS.match(text) or _ACTS.match(text)) is not None and _JUDGES.search(text) is None
