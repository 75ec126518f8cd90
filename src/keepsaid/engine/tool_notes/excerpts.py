"""Find the most informative parts of a tool's result: headlines, values, names.

Everything works on the raw text, including truncated JSON and HTML, so that each excerpt is a span of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.terms import terms

MAX_EXCERPTS = 3
"""Maximum excerpts of one result."""
MAX_WORDS = 50
"""Maximum words of an excerpt."""


class ResultExcerpt(NamedTuple):
    """A part of a result as shown in a note, and its span."""

    text: str
    span: tuple[int, int]


class _ScoredExcerpt(NamedTuple):
    score: float
    excerpt: ResultExcerpt


def find_excerpts(text: str, asked: Collection[str]) -> list[ResultExcerpt]:
    """Return up to three excerpts in the order of the text. `asked` are the terms of the tool's request.

    >>> [one.text for one in find_excerpts("<p>Gold closed at 2,345 dollars.</p><p>Accept all cookies</p>", ())]
    ['Gold closed at 2,345 dollars.']
    """
    is_json = text.lstrip()[:1] in ("{", "[") and _LEAF.search(text) is not None
    found = list(_from_json(text, asked) if is_json else _from_lines(text, asked))
    best = sorted(found, key=lambda one: -one.score)[:MAX_EXCERPTS]
    return [one.excerpt for one in sorted(best, key=lambda one: one.excerpt.span)]


# -- JSON

_LEAF = re.compile(r'"([^"\\]{1,60})"\s*:\s*(?:"((?:[^"\\]|\\.){0,2000})(?:"|\Z)|(-?\d[\d.eE+-]{0,30}|true|false))')
_DULL_KEY = re.compile(
    r"(?:^|_)(?:id|uuid|guid|hash|sha|etag|token|icon|image|img|thumbnail|favicon|logo|avatar|cursor|offset|page|index|rank|score"
    r"|lat|lon|lng|latitude|longitude|type|kind|object|version|status|code|ok|success|lang|language|locale|encoding|url|link"
    r"|href|request|took|elapsed|count|total|position|width|height)$",
    re.IGNORECASE,
)
_TELLING_KEY = re.compile(
    r"(?:title|name|headline|snippet|summary|description|answer|result|text|content|price|amount|temp|value|date|time|author"
    r"|condition|rating|forecast|address|message)",
    re.IGNORECASE,
)
_DATA = re.compile(r"^[\w+/=-]{30,}$|^https?://\S*$|^\s*$|^null$")


class _JsonLeaf(NamedTuple):
    key: str
    value: str
    start: int
    end: int
    score: float


def _from_json(text: str, asked: Collection[str]) -> Iterator[_ScoredExcerpt]:
    """Yield the values of each object, with their keys."""
    group: list[_JsonLeaf] = []
    words, place = 0, 0
    for leaf in _leaves(text, asked):
        size = len(leaf.key.split()) + len(leaf.value.split())
        if group and (words + size > MAX_WORDS or "}" in text[group[-1].end : leaf.start]):
            yield _group(group, place)
            group, words, place = [], 0, place + 1
        group.append(leaf)
        words += size
    if group:
        yield _group(group, place)


def _leaves(text: str, asked: Collection[str]) -> Iterator[_JsonLeaf]:
    for match in _LEAF.finditer(text):
        key = match[1]
        value = _plain(match[2].replace("\\n", " ").replace('\\"', '"')) if match[2] is not None else match[3]
        if _DULL_KEY.search(key) or _DATA.search(value):
            continue
        score = 2.0 if _TELLING_KEY.search(key) else 1.0
        score += _score(value, asked)
        yield _JsonLeaf(key.replace("_", " "), _cut_words(value), match.start(), match.end(), score)


def _group(group: Sequence[_JsonLeaf], place: int) -> _ScoredExcerpt:
    text = ", ".join(f"{leaf.key}: {leaf.value}" for leaf in group)
    score = sum(leaf.score for leaf in group) * _place_weight(place)
    return _ScoredExcerpt(score, ResultExcerpt(text, (group[0].start, group[-1].end)))


# -- pages and plain text

LATER_PLACE_WEIGHT = 0.96
"""Weight of each further sentence or object: the top of a page is what it is about."""
LAST_WEIGHED_PLACE = 10
"""Index from which on the weight is constant."""
BASE_SCORE = 0.5
"""Score of a sentence without values, names or requested terms."""
HEADLINE_SCORE = 2.0
"""Additional score of the first line of a page."""
MIN_SENTENCE_WORDS = 4
"""Minimum words of a sentence. Fewer are a menu entry or a button."""

_INVISIBLE = re.compile(r"<(script|style|noscript|svg|head|nav|footer)\b|(<!--)", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:p|div|li|h[1-6]|tr|br|td|th|ul|ol|section|article|title)\b[^>]{0,500}>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]{0,1000}>")
_SENTENCE = re.compile(r"[^\s\x00](?:[^.!?\n\x00。！？]|[.!?](?!\s|$|\x00)){0,600}[.!?。！？]?")
_BOILERPLATE = EnglishPattern(
    r"\b(?:cookies?|privacy policy|terms of (?:use|service)|all rights reserved|subscribe|newsletter|sign (?:in|up)|log\s*in"
    r"|javascript|skip to|advertisement|accept all|share (?:this|on)|follow us|related articles|read more|click here"
    r"|your browser|copyright|back to top|create an account|download (?:the|our) app)\b|©"
)
_VALUE = re.compile(r"\d[\d.,:]*\s?(?:[%°€$£¥]|[A-Za-z]{1,12}\b)?|[€$£¥]\s?\d")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")


def _from_lines(text: str, asked: Collection[str]) -> Iterator[_ScoredExcerpt]:
    place = 0
    seen: set[str] = set()
    for match in _SENTENCE.finditer(_without_markup(text)):
        plain = _plain(match[0])
        if plain in seen or _is_uninformative(plain):
            continue
        seen.add(plain)
        score = (BASE_SCORE + _score(plain, asked) + (0.0 if place else HEADLINE_SCORE)) * _place_weight(place)
        place += 1
        end = match.end()
        if len(words := list(_WORD.finditer(match[0]))) > MAX_WORDS:
            end = match.start() + words[MAX_WORDS - 1].end()
        yield _ScoredExcerpt(score, ResultExcerpt(_cut_words(plain), (match.start(), end)))


_WORD = re.compile(r"\S+")


def _place_weight(place: int) -> float:
    return LATER_PLACE_WEIGHT ** min(place, LAST_WEIGHED_PLACE)


def _without_markup(text: str) -> str:
    """Return the text with tags and invisible parts blanked out. Every character keeps its position."""
    if "<" not in text:
        return text
    for start, end in _invisible_spans(text):
        text = text[:start] + "\0" * (end - start) + text[end:]
    for pattern, blank in ((_BLOCK, "\0"), (_TAG, " ")):
        text = pattern.sub(lambda match, blank=blank: blank * len(match[0]), text)
    return text


def _invisible_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of scripts, styles, menus and comments. Unclosed ones are ignored."""
    lowered = text.lower()
    spans: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    last_end = 0
    for match in _INVISIBLE.finditer(text):
        closing = "-->" if match[2] else f"</{match[1].lower()}"
        if match.start() < last_end or closing in unclosed:
            continue
        end = lowered.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
            continue
        last_end = end + len(closing)
        spans.append((match.start(), last_end))
    return spans


def _is_uninformative(plain: str) -> bool:
    if _BOILERPLATE.search(plain):
        return True
    short = len(plain.split()) < MIN_SENTENCE_WORDS and len(plain) < 40
    return short and (plain.isascii() or len(plain) < 6) and not (_VALUE.search(plain) and len(plain.split()) > 1)


def _score(plain: str, asked: Collection[str]) -> float:
    """Return the score of a sentence for its values, names and requested terms."""
    values = min(len(_VALUE.findall(plain)), 3)
    names = min(len(_NAME.findall(plain)), 3)
    wanted = len(asked) and len(set(terms(plain)).intersection(asked)) / len(asked)
    return 0.6 * values + 0.3 * names + 3.0 * wanted


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).strip("#*-•|> \t").split())


def _cut_words(text: str) -> str:
    words = text.split()
    return text if len(words) <= MAX_WORDS else " ".join(words[:MAX_WORDS]) + " …"
