"""Limits on how much one owner may store."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from keepsaid.config import Settings
from keepsaid.errors import QuotaExceeded
from keepsaid.memory import Memory
from keepsaid.ports import QuotaCheck
from keepsaid.server.problems import QUOTA, RequestRefusal

RECOUNT_SECONDS = 10.0
"""Seconds until an owner's usage is counted again; in between they may exceed the quota by what they save meanwhile."""
MAX_CACHED_OWNERS = 10_000


class OwnerQuotas:
    """Refuses to save more for an owner whose quota is used up."""

    def __init__(self, memory: Memory, settings: Settings, run: Callable[..., Awaitable[Any]]) -> None:
        self._memory = memory
        self._messages = settings.quota_messages
        self._bytes = settings.quota_bytes
        self._run = run
        self._over: dict[str, tuple[float, str]] = {}

    def quota_check_for(self, owner: str) -> QuotaCheck | None:
        """Return the check before each step of an import or a document. It counts everything stored by then, including what
        other requests saved meanwhile. None without quotas."""
        if self._messages is None and self._bytes is None:
            return None
        return partial(self._check_room, owner)

    def _check_room(self, owner: str, messages: int, bytes: int) -> None:
        used = self._memory.usage(owner=owner)
        for limit, kept, coming, what in (
            (self._messages, used.messages, messages, "messages"),
            (self._bytes, used.bytes, bytes, "bytes"),
        ):
            if limit is not None and kept + coming > limit:
                raise QuotaExceeded(
                    f"{kept:,} of {limit:,} {what} are stored, and the next step has {coming:,}: erase some to save more"
                )

    async def check(self, owner: str) -> None:
        """Raise if the owner's quota is used up."""
        if self._messages is None and self._bytes is None:
            return
        at, why = self._over.get(owner, (-RECOUNT_SECONDS, ""))
        if time.monotonic() - at > RECOUNT_SECONDS:
            if len(self._over) >= MAX_CACHED_OWNERS:
                self._over.clear()
            why = await self._run(self._reason, owner)
            self._over[owner] = time.monotonic(), why
        if why:
            raise RequestRefusal(QUOTA, why)

    async def is_used_up(self, owner: str) -> bool:
        """Whether nothing more of the owner may be saved."""
        try:
            await self.check(owner)
        except RequestRefusal as refusal:
            if refusal.kind is not QUOTA:
                raise
            return True
        return False

    def forget_owner(self, owner: str) -> None:
        """Count an owner's usage again: some of their data was erased."""
        self._over.pop(owner, None)

    def _reason(self, owner: str) -> str:
        used = self._memory.usage(owner=owner)
        if self._messages is not None and used.messages >= self._messages:
            return f"{used.messages:,} of {self._messages:,} messages are stored: erase some to save more"
        if self._bytes is not None and used.bytes >= self._bytes:
            return f"{used.bytes:,} of {self._bytes:,} bytes are stored: erase some to save more"
        return ""
