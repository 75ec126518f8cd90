"""A language model that returns prepared answers, for tests without a model."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from keepsaid.errors import LLMError
from keepsaid.ports import LLMCompletion, StreamPiece

_WORDS = re.compile(r"\s*\S+\s*\Z|\s*\S+|\s+")

Messages = Sequence[Mapping[str, Any]]
Line = str | LLMCompletion | Exception | Callable[[Messages], str | LLMCompletion]


class LLMCall(NamedTuple):
    """The arguments of a call to a scripted model."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    max_tokens: int | None
    temperature: float | None


class ScriptedLLM:
    """Replaces a real model in tests: returns the answers of its script, one for each call, and records the `calls`.

    A line of the script is a text, a `LLMCompletion`, an exception to raise, or a function of the messages. `cancelled`
    counts the streams that were closed before their end.

    >>> llm = ScriptedLLM(["Lisbon.", lambda messages: f"{len(messages)} messages"])
    >>> question = [{"role": "user", "content": "Where did my sister move?"}]
    >>> llm.complete(question).text, [piece.text for piece in llm.stream(question)]
    ('Lisbon.', ['1', ' messages', ''])
    >>> llm.complete(question)
    Traceback (most recent call last):
    ...
    keepsaid.errors.LLMError: the script of 2 lines is at its end; this is call 3
    """

    def __init__(self, script: Iterable[Line], *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[LLMCall] = []
        self.cancelled = 0
        self._script = list(script)

    def complete(
        self,
        messages: Messages,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> LLMCompletion:
        """Return the next line of the script."""
        call = LLMCall(_copy_all(messages), _copy_all(tools), max_tokens, temperature)
        self.calls.append(call)
        number = len(self.calls)
        if number > len(self._script):
            raise LLMError(f"the script of {len(self._script)} lines is at its end; this is call {number}")
        line = self._script[number - 1]
        try:
            if callable(line):
                line = line(call.messages)
            if isinstance(line, Exception):
                raise line
        except LLMError:
            raise
        except Exception as error:
            raise LLMError(f"line {number} of the script failed: {type(error).__name__}: {error}") from error
        return line if isinstance(line, LLMCompletion) else LLMCompletion(line, model=self.name)

    def stream(
        self,
        messages: Messages,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[StreamPiece]:
        """Yield the next line of the script, word by word."""
        answer = self.complete(messages, tools=tools, max_tokens=max_tokens, temperature=temperature)
        try:
            for word in _WORDS.findall(answer.text):
                yield StreamPiece(word)
        except GeneratorExit:
            self.cancelled += 1
            raise
        yield StreamPiece(completion=answer)


def _copy_all(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [copy.deepcopy(dict(item)) for item in items]
