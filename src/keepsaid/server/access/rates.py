"""Rate limit per owner: a token bucket that refills steadily."""

from __future__ import annotations

import time

from keepsaid.server.problems import TOO_OFTEN, RequestRefusal

MAX_BUCKETS = 10_000


class OwnerRateLimiter:
    """One bucket per owner, for all processes of a server. It holds ten seconds' worth of requests."""

    def __init__(self, per_minute: int | None) -> None:
        self._per_second = (per_minute or 0) / 60
        self.size = max(1, round(self._per_second * 10)) if per_minute else 0
        self._buckets: dict[str, tuple[float, float]] = {}

    def take_request(self, owner: str) -> tuple[tuple[bytes, bytes], ...]:
        """Take one request from an owner's bucket, and return headers that say how many are left.

        >>> rates = OwnerRateLimiter(6)
        >>> dict(rates.take_request("ann"))[b"ratelimit-remaining"]
        b'0'
        """
        if not self.size:
            return ()
        now = time.monotonic()
        left, at = self._buckets.get(owner, (float(self.size), now))
        left = min(self.size, left + (now - at) * self._per_second)
        if left < 1:
            wait = str(max(1, round((1 - left) / self._per_second)))
            headers = {
                "Retry-After": wait,
                "RateLimit-Limit": str(self.size),
                "RateLimit-Remaining": "0",
                "RateLimit-Reset": wait,
            }
            raise RequestRefusal(TOO_OFTEN, f"try again in {wait} s", headers)
        if len(self._buckets) >= MAX_BUCKETS and owner not in self._buckets:
            self._drop_full_buckets(now)
        self._buckets[owner] = left - 1, now
        reset = b"%d" % round((self.size - left + 1) / self._per_second)
        return (
            (b"ratelimit-limit", b"%d" % self.size),
            (b"ratelimit-remaining", b"%d" % (left - 1)),
            (b"ratelimit-reset", reset),
        )

    def _drop_full_buckets(self, now: float) -> None:
        """Drop the buckets that are full again by now: a new one starts full, too."""
        self._buckets = {
            owner: (left, at)
            for owner, (left, at) in self._buckets.items()
            if left + (now - at) * self._per_second < self.size
        }
