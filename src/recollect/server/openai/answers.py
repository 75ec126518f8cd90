"""Answers of the endpoint, read along as they pass, so that they can be saved."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from recollect.agent.tools import readable
from recollect.engine.hygiene import LONGEST_NAME
from recollect.llm.answers import Gathered
from recollect.ports import Completion
from recollect.types import ToolCall

END = "[DONE]"
LONGEST_LINE = 16_000_000


class _Loose(SimpleNamespace):
    """A JSON object by the names of its fields; one that it does not have is None."""

    def __getattr__(self, name: str) -> None:
        return None


def _loosely(fields: dict[str, Any]) -> _Loose:
    custom = fields.get("custom")
    if isinstance(custom, _Loose) and "function" not in fields:
        # A tool that takes plain text is called with that instead of arguments.
        fields["function"] = _Loose(name=custom.name, arguments=custom.input)
    return _Loose(**fields)


class Reading:
    """Puts an answer together from what passes: a stream of events, or one document."""

    def __init__(self) -> None:
        self._gathered = Gathered()
        self._rest = b""
        self.ended = False
        """Whether the endpoint has said that this is the end."""

    def take(self, piece: bytes) -> None:
        """Reads a piece of a stream, wherever it was cut."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        for line in lines:
            if line.startswith(b"data:"):
                self._event(line[5:].decode("utf-8", "replace").strip())

    def _event(self, data: str) -> None:
        if data == END:
            self.ended = True
            return
        try:
            chunk = json.loads(data, object_hook=_loosely)
            # Of several choices the first is the answer.
            chunk.choices = [choice for choice in chunk.choices or () if not choice.index]
            self._gathered.take(chunk)
        except (ValueError, AttributeError, TypeError, RecursionError):
            return  # what is no chunk is passed on all the same

    def read(self, document: bytes) -> None:
        """Reads an answer that came in one piece; nothing, if it is none."""
        try:
            answer = json.loads(document, object_hook=_loosely)
            choice = answer.choices[0]
            self._gathered.take_rest(answer)
            self._gathered.take_text(choice.message)
            for index, call in enumerate(choice.message.tool_calls or ()):
                self._gathered.take_call(call, index)
            self._gathered.finish = choice.finish_reason or "stop"
        except (ValueError, AttributeError, TypeError, LookupError, RecursionError):
            return

    @property
    def finish(self) -> str:
        """Why the answer ended; nothing, if the endpoint has not said so."""
        return self._gathered.finish

    def completion(self) -> Completion:
        """What has come, as it can be kept: a tool call that was cut off is none."""
        whole = bool(self._gathered.finish)
        calls = [
            ToolCall(_name(call.id, f"call_{place}"), _name(call.name, "unnamed"), readable(call.arguments) or "{}")
            for place, call in enumerate(self._gathered.calls if whole else ())
        ]
        gathered = self._gathered
        return Completion(
            readable("".join(gathered.texts)), tuple(calls), "refusal" if gathered.refused else gathered.finish,
            gathered.model, gathered.prompt_tokens, gathered.answer_tokens,
        )  # fmt: skip


def _name(given: str, otherwise: str) -> str:
    return readable(given)[:LONGEST_NAME] or otherwise
