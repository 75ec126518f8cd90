"""Any function as a language model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recollect.errors import ConfigError, LLMError
from recollect.ports import Completion, Piece

Messages = Sequence[Mapping[str, Any]]


class FunctionLLM:
    """Answers with a function from messages to text, or to a `Completion`. The function is given the messages and, if it has
    an argument of that name, the `tools`; limits are not its business.

    >>> llm = FunctionLLM(lambda messages: messages[-1]["content"].upper(), name="shout")
    >>> llm.complete([{"role": "user", "content": "hello"}]).text
    'HELLO'
    """

    def __init__(self, function: Callable[..., str | Completion], *, name: str | None = None) -> None:
        self.name = name or f"function:{getattr(function, '__name__', type(function).__name__)}"
        if inspect.iscoroutinefunction(function):
            raise ConfigError(f"{self.name} is asynchronous; give a plain function that waits for its answer")
        self._function = function
        self.takes_tools = _has_argument(function, "tools")

    def complete(
        self,
        messages: Messages,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        """What the function says."""
        try:
            given: dict[str, Any] = {"tools": tools} if self.takes_tools else {}
            answer: Any = self._function(messages, **given)
        except LLMError:
            raise
        except Exception as error:  # it may fail in any way; callers know one
            raise LLMError(f"{self.name} failed: {type(error).__name__}: {error}") from error
        if isinstance(answer, str):
            return Completion(answer, model=self.name)
        if isinstance(answer, Completion):
            return answer
        raise LLMError(f"{self.name} returned a {type(answer).__name__}; it must return a string or a Completion")

    def stream(
        self,
        messages: Messages,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[Piece]:
        """The whole answer as one piece: a function has no others."""
        answer = self.complete(messages, tools=tools)
        if answer.text:
            yield Piece(answer.text)
        yield Piece(completion=answer)


def _has_argument(function: Callable[..., Any], name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False  # what is written in C does not always tell
