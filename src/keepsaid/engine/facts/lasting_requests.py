"""Recognize lasting English requests to the assistant by their parts instead of by whole phrases.

One part says that a request lasts: an adverb ("always", "from now on"), a condition on the conversation ("if food comes
up"), or a reference to everything the assistant makes ("anything you write for me"). The other part asks something of the
assistant: an imperative, "I want you to …", or what its answers should be like. Either part alone is a one-off request or a
remark.
"""

from __future__ import annotations

from keepsaid.engine.facts.words import any_of
from keepsaid.engine.text.patterns import EnglishPattern

LASTING_CUES = frozenset(
    "always never ever whenever permanently anymore more anything everything whatever unless habit now here forward future"
    " good all default rule time times no if when only".split()
)
"""Cue words: every lasting request has at least one of them."""

_VERB = any_of(
    "add address adjust allow answer apologize apologise ask assume attach avoid bake be begin bring build"
    " calculate call change"
    " check choose cite close comment compare convert cook correct count criticize criticise cut define"
    " describe design do double"
    " double-check draft draw drop embed end exclude expand explain filter find finish flag format get give go greet hide"
    " highlight hold include indent insert insist introduce judge keep label lead lecture leave let limit"
    " link list look_up make"
    " mark measure mention mirror mix move name note number offer omit open order outline paste pick plan"
    " point postpone prefer"
    " present pretend print propose put quote rank rate read recommend refer reject remember remind remove"
    " rename repeat rephrase"
    " replace reply report reserve respect respond return reveal review rewrite round say schedule search"
    " send set share shorten"
    " show sign simplify skip slow sort speak spell spoil spoon-feed stay start stick stop structure sugarcoat suggest sum"
    " summarize summarise swear switch take talk teach tell test tick transcribe translate treat trim try"
    " turn type underline"
    " update use verify walk warn weigh wish work wrap write yell"
)
_DON_T = r"(?:don['’]?t|do not|never|please don['’]?t)"
_YOU_MAY = (
    r"(?:(?:could|can|would|will) you|you (?:can|may|could|should|must|need to|have to|don['’]?t (?:need|have) to"
    r"|needn['’]?t"
    r"|shouldn['’]?t|mustn['’]?t)|i(?:['’]d| would)? (?:want|need|like|love|expect|prefer) you to|i need you to"
    r"|i(?:['’]d| would) rather you|let['’]?s|(?:make|be) sure (?:to|you|that you)|remember to|try to|feel free to"
    r"|(?:please )?get into the habit of)"
)
_SOFTLY = r"(?:please|pls|just|also|then|so|but|and|only|simply|kindly|always|never|ever|instead|again|maybe|really|ok|okay)"
_ASK = rf"(?:{_SOFTLY},? )*(?:(?:{_YOU_MAY}|{_DON_T}) (?:{_SOFTLY} )*)*{_VERB}(?:ing)?\b"
_BEGINS = r"(?:^[\s\"'*(-]*|[,;:.–—-] ?|\bso |\bbut |\band (?=please|don['’]?t|dont|do not|you ))"
"""Where a new clause begins. A verb after a bare "and" has the subject before it: "I panic and always walk"."""
_ASKS = EnglishPattern(rf"{_BEGINS}{_ASK}")

