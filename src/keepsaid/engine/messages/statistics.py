"""Convert what a storage counted into statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from keepsaid.ports import PeriodFigures, StorageFigures
from keepsaid.types import Microseconds, to_microseconds
from keepsaid.types.reports import MemoryStats, StatsPeriod

DAY = 86_400_000_000


def compute_last_days_range(now: datetime, days: int) -> tuple[Microseconds, Microseconds]:
    """Return the start and end of the last days, including today, in the time zone of `now`.

    >>> from datetime import UTC
    >>> since, until = compute_last_days_range(datetime(2026, 5, 3, 14, tzinfo=UTC), 2)
    >>> (until - since) // DAY, to_microseconds(datetime(2026, 5, 2, tzinfo=UTC)) == since
    (2, True)
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    # Counted back from the end, so that today is complete even if the clocks changed.
    until = to_microseconds(midnight)
    return until - days * DAY, until


def build_statistics(counted: StorageFigures, since: Microseconds, step: Microseconds = DAY) -> MemoryStats:
    """Return the statistics of what was counted from a time on.

    >>> counted = StorageFigures(1, 2, 0, 0, 30, 900, 4, 0, 81_920, [PeriodFigures(messages=3, waits=(2.0, 4.0, 9.0))])
    >>> (build_statistics(counted, 0).session_length, build_statistics(counted, 0).recall_p50,
    ...  build_statistics(counted, 0).periods[0].recall_p95)
    (15.0, 4.0, 9.0)
    """
    waits = sorted(wait for one in counted.steps for wait in one.waits)
    periods = tuple(_to_period(one, since + at * step) for at, one in enumerate(counted.steps))
    return MemoryStats(*counted[:-1], periods, compute_quantile(waits, 0.5), compute_quantile(waits, 0.95))


def _to_period(step: PeriodFigures, start: Microseconds) -> StatsPeriod:
    return StatsPeriod(
        start, step.sessions, step.messages, step.tokens, step.bytes, step.summaries, len(step.waits),
        compute_quantile(step.waits, 0.5), compute_quantile(step.waits, 0.95), step.prompt_tokens, step.reused_tokens,
    )  # fmt: skip


def compute_quantile(growing: Sequence[float], share: float) -> float | None:
    """Return the value that a share of some sorted numbers does not exceed; None without numbers.

    >>> compute_quantile([1.0, 2.0, 3.0, 4.0], 0.5), compute_quantile([7.0], 0.95), compute_quantile([], 0.5)
    (2.0, 7.0, None)
    """
    if not growing:
        return None
    return growing[max(0, math.ceil(share * len(growing)) - 1)]
