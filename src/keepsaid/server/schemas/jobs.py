"""Schemas of background jobs and what they report."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from keepsaid.server.schemas.base import ProblemDocument, ResponseBody


class ImportResponse(ResponseBody):
    """The result of an import."""

    format: str
    conversations: int
    messages: int
    already_there: int
    documents: int
    facts: int
    skipped: dict[str, int]
    repaired: dict[str, int]
    warnings: list[str]


class JobResponse(ResponseBody):
    """A background job."""

    id: str
    kind: Literal["import", "preview"]
    state: Literal["running", "done", "failed"]
    done: int = Field(description="Bytes read so far.")
    total: int
    report: ImportResponse | None
    problem: ProblemDocument | None
