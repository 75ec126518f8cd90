"""A chat turn as server-sent events. Whoever goes away stops the model, and the part of the answer that came is kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from recollect.agent.answer import Answer, Delta, Event, Finished, Retrieved, Started, ToolFinished, ToolStarted
from recollect.agent.stream import Stream
from recollect.errors import RecollectError
from recollect.server.desk import Desk
from recollect.server.problems import problem_of
from recollect.server.shapes.memories import FactShape
from recollect.server.shapes.messages import MessageShape
from recollect.server.shapes.prompts import AnswerShape, CitedShape
from recollect.server.sse import comment, event
from recollect.types import Message

SHOWN = 2_000
"""Characters of a tool's result that are sent along; all of it is in the conversation."""


class Told:
    """Tells the events of one turn in the words of the wire."""

    def __init__(self, debug: bool) -> None:
        self._debug = debug
        self._began = time.perf_counter()
        self._saved = 0

    @property
    def ms(self) -> float:
        """Milliseconds since the turn began."""
        return round((time.perf_counter() - self._began) * 1000, 1)

    def of(self, happened: Event) -> Iterator[bytes]:
        """What one event becomes: often several."""
        if isinstance(happened, Started):
            self._saved += 1
            yield event("turn.started", {"session": happened.session, "message": shaped(happened.message)})
        elif isinstance(happened, Retrieved):
            yield from self._prompt(happened)
        elif isinstance(happened, Delta):
            yield event("message.delta", {"text": happened.text})
        elif isinstance(happened, ToolStarted):
            call = happened.call
            self._saved += 1
            yield event("tool.started", {"id": call.id, "name": call.name, "arguments": call.arguments})
        elif isinstance(happened, ToolFinished):
            self._saved += 1
            text = happened.result[:SHOWN]
            told = {"id": happened.call.id, "name": happened.call.name, "failed": happened.failed, "text": text}
            yield event("tool.finished", told)
        else:
            yield from self._end(happened.answer)

    def _prompt(self, happened: Retrieved) -> Iterator[bytes]:
        context = happened.context
        sources = [CitedShape.model_validate(cited).model_dump(mode="json") for cited in happened.sources]
        found = {
            "sources": sources,
            "searched_for": context.searched_for,
            "fallbacks": context.fallbacks,
            "ms": context.timeline.get("total", self.ms),
        }
        yield event("memory.retrieved", found)
        assembled = {
            "tokens": context.tokens, "budget": context.budget, "sections": dict(context.sections),
            "used": len(sources), "receipt_id": context.receipt_id,
        }  # fmt: skip
        yield event("memory.assembled", assembled)
        if self._debug:
            yield comment("MEMORY_DEBUG", assembled | {"dropped": len(context.dropped), "ms": self.ms})
            hits = [{"kind": one["kind"], "id": one["id"], "score": one["score"], "why": one["reason"]} for one in sources]
            yield comment("RAG_DEBUG", {"hits": hits, "near": len(context.dropped)})
            yield comment("SEARCH_DEBUG", {"searched_for": context.searched_for, "fallbacks": context.fallbacks})

    def _end(self, answer: Answer) -> Iterator[bytes]:
        self._saved += answer.message is not None
        saved = None if answer.message is None else shaped(answer.message)
        yield event("message.completed", {"message": saved, "finish": answer.finish, "model": answer.model})
        if answer.noted:
            facts = [FactShape.model_validate(fact).model_dump(mode="json") for fact in answer.noted]
            yield event("memory.noted", {"facts": facts})
        yield event("memory.written", {"session": answer.session, "messages": self._saved})
        yield event("turn.completed", answered(answer, self.ms).model_dump(mode="json"))


def shaped(message: Message) -> dict[str, Any]:
    """A message for an event."""
    return MessageShape.model_validate(message).model_dump(mode="json")


def answered(answer: Answer, ms: float) -> AnswerShape:
    """The end of a turn."""
    context = answer.context
    return AnswerShape(
        session=answer.session,
        text=answer.text,
        message=None if answer.message is None else MessageShape.model_validate(answer.message),
        sources=[CitedShape.model_validate(cited) for cited in answer.sources],
        receipt_id=answer.receipt_id,
        model=answer.model,
        finish=answer.finish,
        steps=answer.steps,
        fallbacks=list(answer.fallbacks),
        tokens=0 if context is None else context.tokens,
        used=len(answer.sources),
        duration_ms=ms,
        noted=[FactShape.model_validate(fact) for fact in answer.noted],
    )


async def events(desk: Desk, stream: Stream, first: Event, told: Told, instance: str) -> AsyncIterator[bytes]:
    """A turn whose first event is there already, to its end."""
    happened: Event | None = first
    try:
        while happened is not None:
            if isinstance(happened, Finished):
                await desk.running.left(stream)  # whoever hears that it is over may ask again at once
            for piece in told.of(happened):
                yield piece
            if isinstance(happened, Finished):
                desk.measures.turns.labels(happened.answer.finish).inc()
            happened = await desk.hear(next, stream, None)
    except RecollectError as error:
        await desk.running.left(stream)
        yield event("error", problem_of(error, instance).model_dump(exclude_none=True))
    except asyncio.CancelledError:
        desk.measures.turns.labels("left").inc()
        raise
    finally:
        desk.leave(stream)
