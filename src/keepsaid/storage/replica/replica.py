"""The replica of one partition: a SQLite storage whose source of truth is a ledger."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from keepsaid.errors import StorageError, StoreCorrupt
from keepsaid.ports import VectorDelta, VectorMark
from keepsaid.storage.replica import memberships
from keepsaid.storage.replica.apply_changes import RemovedContent
from keepsaid.storage.replica.ledger import Ledger, PartitionHeader
from keepsaid.storage.replica.writer import ReplicaWriter, catch_up, refill
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage, statistics, work_queue
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.writer import BatchWriter
from keepsaid.storage.sqlite.erase import completion, erasure
from keepsaid.storage.sqlite.erase.erase_record import SqliteEraseRecord
from keepsaid.storage.sqlite.search import vectors, word_search
from keepsaid.types import Microseconds, Scope
from keepsaid.types.reports import CheckFinding, EraseReceipt, StoreDiagnosis

FILLED_BITS = 80
"""More bits than the life of a mark can have."""


class Replica(SqliteStorage):
    """The SQLite storage of one owner or pool. Call `catch_up` before reading. A write is in the ledger before it is
    here."""

    def __init__(self, source: SqliteSource, partition: str, ledger: Ledger, *, lasting: bool) -> None:
        self._partition, self._ledger, self._is_persistent = partition, ledger, lasting
        self._last_header: PartitionHeader | None = None
        super().__init__(source)

    def _make_writer(self, db: SqliteConnection) -> BatchWriter:
        self._replica_writer = ReplicaWriter(db, self._partition, self._ledger)
        self._replica_writer.on_removal = self._after_removal
        return self._replica_writer

    def _after_removal(self, loss: RemovedContent) -> None:
        """Drop cached data about rows that another process removed, and wipe them from the file."""
        self._tails, self._usages = word_search.TailTermCache(), statistics.SqliteUsageCache()
        self._finish_erasing(loss.pieces, rebuild=False)  # as for removed facts: see `_wipe`

    @property
    def header(self) -> PartitionHeader:
        """The partition's header as of this replica."""
        return self._replica_writer.header

    @property
    def path(self) -> Path:
        """The replica's file."""
        return self._source.path

    def is_settled(self) -> bool:
        """Whether everything that was erased has been wiped from the file."""
        with suppress(StorageError):
            return self._readers.run(completion.load_pending_erase) is None
        return False

    def catch_up(self, header: PartitionHeader | None = None) -> None:
        """Bring the replica to the ledger's current point, or to the point of the given header."""
        if header is None:
            (header,) = self._ledger.headers([self._partition])
        elif header is self._last_header:
            return  # if the replica is at another point by now, it has advanced from this one
        if header.point != self.header.point:  # behind, or ahead of a backend that lost commits
            self._writer.run(catch_up)
        self._last_header = header

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        """Return vectors as SQLite does, but restart followers whenever the replica was refilled: the backend may have lost
        messages and reused their numbers."""
        filling = self._replica_writer.refill_count << FILLED_BITS
        delta = super().vectors(scope, generation, since._replace(life=since.life - filling))
        return delta._replace(mark=delta.mark._replace(life=delta.mark.life + filling))

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """Erase as SQLite does, but do not vouch for the backend's own log and pages."""
        return _limit_verified(super().erase(scope, message, now))

    def _finish_erasing(self, pieces: set[bytes], *, rebuild: bool) -> str:
        """Wipe nothing from a temporary replica: it becomes unreadable when its process ends."""
        return super()._finish_erasing(pieces, rebuild=rebuild) if self._is_persistent else ""

    def _look_for_unfinished(self) -> None:
        if self._is_persistent:
            super()._look_for_unfinished()

    def check(self, *, repair: bool = False) -> StoreDiagnosis:
        """Compare with the ledger first, then check as SQLite does: repairs are committed to the ledger, so they must not be
        computed from wrong rows."""
        differences = self._drift()
        repaired = repair and bool(differences) and self._fill_anew()
        findings = [CheckFinding("replica", f"{self._partition}: {text}", repaired) for text in differences]
        diagnosis = super().check(repair=repair and (repaired or not differences))
        return replace(diagnosis, findings=(*findings, *diagnosis.findings))

    def _drift(self) -> list[str]:
        try:
            return self._writer.run(self._replica_writer.drift)
        except StoreCorrupt as error:
            return [str(error)]

    def _fill_anew(self) -> bool:
        with suppress(StoreCorrupt):
            self._writer.run(refill)
        return not self._drift()

    def has_work_line(self, line: str) -> bool:
        """Whether a work line was started in this partition."""
        return self._readers.run(lambda db: work_queue.is_begun(db, line))

    def set_complete(self, generation: str, *, complete: bool) -> None:
        """Record whether a generation has ever covered everything. In the store's own partition, this applies to all."""
        self._writer.run(lambda db: vectors.set_complete(db, generation, complete))

    def erase_author(self, author: str) -> EraseReceipt:
        """Remove what an owner wrote and created in this pool, and the owner's grant."""

        def erase(db: SqliteConnection) -> SqliteEraseRecord:
            tally = SqliteEraseRecord()
            erasure.erase_author(db, author, tally)
            completion.request_completion(db, "pages")
            return tally

        tally = self._writer.run(erase)
        pending = self._finish_erasing(tally.pieces, rebuild=True)
        verified = self._readers.run(lambda db: erasure.verify_erased(db, tally))
        return _limit_verified(EraseReceipt(tally.sessions, tally.messages, tally.derived, verified, pending))

    # -- the owner's pools

    def add_pool(self, pool: str) -> None:
        """Record that the owner has a grant for a pool."""
        self._writer.run(lambda db: memberships.add(db, pool))

    def remove_pool(self, pool: str) -> None:
        """Remove one of the owner's pools from the list."""
        self._writer.run(lambda db: memberships.drop(db, pool))

    def remove_all_pools(self) -> None:
        """Remove all of the owner's pools from the list."""
        self._writer.run(memberships.drop_all)

    def list_pools(self) -> list[str]:
        """The pools that the owner has grants for."""
        return self._readers.run(memberships.list_pools)


def _limit_verified(receipt: EraseReceipt) -> EraseReceipt:
    return replace(receipt, verified=tuple(name for name in receipt.verified if name not in ("log", "pages")))
