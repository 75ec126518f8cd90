"""Collect the model endpoint's answers while they are passed on, so that they can be saved."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from keepsaid.agent.tools import replace_invalid_characters
from keepsaid.engine.messages.validation import MAX_NAME_LENGTH
from keepsaid.llm.answers import AnswerAccumulator
from keepsaid.ports import LLMCompletion
from keepsaid.types import ToolCall

STREAM_END = "[DONE]"
MAX_LINE_LENGTH = 16_000_000


class _LooseObject(SimpleNamespace):
    """A JSON object with its fields as attributes; a missing one is None."""

    def __getattr__(self, name: str) -> None:
        return None


def _to_loose_object(fields: dict[str, Any]) -> _LooseObject:
    custom = fields.get("custom")
    if isinstance(custom, _LooseObject) and "function" not in fields:
        # A tool that takes plain text is called with an input instead of arguments.
        fields["function"] = _LooseObject(name=custom.name, arguments=custom.input)
    return _LooseObject(**fields)


class AnswerCollector:
    """Collects an answer from a stream of events or from one document."""

    def __init__(self) -> None:
        self._gathered = AnswerAccumulator()
        self._rest = b""
        self.has_ended = False
        """Whether the endpoint has sent the end marker."""

    def add_piece(self, piece: bytes) -> None:
        """Read a piece of a stream; pieces may split lines anywhere."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > MAX_LINE_LENGTH:
            self._rest = b""
        for line in lines:
            if line.startswith(b"data:"):
                self._event(line[5:].decode("utf-8", "replace").strip())

    def _event(self, data: str) -> None:
        if data == STREAM_END:
            self.has_ended = True
            return
        try:
            chunk = json.loads(data, object_hook=_to_loose_object)
            # The first of several choices is the answer.
            chunk.choices = [choice for choice in chunk.choices or () if not choice.index]
            self._gathered.add_chunk(chunk)
        except (ValueError, AttributeError, TypeError, RecursionError):
            return  # what is not a chunk is still passed on

    def read_document(self, document: bytes) -> None:
        """Read an answer that came as one document; ignore anything else."""
        try:
            answer = json.loads(document, object_hook=_to_loose_object)
            choice = answer.choices[0]
            self._gathered.add_metadata(answer)
            self._gathered.add_text(choice.message)
            for index, call in enumerate(choice.message.tool_calls or ()):
                self._gathered.add_call(call, index)
            self._gathered.finish = choice.finish_reason or "stop"
        except (ValueError, AttributeError, TypeError, LookupError, RecursionError):
            return

    @property
    def finish(self) -> str:
        """Return why the answer ended; empty if the endpoint has not said so."""
        return self._gathered.finish

    def completion(self) -> LLMCompletion:
        """Return the answer so far in a form that can be saved, without unfinished tool calls."""
        whole = bool(self._gathered.finish)
        calls = [
            ToolCall(
                _name(call.id, f"call_{place}"),
                _name(call.name, "unnamed"),
                replace_invalid_characters(call.arguments) or "{}",
            )
            for place, call in enumerate(self._gathered.calls if whole else ())
        ]
        gathered = self._gathered
        return LLMCompletion(
            replace_invalid_characters("".join(gathered.texts)), tuple(calls),
            "refusal" if gathered.refused else gathered.finish, gathered.model, gathered.prompt_tokens,
            gathered.answer_tokens,
        )  # fmt: skip


def _name(given: str, otherwise: str) -> str:
    return replace_invalid_characters(given)[:MAX_NAME_LENGTH] or otherwise
