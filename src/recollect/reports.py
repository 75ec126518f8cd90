"""What the larger verbs report: what was cleaned up, erased, exported, imported, checked or counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.types import Microseconds, moment


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What a clean-up did, or with `dry_run` would do. The first real clean-up of a store is a rehearsal.

    >>> RetentionReport(expired=2, purged=1, dry_run=True).total
    3
    """

    expired: int = 0
    expired_archived: int = 0
    purged: int = 0
    messages_purged: int = 0
    dry_run: bool = False
    rehearsal: bool = False

    @property
    def total(self) -> int:
        """How many sessions the clean-up touches.

        >>> RetentionReport(expired=1).total
        1
        """
        return self.expired + self.expired_archived + self.purged


@dataclass(frozen=True, slots=True)
class EraseReceipt:
    """What an erase removed, and what was looked at afterwards to prove it.

    `pending` is set while something outside our reach (a reader in another process) still holds the old log; the next
    `maintain()` or opening finishes it.

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
    """What an export holds.

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
    """What an import brought: new conversations and messages, what was there already, and what was left out and why.

    >>> ImportReport("chatgpt", conversations=2, messages=31, skipped={"hidden messages": 4}).skipped["hidden messages"]
    4
    """

    format: str
    conversations: int = 0
    messages: int = 0
    already_there: int = 0
    """Messages that an earlier import had brought."""
    documents: int = 0
    facts: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    mended: Mapping[str, int] = field(default_factory=dict[str, int])
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check of the store found wrong.

    >>> Finding("counters", "session s1 counts 3 messages but has 2").kind
    'counters'
    """

    kind: str
    detail: str
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of a check-up: what was looked at, and what was found.

    >>> Diagnosis(checked={"messages": 3}).healthy
    True
    """

    checked: Mapping[str, int] = field(default_factory=dict[str, int])
    findings: tuple[Finding, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong, or nothing is wrong any more.

        >>> Diagnosis(findings=(Finding("keywords", "missing", repaired=True),)).healthy
        True
        """
        return all(finding.repaired for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Usage:
    """What an owner has in the store by now, with what was deleted but not yet purged: for quotas.

    `messages` are those on all branches; `bytes` is what they and the pieces of documents take, without indexes and vectors.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> _ = memory.chat(owner="u1").add("user", "Hello")
    >>> memory.usage(owner="u1")
    Usage(sessions=1, messages=1, bytes=5)
    """

    sessions: int = 0
    messages: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Period:
    """What happened in one day, or another step of time, of `Memory.stats`.

    `bytes` is what its messages take, without indexes and vectors; `recall_p50` and `recall_p95` are the milliseconds that
    half, and 95 of 100, of its prompts took at the most. Of the `prompt_tokens`, `reused_tokens` stood at the beginning of
    the prompt before, which a provider's cache need not read again.

    >>> Period(0, messages=3).start_at.year
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
        """When it began."""
        return moment(self.start)


@dataclass(frozen=True, slots=True)
class Stats:
    """How a memory is used: what is there by now, and what happened in each of the last days.

    `messages` and `tokens` are those of sessions that are not deleted, on their active paths; `size` is what the whole
    store takes, in bytes; the latencies are of all prompts in `periods`, in milliseconds.

    >>> import recollect
    >>> memory = recollect.open("memory://")
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
    periods: tuple[Period, ...]
    recall_p50: float | None = None
    recall_p95: float | None = None

    @property
    def sessions(self) -> int:
        """How many there are, active or archived."""
        return self.active + self.archived

    @property
    def session_length(self) -> float:
        """Messages of a session, on average."""
        return self.messages / self.sessions if self.sessions else 0.0
