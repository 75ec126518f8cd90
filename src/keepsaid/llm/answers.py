"""Converts answers of an OpenAI-compatible endpoint to our own types. Raises `ValueError` for anything else."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from keepsaid.ports import LLMCompletion
from keepsaid.types import ToolCall


def parse_completion(answer: Any) -> LLMCompletion:
    """Convert a chat completion that was not streamed."""
    choices = getattr(answer, "choices", None)
    if not choices:
        raise ValueError("no choices")
    gathered = AnswerAccumulator()
    message = choices[0].message
    gathered.add_text(message)
    for index, call in enumerate(message.tool_calls or ()):
        gathered.add_call(call, index)
    # An answer that was not streamed is complete, even if the endpoint gives no reason.
    gathered.finish = choices[0].finish_reason or "stop"
    gathered.add_metadata(answer)
    return gathered.build_completion()


@dataclass(slots=True)
class _PartialToolCall:
    index: int
    id: str
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class AnswerAccumulator:
    """Assembles the chunks of a streamed answer. `finish` stays empty until the endpoint reports the end."""

    texts: list[str] = field(default_factory=list[str])
    calls: list[_PartialToolCall] = field(default_factory=list[_PartialToolCall])
    finish: str = ""
    refused: bool = False
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None

    def add_chunk(self, chunk: Any) -> str:
        """Add a chunk. Return its text."""
        self.add_metadata(chunk)
        text = ""
        for choice in chunk.choices or ():
            if choice.delta is not None:
                text += self.add_text(choice.delta)
                for fragment in choice.delta.tool_calls or ():
                    self.add_call(fragment, fragment.index or 0)
            self.finish = choice.finish_reason or self.finish
        return text

    def add_text(self, message: Any) -> str:
        """Add the text of a message or of a part of one. A refusal is text, too."""
        refusal = getattr(message, "refusal", None)
        text = message.content or refusal or ""
        if not isinstance(text, str):
            raise ValueError("content that is not text")
        self.refused = self.refused or bool(refusal)
        self.texts.append(text)
        return text

    def add_call(self, fragment: Any, index: int) -> None:
        """Add a tool call or a part of one. Some endpoints give all calls of an answer the same index, but different ids."""
        same = [call for call in self.calls if call.index == index]
        if not same or (fragment.id and same[-1].id not in ("", fragment.id)):
            same.append(_PartialToolCall(index, fragment.id or ""))
            self.calls.append(same[-1])
        call = same[-1]
        call.id = call.id or fragment.id or ""
        call.name += fragment.function.name or ""
        arguments = fragment.function.arguments or ""
        call.arguments += arguments if isinstance(arguments, str) else json.dumps(arguments)

    def add_metadata(self, answer: Any) -> None:
        """Record the model and its token usage."""
        self.model = getattr(answer, "model", None) or self.model
        if usage := getattr(answer, "usage", None):
            self.prompt_tokens = usage.prompt_tokens
            self.answer_tokens = usage.completion_tokens

    def build_completion(self) -> LLMCompletion:
        """Return the assembled answer."""
        return LLMCompletion(
            "".join(self.texts),
            tuple(_tool_call(call, place) for place, call in enumerate(self.calls)),
            "refusal" if self.refused else self.finish,
            self.model,
            self.prompt_tokens,
            self.answer_tokens,
        )


def _tool_call(call: _PartialToolCall, place: int) -> ToolCall:
    if not call.name:
        raise ValueError("a tool call without a name")
    return ToolCall(call.id or f"call_{place}", call.name, call.arguments or "{}")
