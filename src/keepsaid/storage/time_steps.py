"""Counters per step of time, shared by all storages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from keepsaid.ports import PeriodFigures
from keepsaid.types import Microseconds


class TimeStepRange(NamedTuple):
    """A range of time in equal steps. The last step may end after `until`, but counts only up to it."""

    since: Microseconds
    until: Microseconds
    step: Microseconds

    @property
    def step_count(self) -> int:
        """The number of steps.

        >>> TimeStepRange(0, 25, 10).step_count
        3
        """
        return max(0, -(-(self.until - self.since) // self.step))

    def find_step(self, moment: Microseconds) -> int | None:
        """Return the index of the step that contains a time, or None.

        >>> TimeStepRange(0, 25, 10).find_step(12), TimeStepRange(0, 25, 10).find_step(27)
        (1, None)
        """
        return (moment - self.since) // self.step if self.since <= moment < self.until else None


class TimeStepCounter:
    """Counts events in each step of a time range."""

    def __init__(self, span: TimeStepRange) -> None:
        self.time_range = span
        self._numbers: list[dict[str, int]] = [defaultdict(int) for _ in range(span.step_count)]
        self._waits: list[list[float]] = [[] for _ in range(span.step_count)]

    def add(self, at: int, **numbers: int) -> None:
        """Add to the counters of a step."""
        for name, number in numbers.items():
            self._numbers[at][name] += number

    def add_at(self, moment: Microseconds, **numbers: int) -> None:
        """Add to the counters of the step that contains a time, if there is one."""
        at = self.time_range.find_step(moment)
        if at is not None:
            self.add(at, **numbers)

    def add_summaries(self, made: Iterable[tuple[Microseconds, int]]) -> None:
        """Count the summaries of one session, given the existing ones: when each was created, and its ordinal number.
        Missing numbers are summaries that were replaced by newer ones; they are counted as well."""
        before = 0
        for moment, nth in sorted(made):
            self.add_at(moment, summaries=max(1, nth - before))
            before = max(before, nth)

    def add_prompt(self, moment: Microseconds, milliseconds: object, tokens: object, reused: object) -> None:
        """Count a prompt with its duration and token counts, where they are known."""
        at = self.time_range.find_step(moment)
        if at is None:
            return
        if isinstance(milliseconds, int | float):
            self._waits[at].append(float(milliseconds))
        self.add(
            at,
            prompt_tokens=tokens if isinstance(tokens, int) else 0,
            reused_tokens=reused if isinstance(reused, int) else 0,
        )

    def build_steps(self) -> list[PeriodFigures]:
        """Return the steps, oldest first.

        >>> steps = TimeStepCounter(TimeStepRange(0, 20, 10))
        >>> steps.add_at(12, messages=2, tokens=9)
        >>> [step.messages for step in steps.build_steps()]
        [0, 2]
        """
        return [
            PeriodFigures(waits=tuple(sorted(waits)), **numbers)
            for numbers, waits in zip(self._numbers, self._waits, strict=True)
        ]
