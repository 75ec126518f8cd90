"""One turn while it lasts: ask the model, do what it calls for, ask again, and save every step as it happens.

Whatever ends a turn early leaves a conversation that can be read and resumed: the part of an answer that came is kept, and
no tool call stays without a result.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from recollect.agent.answer import Answer, Cited, Delta, Event, Finished, Retrieved, ToolFinished, ToolStarted
from recollect.agent.history import mend
from recollect.agent.model import Model
from recollect.agent.prompting import Prompting
from recollect.agent.sources import from_tool, named, sources
from recollect.agent.stop import Stop
from recollect.agent.tools import Tool, ToolFailed, readable
from recollect.chat import Chat
from recollect.engine.hygiene import LONGEST_NAME
from recollect.errors import LLMError, StorageError
from recollect.ports import Completion
from recollect.prompt import Context
from recollect.types import Message, ToolCall

LONGEST_TOOL_NAME = 64

MOST_AT_ONCE = 16
"""Calls for each step that a turn may have, on average: some models repeat themselves without end."""

_KNOWN_ENDS = ("length", "content_filter", "refusal")


class Stopped(Exception):
    """Somebody in another thread wants no more of it."""


@dataclass(slots=True)
class Run:
    """A turn of one conversation, and what came of it so far."""

    chat: Chat
    model: Model
    prompting: Prompting
    tools: Mapping[str, Tool]
    max_steps: int
    stop: Stop
    private: bool = False
    """Whether the turn answers something that is not to be remembered: then neither is the answer."""
    look_up: ToolCall | None = None
    """What the agent itself has looked up before it asks the model."""
    fallbacks: list[str] = field(default_factory=list[str])
    used: list[str] = field(default_factory=list[str])
    found: dict[str, Cited] = field(default_factory=dict[str, Cited])
    steps: int = 0
    context: Context | None = None
    saved: Message | None = None
    """The answer, or the part of it that came."""

    def events(self) -> Iterator[Event]:
        """Everything that happens, to the answer."""
        try:
            finish = yield from self._steps()
        except Stopped:
            finish = "stopped"
        yield Finished(self._answer(finish))

    def _steps(self) -> Generator[Event, None, str]:
        if self.look_up is not None:
            yield from self._look_up(self.look_up)
        while True:
            tools = [tool.schema for tool in self.tools.values()] if self.steps < self.max_steps else []
            self._check()
            self.context = self.prompting.prompt(tools)
            self.fallbacks += self.context.fallbacks
            here = sources(self.context)
            self.found |= {one.id: one for one in here}
            yield Retrieved(self.context, here)
            completion, took = yield from self._speak(self.context, tools)
            self.steps += 1
            if not completion.tool_calls or not tools:
                finish = _finish(completion, ran_out=bool(self.tools) and not tools)
                if finish == "steps":
                    self.fallbacks.append(f"the model wanted more than the {self.max_steps} steps that it may take")
                self._save(readable(completion.text), finish, took, completion)
                return finish
            calls = _tidy(completion.tool_calls)
            self._save(readable(completion.text), "tool_calls", took, completion, calls)
            yield from self._use(calls)

    # -- the model

    def _speak(self, context: Context, tools: Sequence[Mapping[str, Any]]) -> Generator[Event, None, tuple[Completion, int]]:
        """What the model says, and the milliseconds it took. The part that came is kept whatever ends it."""
        part: list[str] = []
        begun = time.monotonic()
        completion: Completion | None = None
        pieces = self.model.stream(context.messages, tools, self.fallbacks, self.stop)
        try:
            for piece in pieces:
                if piece.text:
                    part.append(piece.text)
                    yield Delta(piece.text)
                completion = piece.completion or completion
                self._check()
        except BaseException as error:
            failed = isinstance(error, LLMError) and not self.stop.is_set()
            self._keep(part, "error" if failed else "stopped", _since(begun))
            if isinstance(error, LLMError) and not failed:
                raise Stopped from None  # we hung up on the model ourselves
            raise
        finally:
            pieces.close()
        return completion or Completion("".join(part)), _since(begun)

    def _check(self) -> None:
        if self.stop.is_set():
            raise Stopped

    def _keep(self, part: Sequence[str], finish: str, took: int) -> None:
        text = readable("".join(part))
        if text.strip():
            with suppress(StorageError):  # what ends the turn is told, not that its part could not be kept either
                self._save(text, finish, took, None)

    def _save(
        self, text: str, finish: str, took: int, completion: Completion | None, calls: Sequence[ToolCall] = ()
    ) -> None:
        metadata: dict[str, Any] = {
            "model": readable((completion.model if completion else "") or self.model.llm.name),
            "duration_ms": took,
            "prompt_tokens": completion.prompt_tokens if completion else None,
            "answer_tokens": completion.answer_tokens if completion else None,
            "finish": readable(finish),
            "receipt": self.context.receipt_id if self.context else None,
        }
        if not calls:
            # Models name tools that there are not, with whatever characters.
            metadata |= {"tools": list(dict.fromkeys(map(readable, self.used))), "sources": list(self.found)}
        self.saved = self._added(text, calls, metadata)

    def _added(self, text: str, calls: Sequence[ToolCall], metadata: Mapping[str, Any]) -> Message:
        """What the model said, saved. Who interrupts just this loses nothing: saving the same id again is no change."""
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

    def _look_up(self, call: ToolCall) -> Generator[Event, None, None]:
        """Uses a tool before the model is asked, as if it had called for it."""
        metadata = {"model": None, "finish": "tool_calls", "looked_up": True}
        self.chat.add("assistant", "", tool_calls=[call], metadata=metadata, private=True if self.private else None)
        for event in self._use([call]):
            if isinstance(event, ToolFinished) and event.failed:
                self.fallbacks.append(f"{call.name} failed: {event.result}")
            yield event

    def _use(self, calls: Sequence[ToolCall]) -> Generator[Event, None, None]:
        try:
            for call in calls:
                self._check()
                yield ToolStarted(call)
                yield self._used(call)
        except BaseException:
            with suppress(StorageError):  # then `resume` or the next question does it
                mend(self.chat)
            raise

    def _used(self, call: ToolCall) -> ToolFinished:
        tool = self.tools.get(call.name)
        begun = time.monotonic()
        failed = False
        try:
            if len(self.used) >= self.max_steps * MOST_AT_ONCE:
                raise ToolFailed("Error: too many calls in one turn; answer with what you have")
            if tool is None:
                raise ToolFailed(f"Error: there is no tool {call.name!r}; known are {', '.join(self.tools) or 'none'}")
            text = tool.run(call.arguments)
        except ToolFailed as error:
            text, failed = readable(str(error)), True
        metadata: dict[str, Any] = {"duration_ms": _since(begun), **({"failed": True} if failed else {})}
        private = self.private or (tool is not None and tool.private)
        result = self.chat.add(
            "tool", text, tool_call_id=call.id, name=call.name, metadata=metadata, private=True if private else None
        )
        self.used.append(call.name)
        if not failed and tool is not None and not tool.private:
            self.found[result.id] = from_tool(call, result)
        return ToolFinished(call, text, failed)

    # -- the end

    def _answer(self, finish: str) -> Answer:
        text = self.saved.text if self.saved is not None else ""
        model = self.saved.metadata.get("model") if self.saved is not None else None
        return Answer(
            self.chat.id,
            text,
            named(self.found.values(), text),
            self.context.receipt_id if self.context else None,
            self.saved,
            self.context,
            model or self.model.llm.name,
            finish,
            self.steps,
            tuple(dict.fromkeys(self.fallbacks)),
        )


def _since(begun: float) -> int:
    return round(1000 * (time.monotonic() - begun))


def _finish(completion: Completion, *, ran_out: bool) -> str:
    if ran_out:
        return "steps"
    return completion.finish if completion.finish in _KNOWN_ENDS else "stop"


def _tidy(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """The calls as they can be kept: every id once, and names that are some."""
    made: list[ToolCall] = []
    taken: set[str] = set()
    for place, call in enumerate(calls):
        id = readable(call.id)[: LONGEST_NAME - 8] or f"call_{place}"
        while id in taken:
            id = f"{id[: LONGEST_NAME - 8]}_{place}"
        taken.add(id)
        made.append(ToolCall(id, readable(call.name)[:LONGEST_TOOL_NAME] or "unnamed", readable(call.arguments)))
    return made
