"""Routes for pools and their members."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from keepsaid.server.requests import PROBLEMS, owner_of, principal_of, reply, state_of
from keepsaid.server.schemas.pools import GrantList, GrantRequest, GrantResponse, NewPool

router = APIRouter(prefix="/v1", tags=["pools"], responses=PROBLEMS)


@router.get("/pools", response_model=GrantList)
async def list_pools(request: Request) -> Response:
    """List the shared pools that the owner may use."""
    state, owner = state_of(request), owner_of(request)
    return reply(GrantList, {"items": await state.run(state.memory.pools, owner=owner)})


@router.post("/pools", status_code=201, response_model=GrantResponse)
async def create_pool(request: Request, body: NewPool) -> Response:
    """Create a shared memory; its creator is its admin."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    pool = await state.run(state.memory.create_pool, body.name, owner=owner)
    return reply(GrantResponse, {"pool": pool, "owner": owner, "access": "admin", "name": body.name}, 201)


@router.get("/pools/{pool}/members", response_model=GrantList)
async def list_members(request: Request, pool: str) -> Response:
    """List the members of a pool. Only members may."""
    state, owner = state_of(request), owner_of(request)
    return reply(GrantList, {"items": await state.run(state.memory.members, pool, owner=owner)})


@router.put("/pools/{pool}/members/{member}", status_code=204, response_class=Response)
async def grant(request: Request, pool: str, member: str, body: GrantRequest) -> Response:
    """Give a member read, write or admin access to a pool. Only its admins may."""
    state, owner = state_of(request), owner_of(request)
    await state.run(state.memory.grant, pool, to=_member(request, member), by=owner, access=body.access)
    return Response(status_code=204)


@router.delete("/pools/{pool}/members/{member}", status_code=204, response_class=Response)
async def revoke(request: Request, pool: str, member: str) -> Response:
    """Revoke a member's access. All members may revoke their own."""
    state, owner = state_of(request), owner_of(request)
    await state.run(state.memory.revoke, pool, of=_member(request, member), by=owner)
    return Response(status_code=204)


def _member(request: Request, member: str) -> str:
    """Return the owner name of a member: users of a tenant are named without the tenant."""
    principal = principal_of(request)
    return member if principal.tenant is None else f"{principal.tenant}/{member}"
