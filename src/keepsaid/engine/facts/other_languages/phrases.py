"""Find phrases, which are written one per line, in a text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence

from keepsaid.engine.facts.other_languages.match_starts import START_LENGTH, match_starts
from keepsaid.engine.facts.other_languages.spelling import UNSPACED, accept_plain_letters, unify_letters

MAX_CACHED_STARTS = 20_000
"""Maximum number of word beginnings whose phrases are cached."""

PhraseLines = str
"""Phrases, one per line. A line that begins with `|` continues the line before it.

A line is a regular expression in lower case that matches whole words. `~` is a gap of a few words, `*` the rest of a word,
and `VALUE` the captured rest of a clause. Other groups do not capture. Chinese, Japanese and Korean lines match anywhere,
and their gaps are counted in characters.
"""


class PhraseIndex:
    """Finds phrases of several groups in a text in one pass.

    >>> index = PhraseIndex({"home": "i ~ in VALUE", "first": "(i|me|my)"}, "xx")
    >>> found = index.find("well, i really live in porto, you know")
    >>> found["home"][0][1], found["first"][0].span()
    ('porto', (6, 7))
    """

    def __init__(self, groups: Mapping[Hashable, PhraseLines], code: str, every: Sequence[str] = ()) -> None:
        self._code = code
        self._every = frozenset(every)
        self._by_start: dict[str, list[_CompiledPhrase]] = {}
        self._candidates: dict[str, tuple[_CompiledPhrase, ...]] = {}
        self._anywhere: list[_CompiledPhrase] = []
        for group, lines in groups.items():
            for line in split_lines(lines):
                self._add(group, line)

    def find(self, text: str) -> dict[Hashable, list[re.Match[str]]]:
        """Return the first match of each group that matches, and all matches of the groups in `every`."""
        found: dict[Hashable, list[re.Match[str]]] = {}
        every, candidates = self._every, self._candidates
        for phrase in self._anywhere:
            if (phrase.group not in found or phrase.group in every) and (match := phrase.search(text)):
                found.setdefault(phrase.group, []).append(match)
        for at in self._places(text):
            start = text[at : at + START_LENGTH]
            for phrase in candidates[start] if start in candidates else self._collect(start):
                group = phrase.group
                known = found.get(group)
                if known is not None and group not in every and known[0].start() <= at:
                    continue
                if match := phrase.match(text, at):
                    found[group] = [*known, match] if known is not None and group in every else [match]
        return found

    def _collect(self, start: str) -> tuple[_CompiledPhrase, ...]:
        """Return the phrases that can begin with these characters."""
        sizes = range(1, len(start) + 1)
        phrases = tuple(phrase for size in sizes for phrase in self._by_start.get(start[:size], ()))
        if len(self._candidates) < MAX_CACHED_STARTS:
            self._candidates[start] = phrases
        return phrases

    def _add(self, group: Hashable, line: str) -> None:
        expression = to_expression(line, self._code)
        starts = match_starts(expression)
        if "" in starts:
            self._add_alternatives(group, expression)
            return
        phrase = _CompiledPhrase(group, expression, self._code)
        for start in starts:
            self._by_start.setdefault(start, []).append(phrase)

    def _add_alternatives(self, group: Hashable, expression: str) -> None:
        """Add the alternatives of a list of words. Only those that can begin with anything are searched for everywhere."""
        anywhere: list[str] = []
        for one in split_alternatives(expression):
            starts = match_starts(one)
            if "" in starts:
                anywhere.append(one)
                continue
            phrase = _CompiledPhrase(group, one, self._code)
            for start in starts:
                self._by_start.setdefault(start, []).append(phrase)
        if anywhere:
            self._anywhere.append(_CompiledPhrase(group, "|".join(anywhere), self._code))

    def _places(self, text: str) -> Sequence[int]:
        """Return where a phrase can begin: anywhere in scripts without spaces, else at words and signs."""
        if self._code in UNSPACED:
            return range(len(text))
        return [match.start() for match in _PLACES.get(self._code, _WORD_START).finditer(text)]


class _CompiledPhrase:
    """One line, compiled at its first use."""

    __slots__ = ("_after", "_before", "_expression", "_match", "_search", "group")

    def __init__(self, group: Hashable, expression: str, code: str) -> None:
        self.group = group
        self._expression = expression
        letters = "" if code in UNSPACED else WORD_LETTERS.get(code, r"\w")
        self._before = f"(?<!{letters})" if letters else ""
        self._after = f"(?!{letters})" if letters else ""
        self._match: re.Pattern[str] | None = None
        self._search: re.Pattern[str] | None = None

    def match(self, text: str, at: int) -> re.Match[str] | None:
        if self._match is None:
            self._match = re.compile(f"(?:{self._expression}){self._after}")
        return self._match.match(text, at)

    def search(self, text: str) -> re.Match[str] | None:
        if self._search is None:
            self._search = re.compile(f"{self._before}(?:{self._expression}){self._after}")
        return self._search.search(text)


WORD_LETTERS = {"hi": "[\u0900-\u097f]"}
"""Characters of words in scripts where `\\w` does not match all: the vowel signs of Devanagari are marks."""

_WORD_START = re.compile(r"(?<!\w)[^\s]")
_PLACES = {
    "hi": re.compile("(?<![\u0900-\u097f])[^\\s]"),
    # Arabic conjunctions are written together with the next word.
    "ar": re.compile(r"(?<!\w)[^\s]|(?<=(?<!\w)[وف])\w"),
}
_CONTINUED = re.compile(r"\n *\|")
_IN_WORD = r"[\w'-]"
_REST = re.compile(r"(?<![)\]\\])(?<!\\\w)\*")
"""An asterisk after a letter stands for the rest of the word."""
_GROUP = re.compile(r"(?<!\\)\((?!\?)")


def split_lines(lines: PhraseLines) -> list[str]:
    """Return the phrases as a list.

    >>> split_lines("(a\\n  |b) c\\nd")
    ['(a|b) c', 'd']
    """
    return [line.strip() for line in _CONTINUED.sub("|", lines).splitlines() if line.strip()]


def split_alternatives(expression: str) -> list[str]:
    """Return the alternatives of an expression that is one group; else the expression itself.

    >>> split_alternatives("(?:a|b(?:c|d)|[|])"), split_alternatives("(?:a|b) c")
    (['a', 'b(?:c|d)', '[|]'], ['(?:a|b) c'])
    """
    if not expression.startswith("(?:"):
        return [expression]
    parts, depth, begin = list[str](), 0, 3
    for token in _STRUCTURE.finditer(expression):
        if token[0] == "(":
            depth += 1
        elif token[0] == ")":
            depth -= 1
            if depth == 0:
                parts.append(expression[begin : token.start()])
                return parts if token.end() == len(expression) else [expression]
        elif token[0] == "|" and depth == 1:
            parts.append(expression[begin : token.start()])
            begin = token.end()
    return [expression]


_STRUCTURE = re.compile(r"\\.|\[[^\]]*\]|[()|]")


def to_expression(line: str, code: str) -> str:
    """Return a phrase as a regular expression.

    >>> to_expression("(je|on) ~ mang*", "fr")
    "(?:je|on)(?: [^ ,;:]+){0,5}? mang[\\\\w'-]{0,24}"
    """
    gap = "[^，。,、]{0,14}?" if code in UNSPACED else "(?: [^ ,;:]+){0,5}? "
    rest = f"{WORD_LETTERS.get(code, _IN_WORD)}{{0,24}}"
    text = _GROUP.sub("(?:", unify_letters(line, code)).replace(" ~ ", gap).replace("~", gap)
    text = _REST.sub(lambda _: rest, text).replace("VALUE", r"([^,;:.!?，。、()—–]{2,60})")
    return accept_plain_letters(text) if code not in UNSPACED else text
