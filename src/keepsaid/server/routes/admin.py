"""Routes for administrators: keys, clean-up, statistics of all owners."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from keepsaid.errors import NotFound, StorageError
from keepsaid.ports import KeyStorage, ServerKey
from keepsaid.server.access import keys
from keepsaid.server.requests import PROBLEMS, reply, state_of
from keepsaid.server.schemas.keys import KeyList, NewKey, NewKeyResponse
from keepsaid.server.schemas.retention import RetentionRequest, RetentionResponse
from keepsaid.server.schemas.statistics import StatsResponse
from keepsaid.server.state import ServerState
from keepsaid.types import to_datetime

router = APIRouter(prefix="/v1/admin", tags=["admin"], responses=PROBLEMS)


def _keyring(state: ServerState) -> KeyStorage:
    if state.keyring is None:
        raise StorageError("this storage backend cannot store keys")
    return state.keyring


def _key_fields(key: ServerKey) -> dict[str, object]:
    fields: dict[str, object] = {name: getattr(key, name) for name in ("id", "name", "owner", "tenant", "scopes")}
    ends = None if key.expires is None else to_datetime(key.expires)
    return fields | {"created_at": to_datetime(key.created), "expires_at": ends}


@router.get("/keys", response_model=KeyList)
async def list_keys(request: Request) -> Response:
    """List all keys, newest first, without their secrets, which are not stored."""
    state = state_of(request)
    return reply(KeyList, {"items": [_key_fields(key) for key in await state.run(_keyring(state).keys)]})


@router.post("/keys", status_code=201, response_model=NewKeyResponse)
async def create_key(request: Request, body: NewKey) -> Response:
    """Create a key for an owner, or for a service that acts for the users of a tenant. Its secret is shown only once."""
    state = state_of(request)
    now = time.time_ns() // 1000
    key, secret = await state.run(
        keys.create_key, _keyring(state), now, body.name, owner=body.owner, tenant=body.tenant, scopes=body.scopes,
        expires=body.expires_at,
    )  # fmt: skip
    return reply(NewKeyResponse, _key_fields(key) | {"secret": secret}, 201)


@router.delete("/keys/{key}", status_code=204, response_class=Response)
async def drop_key(request: Request, key: str) -> Response:
    """Revoke a key. Other processes may accept it for a few more seconds."""
    state = state_of(request)
    if not await state.run_key_operation(_keyring(state).drop_key, key):
        raise NotFound("there is no such key")
    state.invalidate_keys()
    return Response(status_code=204)


@router.post("/retention", response_model=RetentionResponse)
async def retention(request: Request, body: RetentionRequest) -> Response:
    """Clean up by the retention settings, or with `dry_run` report what that would do."""
    state = state_of(request)
    report = await state.run_job(state.memory.retention, dry_run=body.dry_run)
    fields = {name: getattr(report, name) for name in RetentionResponse.model_fields if name != "policy"}
    return reply(RetentionResponse, fields | {"policy": state.settings.retention_policy})


@router.get("/stats", response_model=StatsResponse)
async def stats(request: Request, days: Annotated[int, Query(ge=1, le=3660)] = 30) -> Response:
    """Return statistics over all owners."""
    state = state_of(request)
    return reply(StatsResponse, await state.run(state.memory.stats, days=days))
