"""With which characters the matches of a regular expression can begin.

A sentence is looked at once, and at each word only those phrases are tried that can begin there.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LENGTH = 3
"""Characters that are told."""
MOST = 4_000
"""Beginnings; an expression with more is tried everywhere."""

_TOKEN = re.compile(
    r"(?P<look>\(\?<?[!=])|(?P<open>\((?:\?:)?)|(?P<close>\))|(?P<bar>\|)|(?P<any>\\[wSsDdWbB]|\.)|(?P<set>\[\^?[^\]]+\])"
    r"|(?P<anchor>[\^$])|(?P<letter>\\.|.)",
    re.DOTALL,
)
_STRUCTURE = re.compile(r"\\.|\[[^\]]*\]|[()|]")
_REPEAT = re.compile(r"\?\??|[*+]\??|\{(\d*),?(\d*)\}\??")


class _Beginnings(NamedTuple):
    """`settled` beginnings are followed by anything, `open` ones by whatever comes next in the expression."""

    settled: frozenset[str]
    open: frozenset[str]


def match_starts(expression: str) -> frozenset[str]:
    """Return the beginnings of what an expression matches, each of up to three characters. An empty one stands for any.

    >>> sorted(match_starts("(?:ich|wir) bin")), sorted(match_starts("an?b[cd]")), sorted(match_starts(r"\\w+ a"))
    (['ich', 'wir'], ['abc', 'abd', 'anb'], [''])
    """
    settled, opened = _Reader(expression).read_alternatives()
    found = settled | opened
    return frozenset(("",)) if "" in found or len(found) > MOST else found


class _Reader:
    def __init__(self, expression: str) -> None:
        self._text = expression
        self._at = 0

    def read_alternatives(self) -> _Beginnings:
        """Read up to the end of a group."""
        settled, opened = frozenset[str](), frozenset[str]()
        while True:
            one = self._read_sequence()
            settled, opened = settled | one.settled, opened | one.open
            token = self._next()
            if token is None or token.lastgroup == "close":
                return _Beginnings(settled, opened)

    def _read_sequence(self) -> _Beginnings:
        result = _Beginnings(frozenset(), frozenset(("",)))
        while (token := _TOKEN.match(self._text, self._at)) and token.lastgroup not in ("bar", "close"):
            self._at = token.end()
            if token.lastgroup == "look":
                self.read_alternatives()
                continue
            if token.lastgroup == "anchor":
                continue
            node = self.read_alternatives() if token.lastgroup == "open" else _characters(token)
            result = _append(result, node, *self._read_repeat())
            if not result.open:
                self._skip_sequence()
        return result

    def _skip_sequence(self) -> None:
        """Go to the end of a sequence, of which the rest tells nothing."""
        depth = 0
        for token in _STRUCTURE.finditer(self._text, self._at):
            sign = token[0]
            if depth == 0 and sign in ("|", ")"):
                self._at = token.start()
                return
            depth += {"(": 1, ")": -1}.get(sign, 0)
        self._at = len(self._text)

    def _read_repeat(self) -> tuple[bool, bool]:
        """Whether what was read may be missing, and whether it may be repeated."""
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


def _characters(token: re.Match[str]) -> _Beginnings:
    text = token[0]
    if token.lastgroup == "any" or (token.lastgroup == "set" and (text[1] == "^" or "\\" in text or "-" in text[2:-2])):
        return _Beginnings(frozenset(("",)), frozenset())
    return _Beginnings(frozenset(), frozenset(text[1:-1] if token.lastgroup == "set" else text[-1]))


def _append(before: _Beginnings, node: _Beginnings, optional: bool, repeated: bool) -> _Beginnings:
    settled = before.settled | {(one + other)[:LENGTH] for one in before.open for other in node.settled}
    added = {(one + other)[:LENGTH] for one in before.open for other in node.open}
    full = {one for one in added if len(one) == LENGTH} if not repeated else added
    rest = frozenset(added - full)
    return _Beginnings(settled | full, rest | before.open if optional else rest)
