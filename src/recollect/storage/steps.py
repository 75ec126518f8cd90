"""Steps of time: what happened when, counted the same way for every storage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from recollect.ports import Step
from recollect.types import Microseconds


class Span(NamedTuple):
    """Some time in equal steps; the last one may end behind `until`, and counts up to there."""

    since: Microseconds
    until: Microseconds
    step: Microseconds

    @property
    def length(self) -> int:
        """How many steps there are.

        >>> Span(0, 25, 10).length
        3
        """
        return max(0, -(-(self.until - self.since) // self.step))

    def at(self, moment: Microseconds) -> int | None:
        """In which step a moment is, if in any.

        >>> Span(0, 25, 10).at(12), Span(0, 25, 10).at(27)
        (1, None)
        """
        return (moment - self.since) // self.step if self.since <= moment < self.until else None


class Steps:
    """Counts what happened in each step of a span."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self._numbers: list[dict[str, int]] = [defaultdict(int) for _ in range(span.length)]
        self._waits: list[list[float]] = [[] for _ in range(span.length)]

    def add(self, at: int, **numbers: int) -> None:
        """Adds to a step."""
        for name, number in numbers.items():
            self._numbers[at][name] += number

    def add_at(self, moment: Microseconds, **numbers: int) -> None:
        """Adds to the step of a moment, if it is in the span."""
        at = self.span.at(moment)
        if at is not None:
            self.add(at, **numbers)

    def add_summaries(self, made: Iterable[tuple[Microseconds, int]]) -> None:
        """Counts the summaries of one session, given those that are still there: when each was made, and as the how many-th
        of its line. Those in between were made, too, and newer ones replaced them."""
        before = 0
        for moment, nth in sorted(made):
            self.add_at(moment, summaries=max(1, nth - before))
            before = max(before, nth)

    def add_prompt(self, moment: Microseconds, milliseconds: object, tokens: object, reused: object) -> None:
        """Counts a prompt, as far as it is known how long it took and what it had."""
        at = self.span.at(moment)
        if at is None:
            return
        if isinstance(milliseconds, int | float):
            self._waits[at].append(float(milliseconds))
        self.add(
            at,
            prompt_tokens=tokens if isinstance(tokens, int) else 0,
            reused_tokens=reused if isinstance(reused, int) else 0,
        )

    def made(self) -> list[Step]:
        """The steps, oldest first.

        >>> steps = Steps(Span(0, 20, 10))
        >>> steps.add_at(12, messages=2, tokens=9)
        >>> [step.messages for step in steps.made()]
        [0, 2]
        """
        return [
            Step(waits=tuple(sorted(waits)), **numbers) for numbers, waits in zip(self._numbers, self._waits, strict=True)
        ]
