"""The change feed of a memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from keepsaid.aio import AsyncWatch
from keepsaid.server.problems import RequestRefusal
from keepsaid.server.requests import PROBLEMS, owner_of, state_of
from keepsaid.server.schemas.base import Name
from keepsaid.server.sse import HEARTBEAT, encode_event, event_stream_response
from keepsaid.server.state import ServerState
from keepsaid.server.turn_events import dump_message
from keepsaid.types import ChangePosition, MemoryChange

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
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", description="The event to continue after.")] = None,
) -> Response:
    """Stream the changes of all processes as server-sent events. With Last-Event-ID the stream continues where it was
    interrupted: nothing is lost or repeated."""
    state, owner = state_of(request), owner_of(request)
    after = None if not last_event_id else ChangePosition.parse(last_event_id)
    changes = await state.open_watch(owner, session, pool, after)
    header = request.headers.get
    return event_stream_response(
        _events(state, changes, partial(state.authenticator.authenticate, header("authorization"), header("keepsaid-user")))
    )


async def _events(state: ServerState, changes: AsyncWatch, admit: Callable[[], Awaitable[object]]) -> AsyncIterator[bytes]:
    """Yield the changes while the credential is valid."""
    try:
        yield b"retry: 1000\n\n"
        while not changes.ended and not state.is_closing:
            change = await changes.get(timeout=HEARTBEAT)
            try:
                await admit()
            except RequestRefusal:
                return
            yield (
                _keep_alive(changes.position)
                if change is None
                else encode_event(change.kind, _fields(change), change.position.text)
            )
    finally:
        await asyncio.shield(state.close_watch(changes))


def _keep_alive(mark: ChangePosition) -> bytes:
    """Return a keep-alive comment with the position of the watch, which also advances past unreported changes."""
    return f": still here\nid: {mark.text}\n\n".encode()


def _fields(change: MemoryChange) -> dict[str, object]:
    message = None if change.message is None else dump_message(change.message)
    return {"kind": change.kind, "session": change.session, "message_id": change.message_id, "message": message}
