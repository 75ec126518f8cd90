"""Removing personal data from whole messages, and counting it: before they are stored, or before they are given out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, cast

from recollect.engine.redact import redacted
from recollect.types import DOORS, Draft, Message, Part, ToolCall


class Censor:
    """Removes some kinds of personal data, and remembers how much of each.

    >>> censor = Censor(["mail"])
    >>> censor("Write to ana@example.org!"), censor.counts
    ('Write to [mail removed]!', Counter({'mail': 1}))
    """

    def __init__(self, kinds: Collection[str]) -> None:
        self.kinds = tuple(kinds)
        self.counts: Counter[str] = Counter()

    def __call__(self, text: str) -> str:
        made = redacted(text, self.kinds)
        self.counts.update(made.counts)
        return made.text

    def message(self, message: Message) -> Message:
        """A message without it: in its text, its parts, and what tools are called with."""
        if not self.kinds:
            return message
        before = self.counts.total()
        parts = tuple(map(self._part, message.parts))
        calls = tuple(map(self._call, message.tool_calls))
        # The text of a message with parts is theirs: what is removed of it was counted there.
        text = redacted(message.text, self.kinds).text if parts else self(message.text)
        if self.counts.total() == before:
            return message
        return message._replace(text=text, parts=parts, tool_calls=calls)

    def draft(self, draft: Draft) -> Draft:
        """The same for one that is about to be stored; what was removed is counted in its metadata.

        >>> Censor(["mail"]).draft(Draft("user", "I am ana@example.org")).metadata
        {'redacted': {'mail': 1}}
        """
        before = Counter(self.counts)
        body = draft.content
        content = self(body) if isinstance(body, str) else tuple(map(self._part, body))
        calls = tuple(map(self._call, draft.tool_calls))
        kept = dict(draft.metadata or {})
        if self.counts != before:
            kept.pop(DOORS, None)  # what a door keeps beside it says the same again, perhaps in pieces
        elif DOORS in kept:
            kept[DOORS] = self._json(kept[DOORS])
        if not (removed := dict(self.counts - before)):
            return draft
        return replace(draft, content=content, tool_calls=calls, metadata={**kept, "redacted": removed})

    def _part(self, part: Part) -> Part:
        text = None if part.text is None else self(part.text)
        return replace(part, text=text, data=self._json(part.data))

    def _json(self, value: Any) -> Any:
        """A value without it, wherever in it there are words."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {name: self._json(inner) for name, inner in cast("Mapping[str, Any]", value).items()}
        return [self._json(inner) for inner in cast("list[Any]", value)] if isinstance(value, list | tuple) else value

    def _call(self, call: ToolCall) -> ToolCall:
        return replace(call, arguments=self(call.arguments))
