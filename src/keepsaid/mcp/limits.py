"""Limits on the size of an answer, whatever the memory holds.

The limits fit together: the longest shown message fits into one answer, and so does every other item.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

from pydantic import BaseModel

MAX_ANSWER_LENGTH = 40_000
"""The most characters of one answer as a model reads it, about 10,000 tokens."""
MAX_TEXT_LENGTH = 8_000
"""The most characters shown of one message."""
MAX_BACKGROUND_LENGTH = 36_000
MAX_PASSAGE_LENGTH = 2_000
MAX_FACT_LENGTH = 2_000
MAX_ARGUMENTS_LENGTH = 1_000
MAX_ERROR_LENGTH = 1_000
MAX_NAME_LENGTH = 200
"""The most characters shown of a title, a tag, or the name of a tool or an attachment. Ids are never cut."""
MAX_CURSOR_LENGTH = 3_000
"""A cursor contains an id: 512 characters of four bytes, in base 64."""
MAX_NAMED_ITEMS = 10
"""The most tool calls and attachments of a message, tags of a session, or source messages of a fact that are shown."""

_INDENT = 2
"""Spaces by which the SDK indents each level of an answer."""
_NESTING = 2 * _INDENT + len(",\n")
"""Extra characters per line of an item, because it is nested in a list of the answer."""

Shown = TypeVar("Shown", bound=BaseModel)


def truncate(text: str, longest: int) -> tuple[str, int]:
    """Return the beginning of a text, and how many characters are left out. Characters count as JSON encodes them: a quote
    is two, a control character six.

    >>> truncate("Hello, world", 6), truncate("Hello", 6), truncate('"Hello"', 8)
    (('Hello…', 7), ('Hello', 0), ('"Hello…', 1))
    """
    if _encoded_length(text[: longest + 1]) <= longest:
        return text, 0
    end = bisect_right(range(longest), longest - 1, key=lambda end: _encoded_length(text[:end])) - 1
    return f"{text[:end]}…", len(text) - end


def select_fitting(items: Sequence[Shown], answer: BaseModel) -> list[Shown]:
    """Return as many items from the start as fit into an answer, at least one."""
    room = MAX_ANSWER_LENGTH - MAX_CURSOR_LENGTH - _size(answer)
    fit = bisect_right(list(accumulate(map(_size, items))), room)
    return list(items[: max(fit, 1)])


def count_hidden(things: Sequence[object]) -> int:
    """Return how many of some items are not shown.

    >>> count_hidden("abc"), count_hidden("abcdefghijkl")
    (0, 2)
    """
    return max(0, len(things) - MAX_NAMED_ITEMS)


def _encoded_length(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False)) - len('""')


def _size(shown: BaseModel) -> int:
    return sum(len(line) + _NESTING for line in shown.model_dump_json(indent=_INDENT).split("\n"))
