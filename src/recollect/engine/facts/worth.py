"""What makes a statement worth a note: it names something of its own, and something that lasts or can be dated."""

from __future__ import annotations

import re

from recollect.engine.facts.words import ABOUT, NUMBER, PEOPLE, PETS, any_of, cued, words_of
from recollect.engine.pattern import Pattern
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms

_PRAISE = any_of(
    "new great good lovely pleasant fantastic incredible beautiful nice fun tough hard rough wonderful amazing awesome"
    " big little cool few couple lot lots bit special personal side work of really very pretty so super blast"
)
_NOTHING = any_of(
    "project time times blast fun chat talk day thing things place look break setback moment conversation feeling issue"
    " issues trouble luck experience experiences progress success work part piece stuff event bug error problem question"
    " typo pic photo"
)
_HOLLOW = (
    rf"(?:a|an|the|my|our|some)(?: {_PRAISE})* {_NOTHING}"
    r"(?: (?:last|this|yesterday|today|with|there|lately|recently|right|throwing|on|at|in|of|and|during)\b|$)"
)
"""What can be said of any day: "a great time with friends", "a new project"."""
_VAGUE = Pattern(
    r"(?:it|its|this|that|these|those|them|they|him|her|he|she|you|there|here|one|ones|some|something|anything|everything"
    r"|nothing|so|such|how|what|when|why|where|who|all|more|another|both|each|every|same|other|others|any|lots?|plenty"
    r"|enough|much|many|your|tons|to (?:hear|see|know|say)|hard)\b"
    r"|(?:a|an) (?:\w+ )?(?:ton|lot|bit|bunch|set|pair|couple|few|while)(?: of)?(?: \d+)?(?: for\b|$)"
    r"|(?:a|an) (?:certain|particular|similar|unexpected)\b"
    rf"|(?![$€£]){NUMBER}(?: (?:in|for|on|at|of|so|since|already|now)\b|$)|{_HOLLOW}"
    r"|the (?:opportunity|chance|pleasure|idea|way|fact|sound|look|same|one|ones|other|thing|things|first|last|second)"
)
_THIS_TIME = any_of(
    "week month year summer spring fall autumn winter morning weekend season past monday tuesday wednesday thursday friday"
    " saturday sunday"
)
_POINTING = cued(
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
_THEIRS = cued("he she him her his they their hers", r"\b(?:he|she|him|her|his|they|their|hers)\b")
_PERSONAL = Pattern(rf"\b(?:{PEOPLE}|{PETS}|(?-i:[A-Z][a-z]+))\b")
_NAME = re.compile(
    r"\b(?!I\b|I['’]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\b)"
    r"[A-Z][\w&'’-]+|[\"“]"
)
_CALENDAR = any_of(
    "week month year night weekend summer spring fall autumn winter january february march april may june july august"
    " september october november december monday tuesday wednesday thursday friday saturday sunday mon tues wed thurs"
    " fri sat sun"
)
_DATE = Pattern(
    rf"\b(?:yesterday|today|tonight|tomorrow|(?:last|next) {_CALENDAR}|this (?:morning|week|weekend|month|year|past)"
    r"|(?:days?|weeks?|months?|years?) ago|(?:in|since|by|on|until|before) (?:jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct"
    r"|nov|dec|mon|tue|wed|thu|fri|sat|sun|20\d\d|19\d\d|the \d)\w*)"
)
_SOON = Pattern(r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend)|now)\b")
_OWN = Pattern(rf"(?:a|an|my|our|{NUMBER}) ")
_NEW = Pattern(
    r"(?:a|an|my|our|some|two|three)(?: \w+){0,2} (?:new|first|used|second-hand|vintage|own)\b|(?:my|our) (?:own|first)\b"
)
_THE = Pattern(r"(?:the|those|these|that) ")
_TO_HAVE = Pattern(
    rf"{ABOUT}(?:a|an|my|our|{NUMBER}|some) (?:[\w'’-]+ ){{0,3}}?(?:{PEOPLE}|{PETS}|allerg\w+|asthma|diabetes|degree|diploma"
    r"|master['’]?s|phd|bachelor['’]?s|license|licence|certificate|certification|subscription|membership|garden|farm|house"
    r"|apartment|condo|cabin|car|truck|van|bike|bicycle|motorcycle|boat|piano|guitar|violin|drum|camera|collection|business"
    r"|startup|company|shop|store|blog|podcast|channel|account|disability|condition|tattoo|scar|backyard|pool|studio"
    r"|intolerance|phobia|fear|sensitivity|accent|passport|visa)\b|(?:a|an) spare |[\w'’ -]{1,60}\b(?:named"
    r"|called) (?-i:[A-Z])"
)
_SCHEDULED = Pattern(
    r"(?:a|an|my|our|some) [^,.]{0,40}\b(?:class|classes|lessons?|appointment|wedding|interview|exam|flight|surgery|trip"
    r"|anniversary|birthday|conference|concert|race|marathon|tournament|deadline|presentation|reservation"
    r"|sessions?)\b[^,.]{0,40}"
    r"\b(?:on|every|each|at|in|next|this|by) (?:the )?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)?days?\b|week\b"
    r"|month\b|weekend\b"
    r"|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec)"
)
_MEANT_WELL = Pattern(r"(?:a|an) (?:\w+ )?(?:great|good|big|huge|point|way|lot|bit|blast|time|fun)\b")


