"""Who works for a memory: those who search, compose prompts, take notes and keep receipts, each hired when first needed."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from recollect.config import Settings
from recollect.errors import StoreUnavailable
from recollect.kit import Kit
from recollect.ports import Artifacts, Storage, Tidied, Vectors
from recollect.reports import EraseReceipt
from recollect.senses import Senses
from recollect.types import Scope
from recollect.worker import Worker

if TYPE_CHECKING:
    from recollect.composer import Composer
    from recollect.documents import Documents
    from recollect.factbook import FactBook
    from recollect.factedits import FactEditor
    from recollect.finder import Finder
    from recollect.notes import Desk, NoteTaker
    from recollect.profiles import Profiles
    from recollect.recall import Recall
    from recollect.receipts import Receipts
    from recollect.scribes import Scribes
    from recollect.summaries import Summaries
    from recollect.vectorize import Vectorizer


class Staff:
    """Everybody who works on one storage. All that they know is imported late: who only saves messages needs none of it.

    `others` are those of another storage, who find for the conversations of this one.
    """

    def __init__(self, kit: Kit, storage: Storage, settings: Settings, senses: Senses, others: Staff | None = None) -> None:
        self._kit = kit
        self._storage = storage
        self._settings = settings
        self._senses = senses
        self._others = others
        self.vectorizer = senses.vectorizer(kit, storage)
        self.embedding = None if self.vectorizer is None else Worker(self._vectorizer)
        can = settings.notes and isinstance(storage, Artifacts) and isinstance(storage, Vectors)
        self.note_taking = Worker(self._note_taker, unhurried=True) if can else None

    @cached_property
    def recall(self) -> Recall:
        """Searches."""
        return self._senses.recall(self._storage)

    @cached_property
    def documents(self) -> Documents:
        """Keeps documents."""
        from recollect.documents import Documents

        return Documents(self._kit, self._storage, lambda: self.recall)

    @cached_property
    def book(self) -> FactBook:
        """Keeps facts."""
        from recollect.factbook import FactBook

        return FactBook(self._kit, self._storage, self._scribes.extractor, self._settings.facts_kinds)

    @cached_property
    def fact_editor(self) -> FactEditor:
        """Changes facts by hand."""
        from recollect.factedits import FactEditor

        return FactEditor(self._kit, self.book)

    @cached_property
    def profiles(self) -> Profiles:
        """Makes standing profiles."""
        from recollect.profiles import Profiles

        kinds, notes = self._settings.facts_kinds, self._settings.notes
        return Profiles(self._kit, self._storage, self.book, kinds, notes=notes)

    @cached_property
    def summaries(self) -> Summaries:
        """Writes summaries."""
        from recollect.summaries import Summaries

        return Summaries(self._kit, self._storage, self._settings, self._scribes.summarizer(self._kit.counter.count))

    @cached_property
    def receipts(self) -> Receipts:
        """Keeps receipts."""
        from recollect.receipts import Receipts

        others = self._others or self
        return Receipts(self._kit, self._storage, self.summaries, others._storage, others.book)

    @cached_property
    def finder(self) -> Finder:
        """Finds what helps to answer."""
        from recollect.finder import Finder
        from recollect.knowledge import Knowledge

        return Finder(
            self._settings,
            self._storage,
            lambda: self.recall,
            Knowledge(self._storage, self.book),
            lambda: self.documents,
            self._scribes.rewriter,
        )

    @cached_property
    def composer(self) -> Composer:
        """Puts prompts together."""
        from recollect.composer import Composer

        receipts = self.receipts if self._settings.receipts else None
        others = self._others or self
        return Composer(
            self._kit,
            self._settings,
            self._storage,
            self.summaries,
            receipts,
            lambda: others.finder,
            lambda: others.profiles,
            apart=others is not self,
        )

    def _vectorizer(self) -> Vectorizer:
        assert self.vectorizer is not None
        return self.vectorizer

    def _note_taker(self) -> NoteTaker:
        from recollect.notes import NoteTaker

        desk = cast("Desk", self._storage)
        return NoteTaker(self._kit, desk, self.book, self.summaries, self._scribes.namer)

    @cached_property
    def _note_taker_in_front(self) -> NoteTaker:
        """Takes notes for those who wait for them. It holds leases of its own, apart from the worker's."""
        return self._note_taker()

    @cached_property
    def _scribes(self) -> Scribes:
        return self._senses.scribes()

    def note_soon(self, scope: Scope) -> None:
        """Takes the notes that an owner's few newest messages wait for, before it returns. A language model is too slow for
        that, and a long queue too: then the worker in the background does it."""
        if self.note_taking is None or self._scribes.extractor is not None:
            return
        from recollect.notes import BATCH, LINE

        if 0 < cast("Vectors", self._storage).waiting(scope, LINE) <= BATCH:
            with self.note_taking.held():
                self._note_taker_in_front.begin()
                self._note_taker_in_front.one_batch(threading.Event(), scope)

    def tidy(self) -> None:
        """Has the index forget what was erased, if it has a copy of its own. Who makes such an index can tidy, too: so it is
        known before anybody has searched."""
        if "recall" in vars(self) or isinstance(self._senses.index, Tidied):
            self.recall.tidy()

    def tidied(self, receipt: EraseReceipt) -> EraseReceipt:
        """The receipt of an erase, once the index has forgotten it, too; if that does not answer, the receipt says so."""
        try:
            self.tidy()
        except StoreUnavailable as error:
            return replace(receipt, pending="; ".join(filter(None, (receipt.pending, str(error)))))
        return receipt

    def wake(self) -> None:
        """Tells those who work in the background that something was saved."""
        if self.embedding is not None:
            self.embedding.wake()
        if self.note_taking is not None:
            self.note_taking.wake()

    def start(self) -> None:
        """Lets them work on what an earlier program left waiting, even if nothing is saved."""
        if self.embedding is not None:
            self.embedding.start()
        if self.note_taking is not None:
            self.note_taking.start()

    @contextmanager
    def resting(self) -> Generator[None]:
        """Nobody reads or writes meanwhile, and no receipt waits: for an erase, which must reach everything."""
        self.write_receipts()
        if "book" in self.__dict__:
            self.book.forget_read_ahead()
        with ExitStack() as stack:
            for worker in (self.embedding, self.note_taking):
                if worker is not None:
                    stack.enter_context(worker.held())
            yield

    def write_receipts(self) -> None:
        """Writes receipts that wait: an erase must find them."""
        if "receipts" in self.__dict__:
            self.receipts.flush()

    def close(self) -> None:
        """Sends everybody home; receipts that wait are written."""
        for worker in (self.embedding, self.note_taking):
            if worker is not None:
                worker.stop()
        if "receipts" in self.__dict__:
            self.receipts.close()
