"""Run one turn: call the model, run the tools that it calls, call it again, and save every step as it happens.

A turn that ends early leaves a conversation that can be read and resumed: the partial answer is saved, and every tool call
has a result.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from keepsaid.agent.answer import (
    Answer,
    Cited,
    ContextRetrieved,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
)
from keepsaid.agent.history import add_missing_results
from keepsaid.agent.model import ChatModel
from keepsaid.agent.prompts import TurnPromptBuilder
from keepsaid.agent.sources import list_sources, mark_named_sources, source_from_tool
from keepsaid.agent.stop import StopSignal
from keepsaid.agent.tools import Tool, ToolError, replace_invalid_characters
from keepsaid.engine.messages.validation import MAX_NAME_LENGTH
from keepsaid.errors import LLMError, StorageError
from keepsaid.memory.chat import Chat
from keepsaid.ports import LLMCompletion
from keepsaid.types import Message, ToolCall
from keepsaid.types.prompts import Context

MAX_TOOL_NAME_LENGTH = 64

CALLS_PER_STEP = 16
"""Tool calls per step that a turn may have on average; the limit stops models that repeat calls endlessly."""

_KNOWN_ENDS = ("length", "content_filter", "refusal")


class TurnStopped(Exception):
    """The turn was stopped, for example from another thread."""


@dataclass(slots=True)
class TurnRun:
    """A running turn of one conversation and its state."""

    chat: Chat
    model: ChatModel
    prompt_builder: TurnPromptBuilder
    tools: Mapping[str, Tool]
    max_steps: int
    stop: StopSignal
    private: bool = False
    """Whether the turn answers a private message; its answer is private too."""
    look_up: ToolCall | None = None
    """A tool call that the agent makes itself before it calls the model."""
    fallbacks: list[str] = field(default_factory=list[str])
    used: list[str] = field(default_factory=list[str])
    found: dict[str, Cited] = field(default_factory=dict[str, Cited])
    steps: int = 0
    context: Context | None = None
    saved: Message | None = None
    """The answer, or the part of it that arrived."""

    def events(self) -> Iterator[TurnEvent]:
        """Yield all events of the turn; the last one has the answer."""
        try:
            finish = yield from self._run_steps()
        except TurnStopped:
            finish = "stopped"
        yield TurnFinished(self._build_answer(finish))

    def _run_steps(self) -> Generator[TurnEvent, None, str]:
        if self.look_up is not None:
            yield from self._look_up(self.look_up)
        while True:
            tools = [tool.schema for tool in self.tools.values()] if self.steps < self.max_steps else []
            self._raise_if_stopped()
            self.context = self.prompt_builder.build(tools)
            self.fallbacks += self.context.fallbacks
            here = list_sources(self.context)
            self.found |= {one.id: one for one in here}
            yield ContextRetrieved(self.context, here)
            completion, took = yield from self._call_model(self.context, tools)
            self.steps += 1
            if not completion.tool_calls or not tools:
                finish = _finish(completion, ran_out=bool(self.tools) and not tools)
                if finish == "steps":
                    self.fallbacks.append(f"the model needed more than the maximum of {self.max_steps} steps")
                self._save_message(replace_invalid_characters(completion.text), finish, took, completion)
                return finish
            calls = _clean_calls(completion.tool_calls)
            self._save_message(replace_invalid_characters(completion.text), "tool_calls", took, completion, calls)
            yield from self._run_tools(calls)

    # -- the model

    def _call_model(
        self, context: Context, tools: Sequence[Mapping[str, Any]]
    ) -> Generator[TurnEvent, None, tuple[LLMCompletion, int]]:
        """Return the model's answer and its duration in milliseconds. If it is interrupted, the partial answer is saved."""
        part: list[str] = []
        begun = time.monotonic()
        completion: LLMCompletion | None = None
        pieces = self.model.stream(context.messages, tools, self.fallbacks, self.stop)
        try:
            for piece in pieces:
                if piece.text:
                    part.append(piece.text)
                    yield TextDelta(piece.text)
                completion = piece.completion or completion
                self._raise_if_stopped()
        except BaseException as error:
            failed = isinstance(error, LLMError) and not self.stop.is_set()
            self._save_partial(part, "error" if failed else "stopped", _elapsed_ms(begun))
            if isinstance(error, LLMError) and not failed:
                raise TurnStopped from None  # the connection was closed by the stop itself
            raise
        finally:
            pieces.close()
        return completion or LLMCompletion("".join(part)), _elapsed_ms(begun)

    def _raise_if_stopped(self) -> None:
        if self.stop.is_set():
            raise TurnStopped

    def _save_partial(self, part: Sequence[str], finish: str, took: int) -> None:
        text = replace_invalid_characters("".join(part))
        if text.strip():
            with suppress(StorageError):  # report what ended the turn, not that saving the partial answer failed too
                self._save_message(text, finish, took, None)

    def _save_message(
        self, text: str, finish: str, took: int, completion: LLMCompletion | None, calls: Sequence[ToolCall] = ()
    ) -> None:
        metadata: dict[str, Any] = {
            "model": replace_invalid_characters((completion.model if completion else "") or self.model.llm.name),
            "duration_ms": took,
            "prompt_tokens": completion.prompt_tokens if completion else None,
            "answer_tokens": completion.answer_tokens if completion else None,
            "finish": replace_invalid_characters(finish),
            "receipt": self.context.receipt_id if self.context else None,
        }
        if not calls:
            # Models may call tools that do not exist, with names that have arbitrary characters.
            metadata |= {
                "tools": list(dict.fromkeys(map(replace_invalid_characters, self.used))),
                "sources": list(self.found),
            }
        self.saved = self._add_message(text, calls, metadata)

    def _add_message(self, text: str, calls: Sequence[ToolCall], metadata: Mapping[str, Any]) -> Message:
        """Save a message of the model. An interrupt loses nothing: saving the same id again changes nothing."""
        id = uuid4().hex

        def add() -> Message:
            private = True if self.private else None
            return self.chat.add("assistant", text, id=id, tool_calls=calls, metadata=metadata, private=private)

        try:
            return add()
        except KeyboardInterrupt:
            self.saved = add()
            raise

    # -- tools

    def _look_up(self, call: ToolCall) -> Generator[TurnEvent, None, None]:
        """Run a tool before the model is called, as if the model had called it."""
        metadata = {"model": None, "finish": "tool_calls", "looked_up": True}
        self.chat.add("assistant", "", tool_calls=[call], metadata=metadata, private=True if self.private else None)
        for event in self._run_tools([call]):
            if isinstance(event, ToolFinished) and event.failed:
                self.fallbacks.append(f"{call.name} failed: {event.result}")
            yield event

    def _run_tools(self, calls: Sequence[ToolCall]) -> Generator[TurnEvent, None, None]:
        try:
            for call in calls:
                self._raise_if_stopped()
                yield ToolStarted(call)
                yield self._run_tool(call)
        except BaseException:
            with suppress(StorageError):  # if this fails, `resume` or the next question does it
                add_missing_results(self.chat)
            raise

    def _run_tool(self, call: ToolCall) -> ToolFinished:
        tool = self.tools.get(call.name)
        begun = time.monotonic()
        failed = False
        try:
            if len(self.used) >= self.max_steps * CALLS_PER_STEP:
                raise ToolError("Error: too many calls in one turn; answer with what you have")
            if tool is None:
                raise ToolError(f"Error: there is no tool {call.name!r}; known are {', '.join(self.tools) or 'none'}")
            text = tool.run(call.arguments)
        except ToolError as error:
            text, failed = replace_invalid_characters(str(error)), True
        metadata: dict[str, Any] = {"duration_ms": _elapsed_ms(begun), **({"failed": True} if failed else {})}
        private = self.private or (tool is not None and tool.private)
        result = self.chat.add(
            "tool", text, tool_call_id=call.id, name=call.name, metadata=metadata, private=True if private else None
        )
        self.used.append(call.name)
        if not failed and tool is not None and not tool.private:
            self.found[result.id] = source_from_tool(call, result)
        return ToolFinished(call, text, failed)

    # -- the end

    def _build_answer(self, finish: str) -> Answer:
        text = self.saved.text if self.saved is not None else ""
        model = self.saved.metadata.get("model") if self.saved is not None else None
        return Answer(
            self.chat.id,
            text,
            mark_named_sources(self.found.values(), text),
            self.context.receipt_id if self.context else None,
            self.saved,
            self.context,
            model or self.model.llm.name,
            finish,
            self.steps,
            tuple(dict.fromkeys(self.fallbacks)),
        )


def _elapsed_ms(begun: float) -> int:
    return round(1000 * (time.monotonic() - begun))


def _finish(completion: LLMCompletion, *, ran_out: bool) -> str:
    if ran_out:
        return "steps"
    return completion.finish if completion.finish in _KNOWN_ENDS else "stop"


def _clean_calls(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Return the calls with unique ids, nonempty names, and characters that can be saved."""
    made: list[ToolCall] = []
    taken: set[str] = set()
    for place, call in enumerate(calls):
        id = replace_invalid_characters(call.id)[: MAX_NAME_LENGTH - 8] or f"call_{place}"
        while id in taken:
            id = f"{id[: MAX_NAME_LENGTH - 8]}_{place}"
        taken.add(id)
        made.append(
            ToolCall(
                id,
                replace_invalid_characters(call.name)[:MAX_TOOL_NAME_LENGTH] or "unnamed",
                replace_invalid_characters(call.arguments),
            )
        )
    return made
