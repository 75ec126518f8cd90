"""The few works that go across owners: handing out work, retention, sums, and erasing what somebody left in pools."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeVar

from recollect.errors import NotFound
from recollect.ports import Counted, Coverage, Generation, Step, Sweep, Task
from recollect.reports import Diagnosis, EraseReceipt
from recollect.storage.mirror import notes, units
from recollect.storage.mirror.ledger import Header, Ledger
from recollect.storage.mirror.mirror import Mirror
from recollect.storage.mirror.mirrors import Mirrors
from recollect.types import Microseconds, Scope, Status

Result = TypeVar("Result")

_SESSION_BITS = 40
"""A place in a clean-up is a unit's name as a number, and below it so many bits for the session in the unit."""


class Across:
    """Works on one unit after the other. The headers tell which of them need to be looked at."""

    def __init__(self, ledger: Ledger, mirrors: Mirrors) -> None:
        self._ledger, self._mirrors = ledger, mirrors
        self._held: dict[tuple[str, str], str] = {}
        self._round: list[str] = []

    def _units(self) -> Iterator[tuple[str, Header]]:
        return ((unit, header) for unit, header in self._ledger.units() if units.is_somebodys(unit))

    def _in(self, unit: str, verb: Callable[[Mirror], Result], header: Header | None = None) -> Result:
        with self._mirrors.lend(unit) as mirror:
            mirror.catch_up(header)
            return verb(mirror)

    @contextmanager
    def _store(self) -> Generator[Mirror]:
        with self._mirrors.lend(units.STORE) as store:
            store.catch_up()
            yield store

    # -- generations and lines of notes

    def begin_generation(self, name: str, dimensions: int) -> Generation:
        """The generation of this name. It covers everything at once if there is nothing."""
        with self._store() as store:
            new = name not in {generation.name for generation in store.generations()}
            made = store.begin_generation(name, dimensions)
            if new and any(notes.has_messages(header.note) for _, header in self._units()):
                store.set_complete(name, complete=False)
                return made._replace(complete=False)
            return made

    def drop_generation(self, name: str) -> int:
        """Removes a generation from every unit, and last from the store."""
        dropped = sum(self._in(unit, lambda mirror: mirror.drop_generation(name), header) for unit, header in self._units())
        with self._store() as store:
            store.drop_generation(name)
        return dropped

    def coverage(self, name: str) -> Coverage:
        """How much of all units a generation covers."""
        each = [self._in(unit, lambda mirror: mirror.coverage(name), header) for unit, header in self._units()]
        return Coverage(*(sum(some) for some in zip(*each, strict=True))) if each else Coverage(0, 0, 0, 0)

    def unnoted(self, line: str) -> int:
        """How many messages wait in a line of notes."""
        self._dimensions(line)
        return sum(
            self._in(unit, lambda mirror: self._unnoted_here(mirror, line), header)
            for unit, header in self._units()
            if notes.waits(header.note, line, shelves=False)
        )

    def _unnoted_here(self, mirror: Mirror, line: str) -> int:
        self.begin_here(mirror, line)
        return mirror.unnoted(line)

    def begin_here(self, mirror: Mirror, line: str) -> None:
        """Makes a line of work known to a unit, if the store has begun it."""
        if mirror.has_line(line):
            return
        with suppress(NotFound):
            dimensions = self._dimensions(line)
            if dimensions:
                mirror.begin_generation(line, dimensions)
            else:
                mirror.begin_notes(line)

    def _dimensions(self, line: str) -> int:
        """The dimensions of a generation; 0 for a line of notes."""
        with self._store() as store:
            known = next((generation.dimensions for generation in store.generations() if generation.name == line), 0)
            if not known and not store.has_line(line):
                raise NotFound(f"no work of {line!r} was ever begun in this store")
            return known

    # -- handing out work

    def claim(
        self, line: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None
    ) -> Task | None:
        """Leases messages of the scope, of the unit that the holder had last, or of the next one that has some."""
        dimensions = self._dimensions(line)

        def take(mirror: Mirror) -> Task | None:
            self.begin_here(mirror, line)
            return mirror.claim(line, holder, now, until, limit, scope)

        if scope is not None:
            return self._in(units.of(scope), take)
        for unit in self._waiting(line, holder, shelves=dimensions > 0):
            task = self._in(unit, take)
            if task is not None:
                self._held[line, holder] = unit
                return task
        self.complete_if_done(line)
        return None

    def _waiting(self, line: str, holder: str, *, shelves: bool) -> list[str]:
        """The units whose messages wait: first the one that the holder may still hold, then those behind it, going round."""
        waiting = sorted(unit for unit, header in self._units() if notes.waits(header.note, line, shelves))
        last = self._held.get((line, holder), "")
        return [unit for unit in waiting if unit >= last] + [unit for unit in waiting if unit < last]

    def complete_if_done(self, line: str) -> None:
        """Notes that a generation covers everything, if nothing waits in any unit."""
        with self._store() as store:
            known = {generation.name: generation for generation in store.generations()}.get(line)
            if known is None or known.complete:
                return
            if not any(notes.waits(header.note, line, shelves=True) for _, header in self._units()):
                store.set_complete(line, complete=True)

    # -- retention and erasing

    def sweep(
        self,
        before: Mapping[Status, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool,
    ) -> Sweep:
        """One batch: unit by unit, by their names. The list of a round serves others that are under way, too: each knows
        by name how far it has come."""
        if not after or not self._round:
            self._round = sorted(unit for unit, _ in self._units())
        begun, session = _begun(after)
        done = Sweep()
        for unit in self._round[bisect_left(self._round, begun) :]:
            more: int | None = session if unit == begun else 0
            while more is not None:
                left = limit - (done.expired + done.expired_archived + done.purged)
                if left <= 0:
                    return replace(done, last=_place(unit, more))
                some = self._in(
                    unit,
                    lambda mirror, after=more, limit=left: mirror.sweep(
                        before, now, after=after, limit=limit, dry_run=dry_run, keep_facts=keep_facts
                    ),
                )
                done, more = _added(done, some), some.last
        return done

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        """Removes old receipts, up to a limit."""
        dropped = 0
        for unit, header in self._units():
            if dropped < limit:
                left = limit - dropped
                dropped += self._in(unit, lambda mirror, left=left: mirror.drop_receipts(before, left), header)
        return dropped

    def erase_owner(self, scope: Scope, now: Microseconds) -> EraseReceipt:
        """Removes what an owner wrote in pools, pool by pool, and last all that is his own: if it is cut short, erasing him
        again finds the rest."""
        receipts = [
            self._in(unit, lambda mirror: mirror.erase_author(scope.owner), header)
            for unit, header in self._units()
            if units.is_pool(unit)
        ]

        def erase_own(mirror: Mirror) -> EraseReceipt:
            mirror.leave_all()
            return mirror.erase(scope, None, now)

        receipts.append(self._in(units.of(scope), erase_own))
        verified = [name for name in receipts[-1].verified if all(name in receipt.verified for receipt in receipts[:-1])]
        return EraseReceipt(
            sum(receipt.sessions for receipt in receipts),
            sum(receipt.messages for receipt in receipts),
            sum(receipt.derived for receipt in receipts),
            tuple(verified),
            next((receipt.pending for receipt in receipts if receipt.pending), ""),
        )

    # -- everything, for a copy

    def everyone(self) -> Iterator[Scope]:
        """Every owner and pool. Who is an admin only the pool itself knows."""
        for unit, header in self._units():
            if not header.note:
                continue  # all that it had was erased
            if units.is_pool(unit):
                yield from self._in(unit, lambda mirror: mirror.everyone(), header)
            else:
                yield Scope(units.name(unit))

    # -- sums

    def figures(self, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
        """The figures of all."""
        each = [self._in(unit, lambda m: m.figures(None, since, until, step), header) for unit, header in self._units()]
        with self._store() as store:
            nothing = store.figures(None, since, until, step)
        return _summed([nothing, *each])

    def check(self, *, repair: bool) -> Diagnosis:
        """Every mirror, with itself and with the ledger."""
        each = [self._in(unit, lambda m: m.check(repair=repair), header) for unit, header in self._ledger.units()]
        checked: dict[str, int] = {}
        for diagnosis in each:
            for name, number in diagnosis.checked.items():
                checked[name] = checked.get(name, 0) + number
        return Diagnosis(checked, tuple(finding for diagnosis in each for finding in diagnosis.findings))


def _place(unit: str, session: int) -> int:
    return int.from_bytes(unit.encode()) << _SESSION_BITS | session


def _begun(place: int) -> tuple[str, int]:
    name = place >> _SESSION_BITS
    return name.to_bytes((name.bit_length() + 7) // 8).decode(), place & ((1 << _SESSION_BITS) - 1)


def _added(one: Sweep, other: Sweep) -> Sweep:
    return Sweep(
        one.expired + other.expired,
        one.expired_archived + other.expired_archived,
        one.purged + other.purged,
        one.messages_purged + other.messages_purged,
    )


def _summed(each: list[Counted]) -> Counted:
    numbers = [sum(some) for some in zip(*(counted[:-1] for counted in each), strict=True)]
    steps = [_step(some) for some in zip(*(counted.steps for counted in each), strict=True)]
    return Counted(*numbers, steps=steps)  # type: ignore[arg-type]


def _step(some: tuple[Step, ...]) -> Step:
    waits = sorted(wait for step in some for wait in step.waits)
    numbers = {
        name: sum(getattr(step, name) for step in some) for name in Step._fields if name != "waits"
    }  # fmt: skip
    return Step(**numbers, waits=waits)
