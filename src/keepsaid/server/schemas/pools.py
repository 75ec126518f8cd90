"""Schemas of pools and who may use them."""

from __future__ import annotations

from typing import Literal

from keepsaid.server.schemas.base import RequestBody, ResponseBody, Text


class NewPool(RequestBody):
    """A shared memory to create."""

    name: Text


class GrantRequest(RequestBody):
    """The access of a member to a pool."""

    access: Literal["read", "write", "admin"]


class GrantResponse(ResponseBody):
    """A pool, a member, and their access."""

    pool: str
    owner: str
    access: Literal["read", "write", "admin"]
    name: str


class GrantList(ResponseBody):
    """Access grants."""

    items: list[GrantResponse]
