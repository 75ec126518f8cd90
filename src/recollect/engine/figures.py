"""Figures for people: what a storage counted, as statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.ports import Counted, Step
from recollect.reports import Period, Stats
from recollect.types import Microseconds, microseconds

DAY = 86_400_000_000


def last_days(now: datetime, days: int) -> tuple[Microseconds, Microseconds]:
    """From when to when the last days are, today being one of them, as seen from somebody's time zone.

    >>> from datetime import UTC
    >>> since, until = last_days(datetime(2026, 5, 3, 14, tzinfo=UTC), 2)
    >>> (until - since) // DAY, microseconds(datetime(2026, 5, 2, tzinfo=UTC)) == since
    (2, True)
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    # Counted back from the end, so that today is whole even if the clocks were changed meanwhile.
    until = microseconds(midnight)
    return until - days * DAY, until


def stats(counted: Counted, since: Microseconds, step: Microseconds = DAY) -> Stats:
    """The statistics of what was counted from a moment on.

    >>> counted = Counted(1, 2, 0, 0, 30, 900, 4, 0, 81_920, [Step(messages=3, waits=(2.0, 4.0, 9.0))])
    >>> stats(counted, 0).session_length, stats(counted, 0).recall_p50, stats(counted, 0).periods[0].recall_p95
    (15.0, 4.0, 9.0)
    """
    waits = sorted(wait for one in counted.steps for wait in one.waits)
    periods = tuple(_period(one, since + at * step) for at, one in enumerate(counted.steps))
    return Stats(*counted[:-1], periods, quantile(waits, 0.5), quantile(waits, 0.95))


def _period(step: Step, start: Microseconds) -> Period:
    return Period(
        start, step.sessions, step.messages, step.tokens, step.bytes, step.summaries, len(step.waits),
        quantile(step.waits, 0.5), quantile(step.waits, 0.95), step.prompt_tokens, step.reused_tokens,
    )  # fmt: skip


def quantile(growing: Sequence[float], share: float) -> float | None:
    """What so large a share of some growing numbers does not exceed; None of none.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5), quantile([7.0], 0.95), quantile([], 0.5)
    (2.0, 7.0, None)
    """
    if not growing:
        return None
    return growing[max(0, math.ceil(share * len(growing)) - 1)]
