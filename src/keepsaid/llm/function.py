"""A language model from any function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from keepsaid.errors import ConfigError, LLMError
from keepsaid.ports import LLMCompletion, StreamPiece

MessageDicts = Sequence[Mapping[str, Any]]


class FunctionLLM:
    """Answers with a function from messages to text, or to a `LLMCompletion`. The function gets the messages and, if it has
    an argument of that name, the `tools`. It does not get the limits.

    >>> llm = FunctionLLM(lambda messages: messages[-1]["content"].upper(), name="shout")
    >>> llm.complete([{"role": "user", "content": "hello"}]).text
    'HELLO'
    """

    def __init__(self, function: Callable[..., str | LLMCompletion], *, name: str | None = None) -> None:
        self.name = name or f"function:{getattr(function, '__name__', type(function).__name__)}"
        if inspect.iscoroutinefunction(function):
            raise ConfigError(f"{self.name} is asynchronous; give a plain function that waits for its answer")
        self._function = function
        self.takes_tools = _has_argument(function, "tools")

    def complete(
        self,
        messages: MessageDicts,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> LLMCompletion:
        """Return the function's answer."""
        try:
            given: dict[str, Any] = {"tools": tools} if self.takes_tools else {}
            answer: Any = self._function(messages, **given)
        except LLMError:
            raise
        except Exception as error:  # the function may raise anything; callers expect one class
            raise LLMError(f"{self.name} failed: {type(error).__name__}: {error}") from error
        if isinstance(answer, str):
            return LLMCompletion(answer, model=self.name)
        if isinstance(answer, LLMCompletion):
            return answer
        raise LLMError(f"{self.name} returned a {type(answer).__name__}; it must return a string or a Completion")

    def stream(
        self,
        messages: MessageDicts,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[StreamPiece]:
        """Yield the whole answer as one piece."""
        answer = self.complete(messages, tools=tools)
        if answer.text:
            yield StreamPiece(answer.text)
        yield StreamPiece(completion=answer)


def _has_argument(function: Callable[..., Any], name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False  # some functions written in C have no signature
