"""How much one owner may keep."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from recollect.config import Settings
from recollect.memory import Memory
from recollect.server.problems import QUOTA, Refusal

LOOK_AGAIN = 10.0
"""Seconds after which an owner's figures are counted anew; in between he may be over by what he saves in them."""
MOST = 10_000


class Quotas:
    """Refuses to save more for an owner who has as much as he may."""

    def __init__(self, memory: Memory, settings: Settings, run: Callable[..., Awaitable[Any]]) -> None:
        self._memory = memory
        self._messages = settings.quota_messages
        self._bytes = settings.quota_bytes
        self._run = run
        self._over: dict[str, tuple[float, str]] = {}

    async def check(self, owner: str) -> None:
        """Raises if the owner's quota is used up."""
        if self._messages is None and self._bytes is None:
            return
        at, why = self._over.get(owner, (-LOOK_AGAIN, ""))
        if time.monotonic() - at > LOOK_AGAIN:
            if len(self._over) >= MOST:
                self._over.clear()
            why = await self._run(self._why, owner)
            self._over[owner] = time.monotonic(), why
        if why:
            raise Refusal(QUOTA, why)

    def forget(self, owner: str) -> None:
        """Counts anew: something of his was erased."""
        self._over.pop(owner, None)

    def _why(self, owner: str) -> str:
        used = self._memory.usage(owner=owner)
        if self._messages is not None and used.messages >= self._messages:
            return f"{used.messages:,} of {self._messages:,} messages are kept: erase some to save more"
        if self._bytes is not None and used.bytes >= self._bytes:
            return f"{used.bytes:,} of {self._bytes:,} bytes are kept: erase some to save more"
        return ""
