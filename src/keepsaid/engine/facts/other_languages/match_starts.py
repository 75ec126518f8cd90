"""Determine the characters with which matches of a regular expression can begin.

So a sentence is scanned once, and at each word only the phrases that can begin there are tried.
"""

from __future__ import annotations

import re
from typing import NamedTuple

START_LENGTH = 3
"""Number of characters of a start."""
MAX_STARTS = 4_000
"""Maximum number of starts. An expression with more is tried everywhere."""

_TOKEN = re.compile(
    r"(?P<look>\(\?<?[!=])|(?P<open>\((?:\?:)?)|(?P<close>\))|(?P<bar>\|)|(?P<any>\\[wSsDdWbB]|\.)|(?P<set>\[\^?[^\]]+\])"
    r"|(?P<anchor>[\^$])|(?P<letter>\\.|.)",
    re.DOTALL,
)
_STRUCTURE = re.compile(r"\\.|\[[^\]]*\]|[()|]")
_REPEAT = re.compile(r"\?\??|[*+]\??|\{(\d*),?(\d*)\}\??")


class _PartialStarts(NamedTuple):
    """Starts of matches. Anything may follow `settled` ones; the rest of the expression continues `open` ones."""

    settled: frozenset[str]
    open: frozenset[str]


def match_starts(expression: str) -> frozenset[str]:
    """Return the first characters of what an expression matches, up to three each. An empty string stands for anything.

    >>> sorted(match_starts("(?:ich|wir) bin")), sorted(match_starts("an?b[cd]")), sorted(match_starts(r"\\w+ a"))
    (['ich', 'wir'], ['abc', 'abd', 'anb'], [''])
    """
    settled, opened = _ExpressionParser(expression).read_alternatives()
    found = settled | opened
    return frozenset(("",)) if "" in found or len(found) > MAX_STARTS else found


class _ExpressionParser:
    def __init__(self, expression: str) -> None:
        self._text = expression
        self._at = 0

    def read_alternatives(self) -> _PartialStarts:
        """Read up to the end of a group."""
        settled, opened = frozenset[str](), frozenset[str]()
        while True:
            one = self._read_sequence()
            settled, opened = settled | one.settled, opened | one.open
            token = self._next()
            if token is None or token.lastgroup == "close":
                return _PartialStarts(settled, opened)

    def _read_sequence(self) -> _PartialStarts:
        result = _PartialStarts(frozenset(), frozenset(("",)))
        while (token := _TOKEN.match(self._text, self._at)) and token.lastgroup not in ("bar", "close"):
            self._at = token.end()
            if token.lastgroup == "look":
                self.read_alternatives()
                continue
            if token.lastgroup == "anchor":
                continue
            node = self.read_alternatives() if token.lastgroup == "open" else _character_starts(token)
            result = _append_node(result, node, *self._read_repeat())
            if not result.open:
                self._skip_sequence()
        return result

    def _skip_sequence(self) -> None:
        """Go to the end of a sequence, the rest of which does not change the starts."""
        depth = 0
        for token in _STRUCTURE.finditer(self._text, self._at):
            sign = token[0]
            if depth == 0 and sign in ("|", ")"):
                self._at = token.start()
                return
            depth += {"(": 1, ")": -1}.get(sign, 0)
        self._at = len(self._text)

    def _read_repeat(self) -> tuple[bool, bool]:
        """Return whether the node just read may be missing, and whether it may be repeated."""
        match = _REPEAT.match(self._text, self._at)
        if match is None:
            return False, False
        self._at = match.end()
        sign = match[0][0]
        return sign in "?*" or (sign == "{" and match[1] in ("", "0")), sign != "?"

    def _next(self) -> re.Match[str] | None:
        token = _TOKEN.match(self._text, self._at)
        if token:
            self._at = token.end()
        return token


def _character_starts(token: re.Match[str]) -> _PartialStarts:
    text = token[0]
    if token.lastgroup == "any" or (token.lastgroup == "set" and (text[1] == "^" or "\\" in text or "-" in text[2:-2])):
        return _PartialStarts(frozenset(("",)), frozenset())
    return _PartialStarts(frozenset(), frozenset(text[1:-1] if token.lastgroup == "set" else text[-1]))


def _append_node(before: _PartialStarts, node: _PartialStarts, optional: bool, repeated: bool) -> _PartialStarts:
    settled = before.settled | {(one + other)[:START_LENGTH] for one in before.open for other in node.settled}
    added = {(one + other)[:START_LENGTH] for one in before.open for other in node.open}
    full = {one for one in added if len(one) == START_LENGTH} if not repeated else added
    rest = frozenset(added - full)
    return _PartialStarts(settled | full, rest | before.open if optional else rest)
