"""Shorten a text that is too long for a prompt by cutting out the middle. A marker says so, and the caller reports it."""

from __future__ import annotations

from collections.abc import Callable

BEGINNING = 2 / 3
"""Share of the kept text that comes from the beginning; the rest comes from the end, where results and questions are."""


def shorten_text(text: str, limit: int, count: Callable[[str], int]) -> str | None:
    """Return the beginning and the end of a text with a marker between them, or None if the limit is too small for that.

    >>> shorten_text("one two three four five six seven eight nine ten", 8, lambda text: len(text.split()))
    'one two\\n[… 7 tokens cut …]\\nten'
    """
    total = count(text)
    if total <= limit:
        return text
    characters = len(text) * limit // max(total, 1)
    while characters > 1:
        begin, end = _take_ends(text, characters)
        cut = total - count(begin) - count(end)
        made = f"{begin}\n[… {cut:,} tokens cut …]\n{end}"
        if (size := count(made)) <= limit:
            return made
        characters = min(characters - 1, characters * limit // size)
    return None


def _take_ends(text: str, characters: int) -> tuple[str, str]:
    """Return about this many characters from both ends, without partial words."""
    first = int(characters * BEGINNING)
    begin, end = text[:first], text[len(text) - (characters - first) :]
    whole, space, _ = begin.rpartition(" ")
    begin = whole if space and len(whole) > first // 2 else begin
    _, space, rest = end.partition(" ")
    end = rest if space and len(rest) > (characters - first) // 2 else end
    return begin.strip(), end.strip()
