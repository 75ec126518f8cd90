"""The pieces of a tool's result that carry the most: headlines, values, names.

Everything works on the text as it is, also on JSON and HTML that was cut off, so that each excerpt is a span of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from recollect.engine.pattern import Pattern
from recollect.engine.terms import terms

MOST = 3
"""Excerpts of one result."""
MOST_WORDS = 50
"""Words of an excerpt."""


class Excerpt(NamedTuple):
    """A piece of a result as it reads in a note, and where it stands."""

    text: str
    span: tuple[int, int]


class _Scored(NamedTuple):
    score: float
    excerpt: Excerpt


def excerpts(text: str, asked: Collection[str]) -> list[Excerpt]:
    """Up to three excerpts in the order of the text; `asked` are the terms that the tool was asked for.

    >>> [one.text for one in excerpts("<p>Gold closed at 2,345 dollars.</p><p>Accept all cookies</p>", ())]
    ['Gold closed at 2,345 dollars.']
    """
    is_json = text.lstrip()[:1] in ("{", "[") and _LEAF.search(text) is not None
    found = list(_from_json(text, asked) if is_json else _from_lines(text, asked))
    best = sorted(found, key=lambda one: -one.score)[:MOST]
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


class _Leaf(NamedTuple):
    key: str
    value: str
    start: int
    end: int
    score: float


def _from_json(text: str, asked: Collection[str]) -> Iterator[_Scored]:
    """The values of each object, with their keys."""
    group: list[_Leaf] = []
    words, place = 0, 0
    for leaf in _leaves(text, asked):
        size = len(leaf.key.split()) + len(leaf.value.split())
        if group and (words + size > MOST_WORDS or "}" in text[group[-1].end : leaf.start]):
            yield _group(group, place)
            group, words, place = [], 0, place + 1
        group.append(leaf)
        words += size
    if group:
        yield _group(group, place)


def _leaves(text: str, asked: Collection[str]) -> Iterator[_Leaf]:
    for match in _LEAF.finditer(text):
        key = match[1]
        value = _plain(match[2].replace("\\n", " ").replace('\\"', '"')) if match[2] is not None else match[3]
        if _DULL_KEY.search(key) or _DATA.search(value):
            continue
        score = 2.0 if _TELLING_KEY.search(key) else 1.0
        score += _score(value, asked)
        yield _Leaf(key.replace("_", " "), _cut(value), match.start(), match.end(), score)


def _group(group: Sequence[_Leaf], place: int) -> _Scored:
    text = ", ".join(f"{leaf.key}: {leaf.value}" for leaf in group)
    score = sum(leaf.score for leaf in group) * _earliness(place)
    return _Scored(score, Excerpt(text, (group[0].start, group[-1].end)))


# -- pages and plain text

EARLIER = 0.96
"""What each further sentence or object is worth: the top of a page is what it is about."""
LATEST = 10
"""From which place on it makes no difference any more."""
BASE = 0.5
"""What a sentence is worth that has nothing in it."""
HEADLINE = 2.0
"""What the first line of a page has ahead of the others."""
SHORTEST = 4
"""Words of a sentence; fewer are a menu entry or a button."""

_UNSEEN = re.compile(r"<(script|style|noscript|svg|head|nav|footer)\b|(<!--)", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:p|div|li|h[1-6]|tr|br|td|th|ul|ol|section|article|title)\b[^>]{0,500}>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]{0,1000}>")
_SENTENCE = re.compile(r"[^\s\x00](?:[^.!?\n\x00。！？]|[.!?](?!\s|$|\x00)){0,600}[.!?。！？]?")
_BOILERPLATE = Pattern(
    r"\b(?:cookies?|privacy policy|terms of (?:use|service)|all rights reserved|subscribe|newsletter|sign (?:in|up)|log\s*in"
    r"|javascript|skip to|advertisement|accept all|share (?:this|on)|follow us|related articles|read more|click here"
    r"|your browser|copyright|back to top|create an account|download (?:the|our) app)\b|©"
)
_VALUE = re.compile(r"\d[\d.,:]*\s?(?:[%°€$£¥]|[A-Za-z]{1,12}\b)?|[€$£¥]\s?\d")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")


def _from_lines(text: str, asked: Collection[str]) -> Iterator[_Scored]:
    place = 0
    seen: set[str] = set()
    for match in _SENTENCE.finditer(_without_markup(text)):
        plain = _plain(match[0])
        if plain in seen or _says_nothing(plain):
            continue
        seen.add(plain)
        score = (BASE + _score(plain, asked) + (0.0 if place else HEADLINE)) * _earliness(place)
        place += 1
        end = match.end()
        if len(words := list(_WORD.finditer(match[0]))) > MOST_WORDS:
            end = match.start() + words[MOST_WORDS - 1].end()
        yield _Scored(score, Excerpt(_cut(plain), (match.start(), end)))


_WORD = re.compile(r"\S+")


def _earliness(place: int) -> float:
    return EARLIER ** min(place, LATEST)


def _without_markup(text: str) -> str:
    """The text with tags blanked out, and what a reader does not see; every character keeps its place."""
    if "<" not in text:
        return text
    for start, end in _unseen(text):
        text = text[:start] + "\0" * (end - start) + text[end:]
    for pattern, blank in ((_BLOCK, "\0"), (_TAG, " ")):
        text = pattern.sub(lambda match, blank=blank: blank * len(match[0]), text)
    return text


def _unseen(text: str) -> list[tuple[int, int]]:
    """Where scripts, styles, menus and comments are; one that is not closed is let be."""
    lowered = text.lower()
    spans: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    behind = 0
    for match in _UNSEEN.finditer(text):
        closing = "-->" if match[2] else f"</{match[1].lower()}"
        if match.start() < behind or closing in unclosed:
            continue
        end = lowered.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
            continue
        behind = end + len(closing)
        spans.append((match.start(), behind))
    return spans


def _says_nothing(plain: str) -> bool:
    if _BOILERPLATE.search(plain):
        return True
    short = len(plain.split()) < SHORTEST and len(plain) < 40
    return short and (plain.isascii() or len(plain) < 6) and not (_VALUE.search(plain) and len(plain.split()) > 1)


def _score(plain: str, asked: Collection[str]) -> float:
    """How much a sentence carries: values, names, and the words that were asked for."""
    values = min(len(_VALUE.findall(plain)), 3)
    names = min(len(_NAME.findall(plain)), 3)
    wanted = len(asked) and len(set(terms(plain)).intersection(asked)) / len(asked)
    return 0.6 * values + 0.3 * names + 3.0 * wanted


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).strip("#*-•|> \t").split())


def _cut(text: str) -> str:
    words = text.split()
    return text if len(words) <= MOST_WORDS else " ".join(words[:MOST_WORDS]) + " …"
