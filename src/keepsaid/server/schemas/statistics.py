"""Schemas of statistics."""

from __future__ import annotations

from datetime import datetime

from keepsaid.server.schemas.base import ResponseBody


class PeriodResponse(ResponseBody):
    """Statistics of one day."""

    start_at: datetime
    sessions: int
    messages: int
    tokens: int
    bytes: int
    summaries: int
    prompts: int
    prompt_tokens: int
    reused_tokens: int
    recall_p50: float | None
    recall_p95: float | None


class StatsResponse(ResponseBody):
    """Current totals, and the activity of each of the last days."""

    owners: int
    active: int
    archived: int
    deleted: int
    sessions: int
    messages: int
    tokens: int
    facts: int
    documents: int
    size: int | None
    session_length: float
    recall_p50: float | None
    recall_p95: float | None
    periods: list[PeriodResponse]
