"""Removing personal data from a message before it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from recollect.engine.redact import redacted
from recollect.types import Draft, Part


def without_personal_data(draft: Draft, kinds: Collection[str]) -> Draft:
    """The message without it; what was removed is counted in its metadata.

    >>> made = without_personal_data(Draft("user", "Write to ana@example.org!"), ["mail"])
    >>> made.content, made.metadata
    ('Write to [mail removed]!', {'redacted': {'mail': 1}})
    """
    counts: Counter[str] = Counter()

    def clean(text: str) -> str:
        made = redacted(text, kinds)
        counts.update(made.counts)
        return made.text

    def clean_part(part: Part) -> Part:
        return part if part.text is None else replace(part, text=clean(part.text))

    content = clean(draft.content) if isinstance(draft.content, str) else tuple(clean_part(part) for part in draft.content)
    calls = tuple(replace(call, arguments=clean(call.arguments)) for call in draft.tool_calls)
    if not counts:
        return draft
    metadata = {**(draft.metadata or {}), "redacted": dict(counts)}
    return replace(draft, content=content, tool_calls=calls, metadata=metadata)
