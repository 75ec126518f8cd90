"""Route for erasure."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from keepsaid.memory import Memory
from keepsaid.server.requests import PROBLEMS, owner_of, reply, state_of
from keepsaid.server.schemas.erasure import EraseRequest, EraseResponse, SessionEraseRequest
from keepsaid.types import Fact

router = APIRouter(prefix="/v1", tags=["erasure"], responses=PROBLEMS)


@router.post("/erase", response_model=EraseResponse)
async def erase(request: Request, body: EraseRequest) -> Response:
    """Erase a message, a session, or all data of the owner permanently, with everything derived from it, and report what was
    checked to verify it. To erase everything, send the words "forget everything"."""
    state, owner = state_of(request), owner_of(request)
    receipt = await state.run_erasure(_erase, state.memory, owner, body)
    await state.invalidate_owner(owner)
    return reply(EraseResponse, receipt)


def _erase(memory: Memory, owner: str, body: EraseRequest) -> dict[str, Any]:
    session, message = (body.session, body.message) if isinstance(body, SessionEraseRequest) else (None, None)
    kept = _facts_of(memory, owner, session, message) if body.keep_facts else []
    receipt = memory.erase(owner=owner, session=session, message=message)
    for fact in kept:
        memory.remember(fact.text, owner=owner, kind=fact.kind, subject=fact.subject, pinned=fact.pinned)
    fields = {name: getattr(receipt, name) for name in ("sessions", "messages", "derived", "verified", "pending")}
    return fields | {"facts_kept": len(kept)}


def _facts_of(memory: Memory, owner: str, session: str | None, message: str | None) -> list[Fact]:
    """Return the facts that would be erased with it."""
    known = memory.facts(owner=owner, limit=100_000)
    if message is not None:
        return [fact for fact in known if message in fact.messages]
    return [fact for fact in known if session is None or fact.session == session]
