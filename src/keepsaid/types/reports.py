"""Reports of retention, erase, export, import, checks and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from keepsaid.types import Microseconds, to_datetime


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What retention removed or, with `dry_run`, would remove.

    The first run on a store, and the first with changed settings, is only a dry run: `first_dry_run`.

    >>> RetentionReport(expired=2, purged=1, dry_run=True).total
    3
    """

    expired: int = 0
    expired_archived: int = 0
    purged: int = 0
    messages_purged: int = 0
    dry_run: bool = False
    first_dry_run: bool = False

    @property
    def total(self) -> int:
        """The number of sessions that are deleted or purged.

        >>> RetentionReport(expired=1).total
        1
        """
        return self.expired + self.expired_archived + self.purged


@dataclass(frozen=True, slots=True)
class EraseReceipt:
    """What an erase removed, and what was checked afterwards.

    `verified` names the places where nothing is left. `pending` says what blocks the rest, such as a reader in another
    process: it is retried by every process that has the store open, now or later, until it succeeds. Until then,
    `Memory.warnings()` reports it.

    >>> EraseReceipt(sessions=1, messages=4, verified=("rows",)).pending
    ''
    """

    sessions: int = 0
    messages: int = 0
    derived: int = 0
    verified: tuple[str, ...] = ()
    pending: str = ""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export contains.

    >>> ExportReport(sessions=2, messages=31).messages
    31
    """

    sessions: int = 0
    messages: int = 0
    documents: int = 0
    facts: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import added: new conversations and messages, what existed already, and what was skipped and why.

    >>> ImportReport("chatgpt", conversations=2, messages=31, skipped={"hidden messages": 4}).skipped["hidden messages"]
    4
    """

    format: str
    conversations: int = 0
    messages: int = 0
    already_there: int = 0
    """Messages that an earlier import had added."""
    documents: int = 0
    facts: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    repaired: Mapping[str, int] = field(default_factory=dict[str, int])
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One problem that a check of the store found.

    >>> CheckFinding("counters", "session s1 counts 3 messages but has 2").kind
    'counters'
    """

    kind: str
    detail: str
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class StoreDiagnosis:
    """The result of a check of the store: what was checked, and what was found.

    >>> StoreDiagnosis(checked={"messages": 3}).healthy
    True
    """

    checked: Mapping[str, int] = field(default_factory=dict[str, int])
    findings: tuple[CheckFinding, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong, or everything was repaired.

        >>> StoreDiagnosis(findings=(CheckFinding("keywords", "missing", repaired=True),)).healthy
        True
        """
        return all(finding.repaired for finding in self.findings)


@dataclass(frozen=True, slots=True)
class StorageUsage:
    """How much an owner has in the store, including what is deleted but not yet purged: for quotas.

    `messages` counts all branches; `bytes` is the size of messages and document chunks, without indexes and vectors.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> _ = memory.chat(owner="u1").add("user", "Hello")
    >>> memory.usage(owner="u1")
    StorageUsage(sessions=1, messages=1, bytes=5)
    """

    sessions: int = 0
    messages: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class StatsPeriod:
    """Activity in one day, or another period, of `Memory.stats`.

    `bytes` is the size of its messages, without indexes and vectors; `recall_p50` and `recall_p95` are percentiles of the
    time to build a prompt, in milliseconds. Of the `prompt_tokens`, `reused_tokens` are the same as at the beginning of the
    previous prompt, so that a provider can take them from its cache.

    >>> StatsPeriod(0, messages=3).start_at.year
    1970
    """

    start: Microseconds
    sessions: int = 0
    messages: int = 0
    tokens: int = 0
    bytes: int = 0
    summaries: int = 0
    prompts: int = 0
    recall_p50: float | None = None
    recall_p95: float | None = None
    prompt_tokens: int = 0
    reused_tokens: int = 0

    @property
    def start_at(self) -> datetime:
        """The start of the period."""
        return to_datetime(self.start)


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Usage of a memory: totals, and the activity in each of the last days.

    `messages` and `tokens` count the active branches of sessions that are not deleted; `size` is the whole store in bytes;
    `recall_p50` and `recall_p95` are over all prompts in `periods`, in milliseconds.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> _ = memory.chat(owner="u1").add("user", "Hello")
    >>> stats = memory.stats(owner="u1", days=7)
    >>> stats.sessions, stats.session_length, [period.messages for period in stats.periods]
    (1, 1.0, [0, 0, 0, 0, 0, 0, 1])
    """

    owners: int
    active: int
    archived: int
    deleted: int
    messages: int
    tokens: int
    facts: int
    documents: int
    size: int
    periods: tuple[StatsPeriod, ...]
    recall_p50: float | None = None
    recall_p95: float | None = None

    @property
    def sessions(self) -> int:
        """The number of sessions, active or archived."""
        return self.active + self.archived

    @property
    def session_length(self) -> float:
        """The average number of messages per session."""
        return self.messages / self.sessions if self.sessions else 0.0
