"""Route for the statistics of an owner."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from keepsaid.server.requests import PROBLEMS, owner_of, principal_of, reply, state_of
from keepsaid.server.schemas.statistics import StatsResponse

router = APIRouter(prefix="/v1", tags=["statistics"], responses=PROBLEMS)


@router.get("/stats", response_model=StatsResponse)
async def stats(request: Request, days: Annotated[int, Query(ge=1, le=3660)] = 30) -> Response:
    """Return the owner's totals and the activity of each of the last days. `size`, the size of the whole store, is shown
    only to administrators, because it reveals how much other owners save."""
    state, owner, principal = state_of(request), owner_of(request), principal_of(request)
    found = await state.run(state.memory.stats, owner=owner, days=days)
    may_see_size = principal.via == "loopback" or "admin" in principal.scopes
    fields = {name: getattr(found, name) for name in StatsResponse.model_fields}
    return reply(StatsResponse, fields | {"size": found.size if may_see_size else None})
