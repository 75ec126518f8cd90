"""A language model that is never told personal data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from recollect.engine.redact import redacted
from recollect.ports import LLM, Completion, Piece


class RedactingLLM:
    """Another model, which gets every message without some kinds of personal data.

    >>> from recollect.llm import llm_for
    >>> echo = llm_for(lambda messages: messages[-1]["content"])
    >>> RedactingLLM(echo, ["mail"]).complete([{"role": "user", "content": "I am ana@example.org"}]).text
    'I am [mail removed]'
    """

    def __init__(self, llm: LLM, kinds: Collection[str]) -> None:
        self._llm = llm
        self._kinds = tuple(kinds)

    @property
    def name(self) -> str:
        """The model's own."""
        return self._llm.name

    def complete(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> Completion:
        """The whole answer."""
        return self._llm.complete(self._clean(messages), **options)

    def stream(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> Iterator[Piece]:
        """The answer bit by bit."""
        return self._llm.stream(self._clean(messages), **options)

    def _clean(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [
            {**message, "content": redacted(content, self._kinds).text}
            if isinstance(content := message.get("content"), str)
            else dict(message)
            for message in messages
        ]
