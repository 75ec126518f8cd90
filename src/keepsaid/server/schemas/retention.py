"""Schemas of retention."""

from __future__ import annotations

from keepsaid.server.schemas.base import RequestBody, ResponseBody


class RetentionPolicyResponse(ResponseBody):
    """How long sessions are kept, in days; null for unlimited."""

    active_days: float | None
    archived_days: float | None
    deleted_days: float | None
    keep_facts: bool


class RetentionRequest(RequestBody):
    """A clean-up; by default a dry run that only reports what it would do."""

    dry_run: bool = True


class RetentionResponse(ResponseBody):
    """What a clean-up did, or would do."""

    expired: int
    expired_archived: int
    purged: int
    messages_purged: int
    total: int
    dry_run: bool
    first_dry_run: bool
    policy: RetentionPolicyResponse
