"""Find what a question leaves open: words that only the earlier conversation explains, or words that are missing."""

from __future__ import annotations

from keepsaid.engine.follow_up.pronouns import AUXILIARY_VERBS, FollowUpQuestion, OpenWord, OpenWordKind, find_pointing_words
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.phrases import find_phrases
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms

MAX_QUESTION_LENGTH = 400
"""Maximum characters of a follow-up question: a longer one explains itself."""
MAX_OWN_TERMS = 4
"""Maximum content words of a question that continues the one before: with more it says itself what it asks."""


def find_open_words(question: str) -> list[OpenWord]:
    """Return the open words of a question, in order; none if it can be understood alone.

    >>> [(one.kind, one.text) for one in find_open_words("Is she still there?")]
    [('she', 'she'), ('there', 'there')]
    >>> find_open_words("Is Ana still in Madrid, and does she like it there?")
    []
    """
    if len(question) > MAX_QUESTION_LENGTH or _POLITE.fullmatch(question, 0, len(question)):
        return []
    asked = FollowUpQuestion(
        question, [phrase for phrase in find_phrases(question) if phrase.is_name or not _ASKED_FOR.search(phrase.lead)]
    )
    if found := find_pointing_words(asked):
        return found
    kind = _find_missing(asked)
    return [OpenWord(kind, question.strip())] if kind else []


def _find_missing(asked: FollowUpQuestion) -> OpenWordKind | None:
    """Return what a question lacks without a word that says so, or None."""
    text = asked.text
    own = content_words(terms(text))
    if _BARE.match(text):
        return "topic"
    if _is_continuation(text, len(own)):
        return "more"
    asks = _ASKS.match(text) and not (_DEFINES.match(text) or _FIRST_PERSON.search(text))
    return "topic" if asks and len(own) <= 1 and not asked.phrases else None


def _is_continuation(text: str, own: int) -> bool:
    words = len(text.split())
    if own <= MAX_OWN_TERMS and (_GOES_ON.match(text) or (words <= 6 and _FRAGMENT.match(text))):
        return True
    return own > 0 and words <= 3 and text.rstrip().endswith("?") and not _ASKS.match(text)


_POLITE = EnglishPattern(
    r"\W*(?:(?:ok|okay|yes|no|sure|thanks|thank you|thx|great|perfect|cool|nice|wow|hi|hello|hey|good (?:morning|evening)"
    r"|good night|got it|sounds good|i see|never mind|bye|goodbye|see you|so much|very much|a lot|again|there|you too"
    r"|that(?:['’]s| is) (?:great|good|fine|perfect|all|it|right|helpful|nice|cool|awesome)|that (?:helps|works)"
    r"|how are you(?: doing| today)?|how(?:['’]s| is) it going|what time is it|what(?:['’]s| is) up)\W*){1,6}"
)
_ASKED_FOR = EnglishPattern(r"\b(?:how|how many|how much|what|which)$")
"""What is asked for ("which surgeon") explains no other word of the question."""
_PREPOSITIONS = "in|on|at|for|with|without|by|from|to|against|during|under|over|after|before|since|until|near|around|if"
_FRAGMENT = EnglishPattern(
    rf"\W*(?:(?:and|but|or|so|also) )?(?:only |just |even |maybe )?(?:{_PREPOSITIONS})\b.{{1,60}}\?\W*$"
)
_GOES_ON = EnglishPattern(
    rf"\W*(?:(?:and|but|or|so|also|ok|okay|then),? )*(?:what|how) about\b|\W*what if\b"
    r"|\W*(?:(?:and|now|or|ok|okay|then|maybe),? )*(?:another|one more|one)\b(?: one)?"
    r"(?=\s*[?.!,]|$| (?:about|for|with|in|on|that)\b)"
    rf"|\W*(?:and|but|or) (?!(?:{AUXILIARY_VERBS}"
    r"|what|who|whom|whose|when|where|why|how|which|i|we|you|please|can|tell|give)\b)"
)
_BARE = EnglishPattern(
    r"\W*(?:(?:and|but|or|so|ok|okay|well|then|hm+),? )*(?:(?:since|until|for|from|by|with|to) )?"
    r"(?:why|how|when|where|who|whom|what|which|whose|how (?:much|many|long|often|far|so|come|exactly|old)|why not|why so"
    r"|(?:what|who|where|anything) else|like what|such as|for example|for instance|really|are you sure|is that (?:so|true)"
    r"|tell me more|(?:can|could) you (?:please )?(?:explain|elaborate|clarify|expand|say more|tell me more|give an example)"
    r"|say more|go on|explain|elaborate|more details?|any other ideas|what happened(?: then| next)?|and then|then what"
    r"|what (?:then|now|next)|what does (?:that|this|it) mean|in what way|what do you mean|give me an example|continue|more)"
    r"(?: (?:please|exactly|then|though|again|now))?\W*$"
)
_DEFINES = EnglishPattern(r"\W*(?:what|who)(?:['’]s| is| are| was| were) (?!.*ing\b)\S+\W*$")
_FIRST_PERSON = EnglishPattern(r"\b(?:i|my|mine|we|our|you|your)\b")
_ASKS = EnglishPattern(rf"\W*(?:(?:and|but|so),? )?(?:who|whom|whose|what|when|where|why|how|which|{AUXILIARY_VERBS})\b")
