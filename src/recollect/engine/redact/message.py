"""Removing personal data from a saved message before it is given out; the store keeps it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from recollect.engine.redact import redacted
from recollect.types import Message, Part


class Censored(NamedTuple):
    """A message without personal data, and how much of each kind was removed."""

    message: Message
    counts: Mapping[str, int]


def censored(message: Message, kinds: Collection[str]) -> Censored:
    """The message without it: in its text, its parts, and what tools are called with.

    >>> said = Message("m", "s", 1, 0, "user", "Write to ana@example.org!", 9, 0, 0.0, False, {})
    >>> made = censored(said, ["mail"])
    >>> made.message.text, made.counts
    ('Write to [mail removed]!', {'mail': 1})
    """
    counts: Counter[str] = Counter()

    def clean(text: str) -> str:
        made = redacted(text, kinds)
        counts.update(made.counts)
        return made.text

    def clean_part(part: Part) -> Part:
        return part if part.text is None else replace(part, text=clean(part.text))

    if not kinds:
        return Censored(message, {})
    parts = tuple(clean_part(part) for part in message.parts)
    calls = tuple(replace(call, arguments=clean(call.arguments)) for call in message.tool_calls)
    # The text of a message with parts is theirs: what is removed of it was counted there.
    text = redacted(message.text, kinds).text if parts else clean(message.text)
    return Censored(message._replace(text=text, parts=parts, tool_calls=calls) if counts else message, dict(counts))
