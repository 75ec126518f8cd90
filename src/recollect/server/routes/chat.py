"""Turns and prompts."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.agent.stream import Stream
from recollect.errors import RecollectError
from recollect.prompt import Context, Item
from recollect.server.desk import Desk
from recollect.server.requests import PROBLEMS, desk_of, owner_of, reply
from recollect.server.shapes.prompts import AnswerAgain, AnswerShape, ChatOrder, ContextOrder, ContextShape, SayDifferently
from recollect.server.sse import streamed
from recollect.server.turns import Told, answered, events
from recollect.types import moment

router = APIRouter(prefix="/v1", tags=["chat"], responses=PROBLEMS)
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, the turn as it happens: turn.started, memory.retrieved,"
        " memory.assembled, message.delta, tool.started, tool.finished, message.completed, memory.noted,"
        " memory.written, turn.completed, error.",
        "content": {"text/event-stream": {}},
    }
}


@router.post("/chat", response_model=AnswerShape, responses=EVENTS)
async def chat(request: Request, body: ChatOrder) -> Response:
    """One turn: what the user says is saved, answered from memory, and the answer saved. Somebody else's session is "not
    found or access denied"."""
    desk, owner = desk_of(request), owner_of(request)
    if not isinstance(body, AnswerAgain | SayDifferently) and body.session is None:
        desk.check_home(temporary=body.temporary)
    await desk.quotas.check(owner)
    told = Told(body.debug)
    stream = await desk.run(_begun, desk, owner, body)
    await desk.running.enter(owner, body.session, stream)
    try:
        if body.stream:
            # What is wrong with the request shows before the first event, and is a plain error then.
            first = await desk.hear(next, stream)
            return streamed(events(desk, stream, first, told, f"urn:request:{request.state.request_id}"))
        answer = await desk.hear(stream.answer)
    except BaseException as error:
        if isinstance(error, RecollectError):
            await desk.running.left(stream)  # it is over, and may be tried again at once
        desk.leave(stream)
        raise
    await desk.running.left(stream)
    desk.measures.turns.labels(answer.finish).inc()
    return reply(AnswerShape, answered(answer, told.ms))


def _begun(desk: Desk, owner: str, body: ChatOrder) -> Stream:
    options: dict[str, Any] = {
        "private": True if body.memory != "on" else None,
        "recall": "off" if body.memory == "off" else None,
        "system": body.system,
    }
    if isinstance(body, AnswerAgain):
        return desk.service.again(owner, body.session, body.regenerate, **options)
    if isinstance(body, SayDifferently):
        return desk.service.stream(owner, body.session, body.message, edit=body.edit, **options)
    temporary = body.temporary and body.session is None
    return desk.service.stream(owner, body.session, body.message, temporary=temporary, **options)


@router.post("/context", response_model=ContextShape)
async def context(request: Request, body: ContextOrder) -> Response:
    """The best prompt for a turn that fits a budget, ready for any chat-completions API, and why it is what it is."""
    desk, owner = desk_of(request), owner_of(request)
    began = time.perf_counter()

    def compose() -> Context:
        return desk.memory.chat(owner=owner, session=body.session).context(
            body.question, budget=body.budget, strategy=body.strategy, system=body.system, model=body.model,
            recall=body.recall, pools=body.pools,
        )  # fmt: skip

    made = await desk.run(compose)
    desk.measures.recall_seconds.observe(time.perf_counter() - began)
    desk.measures.prompt_tokens.inc(made.tokens)
    fields = {name: getattr(made, name) for name in ContextShape.model_fields}
    return reply(ContextShape, fields | {"items": _items(made.items), "dropped": _items(made.dropped)})


def _items(items: tuple[Item, ...]) -> list[dict[str, Any]]:
    return [
        {name: getattr(item, name) for name in Item.__dataclass_fields__}
        | {"at": None if item.at is None else moment(item.at), "signals": dict(item.signals)}
        for item in items
    ]
