"""Schemas of API keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from keepsaid.server.schemas.base import Name, NonBlankText, RequestBody, ResponseBody, Timestamp, limit_entries

AccessScope = Literal["read", "write", "admin"]
TENANT_PATTERN = r"^[^\x00-\x1f/]+$"


class _NewKeyFields(RequestBody):
    name: Annotated[NonBlankText, Field(max_length=200)]
    expires_at: Timestamp | None = None


class NewOwnerKey(_NewKeyFields):
    """A key of one owner."""

    owner: Name
    tenant: None = None
    scopes: Annotated[list[AccessScope], Field(min_length=1, max_length=3), limit_entries(3)] = ["read", "write"]


class NewServiceKey(_NewKeyFields):
    """A key of a service that acts for the users of a tenant."""

    tenant: Annotated[str, Field(min_length=1, max_length=200, pattern=TENANT_PATTERN)]
    owner: None = None
    scopes: Annotated[list[Literal["read", "write"]], Field(min_length=1, max_length=2), limit_entries(2)] = [
        "read",
        "write",
    ]


NewKey = NewOwnerKey | NewServiceKey


class KeyResponse(ResponseBody):
    """A key, without its secret, which is not stored."""

    id: str
    name: str
    owner: str | None
    tenant: str | None
    scopes: list[AccessScope]
    created_at: datetime
    expires_at: datetime | None


class KeyList(ResponseBody):
    """Keys, newest first."""

    items: list[KeyResponse]


class NewKeyResponse(KeyResponse):
    """A new key. The secret is shown only once."""

    secret: str
