"""How much an answer may have. Nothing that memory holds is so long that an answer with it has no end.

The limits go together: the longest message of the longest session fits into one answer, and so does every other item.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

from pydantic import BaseModel

LONGEST_ANSWER = 40_000
"""Characters of one answer as a model reads it, about 10,000 tokens."""
LONGEST_TEXT = 8_000
"""Characters of one message that are shown."""
LONGEST_BACKGROUND = 36_000
LONGEST_PASSAGE = 2_000
LONGEST_FACT = 2_000
LONGEST_ARGUMENTS = 1_000
LONGEST_ERROR = 1_000
LONGEST_NAME = 200
"""Characters of a title, a tag, or the name of a tool or an attachment that are shown. Ids are shown whole."""
LONGEST_CURSOR = 3_000
"""It has an id in it: 512 characters of four bytes, in base 64."""
MOST_NAMED = 10
"""Tool calls and attachments of a message, tags of a session, or messages behind a fact that are shown."""

_INDENT = 2
"""Blanks by which the SDK indents each level of an answer."""
_DEEPER = 2 * _INDENT + len(",\n")
"""What each line of an item takes besides: it stands in a list of the answer."""

Shown = TypeVar("Shown", bound=BaseModel)


def cut(text: str, longest: int) -> tuple[str, int]:
    """The beginning of a text, and how many characters of it are left out. What counts is what JSON makes of them: a quote
    is two, a control character six.

    >>> cut("Hello, world", 6), cut("Hello", 6), cut('"Hello"', 8)
    (('Hello…', 7), ('Hello', 0), ('"Hello…', 1))
    """
    if _written(text[: longest + 1]) <= longest:
        return text, 0
    end = bisect_right(range(longest), longest - 1, key=lambda end: _written(text[:end])) - 1
    return f"{text[:end]}…", len(text) - end


def fitting(items: Sequence[Shown], answer: BaseModel) -> list[Shown]:
    """As many items as an answer still has room for, from the first on; one has it always."""
    room = LONGEST_ANSWER - LONGEST_CURSOR - _size(answer)
    fit = bisect_right(list(accumulate(map(_size, items))), room)
    return list(items[: max(fit, 1)])


def beyond(things: Sequence[object]) -> int:
    """How many of some things are not shown.

    >>> beyond("abc"), beyond("abcdefghijkl")
    (0, 2)
    """
    return max(0, len(things) - MOST_NAMED)


def _written(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False)) - len('""')


def _size(shown: BaseModel) -> int:
    return sum(len(line) + _DEEPER for line in shown.model_dump_json(indent=_INDENT).split("\n"))
