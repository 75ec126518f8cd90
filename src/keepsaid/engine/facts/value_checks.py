"""Checks of whether a value is worth a fact: it is understandable by itself, and lasting or dated."""

from __future__ import annotations

import re

from keepsaid.engine.facts.words import ABOUT, NUMBER, PEOPLE, PETS, any_of, build_cued_pattern, collect_words
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms

_PRAISE = any_of(
    "new great good lovely pleasant fantastic incredible beautiful nice fun tough hard rough wonderful amazing awesome"
    " big little cool few couple lot lots bit special personal side work of really very pretty so super blast"
)
_INSIGNIFICANT_NOUNS = any_of(
    "project time times blast fun chat talk day thing things place look break setback moment conversation feeling issue"
    " issues trouble luck experience experiences progress success work part piece stuff event bug error problem question"
    " typo pic photo"
)
_INSIGNIFICANT = (
    rf"(?:a|an|the|my|our|some)(?: {_PRAISE})* {_INSIGNIFICANT_NOUNS}"
    r"(?: (?:last|this|yesterday|today|with|there|lately|recently|right|throwing|on|at|in|of|and|during)\b|$)"
)
"""Phrases that could describe any day: "a great time with friends", "a new project"."""
_VAGUE = EnglishPattern(
    r"(?:it|its|this|that|these|those|them|they|him|her|he|she|you|there|here|one|ones|some|something|anything|everything"
    r"|nothing|so|such|how|what|when|why|where|who|all|more|another|both|each|every|same|other|others|any|lots?|plenty"
    r"|enough|much|many|your|tons|to (?:hear|see|know|say)|hard)\b"
    r"|(?:a|an) (?:\w+ )?(?:ton|lot|bit|bunch|set|pair|couple|few|while)(?: of)?(?: \d+)?(?: for\b|$)"
    r"|(?:a|an) (?:certain|particular|similar|unexpected)\b"
    rf"|(?![$€£]){NUMBER}(?: (?:in|for|on|at|of|so|since|already|now)\b|$)|{_INSIGNIFICANT}"
    r"|the (?:opportunity|chance|pleasure|idea|way|fact|sound|look|same|one|ones|other|thing|things|first|last|second)"
)
_THIS_TIME = any_of(
    "week month year summer spring fall autumn winter morning weekend season past monday tuesday wednesday thursday friday"
    " saturday sunday"
)
_POINTING = build_cued_pattern(
    "it them these those one ones here thing things stuff something anything everything someone somebody everyone you"
    " your yours yourself u ya such so too recommendation recommendations suggestion suggestions tips advice idea ideas"
    " options that there this what",
    r"\b(?:it|them|these|those|ones|here|thing|things|stuff|something|anything|everything|someone|somebody|everyone|you|your"
    r"|yours|yourself|u|ya|such|of what|doing so|do so|too much|recommendations?|suggestions?|tips|advice|ideas?"
    r"|options|there"
    r"|(?:new|old|first|second|other|big|good|better|same|right|last|next|cheap|nice|used|great|single|different) one"
    r"|one of (?:my|their|our) own|(?:in|on|at|of|for|with|to|about|from|like|out|up|fixing|sharing|doing) that"
    r"|that (?:with|to|for|in|on|at|out)"
    rf"|this(?! {_THIS_TIME}))\b",
)
_THIRD_PERSON = build_cued_pattern("he she him her his they their hers", r"\b(?:he|she|him|her|his|they|their|hers)\b")
_PERSONAL = EnglishPattern(rf"\b(?:{PEOPLE}|{PETS}|(?-i:[A-Z][a-z]+))\b")
_NAME = re.compile(
    r"\b(?!I\b|I['’]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\b)"
    r"[A-Z][\w&'’-]+|[\"“]"
)
_CALENDAR = any_of(
    "week month year night weekend summer spring fall autumn winter january february march april may june july august"
    " september october november december monday tuesday wednesday thursday friday saturday sunday mon tues wed thurs"
    " fri sat sun"
)
_DATE = EnglishPattern(
    rf"\b(?:yesterday|today|tonight|tomorrow|(?:last|next) {_CALENDAR}|this (?:morning|week|weekend|month|year|past)"
    r"|(?:days?|weeks?|months?|years?) ago|(?:in|since|by|on|until|before) (?:jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct"
    r"|nov|dec|mon|tue|wed|thu|fri|sat|sun|20\d\d|19\d\d|the \d)\w*)"
)
_SOON = EnglishPattern(r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend)|now)\b")
_ARTICLE = EnglishPattern(rf"(?:a|an|my|our|{NUMBER}) ")
_NEW = EnglishPattern(
    r"(?:a|an|my|our|some|two|three)(?: \w+){0,2} (?:new|first|used|second-hand|vintage|own)\b|(?:my|our) (?:own|first)\b"
)
_THE = EnglishPattern(r"(?:the|those|these|that) ")
_TO_HAVE = EnglishPattern(
    rf"{ABOUT}(?:a|an|my|our|{NUMBER}|some) (?:[\w'’-]+ ){{0,3}}?(?:{PEOPLE}|{PETS}|allerg\w+|asthma|diabetes|degree|diploma"
    r"|master['’]?s|phd|bachelor['’]?s|license|licence|certificate|certification|subscription|membership|garden|farm|house"
    r"|apartment|condo|cabin|car|truck|van|bike|bicycle|motorcycle|boat|piano|guitar|violin|drum|camera|collection|business"
    r"|startup|company|shop|store|blog|podcast|channel|account|disability|condition|tattoo|scar|backyard|pool|studio"
    r"|intolerance|phobia|fear|sensitivity|accent|passport|visa)\b|(?:a|an) spare |[\w'’ -]{1,60}\b(?:named"
    r"|called) (?-i:[A-Z])"
)
_SCHEDULED = EnglishPattern(
    r"(?:a|an|my|our|some) [^,.]{0,40}\b(?:class|classes|lessons?|appointment|wedding|interview|exam|flight|surgery|trip"
    r"|anniversary|birthday|conference|concert|race|marathon|tournament|deadline|presentation|reservation"
    r"|sessions?)\b[^,.]{0,40}"
    r"\b(?:on|every|each|at|in|next|this|by) (?:the )?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)?days?\b|week\b"
    r"|month\b|weekend\b"
    r"|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec)"
)
_FIGURATIVE = EnglishPattern(r"(?:a|an) (?:\w+ )?(?:great|good|big|huge|point|way|lot|bit|blast|time|fun)\b")


