"""Erasing, figures, pools, and who one is."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

import recollect
from recollect.memory import Memory
from recollect.server.requests import PROBLEMS, desk_of, owner_of, principal_of, reply
from recollect.server.shapes.upkeep import (
    EraseOrder,
    EraseShape,
    EraseSome,
    GrantList,
    GrantOrder,
    GrantShape,
    Limits,
    Me,
    NewPool,
    StatsShape,
)
from recollect.types import Fact

router = APIRouter(prefix="/v1", tags=["upkeep"], responses=PROBLEMS)


@router.get("/me", response_model=Me)
async def me(request: Request) -> Response:
    """Who is asking, what he may do, and what there is to work with."""
    desk, principal = desk_of(request), principal_of(request)
    settings, found = desk.settings, desk.found
    told = Me(
        owner=owner_of(request),
        scopes=sorted(principal.scopes),  # pyright: ignore[reportArgumentType]  # they are those three words
        authenticated=principal.via != "loopback",
        version=recollect.__version__,
        llm=None if found.llm is None else found.llm.name,
        llm_note=found.why,
        embedder=desk.memory.embedder,
        tokenizer=desk.memory.tokenizer,
        limits=Limits(body_bytes=settings.server_body, upload_bytes=settings.server_upload),
    )
    return reply(Me, told)


@router.post("/erase", response_model=EraseShape)
async def erase(request: Request, body: EraseOrder) -> Response:
    """Removes a message, a session, or everything of the owner for good, with all that was drawn from it, and says what
    was looked at to prove it. Everything takes the words "forget everything"."""
    desk, owner = desk_of(request), owner_of(request)
    receipt = await desk.labour(_erased, desk.memory, owner, body)
    await desk.forget(owner)
    return reply(EraseShape, receipt)


def _erased(memory: Memory, owner: str, body: EraseOrder) -> dict[str, Any]:
    session, message = (body.session, body.message) if isinstance(body, EraseSome) else (None, None)
    kept = _facts_of(memory, owner, session, message) if body.keep_facts else []
    receipt = memory.erase(owner=owner, session=session, message=message)
    for fact in kept:
        memory.remember(fact.text, owner=owner, kind=fact.kind, subject=fact.subject, pinned=fact.pinned)
    fields = {name: getattr(receipt, name) for name in ("sessions", "messages", "derived", "verified", "pending")}
    return fields | {"facts_kept": len(kept)}


def _facts_of(memory: Memory, owner: str, session: str | None, message: str | None) -> list[Fact]:
    """The facts that would go with it."""
    known = memory.facts(owner=owner, limit=100_000)
    if message is not None:
        return [fact for fact in known if message in fact.messages]
    return [fact for fact in known if session is None or fact.session == session]


@router.get("/stats", response_model=StatsShape)
async def stats(request: Request, days: Annotated[int, Query(ge=1, le=3660)] = 30) -> Response:
    """What the owner has, and what happened on each of the last days."""
    desk, owner = desk_of(request), owner_of(request)
    return reply(StatsShape, await desk.run(desk.memory.stats, owner=owner, days=days))


@router.get("/pools", response_model=GrantList)
async def list_pools(request: Request) -> Response:
    """The shared pools that the owner may use."""
    desk, owner = desk_of(request), owner_of(request)
    return reply(GrantList, {"items": await desk.run(desk.memory.pools, owner=owner)})


@router.post("/pools", status_code=201, response_model=GrantShape)
async def create_pool(request: Request, body: NewPool) -> Response:
    """Makes a shared memory; its maker is its admin."""
    desk, owner = desk_of(request), owner_of(request)
    pool = await desk.run(desk.memory.create_pool, body.name, owner=owner)
    return reply(GrantShape, {"pool": pool, "owner": owner, "access": "admin", "name": body.name}, 201)


@router.get("/pools/{pool}/members", response_model=GrantList)
async def list_members(request: Request, pool: str) -> Response:
    """Who may use a pool, for one who may."""
    desk, owner = desk_of(request), owner_of(request)
    return reply(GrantList, {"items": await desk.run(desk.memory.members, pool, owner=owner)})


@router.put("/pools/{pool}/members/{member}", status_code=204, response_class=Response)
async def grant(request: Request, pool: str, member: str, body: GrantOrder) -> Response:
    """Lets somebody read, write or administer a pool. Only its admins may."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.run(desk.memory.grant, pool, to=_member(request, member), by=owner, access=body.access)
    return Response(status_code=204)


@router.delete("/pools/{pool}/members/{member}", status_code=204, response_class=Response)
async def revoke(request: Request, pool: str, member: str) -> Response:
    """Takes somebody's access away; everyone may take away his own."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.run(desk.memory.revoke, pool, of=_member(request, member), by=owner)
    return Response(status_code=204)


def _member(request: Request, member: str) -> str:
    """A member by the name that the asker knows him by: a tenant's users are its own."""
    principal = principal_of(request)
    return member if principal.tenant is None else f"{principal.tenant}/{member}"
