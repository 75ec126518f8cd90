"""Remove personal data from whole messages, and count it, before they are stored or returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, cast

from keepsaid.engine.redaction import redact
from keepsaid.types import ADAPTER_FIELDS, ContentPart, Message, MessageDraft, ToolCall


class PersonalDataRedactor:
    """Removes some kinds of personal data, and counts the removals.

    >>> censor = PersonalDataRedactor(["mail"])
    >>> censor("Write to ana@example.org!"), censor.counts
    ('Write to [mail removed]!', Counter({'mail': 1}))
    """

    def __init__(self, kinds: Collection[str]) -> None:
        self.kinds = tuple(kinds)
        self.counts: Counter[str] = Counter()

    def __call__(self, text: str) -> str:
        result = redact(text, self.kinds)
        self.counts.update(result.counts)
        return result.text

    def message(self, message: Message) -> Message:
        """Return a message without personal data in its text, its parts and its tool calls."""
        if not self.kinds:
            return message
        before = self.counts.total()
        parts = tuple(map(self._part, message.parts))
        calls = tuple(map(self._call, message.tool_calls))
        # The text of a message with parts is the text of the parts, where removals were already counted.
        text = redact(message.text, self.kinds).text if parts else self(message.text)
        if self.counts.total() == before:
            return message
        return message._replace(text=text, parts=parts, tool_calls=calls)

    def draft(self, draft: MessageDraft) -> MessageDraft:
        """Return a draft without personal data. The removals are counted in its metadata.

        >>> PersonalDataRedactor(["mail"]).draft(MessageDraft("user", "I am ana@example.org")).metadata
        {'redacted': {'mail': 1}}
        """
        before = Counter(self.counts)
        body = draft.content
        content = self(body) if isinstance(body, str) else tuple(map(self._part, body))
        calls = tuple(map(self._call, draft.tool_calls))
        kept = dict(draft.metadata or {})
        if self.counts != before:
            kept.pop(ADAPTER_FIELDS, None)  # metadata of an adapter may repeat the data, perhaps in parts
        elif ADAPTER_FIELDS in kept:
            kept[ADAPTER_FIELDS] = self._json(kept[ADAPTER_FIELDS])
        if not (removed := dict(self.counts - before)):
            return draft
        return replace(draft, content=content, tool_calls=calls, metadata={**kept, "redacted": removed})

    def _part(self, part: ContentPart) -> ContentPart:
        text = None if part.text is None else self(part.text)
        return replace(part, text=text, data=self._json(part.data))

    def _json(self, value: Any) -> Any:
        """Return a JSON value without personal data in any of its strings."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {name: self._json(inner) for name, inner in cast("Mapping[str, Any]", value).items()}
        return [self._json(inner) for inner in cast("list[Any]", value)] if isinstance(value, list | tuple) else value

    def _call(self, call: ToolCall) -> ToolCall:
        return replace(call, arguments=self(call.arguments))
