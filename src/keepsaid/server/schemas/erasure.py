"""Schemas of erasure."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from keepsaid.server.schemas.base import Name, RequestBody, ResponseBody


class _EraseOptions(RequestBody):
    keep_facts: bool = Field(False, description="Keep the facts extracted from it, as if they were entered by hand.")


class SessionEraseRequest(_EraseOptions):
    """A session to erase permanently, or one message of it."""

    session: Name
    message: Name | None = None


class FullEraseRequest(_EraseOptions):
    """All data of the owner to erase permanently."""

    confirm: Literal["forget everything"]


EraseRequest = SessionEraseRequest | FullEraseRequest


class EraseResponse(ResponseBody):
    """What was erased, and what was checked afterwards to verify it."""

    sessions: int
    messages: int
    derived: int
    verified: list[str]
    pending: str
    facts_kept: int = 0