def is_clear(text: str) -> bool:
    """Whether a text can be understood without what was said before it.

    >>> is_clear("my sister and her dog"), is_clear("a bed for him"), is_clear("one of these")
    (True, False, False)
    """
    words = words_of(text)
    if _POINTING.search(text, words):
        return False
    theirs = _THEIRS.search(text, words)
    return theirs is None or _PERSONAL.search(text[: theirs.start()]) is not None


def is_anything(value: str) -> bool:
    """For rules that are specific enough by themselves."""
    return True


def is_solid(value: str) -> bool:
    """Whether it names something.

    >>> is_solid("peanuts"), is_solid("a great time"), is_solid("it")
    (True, False, False)
    """
    return not _VAGUE.match(value) and is_clear(value) and bool(telling(terms(value)))


def is_own(value: str) -> bool:
    """Whether it is not something that only this talk knows as "the" thing.

    >>> is_own("jazz"), is_own("the colours"), is_own("the Louvre")
    (True, False, True)
    """
    return is_solid(value) and (not _THE.match(value) or _NAME.search(value) is not None)


def is_any_of_its_kind(value: str) -> bool:
    """Whether it is not a certain one at all: what a person likes is jazz, and not the song that is playing."""
    return is_solid(value) and not _THE.match(value)


def is_notable(value: str) -> bool:
    """Whether it has a name or a date.

    >>> is_notable("a concert in Porto"), is_notable("a movie")
    (True, False)
    """
    return is_own(value) and (_NAME.search(value) or _DATE.search(value)) is not None


def is_dated(value: str) -> bool:
    """Whether it is something that is to be done by a date."""
    return is_solid(value) and _DATE.search(value) is not None


def is_lasting(value: str) -> bool:
    """Whether it is a thing of one's own, or notable."""
    return is_own(value) and (_OWN.match(value) or _NAME.search(value) or _DATE.search(value)) is not None


def is_held(value: str) -> bool:
    """Whether it is what somebody else can have for long: a garden, but not a point."""
    return is_lasting(value) and not _MEANT_WELL.match(value)


def is_acquired(value: str) -> bool:
    """Whether it is a new thing, or notable."""
    return is_notable(value) or (is_own(value) and _NEW.match(value) is not None)


def is_planned(value: str) -> bool:
    """Whether a plan is notable and for later than these days."""
    return (
        is_notable(value) and not _SOON.search(value) and (_NAME.search(value) is not None or len(telling(terms(value))) > 4)
    )


def is_decided(value: str) -> bool:
    """Whether a decision is for more than today."""
    return is_solid(value) and not _SOON.search(value)


def is_possession(value: str) -> bool:
    """Whether it is one of the things, beings and ailments that people have for long.

    >>> is_possession("a dog"), is_possession("two kids"), is_possession("a question")
    (True, True, False)
    """
    return is_own(value) and _TO_HAVE.match(value) is not None


def is_scheduled(value: str) -> bool:
    """Whether it is a class, an appointment or the like with its time."""
    return is_own(value) and _SCHEDULED.match(value) is not None


_NOT_NAMES = Pattern(
    r"(?:fine|okay|ok|sorry|good|great|happy|sad|tired|sick|ill|done|ready|back|here|home|late|early|busy|bored|lost|sure|glad"
    r"|well|new|so|very|really|just|not|still|also|now|going|trying|looking|in|on|at|from|off|out|up|down|your|the|an?|all"
    r"|interested|excited|curious|afraid|aware|able|free|stuck|confused|worried|thinking|jewish|muslim|christian"
    r"|catholic|buddhist|hindu|sikh|protestant|orthodox|vegan|vegetarian|gay|lesbian|republican|democrat|type|team|god"
    r"|batman|groot|santa|superman|\w+ing|\w+ed)\b"
)
"""Words that people write with a capital letter after "I'm", and that are no names."""


def is_name(value: str) -> bool:
    """Whether a capitalized word after "I'm" may be what somebody is called.

    >>> is_name("Marta"), is_name("Fine"), is_name("Going Home")
    (True, False, False)
    """
    return _NOT_NAMES.match(value) is None


def is_named(value: str) -> bool:
    """Whether it begins with a name."""
    return is_solid(value) and _NAME.match(value) is not None
