"""Figures of a store, and its check-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from keepsaid.types import Microseconds, Scope
from keepsaid.types.reports import StorageUsage, StoreDiagnosis


class PeriodFigures(NamedTuple):
    """What happened in one period of time."""

    sessions: int = 0
    """Begun in the period, and not deleted since."""
    messages: int = 0
    """Saved in the period, on any branch."""
    tokens: int = 0
    bytes: int = 0
    """The size of these messages, without indexes and vectors."""
    summaries: int = 0
    """Written in the period, including those that were replaced since."""
    waits: Sequence[float] = ()
    """Milliseconds that each prompt of the period took, ascending."""
    prompt_tokens: int = 0
    reused_tokens: int = 0
    """The tokens at the start of each prompt that equal those of the prompt before, according to its receipt."""


class StorageFigures(NamedTuple):
    """Totals, and what happened in each period. Counts messages and tokens on the active paths of sessions that are not
    deleted, and current facts."""

    owners: int
    active: int
    archived: int
    deleted: int
    messages: int
    tokens: int
    facts: int
    documents: int
    size: int
    """Bytes of the whole store, of all owners."""
    steps: list[PeriodFigures]


class StatisticsStorage(Protocol):
    """Counts what a store has, and checks it."""

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> StorageFigures:
        """Return totals and periods of an owner or pool, or with None of all, for each step from `since` that begins before
        `until`. Works across owners, like `sweep`, and returns nothing but numbers."""
        ...

    def usage(self, scope: Scope) -> StorageUsage:
        """Return how much an owner or pool has, including documents and what is deleted but not purged."""
        ...

    def check(self, *, repair: bool = False) -> StoreDiagnosis:
        """Compare rows, indexes and counters, and with `repair` correct them."""
        ...
