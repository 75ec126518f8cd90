"""Find the words of a question that refer back to the conversation: "she", "that trip", "the other one".

A word that something in the question itself explains is not one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.person_words import are_people, leads_to_a_place
from keepsaid.engine.text.phrases import NounPhrase
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.engine.text.verbs import is_non_naming_word

OpenWordKind = Literal[
    "he", "she", "it", "they", "that", "there", "noun", "other", "all", "former", "latter", "nth", "one", "more", "topic"
]
"""`noun` is "that trip"; `all` is "both" or "which one"; `nth` is "the second one"; `one` is "the red one"; `more` is a
question that continues the one before ("and in winter?"); `topic` is one that has no word of its own ("why?")."""


class OpenWord(NamedTuple):
    """An open word. `text` is its form in the question; `place` is the position in a list (-1 for the last); `noun` is the
    word that says what is meant, if there is one."""

    kind: OpenWordKind
    text: str
    place: int = 0
    noun: str = ""


class FollowUpQuestion(NamedTuple):
    """A question, and the phrases in it."""

    text: str
    phrases: list[NounPhrase]

    def before(self, at: int, *, owns: bool = False) -> list[NounPhrase]:
        """Return the phrases before a position that a word there can mean: no times and, in "the price of it", not the
        price.

        With `owns`, for words such as "its", that exception does not apply: "the puppy in its basket".
        """
        named = [phrase for phrase in self.phrases if phrase.end <= at and not phrase.is_time]
        if named and not owns and _HANGS_ON.fullmatch(self.text, named[-1].end, at):
            return named[:-1]
        return named


_HANGS_ON = EnglishPattern(r" (?:(?:of|than|for|to|with|from|between|in|about|on|at) )+(?:the )?")


AUXILIARY_VERBS = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must"
_END = r"(?=\s*(?:[?.!,;:)…]|$))"
_PRONOUNS = EnglishPattern(
    r"\b(?:(he|him|his|himself)|(she|her|hers|herself)|(it|its|itself)|(they|them|their|theirs|themselves))\b"
)
_POSSESSIVE = frozenset(("his", "her", "its", "their"))
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ONES = "one|option|choice|suggestion|item|point|idea|recommendation"
_NTH = EnglishPattern(
    rf"\b(?:the|your|my) (?:very )?({'|'.join(_ORDINALS)}|last|1st|2nd|3rd|\dth)"
    rf"(?: (?:{_ONES})\b(?! (?:i|we|you|that))|{_END}|(?= (?:{AUXILIARY_VERBS}) ))"
    rf"|\b(?:number|option|no\.|choice|item|point) (\d{{1,2}}|{'|'.join(_NUMBERS)}){_END}|(?<!\w)#(\d{{1,2}})\b"
)
_OTHER = EnglishPattern(
    rf"\b(?:the other(?: ones?| two)?|the others)(?:{_END}|(?= (?:{AUXILIARY_VERBS}|in|for)\b))|\b(?:the )?other ones?\b"
)
_ALL = EnglishPattern(
    rf"\b(?:both|either|neither)(?: of (?:them|these|those)|{_END}|(?= (?:{AUXILIARY_VERBS}|cost|work|need|have|come)\b))"
    r"|\b(?:which|any|all|each|none|some) of (?:them|these|those)\b|\bwhich ones?\b|\bwhich (?:is|are|was|were) "
    rf"|\b(?:the|those|these) (?:two|three|four){_END}|\bthe differences?{_END}"
)
_FORMER = EnglishPattern(r"\bthe former\b")
_LATTER = EnglishPattern(r"\bthe latter\b")
_ONE = EnglishPattern(
    r"\b(?:the|that|this|a) (?!(?:first|second|third|last|other|only|very)\b)((?:[a-z-]{3,} ){0,2})ones?\b(?! of| day| time)"
)
_SEVERAL: dict[OpenWordKind, EnglishPattern] = {
    "nth": _NTH,
    "former": _FORMER,
    "latter": _LATTER,
    "other": _OTHER,
    "all": _ALL,
    "one": _ONE,
}
_DEMONSTRATIVE = EnglishPattern(
    rf"\b(that|this|these|those)(?:['’]s\b|{_END}"
    rf"|(?= (?:{AUXILIARY_VERBS}|again|too|exactly|now|then|for|with|in|on|at|to|from|by|before|after"
    r"|about|mean|means|cost|costs|work|works|happen|happened|make|makes|compare|take|different|true|so|any|still|last|next)\b))"
)
_THERE = EnglishPattern(
    rf"(?<!is)(?<!are)(?<!was)(?<!be)(?<!were)\sthere(?:{_END}|(?= (?:in|on|at|now|too|again|by|for|last|next|with)\b))"
)
_STILL_THERE = EnglishPattern(rf"\b(?:he|she|it|they|still|anyone|anybody|everyone) (?:still )?(?:is |are )?there{_END}")
_NOUN = EnglishPattern(r"\b(?:that|this|those|these|the same) ([a-z][a-z-]{2,})\b")
_SAME = EnglishPattern(rf"\bthe same(?: one| thing)?(?:{_END}|(?= (?:in|for|with)\b))")
_NOT_NOUNS = frozenset(
    "morning afternoon evening night week weekend month year time day summer winter spring autumn fall season decade century"
    " moment point case".split()
)


def find_pointing_words(asked: FollowUpQuestion) -> list[OpenWord]:
    """Return the words that refer back, in order. If the question asks for one of several, "it" and "they" mean that one."""
    found = list(_find_selection(asked))
    limit = min((at for at, _ in found), default=len(asked.text))
    for at, one in (*_find_pronouns(asked), *_find_demonstratives(asked)):
        if at < limit or one.kind in ("he", "she", "there"):
            found.append((at, one))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _find_selection(asked: FollowUpQuestion) -> Iterator[tuple[int, OpenWord]]:
    """Yield at most one word: "which of the other two" is one thing."""
    for kind, pattern in _SEVERAL.items():
        match = pattern.search(asked.text)
        if (
            match is None
            or _without_people(asked.before(match.start()))
            or (kind == "all" and _has_alternatives(asked, match))
        ):
            continue
        detail = next((group.strip() for group in match.groups() if group), "")
        if kind == "nth":
            yield match.start(), OpenWord(kind, match[0], place=_parse_position(detail))
        else:
            yield match.start(), OpenWord(kind, match[0].strip(), noun=detail if kind == "one" else "")
        return


def _has_alternatives(asked: FollowUpQuestion, match: re.Match[str]) -> bool:
    """Whether the several things are in the question: "both Ana and Tom", "which is better, tea or coffee"."""
    joins = _AND if match[0].lower() == "both" else _OR
    return len(asked.phrases) > 1 and joins.search(asked.text, match.end()) is not None


_AND = EnglishPattern(r"\band\b")
_OR = EnglishPattern(r"\bor\b")


def _parse_position(word: str) -> int:
    word = word.lower()
    if word == "last":
        return -1
    for words in (_ORDINALS, _NUMBERS):
        if word in words:
            return words.index(word) + 1
    return int(re.sub(r"\D", "", word))


def _without_people(named: Sequence[NounPhrase]) -> list[NounPhrase]:
    return [phrase for phrase in named if not phrase.person]


def _find_pronouns(asked: FollowUpQuestion) -> Iterator[tuple[int, OpenWord]]:
    """Yield one pronoun of each kind: "she" said twice means the same woman."""
    seen: set[OpenWordKind] = set()
    at = 0
    while match := _PRONOUNS.search(asked.text, at):
        at = match.end()
        kind: OpenWordKind = "he" if match[1] else "she" if match[2] else "it" if match[3] else "they"
        if match[0] == "IT":
            continue
        if kind not in seen and not _is_explained(asked, kind, match):
            yield match.start(), OpenWord(kind, match[0])
        seen.add(kind)


def _is_explained(asked: FollowUpQuestion, kind: OpenWordKind, match: re.Match[str]) -> bool:
    """Whether the question itself says whom or what a pronoun means."""
    owns = match[0].lower() in _POSSESSIVE
    before = asked.before(match.start(), owns=owns)
    if kind == "it":
        start = asked.text.rfind(" ", 0, max(0, match.start() - 1)) + 1
        return bool(_without_people(before)) or _EMPTY_IT.match(asked.text, start) is not None
    if kind == "they":
        if match[0].lower().startswith("their"):
            return bool(before) or _ANYBODY.search(asked.text[: match.start()]) is not None
        several = any(phrase.is_plural or phrase.is_name or phrase.person for phrase in before)
        return several or _ANYBODY.search(asked.text[: match.start()]) is not None
    owned = match.end() + 1 if owns else -1
    return any(phrase.is_name and phrase.start != owned for phrase in asked.phrases) or any(
        phrase.person or are_people(phrase.text.split()[-1].lower()) for phrase in before
    )


_ANYBODY = EnglishPattern(r"\b(?:someone|somebody|anyone|anybody|everyone|everybody|people|person)\b")
_EMPTY_IT = EnglishPattern(
    r"(?:\S+ )?it (?:takes?|took) (?:\w+ ){0,3}to \w+ \w"
    r"|(?:does|did|will|would|do|has|can) it (?:take|taken|rain|snow|matter|seem)\b(?!(?: (?:me|us|you|him|her|them))?\s*\?)"
    r"|(?:is|was|be) it \w+ (?:to \w+ \w|that|if|when|for \w+ to)|(?:has|had) it been|(?:is|was) it since"
    r"|(?:\S+ )?it(?:['’]s| would| will| might| is| was| could) (?:be )?(?:an? )?(?:\w+ ){1,2}(?:to \w+ \w|that|if|for)"
    r"|(?:\S+ )?it (?:is|was) like \w+ing"
    r"|(?:is|was) it (?:raining|snowing|sunny|cold outside|late|true that)"
)
"""An "it" without a meaning: "is it safe to swim here?"."""


def _find_demonstratives(asked: FollowUpQuestion) -> Iterator[tuple[int, OpenWord]]:
    text = asked.text
    if (
        (match := _DEMONSTRATIVE.search(text))
        and _stands_alone(text, match)
        and not _without_people(asked.before(match.start()))
    ):
        kind: OpenWordKind = "they" if match[1].lower() in ("these", "those") else "that"
        yield match.start(), OpenWord(kind, match[1])
    elif (match := _NOUN.search(text)) and _is_bare(asked, match):
        yield match.start(), OpenWord("noun", match[0], noun=match[1].lower())
    if (match := _SAME.search(text)) and not _without_people(asked.before(match.start())):
        yield match.start(), OpenWord("that", match[0])
    if (match := (_STILL_THERE.search(text) or _THERE.search(text))) and not _has_place(asked.before(match.end())):
        yield match.end() - len("there"), OpenWord("there", "there")


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    """Whether "that" is a thing, and not the beginning of a clause: "the shop that is near", "I think that is wrong"."""
    if match[1].lower() != "that" or match.end() >= len(text.rstrip(" ?.!")):
        return True
    before = text[: match.start()]
    return not before.strip() or _BEFORE_THING.search(before) is not None


_BEFORE_THING = EnglishPattern(
    rf"(?:^|[.,;!?]|\b(?:{AUXILIARY_VERBS}|about|of|for|with|like|to|than|from|why|how|when|where|after|before|and|but|if|say|said"
    r"|tell|told|mean)) $"
)


def _has_place(named: Sequence[NounPhrase]) -> bool:
    """Whether a place is named that "there" can mean."""
    return any(not phrase.person and (phrase.is_name or any(map(leads_to_a_place, phrase.lead.split()))) for phrase in named)


def _is_bare(asked: FollowUpQuestion, match: re.Match[str]) -> bool:
    """Whether only "that trip" says which trip: no clause follows it, and hardly another word."""
    word = match[1].lower()
    if word in _NOT_NOUNS or is_non_naming_word(word):
        return False
    noun = terms(word)
    others = [term for term in content_words(terms(asked.text)) if term not in noun]
    named = any(phrase.is_name or phrase.person for phrase in asked.phrases)
    return len(others) <= 2 and not named and not _without_people(asked.before(match.start()))
