"""The mirror of one unit: a SQLite storage whose truth is a ledger's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from recollect.errors import StorageError, StoreCorrupt
from recollect.ports import VectorDelta, VectorMark
from recollect.reports import Diagnosis, EraseReceipt, Finding
from recollect.storage.mirror import memberships
from recollect.storage.mirror.apply import Loss
from recollect.storage.mirror.ledger import Header, Ledger
from recollect.storage.mirror.writer import MirrorWriter, catch_up, fill_anew
from recollect.storage.sqlite import Source, SqliteStorage, erasure, figures, search, vectors, work
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.tally import Tally
from recollect.storage.sqlite.writer import Writer
from recollect.types import Microseconds, Scope

FILLED_BITS = 80
"""Above all that a mark's life can be."""


class Mirror(SqliteStorage):
    """Everything that SQLite can do for one owner or pool. Whoever reads calls `catch_up` first; what is written is in the
    ledger before it is here."""

    def __init__(self, source: Source, unit: str, ledger: Ledger, *, lasting: bool) -> None:
        self._unit, self._ledger, self._lasting = unit, ledger, lasting
        self._met: Header | None = None
        super().__init__(source)

    def _make_writer(self, db: Database) -> Writer:
        self._mirroring = MirrorWriter(db, self._unit, self._ledger)
        self._mirroring.took_away = self._after_loss
        return self._mirroring

    def _after_loss(self, loss: Loss) -> None:
        """Others took something away, so what was kept of it beside the rows goes, too."""
        self._tails, self._usages = search.Tails(), figures.Usages()
        readable = self._source.key is None  # as where facts are removed: see `_wipe`
        self._finish_erasing(lambda: readable and (loss.everything or self._has_residue(loss.pieces)))

    @property
    def header(self) -> Header:
        """The unit's header as the mirror has it."""
        return self._mirroring.header

    @property
    def path(self) -> Path:
        """Its file."""
        return self._source.path

    def is_settled(self) -> bool:
        """Whether nothing that was erased has yet to be wiped from the file."""
        with suppress(StorageError):
            return self._readers.run(erasure.unfinished) is None
        return False

    def catch_up(self, header: Header | None = None) -> None:
        """Brings the mirror to the point that the ledger is at, or was at when it gave this header."""
        if header is None:
            (header,) = self._ledger.headers([self._unit])
        elif header is self._met:
            return  # if the mirror is elsewhere by now, it has gone on from there
        if header.point != self.header.point:  # behind, or ahead of a place that has lost something
            self._writer.run(catch_up)
        self._met = header

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        """As always; but whoever follows begins anew where the mirror did. The place may have lost messages and given their
        numbers to others."""
        filling = self._mirroring.filled << FILLED_BITS
        delta = super().vectors(scope, generation, since._replace(life=since.life - filling))
        return delta._replace(mark=delta.mark._replace(life=delta.mark.life + filling))

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """As always; but of the place's own log and pages nothing is known."""
        return _known_here(super().erase(scope, message, now))

    def _finish_erasing(self, rebuild: Callable[[], bool]) -> str:
        """A mirror that ends with its process is unreadable then, so there is nothing to wipe."""
        return super()._finish_erasing(rebuild) if self._lasting else ""

    def check(self, *, repair: bool = False) -> Diagnosis:
        """As always, but first with the ledger: what is mended here goes there, so it must not be made of wrong rows."""
        wrong = self._drift()
        mended = repair and bool(wrong) and self._fill_anew()
        findings = [Finding("mirror", f"{self._unit}: {text}", mended) for text in wrong]
        diagnosis = super().check(repair=repair and (mended or not wrong))
        return replace(diagnosis, findings=(*findings, *diagnosis.findings))

    def _drift(self) -> list[str]:
        try:
            return self._writer.run(self._mirroring.drift)
        except StoreCorrupt as error:
            return [str(error)]

    def _fill_anew(self) -> bool:
        with suppress(StoreCorrupt):
            self._writer.run(fill_anew)
        return not self._drift()

    def has_line(self, line: str) -> bool:
        """Whether a line of work was begun in this unit."""
        return self._readers.run(lambda db: work.is_begun(db, line))

    def set_complete(self, generation: str, *, complete: bool) -> None:
        """Notes whether a generation has ever covered everything. In the store's own unit, this speaks for all."""
        self._writer.run(lambda db: vectors.set_complete(db, generation, complete))

    def erase_author(self, author: str) -> EraseReceipt:
        """Removes what somebody wrote and made in this pool, and his grant."""

        def erase(db: Database) -> Tally:
            tally = Tally()
            erasure.erase_author(db, author, tally)
            erasure.ask_to_finish(db, "pages")
            return tally

        tally = self._writer.run(erase)
        pending = self._finish_erasing(lambda: self._has_residue(tally.pieces))
        verified = self._readers.run(lambda db: erasure.verify(db, tally))
        return _known_here(EraseReceipt(tally.sessions, tally.messages, tally.derived, verified, pending))

    # -- the owner's pools

    def join(self, pool: str) -> None:
        """Notes that the owner has a grant for a pool."""
        self._writer.run(lambda db: memberships.add(db, pool))

    def leave(self, pool: str) -> None:
        """Forgets a pool of the owner's."""
        self._writer.run(lambda db: memberships.drop(db, pool))

    def leave_all(self) -> None:
        """Forgets all of the owner's pools."""
        self._writer.run(memberships.drop_all)

    def pools(self) -> list[str]:
        """The pools that the owner was given grants for."""
        return self._readers.run(memberships.pools)


def _known_here(receipt: EraseReceipt) -> EraseReceipt:
    return replace(receipt, verified=tuple(name for name in receipt.verified if name not in ("log", "pages")))
