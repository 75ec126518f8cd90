"""Whether the server lives and can work, and its figures."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from recollect.errors import RecollectError
from recollect.server.requests import desk_of, reply

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """A word on how it is."""

    status: str
    detail: str = ""


@router.get("/healthz", response_model=Health)
async def healthz() -> Response:
    """Answers as long as the process lives."""
    return reply(Health, {"status": "alive"})


@router.get("/readyz", response_model=Health, responses={503: {"model": Health}})
async def readyz(request: Request) -> Response:
    """Answers with 200 while the store can be read and the server is not shutting down."""
    desk = desk_of(request)
    if desk.closing:
        return reply(Health, {"status": "closing"}, 503)
    try:
        await desk.run(desk.memory.mark, owner=desk.settings.owner)
    except RecollectError as error:
        return reply(Health, {"status": "not ready", "detail": type(error).__name__}, 503)
    return reply(Health, {"status": "ready"})


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}, "description": "Figures."}})
async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    desk = desk_of(request)
    figures = await desk.run(desk.memory.stats, days=1)
    told = {"sessions": figures.sessions, "messages": figures.messages, "bytes": figures.size, "owners": figures.owners}
    for name, value in told.items():
        desk.measures.store[name].set(value)
    return Response(desk.measures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
