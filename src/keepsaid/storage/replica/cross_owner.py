"""The operations across owners: handing out work, retention, totals, and erasing what an owner wrote in pools."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeVar

from keepsaid.errors import NotFound
from keepsaid.ports import PeriodFigures, StorageFigures, SweepBatch, VectorCoverage, VectorGeneration, WorkLease
from keepsaid.storage.replica import partition_header, partitions
from keepsaid.storage.replica.ledger import Ledger, PartitionHeader
from keepsaid.storage.replica.replica import Replica
from keepsaid.storage.replica.replicas import ReplicaPool
from keepsaid.types import Microseconds, Scope, SessionStatus
from keepsaid.types.reports import EraseReceipt, StoreDiagnosis

Result = TypeVar("Result")

_SESSION_BITS = 40
"""A sweep cursor is a partition's name as a number, followed by this many bits for the session in the partition."""


class CrossOwnerOperations:
    """Processes one partition after the other. The headers tell which of them need to be loaded."""

    def __init__(self, ledger: Ledger, replicas: ReplicaPool) -> None:
        self._ledger, self._replicas = ledger, replicas
        self._last_claimed: dict[tuple[str, str], str] = {}
        self._sweep_order: list[str] = []

    def _partitions(self) -> Iterator[tuple[str, PartitionHeader]]:
        return (
            (partition, header) for partition, header in self._ledger.list_partitions() if partitions.is_owned(partition)
        )

    def _run_in(self, partition: str, verb: Callable[[Replica], Result], header: PartitionHeader | None = None) -> Result:
        with self._replicas.acquire(partition) as replica:
            replica.catch_up(header)
            return verb(replica)

    @contextmanager
    def _store(self) -> Generator[Replica]:
        with self._replicas.acquire(partitions.STORE_PARTITION) as store:
            store.catch_up()
            yield store

    # -- generations and note lines

    def begin_generation(self, name: str, dimensions: int) -> VectorGeneration:
        """Begin or return the generation of this name. In an empty store it is complete at once."""
        with self._store() as store:
            new = name not in {generation.name for generation in store.generations()}
            made = store.begin_generation(name, dimensions)
            if new and any(partition_header.has_messages(header.note) for _, header in self._partitions()):
                store.set_complete(name, complete=False)
                return made._replace(complete=False)
            return made

    def drop_generation(self, name: str) -> int:
        """Remove a generation from every partition, and last from the store."""
        dropped = sum(
            self._run_in(partition, lambda replica: replica.drop_generation(name), header)
            for partition, header in self._partitions()
        )
        with self._store() as store:
            store.drop_generation(name)
        return dropped

    def coverage(self, name: str) -> VectorCoverage:
        """How much of all partitions a generation covers."""
        each = [
            self._run_in(partition, lambda replica: replica.coverage(name), header)
            for partition, header in self._partitions()
        ]
        return VectorCoverage(*(sum(some) for some in zip(*each, strict=True))) if each else VectorCoverage(0, 0, 0, 0)

    def unnoted(self, line: str) -> int:
        """How many messages wait in a note line."""
        self._dimensions(line)
        return sum(
            self._run_in(partition, lambda replica: self._count_unnoted(replica, line), header)
            for partition, header in self._partitions()
            if partition_header.has_waiting_work(header.note, line, shelves=False)
        )

    def _count_unnoted(self, replica: Replica, line: str) -> int:
        self.begin_here(replica, line)
        return replica.unnoted(line)

    def begin_here(self, replica: Replica, line: str) -> None:
        """Start a work line in a partition, if it was started in the store."""
        if replica.has_work_line(line):
            return
        with suppress(NotFound):
            dimensions = self._dimensions(line)
            if dimensions:
                replica.begin_generation(line, dimensions)
            else:
                replica.begin_notes(line)

    def _dimensions(self, line: str) -> int:
        """The dimensions of a generation; 0 for a note line."""
        with self._store() as store:
            # In this order: a generation that another thread begins between the two reads must not be taken for a note line.
            is_begun = store.has_work_line(line)
            known = next((generation.dimensions for generation in store.generations() if generation.name == line), 0)
            if not known and not is_begun:
                raise NotFound(f"no work of {line!r} was ever begun in this store")
            return known

    # -- handing out work

    def claim(
        self, line: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None
    ) -> WorkLease | None:
        """Lease messages of the scope. Without a scope, take the partition that the holder had last, or the next with
        pending work."""
        dimensions = self._dimensions(line)

        def take(replica: Replica) -> WorkLease | None:
            self.begin_here(replica, line)
            return replica.claim(line, holder, now, until, limit, scope)

        if scope is not None:
            return self._run_in(partitions.partition_of(scope), take)
        for partition in self._waiting(line, holder, shelves=dimensions > 0):
            task = self._run_in(partition, take)
            if task is not None:
                self._last_claimed[line, holder] = partition
                return task
        self.complete_if_done(line)
        return None

    def _waiting(self, line: str, holder: str, *, shelves: bool) -> list[str]:
        """The partitions with waiting messages, in round-robin order from the one that the holder claimed last."""
        waiting = sorted(
            partition
            for partition, header in self._partitions()
            if partition_header.has_waiting_work(header.note, line, shelves)
        )
        last = self._last_claimed.get((line, holder), "")
        return [partition for partition in waiting if partition >= last] + [
            partition for partition in waiting if partition < last
        ]

    def complete_if_done(self, line: str) -> None:
        """Mark a generation as complete, if nothing waits in any partition."""
        with self._store() as store:
            known = {generation.name: generation for generation in store.generations()}.get(line)
            if known is None or known.complete:
                return
            if not any(
                partition_header.has_waiting_work(header.note, line, shelves=True) for _, header in self._partitions()
            ):
                store.set_complete(line, complete=True)

    # -- retention and erasing

    def sweep(
        self,
        before: Mapping[SessionStatus, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool,
    ) -> SweepBatch:
        """Run one batch, partition by partition in order of their names. Concurrent sweeps share the list of a round,
        because each one's cursor is a name."""
        if not after or not self._sweep_order:
            self._sweep_order = sorted(partition for partition, _ in self._partitions())
        begun, session = _parse_cursor(after)
        done = SweepBatch()
        for partition in self._sweep_order[bisect_left(self._sweep_order, begun) :]:
            more: int | None = session if partition == begun else 0
            while more is not None:
                left = limit - (done.expired + done.expired_archived + done.purged)
                if left <= 0:
                    return replace(done, last=_format_cursor(partition, more))
                some = self._run_in(
                    partition,
                    lambda replica, after=more, limit=left: replica.sweep(
                        before, now, after=after, limit=limit, dry_run=dry_run, keep_facts=keep_facts
                    ),
                )
                done, more = _add_sweeps(done, some), some.last
        return done

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        """Remove old receipts, up to a limit."""
        dropped = 0
        for partition, header in self._partitions():
            if dropped < limit:
                left = limit - dropped
                dropped += self._run_in(partition, lambda replica, left=left: replica.drop_receipts(before, left), header)
        return dropped

    def erase_owner(self, scope: Scope, now: Microseconds) -> EraseReceipt:
        """Remove what an owner wrote in pools, pool by pool, and the owner's own data last. If this is interrupted, erasing
        the owner again finds the rest."""
        receipts = [
            self._run_in(partition, lambda replica: replica.erase_author(scope.owner), header)
            for partition, header in self._partitions()
            if partitions.is_pool(partition)
        ]

        def erase_own(replica: Replica) -> EraseReceipt:
            replica.remove_all_pools()
            return replica.erase(scope, None, now)

        receipts.append(self._run_in(partitions.partition_of(scope), erase_own))
        verified = [name for name in receipts[-1].verified if all(name in receipt.verified for receipt in receipts[:-1])]
        return EraseReceipt(
            sum(receipt.sessions for receipt in receipts),
            sum(receipt.messages for receipt in receipts),
            sum(receipt.derived for receipt in receipts),
            tuple(verified),
            next((receipt.pending for receipt in receipts if receipt.pending), ""),
        )

    # -- whole store, for copying

    def everyone(self) -> Iterator[Scope]:
        """Every owner and pool. Only the pool itself knows its admins, so its replica is read."""
        for partition, header in self._partitions():
            if not header.note:
                continue  # everything in it was erased
            if partitions.is_pool(partition):
                yield from self._run_in(partition, lambda replica: replica.everyone(), header)
            else:
                yield Scope(partitions.owner_or_pool_id(partition))

    # -- totals

    def figures(self, since: Microseconds, until: Microseconds, step: Microseconds) -> StorageFigures:
        """The figures of all owners."""
        each = [
            self._run_in(partition, lambda m: m.figures(None, since, until, step), header)
            for partition, header in self._partitions()
        ]
        with self._store() as store:
            nothing = store.figures(None, since, until, step)
        return _sum_figures([nothing, *each])

    def check(self, *, repair: bool) -> StoreDiagnosis:
        """Check every replica, internally and against the ledger."""
        each = [
            self._run_in(partition, lambda m: m.check(repair=repair), header)
            for partition, header in self._ledger.list_partitions()
        ]
        checked: dict[str, int] = {}
        for diagnosis in each:
            for name, number in diagnosis.checked.items():
                checked[name] = checked.get(name, 0) + number
        return StoreDiagnosis(checked, tuple(finding for diagnosis in each for finding in diagnosis.findings))


def _format_cursor(partition: str, session: int) -> int:
    return int.from_bytes(partition.encode()) << _SESSION_BITS | session


def _parse_cursor(cursor: int) -> tuple[str, int]:
    name = cursor >> _SESSION_BITS
    return name.to_bytes((name.bit_length() + 7) // 8).decode(), cursor & ((1 << _SESSION_BITS) - 1)


def _add_sweeps(one: SweepBatch, other: SweepBatch) -> SweepBatch:
    return SweepBatch(
        one.expired + other.expired,
        one.expired_archived + other.expired_archived,
        one.purged + other.purged,
        one.messages_purged + other.messages_purged,
    )


def _sum_figures(each: list[StorageFigures]) -> StorageFigures:
    numbers = [sum(some) for some in zip(*(counted[:-1] for counted in each), strict=True)]
    steps = [_sum_steps(some) for some in zip(*(counted.steps for counted in each), strict=True)]
    return StorageFigures(*numbers, steps=steps)  # type: ignore[arg-type]


def _sum_steps(some: tuple[PeriodFigures, ...]) -> PeriodFigures:
    waits = sorted(wait for step in some for wait in step.waits)
    numbers = {
        name: sum(getattr(step, name) for step in some) for name in PeriodFigures._fields if name != "waits"
    }  # fmt: skip
    return PeriodFigures(**numbers, waits=waits)
