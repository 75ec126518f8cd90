"""A chat turn as server-sent events. When the client disconnects, the model is stopped and the partial answer is saved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from keepsaid.agent.answer import (
    Answer,
    ContextRetrieved,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    TurnStarted,
)
from keepsaid.agent.stream import TurnStream
from keepsaid.errors import KeepsaidError
from keepsaid.server.problems import problem_of
from keepsaid.server.schemas.memories import FactResponse
from keepsaid.server.schemas.messages import MessageResponse
from keepsaid.server.schemas.prompts import ChatResponse, SourceResponse
from keepsaid.server.sse import encode_comment, encode_event
from keepsaid.server.state import ServerState
from keepsaid.types import Message

MAX_TOOL_RESULT_LENGTH = 2_000
"""Characters of a tool's result that an event has; the conversation has all of it."""


class TurnEventWriter:
    """Encodes the events of one turn as server-sent events."""

    def __init__(self, debug: bool) -> None:
        self._debug = debug
        self._began = time.perf_counter()
        self._saved = 0

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the turn began."""
        return round((time.perf_counter() - self._began) * 1000, 1)

    def encode(self, happened: TurnEvent) -> Iterator[bytes]:
        """Encode one event, often as several server-sent events."""
        if isinstance(happened, TurnStarted):
            self._saved += 1
            yield encode_event("turn.started", {"session": happened.session, "message": dump_message(happened.message)})
        elif isinstance(happened, ContextRetrieved):
            yield from self._prompt(happened)
        elif isinstance(happened, TextDelta):
            yield encode_event("message.delta", {"text": happened.text})
        elif isinstance(happened, ToolStarted):
            call = happened.call
            self._saved += 1
            yield encode_event("tool.started", {"id": call.id, "name": call.name, "arguments": call.arguments})
        elif isinstance(happened, ToolFinished):
            self._saved += 1
            text = happened.result[:MAX_TOOL_RESULT_LENGTH]
            finished = {"id": happened.call.id, "name": happened.call.name, "failed": happened.failed, "text": text}
            yield encode_event("tool.finished", finished)
        else:
            yield from self._end(happened.answer)

    def _prompt(self, happened: ContextRetrieved) -> Iterator[bytes]:
        context = happened.context
        sources = [SourceResponse.model_validate(cited).model_dump(mode="json") for cited in happened.sources]
        found = {
            "sources": sources,
            "searched_for": context.searched_for,
            "fallbacks": context.fallbacks,
            "ms": context.timeline.get("total", self.elapsed_ms),
        }
        yield encode_event("memory.retrieved", found)
        assembled = {
            "tokens": context.tokens, "budget": context.budget, "sections": dict(context.sections),
            "used": len(sources), "receipt_id": context.receipt_id,
        }  # fmt: skip
        yield encode_event("memory.assembled", assembled)
        if self._debug:
            yield encode_comment("MEMORY_DEBUG", assembled | {"dropped": len(context.dropped), "ms": self.elapsed_ms})
            hits = [{"kind": one["kind"], "id": one["id"], "score": one["score"], "why": one["reason"]} for one in sources]
            yield encode_comment("RAG_DEBUG", {"hits": hits, "near": len(context.dropped)})
            yield encode_comment("SEARCH_DEBUG", {"searched_for": context.searched_for, "fallbacks": context.fallbacks})

    def _end(self, answer: Answer) -> Iterator[bytes]:
        self._saved += answer.message is not None
        saved = None if answer.message is None else dump_message(answer.message)
        yield encode_event("message.completed", {"message": saved, "finish": answer.finish, "model": answer.model})
        if answer.noted:
            facts = [FactResponse.model_validate(fact).model_dump(mode="json") for fact in answer.noted]
            yield encode_event("memory.noted", {"facts": facts})
        yield encode_event("memory.written", {"session": answer.session, "messages": self._saved})
        yield encode_event("turn.completed", build_answer(answer, self.elapsed_ms).model_dump(mode="json"))


def dump_message(message: Message) -> dict[str, Any]:
    """Return a message as the data of an event."""
    return MessageResponse.model_validate(message).model_dump(mode="json")


def build_answer(answer: Answer, ms: float) -> ChatResponse:
    """Build the body for a finished turn."""
    context = answer.context
    return ChatResponse(
        session=answer.session,
        text=answer.text,
        message=None if answer.message is None else MessageResponse.model_validate(answer.message),
        sources=[SourceResponse.model_validate(cited) for cited in answer.sources],
        receipt_id=answer.receipt_id,
        model=answer.model,
        finish=answer.finish,
        steps=answer.steps,
        fallbacks=list(answer.fallbacks),
        tokens=0 if context is None else context.tokens,
        used=len(answer.sources),
        duration_ms=ms,
        noted=[FactResponse.model_validate(fact) for fact in answer.noted],
    )


async def stream_turn_events(
    state: ServerState, stream: TurnStream, first: TurnEvent, writer: TurnEventWriter, instance: str
) -> AsyncIterator[bytes]:
    """Stream a turn whose first event has already arrived, to its end."""
    happened: TurnEvent | None = first
    try:
        while happened is not None:
            if isinstance(happened, TurnFinished):
                await state.running_turns.leave_and_wait(stream)  # a client that sees the end may send the next turn at once
            for piece in writer.encode(happened):
                yield piece
            if isinstance(happened, TurnFinished):
                state.metrics.turns.labels(happened.answer.finish).inc()
            happened = await state.run_turn(next, stream, None)
    except KeepsaidError as error:
        await state.running_turns.leave_and_wait(stream)
        yield encode_event("error", problem_of(error, instance).model_dump(exclude_none=True))
    except asyncio.CancelledError:
        state.metrics.turns.labels("left").inc()
        raise
    finally:
        state.abandon_turn(stream)
