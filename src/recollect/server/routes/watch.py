"""The change feed: what happens in a memory, as it happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from recollect.aio import AsyncWatch
from recollect.server.desk import Desk
from recollect.server.problems import Refusal
from recollect.server.requests import PROBLEMS, desk_of, owner_of
from recollect.server.shapes.basis import Name
from recollect.server.sse import HEARTBEAT, event, streamed
from recollect.server.turns import shaped
from recollect.types import Change, Mark

router = APIRouter(prefix="/v1", tags=["watch"], responses=PROBLEMS)


@router.get(
    "/watch",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "message, session, marked, erased, reset."}},
)
async def watch(
    request: Request,
    session: Name | None = None,
    pool: Name | None = None,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", description="Where to go on.")] = None,
) -> Response:
    """Changes as server-sent events, whoever makes them. With Last-Event-ID it goes on where it broke off: nothing is
    missed and nothing comes twice."""
    desk, owner = desk_of(request), owner_of(request)
    after = None if not last_event_id else Mark.parse(last_event_id)
    changes = await desk.watch(owner, session, pool, after)
    header = request.headers.get
    return streamed(_told(desk, changes, partial(desk.gate.admit, header("authorization"), header("recollect-user"))))


async def _told(desk: Desk, changes: AsyncWatch, admit: Callable[[], Awaitable[object]]) -> AsyncIterator[bytes]:
    """The changes, as long as the credential is good."""
    try:
        yield b"retry: 1000\n\n"
        while not changes.ended and not desk.closing:
            change = await changes.get(timeout=HEARTBEAT)
            try:
                await admit()
            except Refusal:
                return
            yield _still_here(changes.mark) if change is None else event(change.kind, _shape(change), change.mark.text)
    finally:
        await asyncio.shield(desk.end(changes))


def _still_here(mark: Mark) -> bytes:
    """Says that the line lives, and how far the watch has come with what it need not tell."""
    return f": still here\nid: {mark.text}\n\n".encode()


def _shape(change: Change) -> dict[str, object]:
    message = None if change.message is None else shaped(change.message)
    return {"kind": change.kind, "session": change.session, "message_id": change.message_id, "message": message}