_LASTING_ADVERBS = (
    r"(?:from (?:now|here|today|this point)(?: on(?:wards?)?)?|going forward|henceforth|(?:in|for) (?:the )?future|for good"
    r"|once and for all|permanently|by default|as a (?:general )?rule|at all times|until further notice"
    r"|for (?:all|any) (?:our|my|future|of) [\w ]{2,20}|in all (?:our|my|future) \w+|unless i (?:say|ask|tell"
    r"|specify) [\w ]{2,30}"
    r"|(?:every|each|any) (?:single )?time|anytime|whenever|whatever i (?:ask|say|send|want|need)|no matter what i ask)"
)
_ADVERB = r"(?:always|never|ever|any ?more|again|every time|each time)"
_LASTS = EnglishPattern(
    rf"\b{_LASTING_ADVERBS}\b|{_BEGINS}(?:{_SOFTLY},? )*(?:always|never)\b|\b{_ADVERB}[\s.!]*$|\b{_ADVERB},"
    rf"|\b(?:you|don['’]?t|dont|do not|please|to|must|should|has to|have to) (?:always|never|ever)\b|\bhabit of\b"
)
_ALL_OUTPUT = EnglishPattern(
    rf"\b(?:anything|everything|whatever|(?:any|every|all|each) [\w ]{{2,25}}) (?:that )?you(?:['’](?:d|ll"
    rf"|re))? (?:\w+ )?{_VERB}\b"
    rf"|\bwhen(?:ever)? you {_VERB} (?:\w+ ){{0,3}}?(?:my|for me|to me)\b|\bbefore you {_VERB} (?:anything|something|any)\b"
)
_TALK_VERBS = any_of(
    "ask mention say share paste send talk write request bring_up show post quote give want need type tell"
    " upload describe ask_for"
    " come_up translate draft explain make review suggest recommend plan cook order book"
)
_COMES_UP = r"(?:comes? up|gets? mentioned|is mentioned|are mentioned|crops? up|appears?|is involved|are involved|is about)"
_IF = r"(?:if|when|whenever|any time|anytime|every time|each time|as soon as|once)"
_CONVERSATION_CONDITION = EnglishPattern(
    rf"\b{_IF} (?:i|we|you) (?:\w+ )?{_TALK_VERBS}\b|\b{_IF} [^,.;:]{{2,40}}? {_COMES_UP}\b"
    rf"|\b{_IF} (?:it['’]?s|it is|this is|we['’]?re talking|the topic is) about\b"
    rf"|\bwhenever (?:it['’]?s|something|anything|somebody|someone)\b"
)
_CONSEQUENCE = EnglishPattern(
    rf"[,:] (?:then )?(?:i (?:only |just |always )*(?:want|mean|need|expect|prefer)|it (?:should|must|has to|needs to)"
    rf"|no \w+)\b"
    rf"|\b(?:please |just |always |never )*(?:don['’]?t|dont|do not|always|never) (?:ever )?{_VERB}\b"
)
_OUTPUTS = any_of(
    "recipes prices distances dates times temperatures weights sizes amounts units measurements answers replies responses"
    " explanations examples lists tables summaries emails mails letters messages texts drafts translations"
    " spoilers emojis jokes"
    " code snippets commands scripts queries commits comments tests functions recommendations suggestions tips links sources"
    " quotes headlines titles names bullet_points bullets paragraphs sentences instructions directions routes workouts plans"
    " menus meals shopping_lists reminders warnings disclaimers abbreviations footnotes questions"
)
_OUTPUT_STYLE = EnglishPattern(
    rf"(?:^|: ?|, )[\s\"'*(-]*(?:(?:{_SOFTLY}|with|for|in|about|all|any|no|the|my|your"
    rf"|{_LASTING_ADVERBS}),? )*(?:[\w-]+ ){{0,2}}{_OUTPUTS}\b"
)
_OTHERS_SUBJECT = EnglishPattern(
    r"\b(?:i|we|he|she|they|it|who|that|everyone|everybody|nobody|(?:some|most|other) people|team|boss|company|policy"
    r"|school|office|work)\b"
)
_HAS_LASTING_ADVERB = EnglishPattern(rf"\b(?:always|never|ever|{_LASTING_ADVERBS})\b")
_SHOULD_BE = EnglishPattern(
    rf"\b(?:{_OUTPUTS}|everything|anything) (?:[\w ]{{2,40}} )?(?:should|must|has to|have to|needs? to)\b"
)
_NOT_AGAIN = EnglishPattern(
    r"\bi (?:never|(?:really )?don['’]?t|do not) (?:ever )?(?:want|need|wish) (?:you to|to (?:see|hear|read|get|be))\b"
)
_AGAIN = EnglishPattern(r"\b(?:any ?more|again|ever|never)\b")
_ONCE = EnglishPattern(
    r"\b(?:this (?:one|time|file|text|email|message|paragraph|draft|list|trip|week|code|picture|photo|question)"
    r"|that one|just once"
    r"|for now|right now|today|tonight|tomorrow|(?:the|this|these|that) (?:next|following|above|last|previous"
    r"|attached|below)"
    r"|(?:second|third|first|last) (?:paragraph|sentence|line|part|page|one))\b"
)
_NO_REQUEST = EnglishPattern(
    rf"[\s\"']*(?:{_SOFTLY},? )*(?:never (?:mind|say never|give up|been|again)|don['’]?t (?:you|worry|mind|forget"
    rf"|bother|hesitate)"
    r"|let me|let us know|do (?:i|we|they)|no (?:worries|problem|idea|need|wonder)|get well|read the room|try again"
    r"|go (?:ahead|on)\b[\s.!]*$)\b"
)
_POLITE_QUESTION = EnglishPattern(
    r"[\s\"']*(?:please,? )?(?:could|can|would|will) you (?:please )?"
    rf"(?:from now on|in future|going forward),? (?:always |never )?{_VERB}\b"
)
_REPORTED = EnglishPattern(
    r"\b(?:said|says|told|tells|asked|asks|taught|keeps? (?:saying|telling)|insists?|wants? me|makes? me|poem|song"
    r"|story|lyrics"
    r"|the (?:assistant|ai|model|bot|chatbot|system))\b"
)


def is_lasting_request(sentence: str) -> bool:
    """Whether a sentence asks something lasting of the assistant.

    >>> is_lasting_request("If food comes up, tell me the carbs."), is_lasting_request("Tell me the carbs.")
    (True, False)
    """
    if sentence.rstrip(" \"'”’)").endswith("?"):
        return _POLITE_QUESTION.match(sentence) is not None
    if _NO_REQUEST.match(sentence) or _ONCE.search(sentence) or _REPORTED.search(sentence):
        return False
    if _ASKS.search(sentence):
        parts = (_LASTS, _ALL_OUTPUT, _CONVERSATION_CONDITION)
        if any(part.search(sentence) for part in parts):
            return True
    if _CONVERSATION_CONDITION.search(sentence) and _CONSEQUENCE.search(sentence):
        return True
    if _NOT_AGAIN.search(sentence):
        return _AGAIN.search(sentence) is not None
    if _SHOULD_BE.search(sentence):
        return _HAS_LASTING_ADVERB.search(sentence) is not None or _ALL_OUTPUT.search(sentence) is not None
    return _is_fragment(sentence)


def _is_fragment(sentence: str) -> bool:
    """Whether a sentence without a verb says how answers should be: "Recipes always for two, please"."""
    if _OTHERS_SUBJECT.search(sentence) or not _HAS_LASTING_ADVERB.search(sentence):
        return False
    return _OUTPUT_STYLE.search(sentence) is not None
