"""For those who look after the server: keys, clean-up, the figures of all."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from recollect.errors import NotFound, StorageError
from recollect.ports import Key, Keyring
from recollect.server.access import keys
from recollect.server.desk import Desk
from recollect.server.requests import PROBLEMS, desk_of, reply
from recollect.server.shapes.upkeep import KeyList, MadeKey, NewKey, RetentionOrder, RetentionShape, StatsShape
from recollect.types import moment

router = APIRouter(prefix="/v1/admin", tags=["admin"], responses=PROBLEMS)


def _ring(desk: Desk) -> Keyring:
    if desk.ring is None:
        raise StorageError("this backend keeps no keys")
    return desk.ring


def _told(key: Key) -> dict[str, object]:
    fields: dict[str, object] = {name: getattr(key, name) for name in ("id", "name", "owner", "tenant", "scopes")}
    ends = None if key.expires is None else moment(key.expires)
    return fields | {"created_at": moment(key.created), "expires_at": ends}


@router.get("/keys", response_model=KeyList)
async def list_keys(request: Request) -> Response:
    """All keys, newest first, without their secrets, which are nowhere kept."""
    desk = desk_of(request)
    return reply(KeyList, {"items": [_told(key) for key in await desk.run(_ring(desk).keys)]})


@router.post("/keys", status_code=201, response_model=MadeKey)
async def create_key(request: Request, body: NewKey) -> Response:
    """Makes a key of an owner, or of a service that acts for a tenant's users. Its secret is shown this once."""
    desk = desk_of(request)
    now = time.time_ns() // 1000
    key, secret = await desk.run(
        keys.make, _ring(desk), now, body.name, owner=body.owner, tenant=body.tenant, scopes=body.scopes,
        expires=body.expires_at,
    )  # fmt: skip
    return reply(MadeKey, _told(key) | {"secret": secret}, 201)


@router.delete("/keys/{key}", status_code=204, response_class=Response)
async def drop_key(request: Request, key: str) -> Response:
    """Takes a key back. In other processes it may work for some seconds more."""
    desk = desk_of(request)
    if not await desk.run(_ring(desk).drop_key, key):
        raise NotFound("there is no such key")
    desk.distrust()
    return Response(status_code=204)


@router.post("/retention", response_model=RetentionShape)
async def retention(request: Request, body: RetentionOrder) -> Response:
    """Cleans up by the retention settings, or with `dry_run` tells what that would do."""
    desk = desk_of(request)
    report = await desk.labour(desk.memory.retention, dry_run=body.dry_run)
    fields = {name: getattr(report, name) for name in RetentionShape.model_fields if name != "policy"}
    return reply(RetentionShape, fields | {"policy": desk.settings.retention_policy})


@router.get("/stats", response_model=StatsShape)
async def stats(request: Request, days: Annotated[int, Query(ge=1, le=3660)] = 30) -> Response:
    """The figures of all owners together."""
    desk = desk_of(request)
    return reply(StatsShape, await desk.run(desk.memory.stats, days=days))
