"""Routes for health checks and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from keepsaid.errors import KeepsaidError
from keepsaid.server.requests import reply, state_of

router = APIRouter(tags=["health"])


class HealthResponse(BaseModel):
    """The health of the server."""

    status: str
    detail: str = ""


@router.get("/healthz", response_model=HealthResponse)
async def healthz() -> Response:
    """Answer while the process is alive."""
    return reply(HealthResponse, {"status": "alive"})


@router.get("/readyz", response_model=HealthResponse, responses={503: {"model": HealthResponse}})
async def readyz(request: Request) -> Response:
    """Answer 200 while the store is readable and the server is not shutting down."""
    state = state_of(request)
    if state.is_closing:
        return reply(HealthResponse, {"status": "closing"}, 503)
    try:
        await state.run(state.memory.position, owner=state.settings.owner)
    except KeepsaidError as error:
        return reply(HealthResponse, {"status": "not ready", "detail": type(error).__name__}, 503)
    return reply(HealthResponse, {"status": "ready"})


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}, "description": "Metrics."}})
async def metrics(request: Request) -> Response:
    """Return metrics for Prometheus."""
    state = state_of(request)
    figures = await state.run(state.memory.stats, days=1)
    values = {"sessions": figures.sessions, "messages": figures.messages, "bytes": figures.size, "owners": figures.owners}
    for name, value in values.items():
        state.metrics.store[name].set(value)
    return Response(state.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")
