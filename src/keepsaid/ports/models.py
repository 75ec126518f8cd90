"""Language models, token counters and document retrievers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from keepsaid.types import ToolCall


class TokenCounter(Protocol):
    """Counts tokens as a model does; `exact` is False for an estimate, which is rather too high than too low."""

    @property
    def name(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def count(self, text: str) -> int: ...


class LLMCompletion(NamedTuple):
    """The answer of a language model. `finish` is why it ended: "stop", or "length" (cut off), "tool_calls",
    "content_filter", "refusal". Token counts are as the model reports them, or None.

    >>> LLMCompletion("Lisbon.").finish
    'stop'
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class StreamPiece(NamedTuple):
    """A piece of a streamed answer. The last piece has no text, but the whole completion."""

    text: str = ""
    completion: LLMCompletion | None = None


@runtime_checkable
class LLM(Protocol):
    """A language model. `messages` and `tools` are as in OpenAI's chat completions; every failure is an `LLMError`."""

    @property
    def name(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> LLMCompletion:
        """Return the whole answer."""
        ...

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[StreamPiece]:
        """Stream the answer. The request is sent when the first piece is read; closing the iterator cancels it."""
        ...


class DocumentSnippet(NamedTuple):
    """A text that an application's own retriever found, and its source."""

    text: str
    source: str
    place: str = ""
    score: float = 0.0


class Retriever(Protocol):
    """An application's own document search, used in prompts instead of ours."""

    def retrieve(self, question: str, limit: int) -> Sequence[DocumentSnippet]:
        """Return up to `limit` texts that may answer the question, best first."""
        ...
