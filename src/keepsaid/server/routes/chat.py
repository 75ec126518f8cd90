"""Routes for chat turns and prompts."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from keepsaid.agent.stream import TurnStream
from keepsaid.errors import KeepsaidError
from keepsaid.server.requests import PROBLEMS, owner_of, reply, state_of
from keepsaid.server.schemas.prompts import (
    ChatRequest,
    ChatResponse,
    ContextRequest,
    ContextResponse,
    EditTurn,
    RegenerateTurn,
)
from keepsaid.server.sse import event_stream_response
from keepsaid.server.state import ServerState
from keepsaid.server.turn_events import TurnEventWriter, build_answer, stream_turn_events
from keepsaid.services.prompts.receipts import without_receipts
from keepsaid.types import to_datetime
from keepsaid.types.prompts import Context, PromptItem

router = APIRouter(prefix="/v1", tags=["chat"], responses=PROBLEMS)
CHAT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, the turn as it happens: turn.started, memory.retrieved,"
        " memory.assembled, message.delta, tool.started, tool.finished, message.completed, memory.noted,"
        " memory.written, turn.completed, error.",
        "content": {"text/event-stream": {}},
    }
}


@router.post("/chat", response_model=ChatResponse, responses=CHAT_RESPONSES)
async def chat(request: Request, body: ChatRequest) -> Response:
    """Run one turn: save the user's message, answer it from memory, and save the answer. A session of another owner is "not
    found or access denied"."""
    state, owner = state_of(request), owner_of(request)
    if not isinstance(body, RegenerateTurn | EditTurn) and body.session is None:
        state.check_temporary(temporary=body.temporary)
    await state.quotas.check(owner)
    writer = TurnEventWriter(body.debug)
    stream = await state.run(_begin_turn, state, owner, body)
    await state.running_turns.enter(owner, body.session, stream)
    try:
        if body.stream:
            # A faulty request fails before the first event, as a regular error response.
            first = await state.run_turn(next, stream)
            return event_stream_response(
                stream_turn_events(state, stream, first, writer, f"urn:request:{request.state.request_id}")
            )
        answer = await state.run_turn(stream.answer)
    except BaseException as error:
        if isinstance(error, KeepsaidError):
            await state.running_turns.leave_and_wait(stream)  # it has ended, and may be retried at once
        state.abandon_turn(stream)
        raise
    await state.running_turns.leave_and_wait(stream)
    state.metrics.turns.labels(answer.finish).inc()
    return reply(ChatResponse, build_answer(answer, writer.elapsed_ms))


def _begin_turn(state: ServerState, owner: str, body: ChatRequest) -> TurnStream:
    options: dict[str, Any] = {
        "private": True if body.memory != "on" else None,
        "recall": "off" if body.memory == "off" else None,
        "system": body.system,
    }
    if isinstance(body, RegenerateTurn):
        return state.chat_service.regenerate(owner, body.session, body.regenerate, **options)
    if isinstance(body, EditTurn):
        return state.chat_service.stream(owner, body.session, body.message, edit=body.edit, **options)
    temporary = body.temporary and body.session is None
    return state.chat_service.stream(owner, body.session, body.message, temporary=temporary, **options)


@router.post("/context", response_model=ContextResponse)
async def context(request: Request, body: ContextRequest) -> Response:
    """Build the best prompt for a turn within a budget, ready for any chat-completions API, and list the items in it. No
    receipt is stored for an owner whose quota is used up."""
    state, owner = state_of(request), owner_of(request)
    began = time.perf_counter()
    receipt = without_receipts() if await state.quotas.is_used_up(owner) else nullcontext()

    def compose() -> Context:
        with receipt:
            return state.memory.chat(owner=owner, session=body.session).context(
                body.question, budget=body.budget, strategy=body.strategy, system=body.system, model=body.model,
                recall=body.recall, pools=body.pools,
            )  # fmt: skip

    result = await state.run_search(compose)
    state.metrics.recall_seconds.observe(time.perf_counter() - began)
    state.metrics.prompt_tokens.inc(result.tokens)
    fields = {name: getattr(result, name) for name in ContextResponse.model_fields}
    return reply(ContextResponse, fields | {"items": _item_fields(result.items), "dropped": _item_fields(result.dropped)})


def _item_fields(items: tuple[PromptItem, ...]) -> list[dict[str, Any]]:
    return [
        {name: getattr(item, name) for name in PromptItem.__dataclass_fields__}
        | {"at": None if item.at is None else to_datetime(item.at), "signals": dict(item.signals)}
        for item in items
    ]
