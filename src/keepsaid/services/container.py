"""The services of one storage, built when first used, and what they share: clock, token counter, settings, new ids."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from keepsaid.config import DEFAULTS, Settings
from keepsaid.engine.messages import intake, lifecycle
from keepsaid.errors import StoreUnavailable
from keepsaid.ports import Clock, Embedder, FileReaders, Index, PrunableIndex, Reranker, Storage, TokenCounter
from keepsaid.services.background.change_dispatcher import ChangeDispatcher
from keepsaid.services.background.worker import BackgroundWorker
from keepsaid.types import Message, MessageDraft, Microseconds, Scope, Session, SessionStatus, to_microseconds
from keepsaid.types.reports import EraseReceipt

if TYPE_CHECKING:
    from keepsaid.services.background.embedding_job import EmbeddingJob
    from keepsaid.services.documents.document_store import DocumentStore
    from keepsaid.services.facts.extraction_job import ExtractionJob
    from keepsaid.services.facts.fact_editor import FactEditor
    from keepsaid.services.facts.fact_store import FactStore
    from keepsaid.services.facts.profiles import ProfileBuilder
    from keepsaid.services.llm_writers import LLMWriters
    from keepsaid.services.prompts.builder import PromptBuilder
    from keepsaid.services.prompts.candidates import CandidateFinder
    from keepsaid.services.prompts.receipts import ReceiptStore
    from keepsaid.services.prompts.request import PromptRequest
    from keepsaid.services.prompts.summaries import RollingSummaries
    from keepsaid.services.search.recent_embeddings import RecentEmbeddings
    from keepsaid.services.search.searcher import MessageSearcher
    from keepsaid.types.prompts import Context


ACTIVE = SessionStatus.ACTIVE


def system_clock() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


def _no_llm_writers() -> LLMWriters:
    from keepsaid.services.llm_writers import LLMWriters

    return LLMWriters()


def _no_older_embedder(name: str) -> None:
    """Return None: there is no embedder for an earlier generation."""


@dataclass(frozen=True, slots=True)
class SearchComponents:
    """The models a memory works with. Without an embedder, it searches by words only."""

    embedder: Embedder | None = None
    make_index: Callable[[Storage], Index] | None = None
    older_embedder: Callable[[str], Embedder | None] = _no_older_embedder
    """The embedder that made an earlier generation of vectors, by name."""
    reranker: Reranker | None = None
    rerank_top: int = 20
    embedder_timeout: float = 5.0
    """Seconds that a search waits for the vector of its question."""
    background: bool = False
    """Whether to embed and extract in background threads."""
    llm_writers: Callable[[], LLMWriters] = _no_llm_writers


NO_COMPONENTS = SearchComponents()


class ServiceContainer:
    """All services of one storage. Their modules are imported late, because saving messages needs none of them.

    `main` are the services of another storage, which search for the conversations of this one.
    """

    def __init__(
        self,
        storage: Storage,
        counter: TokenCounter,
        settings: Settings = DEFAULTS,
        clock: Clock = system_clock,
        components: SearchComponents = NO_COMPONENTS,
        readers: FileReaders | None = None,
        main: ServiceContainer | None = None,
    ) -> None:
        self.storage = storage
        self.counter = counter
        self.settings = settings
        self.clock = clock
        self.readers = readers
        """Reads files that are not trusted; None to read files in this process."""
        self.policy = settings.retention_policy
        self.redact = settings.redact_stored
        """Kinds of personal data that are removed from messages before they are stored."""
        self.dispatcher = ChangeDispatcher(storage)
        self._durations = lifecycle.compute_stage_durations(self.policy)
        self._active_duration = self._durations[ACTIVE]
        self._components = components
        self._main = main
        self._imports: Counter[tuple[str, str]] = Counter()
        self._import_lock = threading.Lock()
        self.embedding_job = self._make_embedding_job()
        self.embedding_worker = None if self.embedding_job is None else BackgroundWorker(self._get_embedding_job)
        self.extraction_worker = BackgroundWorker(self._make_extraction_job, unhurried=True) if settings.notes else None

    def now(self) -> Microseconds:
        """Return the current time in microseconds."""
        return to_microseconds(self.clock())

    def new_id(self, now: Microseconds) -> str:
        """Return a new id: 48 bits of time, so that ids sort by creation, and 80 random bits."""
        return f"{now // 1000 & 0xFFFFFFFFFFFF:012x}{os.urandom(10).hex()}"

    def prepare_messages(
        self, session: str, drafts: Iterable[MessageDraft | Mapping[str, Any]]
    ) -> tuple[list[Message], Microseconds]:
        """Return messages that are ready to be stored, and the current time."""
        now = self.now()
        messages = [
            intake.to_message(
                self._redacted(intake.to_draft(draft)) if self.redact else intake.to_draft(draft),
                session=session,
                now=now,
                new_id=self.new_id,
                counter=self.counter,
                largest=self.storage.largest_message,
            )
            for draft in drafts
        ]
        return messages, now

    def _redacted(self, draft: MessageDraft) -> MessageDraft:
        from keepsaid.engine.redaction.messages import PersonalDataRedactor

        return PersonalDataRedactor(self.redact).draft(draft)

    def with_expiry(self, session: Session) -> Session:
        """Return a session as callers see it, with its expiry time."""
        return self.all_with_expiry([session])[0]

    def all_with_expiry(self, sessions: list[Session]) -> tuple[Session, ...]:
        """Return sessions as callers see them. One loop, because a call for each would take longer than the work."""
        active, spans = self._active_duration, self._durations
        made: list[Session] = []
        for session in sessions:
            # Looking up or hashing an enum member is slow, and nearly every session is active.
            span = active if session.status is ACTIVE else spans[session.status]
            if span is None or session.pinned or session.temporary:
                made.append(session)
            else:
                values: Any = session[:-1] + (session.touched + span,)  # noqa: RUF005  # unpacking takes twice as long
                made.append(tuple.__new__(Session, values))  # pyright: ignore[reportUnknownMemberType]
        return tuple(made)

    # -- services

    def _make_embedding_job(self) -> EmbeddingJob | None:
        if self._components.embedder is None:
            return None
        from keepsaid.services.background.embedding_job import EmbeddingJob

        return EmbeddingJob(self, self.storage, self._components.embedder)

    @cached_property
    def searcher(self) -> MessageSearcher:
        """Return the search."""
        # The modules for questions take 60 ms to import, so they are imported with the first search.
        from keepsaid.services.search.question_embedding import QuestionEmbedder
        from keepsaid.services.search.searcher import MessageSearcher

        use = self._components
        if use.embedder is None or use.make_index is None:
            return MessageSearcher(self.storage, reranker=use.reranker, reranked=use.rerank_top)
        questions = QuestionEmbedder(
            self.storage, use.embedder, use.older_embedder, self.recent_embeddings, use.embedder_timeout
        )
        return MessageSearcher(self.storage, use.make_index(self.storage), questions, use.reranker, use.rerank_top)

    @cached_property
    def recent_embeddings(self) -> RecentEmbeddings:
        """Return the embeddings that searches have made of new messages."""
        from keepsaid.services.search.recent_embeddings import RecentEmbeddings

        return RecentEmbeddings()

    @cached_property
    def documents(self) -> DocumentStore:
        """Return the document store."""
        from keepsaid.services.documents.document_store import DocumentStore

        return DocumentStore(self, self.storage, lambda: self.searcher)

    @cached_property
    def facts(self) -> FactStore:
        """Return the fact store."""
        from keepsaid.services.facts.fact_store import FactStore

        return FactStore(self, self.storage, self._llm_writers.extractor, self.settings.facts_kinds)

    @cached_property
    def fact_editor(self) -> FactEditor:
        """Return the editor for manual changes of facts."""
        from keepsaid.services.facts.fact_editor import FactEditor

        return FactEditor(self, self.facts)

    @cached_property
    def profiles(self) -> ProfileBuilder:
        """Return what builds profiles."""
        from keepsaid.services.facts.profiles import ProfileBuilder

        kinds, notes = self.settings.facts_kinds, self.settings.notes
        return ProfileBuilder(self, self.storage, self.facts, kinds, notes=notes)

    @cached_property
    def summaries(self) -> RollingSummaries:
        """Return what writes and reads summaries."""
        from keepsaid.services.prompts.summaries import RollingSummaries

        return RollingSummaries(self, self.storage, self.settings, self._llm_writers.summarizer(self.counter.count))

    @cached_property
    def receipts(self) -> ReceiptStore:
        """Return the store of receipts."""
        from keepsaid.services.prompts.receipts import ReceiptStore

        main = self._main or self
        return ReceiptStore(self, self.storage, self.summaries, main.storage, main.facts)

    @cached_property
    def candidate_finder(self) -> CandidateFinder:
        """Return what finds candidates for prompts."""
        from keepsaid.services.prompts.candidates import CandidateFinder
        from keepsaid.services.prompts.known_facts import FactFinder

        return CandidateFinder(
            self.settings,
            self.storage,
            lambda: self.searcher,
            FactFinder(self.storage, self.facts),
            lambda: self.documents,
            self._llm_writers.rewriter,
        )

    @cached_property
    def prompt_builder(self) -> PromptBuilder:
        """Return what builds prompts."""
        from keepsaid.services.prompts.builder import PromptBuilder

        receipts = self.receipts if self.settings.receipts else None
        main = self._main or self
        return PromptBuilder(
            self,
            self.settings,
            self.storage,
            self.summaries,
            receipts,
            lambda: main.candidate_finder,
            lambda: main.profiles,
            apart=main is not self,
        )

    def build_prompt(self, scope: Scope, request: PromptRequest) -> Context:
        """Build the prompt for a turn."""
        (self._main or self).start_if_enabled()
        return self.prompt_builder.build(scope, request)

    def _get_embedding_job(self) -> EmbeddingJob:
        assert self.embedding_job is not None
        return self.embedding_job

    def _make_extraction_job(self) -> ExtractionJob:
        from keepsaid.services.facts.extraction_job import ExtractionJob

        return ExtractionJob(
            self, self.storage, self.facts, self.summaries, self._llm_writers.title_writer, self._is_importing
        )

    @cached_property
    def _foreground_extraction(self) -> ExtractionJob:
        """Return an extraction job for callers that wait for it. Its leases are separate from the worker's."""
        return self._make_extraction_job()

    @cached_property
    def _llm_writers(self) -> LLMWriters:
        return self._components.llm_writers()

    def extract_now(self, scope: Scope) -> None:
        """Extract facts from the owner's waiting messages now, if there are only a few. With a language model or a long
        queue that would take too long, so it is left to the background worker."""
        if self.extraction_worker is None or self._llm_writers.extractor is not None:
            return
        from keepsaid.services.facts.extraction_job import EXTRACTION_BATCH, EXTRACTION_LINE

        if 0 < self.storage.waiting(scope, EXTRACTION_LINE) <= EXTRACTION_BATCH:
            with self.extraction_worker.paused():
                self._foreground_extraction.begin()
                self._foreground_extraction.process_batch(threading.Event(), scope)

    def tidy_index(self) -> None:
        """Remove what was erased from the index, if it has its own copy. The factory of such an index is `PrunableIndex`,
        too, so this is known before the first search."""
        if "recent_embeddings" in vars(self):
            self.recent_embeddings.clear()
        if "searcher" in vars(self) or isinstance(self._components.make_index, PrunableIndex):
            self.searcher.tidy()

    def forget_in_index(self, receipt: EraseReceipt) -> EraseReceipt:
        """Remove what was erased from the index, too, and return the receipt; if the index is unavailable, it is pending."""
        try:
            self.tidy_index()
        except StoreUnavailable as error:
            return replace(receipt, pending="; ".join(filter(None, (receipt.pending, str(error)))))
        return receipt

    def wake(self) -> None:
        """Notify the background workers that something was saved."""
        if self.embedding_worker is not None:
            self.embedding_worker.wake()
        if self.extraction_worker is not None:
            self.extraction_worker.wake()

    def start_if_enabled(self) -> None:
        """Start the background workers, if this memory works in the background."""
        if self._components.background:
            self.start()

    def start(self) -> None:
        """Start the background workers, so that work left by an earlier process is done even if nothing is saved."""
        if self.embedding_worker is not None:
            self.embedding_worker.start()
        if self.extraction_worker is not None:
            self.extraction_worker.start()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Pause the background workers and write pending receipts, for an erase, which must reach everything."""
        self.write_receipts()
        if "facts" in vars(self):
            self.facts.clear_previews()
        with ExitStack() as stack:
            for worker in (self.embedding_worker, self.extraction_worker):
                if worker is not None:
                    stack.enter_context(worker.paused())
            yield

    @contextmanager
    def importing(self, scope: Scope) -> Generator[None]:
        """Pause fact extraction for the memory of an import, because the import may contain the facts, too. Extraction for
        other owners and embedding continue."""
        whose = _whose(scope)
        with self._import_lock:
            self._imports[whose] += 1
        try:
            yield
        finally:
            with self._import_lock:
                self._imports[whose] -= 1
            if self._components.background:
                self.wake()

    def _is_importing(self, scope: Scope) -> bool:
        with self._import_lock:
            return self._imports[_whose(scope)] > 0

    def write_receipts(self) -> None:
        """Write pending receipts, so that an erase finds them."""
        if "receipts" in vars(self):
            self.receipts.flush()

    def close(self) -> None:
        """Stop the background workers and write pending receipts."""
        for worker in (self.embedding_worker, self.extraction_worker):
            if worker is not None:
                worker.stop()
        if "receipts" in vars(self):
            self.receipts.close()


def _whose(scope: Scope) -> tuple[str, str]:
    """Return the memory that a scope acts on: that of the pool if it has one, or that of the owner."""
    return ("", scope.owner) if scope.pool is None else (scope.pool, "")
