"""What an OpenAI-compatible endpoint sends, as our own values. Whatever is no answer raises `ValueError`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from recollect.ports import Completion
from recollect.types import ToolCall


def whole(answer: Any) -> Completion:
    """A chat completion that came in one piece."""
    choices = getattr(answer, "choices", None)
    if not choices:
        raise ValueError("no choices")
    gathered = Gathered()
    message = choices[0].message
    gathered.take_text(message)
    for index, call in enumerate(message.tool_calls or ()):
        gathered.take_call(call, index)
    # A whole answer has ended, whether the endpoint says how or not.
    gathered.finish = choices[0].finish_reason or "stop"
    gathered.take_rest(answer)
    return gathered.completion()


@dataclass(slots=True)
class _Call:
    index: int
    id: str
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Gathered:
    """Puts the chunks of a streamed answer together. `finish` stays empty until the endpoint says that it is at the end."""

    texts: list[str] = field(default_factory=list[str])
    calls: list[_Call] = field(default_factory=list[_Call])
    finish: str = ""
    refused: bool = False
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None

    def take(self, chunk: Any) -> str:
        """Adds a chunk and returns the text that it brought."""
        self.take_rest(chunk)
        text = ""
        for choice in chunk.choices or ():
            if choice.delta is not None:
                text += self.take_text(choice.delta)
                for fragment in choice.delta.tool_calls or ():
                    self.take_call(fragment, fragment.index or 0)
            self.finish = choice.finish_reason or self.finish
        return text

    def take_text(self, message: Any) -> str:
        """Adds the text of a message or a part of one; a refusal is text, too."""
        refusal = getattr(message, "refusal", None)
        text = message.content or refusal or ""
        if not isinstance(text, str):
            raise ValueError("content that is no text")
        self.refused = self.refused or bool(refusal)
        self.texts.append(text)
        return text

    def take_call(self, fragment: Any, index: int) -> None:
        """Adds a tool call or a part of one. Some endpoints give all calls of an answer the same index, but other ids."""
        same = [call for call in self.calls if call.index == index]
        if not same or (fragment.id and same[-1].id not in ("", fragment.id)):
            same.append(_Call(index, fragment.id or ""))
            self.calls.append(same[-1])
        call = same[-1]
        call.id = call.id or fragment.id or ""
        call.name += fragment.function.name or ""
        arguments = fragment.function.arguments or ""
        call.arguments += arguments if isinstance(arguments, str) else json.dumps(arguments)

    def take_rest(self, answer: Any) -> None:
        """Notes which model answers and what it used."""
        self.model = getattr(answer, "model", None) or self.model
        if usage := getattr(answer, "usage", None):
            self.prompt_tokens = usage.prompt_tokens
            self.answer_tokens = usage.completion_tokens

    def completion(self) -> Completion:
        """The answer, once all of it was taken."""
        return Completion(
            "".join(self.texts),
            tuple(_tool_call(call, place) for place, call in enumerate(self.calls)),
            "refusal" if self.refused else self.finish,
            self.model,
            self.prompt_tokens,
            self.answer_tokens,
        )


def _tool_call(call: _Call, place: int) -> ToolCall:
    if not call.name:
        raise ValueError("a tool call without a name")
    return ToolCall(call.id or f"call_{place}", call.name, call.arguments or "{}")
