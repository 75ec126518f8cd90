"""Route for the caller and the configuration of the server."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

import keepsaid
from keepsaid.server.requests import PROBLEMS, owner_of, principal_of, reply, state_of
from keepsaid.server.schemas.caller import BodyLimits, CallerInfo

router = APIRouter(prefix="/v1", tags=["caller"], responses=PROBLEMS)


@router.get("/me", response_model=CallerInfo)
async def me(request: Request) -> Response:
    """Return the caller, their permissions, and the configuration of the server."""
    state, principal = state_of(request), principal_of(request)
    settings, found = state.settings, state.found_llm
    caller = CallerInfo(
        owner=owner_of(request),
        scopes=sorted(principal.scopes),  # pyright: ignore[reportArgumentType]  # the scopes are those literals
        authenticated=principal.via != "loopback",
        version=keepsaid.__version__,
        llm=None if found.llm is None else found.llm.name,
        llm_note=found.reason,
        embedder=state.memory.embedder,
        tokenizer=state.memory.tokenizer,
        limits=BodyLimits(body_bytes=settings.server_body, upload_bytes=settings.server_upload),
    )
    return reply(CallerInfo, caller)
