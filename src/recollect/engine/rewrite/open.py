"""What a question leaves open: the words that only the talk before it can explain, or the words that it does without."""

from __future__ import annotations

from recollect.engine.pattern import Pattern
from recollect.engine.phrases import phrases
from recollect.engine.rewrite.pointing import AUXILIARY, Asked, Kind, Open, pointing
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms

LONGEST = 400
"""Characters of a question that can be a follow-up: who writes more explains it."""
MOST_OWN_TERMS = 4
"""Telling words in a question that goes on with the one before: with more it says itself what it asks."""


def left_open(question: str) -> list[Open]:
    """The open words of a question, in order; none where it can be understood alone.

    >>> [(one.kind, one.text) for one in left_open("Is she still there?")]
    [('she', 'she'), ('there', 'there')]
    >>> left_open("Is Ana still in Madrid, and does she like it there?")
    []
    """
    if len(question) > LONGEST or _POLITE.fullmatch(question, 0, len(question)):
        return []
    asked = Asked(question, [phrase for phrase in phrases(question) if phrase.is_name or not _ASKED_FOR.search(phrase.lead)])
    if found := pointing(asked):
        return found
    kind = _missing(asked)
    return [Open(kind, question.strip())] if kind else []


def _missing(asked: Asked) -> Kind | None:
    """Whether a question lacks something without a word that says so, and what."""
    text = asked.text
    own = telling(terms(text))
    if _BARE.match(text):
        return "topic"
    if _goes_on(text, len(own)):
        return "more"
    asks = _ASKS.match(text) and not (_DEFINES.match(text) or _FIRST_PERSON.search(text))
    return "topic" if asks and len(own) <= 1 and not asked.phrases else None


def _goes_on(text: str, own: int) -> bool:
    words = len(text.split())
    if own <= MOST_OWN_TERMS and (_GOES_ON.match(text) or (words <= 6 and _FRAGMENT.match(text))):
        return True
    return own > 0 and words <= 3 and text.rstrip().endswith("?") and not _ASKS.match(text)


_POLITE = Pattern(
    r"\W*(?:(?:ok|okay|yes|no|sure|thanks|thank you|thx|great|perfect|cool|nice|wow|hi|hello|hey|good (?:morning|evening)"
    r"|good night|got it|sounds good|i see|never mind|bye|goodbye|see you|so much|very much|a lot|again|there|you too"
    r"|that(?:['’]s| is) (?:great|good|fine|perfect|all|it|right|helpful|nice|cool|awesome)|that (?:helps|works)"
    r"|how are you(?: doing| today)?|how(?:['’]s| is) it going|what time is it|what(?:['’]s| is) up)\W*){1,6}"
)
_ASKED_FOR = Pattern(r"\b(?:how|how many|how much|what|which)$")
"""What is asked for ("which surgeon") explains no other word of the question."""
_PREPOSITIONS = "in|on|at|for|with|without|by|from|to|against|during|under|over|after|before|since|until|near|around|if"
_FRAGMENT = Pattern(rf"\W*(?:(?:and|but|or|so|also) )?(?:only |just |even |maybe )?(?:{_PREPOSITIONS})\b.{{1,60}}\?\W*$")
_GOES_ON = Pattern(
    rf"\W*(?:(?:and|but|or|so|also|ok|okay|then),? )*(?:what|how) about\b|\W*what if\b"
    r"|\W*(?:(?:and|now|or|ok|okay|then|maybe),? )*(?:another|one more|one)\b(?: one)?"
    r"(?=\s*[?.!,]|$| (?:about|for|with|in|on|that)\b)"
    rf"|\W*(?:and|but|or) (?!(?:{AUXILIARY}|what|who|whom|whose|when|where|why|how|which|i|we|you|please|can|tell|give)\b)"
)
_BARE = Pattern(
    r"\W*(?:(?:and|but|or|so|ok|okay|well|then|hm+),? )*(?:(?:since|until|for|from|by|with|to) )?"
    r"(?:why|how|when|where|who|whom|what|which|whose|how (?:much|many|long|often|far|so|come|exactly|old)|why not|why so"
    r"|(?:what|who|where|anything) else|like what|such as|for example|for instance|really|are you sure|is that (?:so|true)"
    r"|tell me more|(?:can|could) you (?:please )?(?:explain|elaborate|clarify|expand|say more|tell me more|give an example)"
    r"|say more|go on|explain|elaborate|more details?|any other ideas|what happened(?: then| next)?|and then|then what"
    r"|what (?:then|now|next)|what does (?:that|this|it) mean|in what way|what do you mean|give me an example|continue|more)"
    r"(?: (?:please|exactly|then|though|again|now))?\W*$"
)
_DEFINES = Pattern(r"\W*(?:what|who)(?:['’]s| is| are| was| were) (?!.*ing\b)\S+\W*$")
_FIRST_PERSON = Pattern(r"\b(?:i|my|mine|we|our|you|your)\b")
_ASKS = Pattern(rf"\W*(?:(?:and|but|so),? )?(?:who|whom|whose|what|when|where|why|how|which|{AUXILIARY})\b")