def has_no_references(text: str) -> bool:
    """Whether a text has no word that refers to something outside it, so that it can be understood alone.

    >>> has_no_references("my sister and her dog"), has_no_references("a bed for him"), has_no_references("one of these")
    (True, False, False)
    """
    words = collect_words(text)
    if _POINTING.search(text, words):
        return False
    theirs = _THIRD_PERSON.search(text, words)
    return theirs is None or _PERSONAL.search(text[: theirs.start()]) is not None


def is_any_value(value: str) -> bool:
    """Return True, for rules that are specific enough without a check of the value."""
    return True


def is_specific(value: str) -> bool:
    """Whether a value names something specific.

    >>> is_specific("peanuts"), is_specific("a great time"), is_specific("it")
    (True, False, False)
    """
    return not _VAGUE.match(value) and has_no_references(value) and bool(content_words(terms(value)))


def is_standalone(value: str) -> bool:
    """Whether a value is not a thing ("the …") that is known only from this conversation.

    >>> is_standalone("jazz"), is_standalone("the colours"), is_standalone("the Louvre")
    (True, False, True)
    """
    return is_specific(value) and (not _THE.match(value) or _NAME.search(value) is not None)


def is_generic(value: str) -> bool:
    """Whether a value is a kind of thing and not a particular one: jazz, but not the song being played."""
    return is_specific(value) and not _THE.match(value)


def has_name_or_date(value: str) -> bool:
    """Whether a value has a name or a date.

    >>> has_name_or_date("a concert in Porto"), has_name_or_date("a movie")
    (True, False)
    """
    return is_standalone(value) and (_NAME.search(value) or _DATE.search(value)) is not None


def has_date(value: str) -> bool:
    """Whether a value has a date."""
    return is_specific(value) and _DATE.search(value) is not None


def is_lasting(value: str) -> bool:
    """Whether a value is a thing that the person has, or has a name or a date."""
    return is_standalone(value) and (_ARTICLE.match(value) or _NAME.search(value) or _DATE.search(value)) is not None


def is_long_held(value: str) -> bool:
    """Whether a value is something that a person can have for long: a garden, but not a point."""
    return is_lasting(value) and not _FIGURATIVE.match(value)


def is_new_or_notable(value: str) -> bool:
    """Whether a value is a new thing, or has a name or a date."""
    return has_name_or_date(value) or (is_standalone(value) and _NEW.match(value) is not None)


def is_notable_plan(value: str) -> bool:
    """Whether a plan has a name or a date, and is for later than this week."""
    return (
        has_name_or_date(value)
        and not _SOON.search(value)
        and (_NAME.search(value) is not None or len(content_words(terms(value))) > 4)
    )


def is_lasting_decision(value: str) -> bool:
    """Whether a decision is for more than today."""
    return is_specific(value) and not _SOON.search(value)


def is_possession(value: str) -> bool:
    """Whether a value is a thing, person, animal or ailment that people have for long.

    >>> is_possession("a dog"), is_possession("two kids"), is_possession("a question")
    (True, True, False)
    """
    return is_standalone(value) and _TO_HAVE.match(value) is not None


def is_scheduled(value: str) -> bool:
    """Whether a value is a class, an appointment or a similar event with its time."""
    return is_standalone(value) and _SCHEDULED.match(value) is not None


_NOT_NAMES = EnglishPattern(
    r"(?:fine|okay|ok|sorry|good|great|happy|sad|tired|sick|ill|done|ready|back|here|home|late|early|busy|bored|lost|sure|glad"
    r"|well|new|so|very|really|just|not|still|also|now|going|trying|looking|in|on|at|from|off|out|up|down|your|the|an?|all"
    r"|interested|excited|curious|afraid|aware|able|free|stuck|confused|worried|thinking|jewish|muslim|christian"
    r"|catholic|buddhist|hindu|sikh|protestant|orthodox|vegan|vegetarian|gay|lesbian|republican|democrat|type|team|god"
    r"|batman|groot|santa|superman|\w+ing|\w+ed)\b"
)
"""Words that people capitalize after "I'm" although they are not names."""


def can_be_name(value: str) -> bool:
    """Whether a capitalized word after "I'm" can be a name.

    >>> can_be_name("Marta"), can_be_name("Fine"), can_be_name("Going Home")
    (True, False, False)
    """
    return _NOT_NAMES.match(value) is None


def starts_with_name(value: str) -> bool:
    """Whether a value begins with a name."""
    return is_specific(value) and _NAME.match(value) is not None
