"""Schemas of the caller and the limits of the server."""

from __future__ import annotations

from keepsaid.server.schemas.base import ResponseBody
from keepsaid.server.schemas.keys import AccessScope


class BodyLimits(ResponseBody):
    """The largest accepted request bodies, in bytes."""

    body_bytes: int
    upload_bytes: int


class CallerInfo(ResponseBody):
    """The caller, and the configuration of the server."""

    owner: str
    scopes: list[AccessScope]
    authenticated: bool
    version: str
    llm: str | None
    llm_note: str
    embedder: str | None
    tokenizer: str
    limits: BodyLimits
