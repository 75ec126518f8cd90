"""Language models, what counts for them, and what finds documents for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from recollect.types import ToolCall


class TokenCounter(Protocol):
    """Counts tokens as a model would; `exact` is False for an estimate, which then errs on the high side."""

    @property
    def name(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def count(self, text: str) -> int: ...


class Completion(NamedTuple):
    """What a language model answered. `finish` is why it ended: "stop", or "length" (cut off), "tool_calls",
    "content_filter", "refusal". Token counts are the model's own, None where it tells none.

    >>> Completion("Lisbon.").finish
    'stop'
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class Piece(NamedTuple):
    """Of an answer that comes bit by bit: some more text. The last piece has no text but the whole completion."""

    text: str = ""
    completion: Completion | None = None


@runtime_checkable
class LLM(Protocol):
    """A language model. `messages` and `tools` are as in OpenAI's chat completions; whatever fails is an `LLMError`."""

    @property
    def name(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        """The answer, when all of it is there."""
        ...

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[Piece]:
        """The answer as it comes. Nothing is asked before the first piece is; closing the iterator cancels the request."""
        ...


class Snippet(NamedTuple):
    """A piece of text that an application's own retriever found, and where it is from."""

    text: str
    source: str
    place: str = ""
    score: float = 0.0


class Retriever(Protocol):
    """An application's own way to its documents, which feeds a prompt instead of ours."""

    def retrieve(self, question: str, limit: int) -> Sequence[Snippet]:
        """Up to `limit` pieces that may answer the question, best first."""
        ...
