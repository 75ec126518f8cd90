"""How often an owner may ask: a bucket of requests that fills up again steadily."""

from __future__ import annotations

import time

from recollect.server.problems import TOO_OFTEN, Refusal

MOST = 10_000


class Rates:
    """One bucket an owner, for all processes of a server. It holds ten seconds' worth of requests."""

    def __init__(self, per_minute: int | None) -> None:
        self._per_second = (per_minute or 0) / 60
        self.size = max(1, round(self._per_second * 10)) if per_minute else 0
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, owner: str) -> tuple[tuple[bytes, bytes], ...]:
        """Takes one request out of an owner's bucket, and returns headers that tell how many are left.

        >>> rates = Rates(6)
        >>> dict(rates.take("ann"))[b"ratelimit-remaining"]
        b'0'
        """
        if not self.size:
            return ()
        now = time.monotonic()
        left, at = self._buckets.get(owner, (float(self.size), now))
        left = min(self.size, left + (now - at) * self._per_second)
        if left < 1:
            wait = str(max(1, round((1 - left) / self._per_second)))
            told = {
                "Retry-After": wait,
                "RateLimit-Limit": str(self.size),
                "RateLimit-Remaining": "0",
                "RateLimit-Reset": wait,
            }
            raise Refusal(TOO_OFTEN, f"try again in {wait} s", told)
        if len(self._buckets) >= MOST and owner not in self._buckets:
            self._make_room(now)
        self._buckets[owner] = left - 1, now
        reset = b"%d" % round((self.size - left + 1) / self._per_second)
        return (
            (b"ratelimit-limit", b"%d" % self.size),
            (b"ratelimit-remaining", b"%d" % (left - 1)),
            (b"ratelimit-reset", reset),
        )

    def _make_room(self, now: float) -> None:
        """Forgets those whose buckets are full again by now: they would begin with a full one."""
        self._buckets = {
            owner: (left, at)
            for owner, (left, at) in self._buckets.items()
            if left + (now - at) * self._per_second < self.size
        }
