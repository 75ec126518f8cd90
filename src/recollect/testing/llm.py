"""A language model that says what it was told to: for tests without a model."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.errors import LLMError
from recollect.ports import Completion, Piece

_WORDS = re.compile(r"\s*\S+\s*\Z|\s*\S+|\s+")

Messages = Sequence[Mapping[str, Any]]
Line = str | Completion | Exception | Callable[[Messages], str | Completion]


class LLMCall(NamedTuple):
    """What a scripted model was asked."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    max_tokens: int | None
    temperature: float | None


class ScriptedLLM:
    """Stands in for a real model in tests: gives the answers of its script, one for each call, and keeps the `calls`.

    A line of the script is a text, a `Completion`, an exception to fail with, or a function of the messages. `cancelled`
    counts the streams that were closed before their end.

    >>> llm = ScriptedLLM(["Lisbon.", lambda messages: f"{len(messages)} messages"])
    >>> question = [{"role": "user", "content": "Where did my sister move?"}]
    >>> llm.complete(question).text, [piece.text for piece in llm.stream(question)]
    ('Lisbon.', ['1', ' messages', ''])
    >>> llm.complete(question)
    Traceback (most recent call last):
    ...
    recollect.errors.LLMError: the script of 2 lines is at its end; this is call 3
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
    ) -> Completion:
        """The next line of the script."""
        asked = LLMCall(_copied(messages), _copied(tools), max_tokens, temperature)
        self.calls.append(asked)
        number = len(self.calls)
        if number > len(self._script):
            raise LLMError(f"the script of {len(self._script)} lines is at its end; this is call {number}")
        line = self._script[number - 1]
        try:
            if callable(line):
                line = line(asked.messages)
            if isinstance(line, Exception):
                raise line
        except LLMError:
            raise
        except Exception as error:
            raise LLMError(f"line {number} of the script failed: {type(error).__name__}: {error}") from error
        return line if isinstance(line, Completion) else Completion(line, model=self.name)

    def stream(
        self,
        messages: Messages,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[Piece]:
        """The next line of the script, word by word."""
        answer = self.complete(messages, tools=tools, max_tokens=max_tokens, temperature=temperature)
        try:
            for word in _WORDS.findall(answer.text):
                yield Piece(word)
        except GeneratorExit:
            self.cancelled += 1
            raise
        yield Piece(completion=answer)


def _copied(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [copy.deepcopy(dict(item)) for item in items]
