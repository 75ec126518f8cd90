"""Standing instructions to the assistant: "From now on use metric units", "Call me Dr. Weiss", "Never suggest shellfish".

A request for one answer is not a standing instruction. It becomes one by a word that makes it last (always, never, from now
on, whenever I …), or by being about all answers ("Keep your answers short").
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from keepsaid.engine.facts.lasting_requests import LASTING_CUES, is_lasting_request
from keepsaid.engine.facts.words import any_of
from keepsaid.engine.text.patterns import EnglishPattern

ADDRESS_SLOT = "form of address"
"""Slot for what the user wants to be called."""
INSTRUCTION_CUES = frozenset(
    "always never whenever when if from future henceforth forward time times call address refer stop don dont not avoid no"
    " keep use write stick your answers replies responses explanations skip leave without default rule ever"
    " give show tell".split()
).union(LASTING_CUES)
"""Cue words: every standing instruction has at least one of them."""


class StandingInstruction(NamedTuple):
    """The span of a standing instruction in its sentence, and the slot it fills, if any, with the span of its value."""

    start: int
    end: int
    about: str = ""
    value: tuple[int, int] = (0, 0)


_DO = any_of(
    "use suggest recommend answer reply respond give show write call include explain speak talk add end begin start put"
    " mention ask tell assume remind keep format translate quote cite apologize apologise repeat summarize summarise send"
    " offer propose list provide say return convert prefer stick round cook make limit avoid skip leave check"
    " double-check warn point address refer remember sign finish close address_me number spell abbreviate treat let"
    " highlight correct praise criticize criticise flatter lecture hedge sugarcoat patronize patronise"
    " stop don't don’t do_not never always only just output print open link comment document indent name plan"
    " pick choose book order schedule be_concise be_brief"
    " be_honest be_direct be_blunt be_polite be_formal be_informal be_short be_specific be_critical be_gentle be_precise"
)
_DOING = any_of(
    "using suggesting recommending answering replying responding giving showing writing calling including explaining"
    " speaking talking adding ending beginning starting putting mentioning asking telling assuming reminding formatting"
    " translating quoting citing apologizing apologising repeating summarizing summarising sending offering proposing"
    " listing providing saying praising flattering lecturing hedging being making correcting"
)
_OPENING = (
    r"[\s\"'*(-]*(?:(?:please|ok|okay|also|and|hey|hi|so|oh|well|but|remember|note|btw|by the way|one more thing|again|just"
    r"|thanks|as a rule|in general|generally|by default|remember to|you should|you must|you can|can you|could you)"
    r"\b[\s,:.!-]*)*"
)
_LASTING = (
    r"(?:from (?:now|here|today|this point) on(?:wards?)?|from now|going forward|henceforth|in (?:the )?future|by default"
    r"|every time|each time|any time|at all times|for all (?:future|your|my)|in all (?:future|your|my)|as a rule"
    r"|all the time)"
)
_ANSWERS = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|explanations?|summar(?:y|ies)|code samples?|suggestions?|recipes?)"
)
_MANNER = (
    r"(?:emojis?|bullet(?: |-)?(?:points?|lists?)|markdown|jargon|exclamation (?:marks?|points?)|tables?|headings?|hashtags?"
    r"|small talk|disclaimers?|filler|em(?: |-)dashes|apolog(?:y|ies)|abbreviations|slang|swear words|comic sans|clich[eé]s"
    r"|metric(?: units)?|imperial(?: units)?|celsius|fahrenheit|(?:british|american|us|uk) (?:english|spelling)"
    r"|24(?: |-)hour (?:clock|format|time)|formal \w+|informal \w+|first names?)"
)
_I_DO = (
    r"(?:you (?:give|write|send|make|answer|reply|suggest|recommend|draft|show|list|explain|plan|cite|quote|translate"
    r"|summari[sz]e|correct)\b|i (?:\w+ )?(?:paste|ask|send|write|say|share|type|post|give|want|need|upload"
    r"|mention|tell|show|talk|speak|make|use|request|submit|quote|greet|start|say|'m|’m|am)\b)"
)

_ALWAYS = EnglishPattern(
    rf"(?:{_OPENING}|for [^.!?,]{{2,60}}, (?:please )?)(?:always|never|only ever|don['’]?t ever|do not ever) (?:again )?"
    rf"{_DO}\b"
)
_FROM_NOW_ON = EnglishPattern(
    rf"{_OPENING}{_LASTING}[\s,:]*(?:(?:please|i(?:['’]d| would) like you to|i want you to|only) )*{_DO}\b"
)
_AT_THE_END = EnglishPattern(rf"{_OPENING}{_DO}\b[^.!?]{{2,120}}\b{_LASTING}[\s.!]*$")
_WHEN = EnglishPattern(
    rf"{_OPENING}(?:whenever|when|every time|each time|any time|if) {_I_DO}[^.!?,]{{0,80}}(?:,| then\b)\s*"
    rf"(?:then |please |just |always )*{_DO}\b"
)
_WHEN_LAST = EnglishPattern(rf"{_OPENING}{_DO}\b[^.!?]{{2,100}}\b(?:whenever|every time|each time) {_I_DO}")
_WANT = EnglishPattern(
    rf"{_OPENING}(?:(?:with|for|in|on) [^,.!?]{{2,40}}?,? )?"
    r"i(?:['’]d| would)? (?:want|like|prefer|need|expect|love) (?:it if )?you to"
    rf" (?:(?:always|never|only|please) )?{_DO}\b"
)
_LASTS = EnglishPattern(rf"\b(?:always|never|{_LASTING}|whenever|your {_ANSWERS})\b")
_WANT_NO = EnglishPattern(rf"{_OPENING}i (?:never want|don['’]t (?:ever )?want) (?:you to |to (?:see|hear|read|get) )")
_STOP = EnglishPattern(
    rf"{_OPENING}(?:stop {_DOING}|(?:please )?(?:don['’]?t|do not|avoid|no more|never) (?:{_DO}|{_DOING}))\b"
)
_NO = EnglishPattern(rf"{_OPENING}(?:no|no more|skip the|leave out the|without) {_MANNER}\b")
_STYLE = EnglishPattern(rf"\b(?:(?:your|every|each|all) {_ANSWERS}|{_MANNER}|with me|at me|to me|for me)\b")
_KEEP = EnglishPattern(
    rf"{_OPENING}(?:(?:keep|make|write|give|format|start|end|begin|finish) (?:all )?(?:of )?your {_ANSWERS}|i prefer"
    rf" (?:[\w-]+ ){{0,3}}{_ANSWERS}\b|i (?:want|like|need) (?:\w+ ){{0,2}}?(?:short|brief|concise|direct|detailed|long"
    rf"|plain|simple|honest) {_ANSWERS}\b|your {_ANSWERS} (?:should|must|need to|have to))"
)
_UNITS = EnglishPattern(
    rf"{_OPENING}(?:give|show|tell|write) (?:me )?(?:all )?(?:distances|temperatures|prices|dates|times|weights|measurements"
    r"|quantities|amounts|sizes|recipes) in \w+"
)
_USE = EnglishPattern(rf"{_OPENING}(?:use|write in|stick to) {_MANNER}\b")
_CALL = EnglishPattern(
    rf"(?:{_OPENING}|.{{0,80}}?[,;.–—-] ?(?:and |but |so )?)(?:please |just |you can |everyone can |everybody can"
    r" |you may )*"
    r"(?:(?:call|address) me(?: as| by)?(?: just)?|refer to me as)"
    r" (?!(?:when|if|back|later|tomorrow|today|tonight|at|on|in|for|crazy|old|a|an|the|about|once|again|maybe|what|whatever"
    r"|by|anything|that|this|it|now|up|out|after|before|any)\b)"
    r"(?P<value>(?:(?-i:Dr|Mr|Mrs|Ms|Prof)\. )?[\w'’-]+(?: (?-i:[A-Z])[\w'’-]*){0,3})"
)
_ONE_OFF = EnglishPattern(
    r"\b(?:this|these|those|that (?:one|file|text|email|message|paragraph)|the (?:next|following|above|last|previous|text"
    r"|file|paragraph|article|essay|sentence|list|code|table|email|letter|story|recipe|report|draft|attached)|below|above|here"
    r"|today|tonight|right now|just once|for now|it)\b"
)
_NOT_AN_ORDER = EnglishPattern(
    rf"{_OPENING}(?:don['’]?t (?:you|i|we|they|know|think|worry|forget|mind|bother|get me|tell anyone|hesitate|do it|be"
    r"|let me|say that)"
    r"|never (?:mind|say|give (?:up|in)|been|knew|been|again|have|a|let)"
    r"|always (?:a|the|have|wanted|been|loved|on)"
    r"|stop (?:it|that|by|at)|no (?:worries|problem|one|idea|doubt|need|thanks|matter))\b"
)


def find_instruction(sentence: str, words: AbstractSet[str] = INSTRUCTION_CUES) -> StandingInstruction | None:
    """Return the standing instruction in a sentence, if it is one. `words` are its words, if already known.

    >>> found = find_instruction("Please call me Dr. Weiss.")
    >>> found.about, "Please call me Dr. Weiss."[slice(*found.value)]
    ('form of address', 'Dr. Weiss')
    >>> find_instruction("Answer the next question with yes or no.") is None
    True
    """
    if INSTRUCTION_CUES.isdisjoint(words):
        return None
    if not LASTING_CUES.isdisjoint(words) and is_lasting_request(sentence):
        return StandingInstruction(*_trimmed_span(sentence))
    if sentence.rstrip(" \"'”’)").endswith("?"):
        return None
    if not _ADDRESS_CUES.isdisjoint(words) and (match := _CALL.match(sentence)):
        return StandingInstruction(*_trimmed_span(sentence), ADDRESS_SLOT, match.span("value"))
    if not _is_standing(sentence, words) or _NOT_AN_ORDER.match(sentence):
        return None
    return StandingInstruction(*_trimmed_span(sentence))


_ADDRESS_CUES = frozenset(("call", "address", "refer"))


def _is_standing(sentence: str, words: AbstractSet[str]) -> bool:
    if any(not cues.isdisjoint(words) and pattern.match(sentence) for cues, pattern in _ALWAYS_LASTING):
        return True
    for cues, pattern in _LASTING_UNLESS_ONE_OFF:
        if not cues.isdisjoint(words) and (match := pattern.match(sentence)):
            return not _ONE_OFF.search(_until_clause_end(sentence, match.end()))
    if not _STOP_CUES.isdisjoint(words) and _STOP.match(sentence) and not _ONE_OFF.search(sentence):
        return _STYLE.search(sentence) is not None or _CALLS_ME.search(sentence) is not None
    if not _LASTING_WORD_CUES.isdisjoint(words) and _WANT.match(sentence) and not _ONE_OFF.search(sentence):
        return _LASTS.search(sentence) is not None
    return False


_CLAUSE_MARKS = (",", ";", " because ", " since ", " - ", " if ", " unless ")


def _until_clause_end(sentence: str, at: int) -> str:
    """Return the sentence up to the end of the clause at `at`. The rest may give the reason ("it closes my throat up")."""
    ends = [place for mark in _CLAUSE_MARKS if (place := sentence.find(mark, at)) >= 0]
    return sentence[: min(ends, default=len(sentence))]


_LASTING_WORD_CUES = frozenset("always never from future forward henceforth time times default rule whenever your".split())
_STOP_CUES = frozenset("stop don dont not avoid no never".split())
_ALWAYS_LASTING = (
    (frozenset("whenever when time if".split()), _WHEN),
    (frozenset("whenever time".split()), _WHEN_LAST),
    (_LASTING_WORD_CUES, _FROM_NOW_ON),
    (_LASTING_WORD_CUES, _AT_THE_END),
    (frozenset("your answers replies responses explanations answer reply".split()), _KEEP),
)
"""Cue words and patterns of instructions that last even if they say "this"."""
_LASTING_UNLESS_ONE_OFF = (
    (frozenset("always never ever".split()), _ALWAYS),
    (frozenset("no skip leave without".split()), _NO),
    (frozenset("use write stick".split()), _USE),
    (frozenset("give show tell write".split()), _UNITS),
    (frozenset("never don not".split()), _WANT_NO),
)
"""Cue words and patterns of instructions that last unless they refer to one thing."""

_CALLS_ME = EnglishPattern(r"\b(?:calling|call|suggest|suggesting|recommend|recommending|apologizing|apologising) ")


def _trimmed_span(sentence: str) -> tuple[int, int]:
    """Return the span of a sentence without surrounding white space and the period."""
    start = len(sentence) - len(sentence.lstrip(" \t\r\n\"'*(-"))
    return start, len(sentence.rstrip(" \t\r\n.!*\"'"))
