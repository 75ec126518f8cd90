"""The verbs that keep a store in order: export, import, erase, retention, checks, backups and figures."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TextIO

from keepsaid.engine.messages import lifecycle
from keepsaid.engine.messages.validation import clean_limit
from keepsaid.errors import InvalidInput, StorageError
from keepsaid.memory.base import MemoryBase
from keepsaid.ports import NO_LIMIT, Progress, QuotaCheck, VectorCoverage
from keepsaid.types import MICROSECOND, Microseconds, RetentionPolicy
from keepsaid.types.reports import (
    EraseReceipt,
    ExportReport,
    ImportReport,
    MemoryStats,
    RetentionReport,
    StorageUsage,
    StoreDiagnosis,
)

RECEIPTS_AT_ONCE = 1_000
FIRST_DRY_RUN = "retention_dry_run"
TEMPORARY = RetentionPolicy(30.0, 30.0, 30.0, keep_facts=False)
"""Retention of temporary sessions, also if the settings keep other sessions forever."""


class MaintenanceVerbs(MemoryBase):
    """The verbs that keep a store in order: export, import, erase, retention, checks, backups and figures."""

    def export(
        self,
        target: str | os.PathLike[str] | TextIO,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        format: str = "json",
        progress: Progress | None = None,
    ) -> ExportReport:
        """Export all data of an owner, or one conversation, to a file.

        The format is `json`, which `import_` reads without loss, or `markdown`, for people to read.

        >>> import io, keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1", session="trip", create=True).add("user", "My sister moved to Lisbon.")
        >>> kept = io.StringIO()
        >>> memory.export(kept, owner="u1").messages
        1
        """
        from keepsaid.transfer.export_import import export

        scope = self._scope(owner, session, pool)
        return export(self._home(self._is_temporary(scope)).storage, scope, target, format, progress)

    def import_(
        self,
        source: str | os.PathLike[str],
        *,
        owner: str,
        pool: str | None = None,
        format: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        quota: QuotaCheck | None = None,
    ) -> ImportReport:
        """Import an export of Keepsaid or of another program (docs/import.md).

        What is in the store already is skipped, so an import can be repeated. `progress` is called with the number of bytes
        read. If the file cannot be read to its end, what came before is kept, and `ImportProblem.report` counts it. `quota`
        is called before each step with the messages and bytes to be stored; the `QuotaExceeded` that it raises has a report,
        too.

        >>> import keepsaid, tempfile
        >>> kept = tempfile.mkdtemp() + "/kept.json"
        >>> memory, other = keepsaid.open("memory://"), keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        >>> _ = memory.export(kept, owner="u1")
        >>> other.import_(kept, owner="u1").messages, other.import_(kept, owner="u1").already_there
        (1, 1)
        """
        from keepsaid.transfer.export_import import import_file

        scope = self._scope(owner, None, pool)
        with self._services.importing(scope):
            return import_file(self._services, scope, Path(source), format, dry_run, progress, quota)

    def erase(
        self, *, owner: str, session: str | None = None, message: str | None = None, pool: str | None = None
    ) -> EraseReceipt:
        """Remove all data of an owner, a session or a message permanently; report what was removed and verified.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "Hello")
        >>> receipt = memory.erase(owner="u1")
        >>> receipt.sessions, receipt.messages, len(memory.sessions(owner="u1"))
        (1, 1, 0)
        """
        if message is not None and session is None:
            raise InvalidInput("a message needs its session: pass `session`, too")
        scope = self._scope(owner, session, pool)
        if session is not None:
            return self._handle(scope, self._is_temporary(scope)).erase(message)
        if pool is None:
            self._temporary.write_receipts()
            self._temporary.storage.erase(scope, None, self._services.now())
        with self._services.paused():
            receipt = self._services.storage.erase(scope, None, self._services.now())
        return self._services.forget_in_index(receipt)

    def retention(self, *, dry_run: bool | None = None, rest: timedelta | None = None) -> RetentionReport:
        """Delete expired sessions and purge sessions that were deleted long ago. Safe to run twice or from two processes.

        The first run on a store is a dry run that only reports, and so are runs within `rest` after it, unless
        `dry_run=False`. The same holds whenever the retention settings change. Facts of expired sessions stay, unless the
        setting `retention_facts` is `purge`.

        >>> import keepsaid
        >>> keepsaid.open("memory://").retention(dry_run=True).total
        0
        """
        now = self._services.now()
        ticket = f"{now} {self._services.new_id(now)}"
        policy = self._services.policy
        kept = (
            "" if dry_run else self._services.storage.settle(f"{FIRST_DRY_RUN} {lifecycle.describe_policy(policy)}", ticket)
        )
        first = kept == ticket or (rest is not None and now - _when(kept) < rest // MICROSECOND)
        first_dry_run = first and dry_run is None
        dry = bool(dry_run) or first_dry_run
        before = lifecycle.compute_cutoffs(policy, now)
        counts = [0, 0, 0, 0]
        after: int | None = 0
        while after is not None:
            batch = self._services.storage.sweep(
                before,
                now,
                after=after,
                limit=self._services.settings.retention_batch,
                dry_run=dry,
                keep_facts=policy.keep_facts,
            )
            for index, count in enumerate((batch.expired, batch.expired_archived, batch.purged, batch.messages_purged)):
                counts[index] += count
            after = batch.last
        if not dry:
            self._drop_receipts(now)
            # Temporary sessions are not counted, because they were never stored. They take memory, so they always expire.
            scratch_before = lifecycle.compute_cutoffs(TEMPORARY, now) | before
            self._temporary.storage.sweep(scratch_before, now, after=0, limit=NO_LIMIT, dry_run=False)
            self._services.storage.maintain()
        return RetentionReport(*counts, dry_run=dry, first_dry_run=first_dry_run)

    def _drop_receipts(self, now: Microseconds) -> None:
        days = self._services.settings.receipt_days
        if days is not None:
            while (
                self._services.storage.drop_receipts(now - int(days * 86_400_000_000), RECEIPTS_AT_ONCE) == RECEIPTS_AT_ONCE
            ):
                pass

    def check(self, *, repair: bool = False) -> StoreDiagnosis:
        """Check rows, keyword index and counters for consistency; with `repair`, fix what is wrong.

        >>> import keepsaid
        >>> keepsaid.open("memory://").check().healthy
        True
        """
        return self._services.storage.check(repair=repair)

    def warnings(self) -> list[str]:
        """Return warnings for the operator of the store, such as that its server does not write to disk.

        >>> import keepsaid
        >>> keepsaid.open("memory://").warnings()
        []
        """
        warnings = self._services.storage.capabilities.warnings
        return [] if warnings is None else list(warnings())

    def maintain(self, *, progress: Progress | None = None) -> int:
        """Do pending work now: embed messages, extract facts, complete an erase that had to wait.

        Background workers do the same on their own. Return how many messages were embedded; `progress` is called with the
        number done and the total.

        >>> import keepsaid
        >>> keepsaid.open("memory://").maintain()
        0
        """
        self._services.storage.maintain()
        if self._services.extraction_worker is not None:
            self._services.extraction_worker.drain()
        embedded = 0 if self._services.embedding_worker is None else self._services.embedding_worker.drain(progress)
        self._services.tidy_index()
        return embedded

    def coverage(self) -> VectorCoverage | None:
        """Return how many messages have vectors, and how many there are; None without an embedder.

        >>> import keepsaid
        >>> keepsaid.open("memory://", embedder="off").coverage()
        """
        return None if self._services.embedding_job is None else self._services.embedding_job.coverage()

    def stats(self, *, owner: str | None = None, days: int = 30) -> MemoryStats:
        """Return usage statistics of an owner, or with None of the whole store.

        They have totals, and the activity on each of the last `days` days, including today.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> _ = chat.add("user", "Hello"), chat.context("How are you?")
        >>> stats = memory.stats(owner="u1")
        >>> stats.messages, stats.periods[-1].prompts, len(stats.periods), stats.recall_p50 > 0
        (1, 1, 30, True)
        """
        from keepsaid.engine.messages import statistics

        scope = None if owner is None else self._scope(owner, None, None)
        self._services.write_receipts()
        since, until = statistics.compute_last_days_range(self._services.clock().astimezone(), clean_limit(days, "days"))
        return statistics.build_statistics(self._services.storage.figures(scope, since, until, statistics.DAY), since)

    def usage(self, *, owner: str, pool: str | None = None) -> StorageUsage:
        """Return how much an owner or pool has in the store, for quotas.

        Cheap to call often: what was counted is not counted again, unless something was erased.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "Hello")
        >>> memory.usage(owner="u1").bytes
        5
        """
        return self._services.storage.usage(self._scope(owner, None, pool))

    def backup(self, target: str | Path, *, progress: Progress | None = None) -> None:
        """Copy the store to a new file while it is in use; the copy has the same key. `progress` counts bytes.

        >>> import keepsaid, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with keepsaid.open(f"{folder}/chat.db") as memory:
        ...     _ = memory.chat(owner="u1").add("user", "Hello")
        ...     memory.backup(f"{folder}/copy.db")
        >>> with keepsaid.open(f"{folder}/copy.db") as copy:
        ...     len(copy.sessions(owner="u1"))
        1
        """
        copy_to = self._services.storage.capabilities.backup
        if copy_to is None:
            raise StorageError("this backend cannot make backups: use `export`, or the backup of its server")
        copy_to(Path(target), progress)


def _when(ticket: str) -> Microseconds:
    """Return the time of a first dry run from its ticket; 0 for tickets of older versions, which have none."""
    moment = ticket.partition(" ")[0]
    return int(moment) if moment.isdecimal() else 0
