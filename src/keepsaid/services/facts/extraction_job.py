"""Background job that derives facts, tool notes, labels and rolling summaries from saved messages.

As for embeddings, messages are leased in the order they were saved, and everything derived from a batch is stored in one
transaction. If the process dies, nothing is derived twice and nothing is lost.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from keepsaid.engine.messages.artifacts import build_label_removal
from keepsaid.engine.titles import SessionLabel, label_session
from keepsaid.engine.tool_notes import build_tool_note
from keepsaid.errors import KeepsaidError, NotFound, RevisionConflict
from keepsaid.ports import NO_LIMIT, ArtifactChanges, ArtifactQuery, ExpectedRevision, Storage, VisibleMessage, WorkLease
from keepsaid.services.background.worker import LEASE_MICROSECONDS
from keepsaid.services.facts.fact_store import CONTEXT_MESSAGES, FactStore
from keepsaid.services.prompts.summaries import RollingSummaries
from keepsaid.types import (
    Artifact,
    ArtifactKind,
    ArtifactSource,
    Message,
    ReadWindow,
    Role,
    Scope,
    Session,
    SessionStatus,
    ToolCall,
)

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

EXTRACTION_LINE = "notes:1"
EXTRACTION_BATCH = 64

LABEL_MESSAGES = 12
"""Messages at the start of a session from which its title is made."""
MIN_LABEL_MESSAGES = 2
"""Messages that a session needs before it gets a label."""


class TitleWriter(Protocol):
    """Makes titles with a language model, better than rules can."""

    def label(self, messages: Sequence[Message]) -> SessionLabel | None: ...


class ExtractionJob:
    """Derives facts, tool notes, labels and summaries in one storage."""

    def __init__(
        self,
        services: ServiceContainer,
        storage: Storage,
        facts: FactStore,
        summaries: RollingSummaries,
        title_writer: TitleWriter | None = None,
        is_importing: Callable[[Scope], bool] = lambda scope: False,
    ) -> None:
        self._services = services
        self._is_importing = is_importing
        self._storage = storage
        self._facts = facts
        self._summaries = summaries
        self._title_writer = title_writer
        self._holder = services.new_id(services.now())
        self._begun = False
        self._done = 0

    def begin(self) -> None:
        """Begin the line of work in the storage, unless that was done."""
        if not self._begun:
            self._storage.begin_notes(EXTRACTION_LINE)
            self._begun = True

    def process_batch(self, stopping: threading.Event, scope: Scope | None = None) -> int | None:
        """Process some messages, of one owner if a scope is given. Return how many were settled, or None if none could be
        leased."""
        task = self._claim(scope)
        if task is None:
            return None
        try:
            settled = self._derive_artifacts(task)
        except (KeepsaidError, KeyboardInterrupt, SystemExit):
            self._storage.release(task)
            raise
        except Exception as error:  # a bug: skip these few messages, or the job would never get past them
            warnings.warn(f"some messages get no facts or notes: {type(error).__name__}: {error}", stacklevel=2)
            settled = ArtifactChanges(())
        if not self._storage.settle_notes(task, settled, self._services.now()):
            return 0
        self._name_sessions(task.scope, settled)
        self._done += len(task.messages)
        return len(task.messages)

    def _claim(self, scope: Scope | None) -> WorkLease | None:
        """Lease messages to process. Messages of a running import are skipped until it ends: it may bring their artifacts
        along."""
        passed: set[int] = set()
        while True:
            now = self._services.now()
            task = self._storage.claim(EXTRACTION_LINE, self._holder, now, now + LEASE_MICROSECONDS, EXTRACTION_BATCH, scope)
            if task is None or not self._is_importing(task.scope):
                return task
            self._storage.release(task)
            if task.space in passed:
                return None
            passed.add(task.space)

    def progress(self) -> tuple[int, int]:
        """Return how many messages are done, and how many there are."""
        return self._done, self._done + self._storage.unnoted(EXTRACTION_LINE)

    def finish(self) -> None:
        """Do nothing: this job has nothing to clean up."""

    # -- one batch

    def _derive_artifacts(self, task: WorkLease) -> ArtifactChanges:
        before = self._read_contexts(task)
        fresh = self._select_unprocessed(task)
        facts = self._facts.extract_facts(task.scope, fresh, before)
        tool_notes = [artifact for seen in fresh if (artifact := self._tool_note(seen, before[seen.number]))]
        sessions = dict.fromkeys(seen.message.session for seen in task.messages if seen.message.session)
        session_artifacts = [
            artifact for session in sessions for artifact in self._derive_session_artifacts(task.scope.of(session))
        ]
        return ArtifactChanges([*facts.made, *tool_notes, *session_artifacts], facts.ended)

    def _select_unprocessed(self, task: WorkLease) -> list[VisibleMessage]:
        """Return the messages of a task, except those that were imported together with their artifacts."""
        numbers = tuple(seen.number for seen in task.messages)
        kinds: tuple[ArtifactKind, ...] = ("fact", "tool")
        known = {
            source.number
            for kind in kinds
            for artifact in self._storage.artifacts(task.scope, ArtifactQuery(kind, numbers=numbers, limit=NO_LIMIT))
            for source in artifact.sources
        }
        return [seen for seen in task.messages if seen.number not in known]

    def _read_contexts(self, task: WorkLease) -> Mapping[int, Sequence[Message]]:
        """Return the few messages before each message of a task. They are read only for the first message of each
        session."""
        recent: dict[str, list[Message]] = {}
        found: dict[int, Sequence[Message]] = {}
        for seen in task.messages:
            session = seen.message.session
            if session not in recent:
                recent[session] = self._read_before(task.scope.of(session), seen.message.seq)
            found[seen.number] = tuple(recent[session][-CONTEXT_MESSAGES:])
            recent[session].append(seen.message)
        return found

    def _read_before(self, scope: Scope, seq: int) -> list[Message]:
        with suppress(NotFound):
            return self._storage.read(scope, ReadWindow(before=seq, last=CONTEXT_MESSAGES))
        return []

    def _tool_note(self, seen: VisibleMessage, before: Sequence[Message]) -> Artifact | None:
        message = seen.message
        if message.role is not Role.TOOL or message.private:
            return None
        note = build_tool_note(message, _find_call(message, before))
        if note is None:
            return None
        now = self._services.now()
        return Artifact(
            self._services.new_id(now),
            "tool",
            note.text,
            self._services.counter.count(note.text),
            now,
            message.session,
            tuple(ArtifactSource(seen.number, start, end) for start, end in note.excerpts) or (ArtifactSource(seen.number),),
            message.created,
            data={"tool": note.tool, "source": note.source},
        )

    # -- artifacts of a whole session

    def _derive_session_artifacts(self, scope: Scope) -> list[Artifact]:
        try:
            snapshot = self._storage.snapshot(scope, ReadWindow(last=1))
            if snapshot.session.status is SessionStatus.DELETED:
                return []
            previous = self._summaries.fetch_summary(scope, snapshot.summaries[-1] if snapshot.summaries else None)
            summary = self._summaries.summarize_if_due(scope, previous)
            label = self._label(scope, snapshot.session)
        except NotFound:
            return []  # deleted meanwhile
        return [artifact for artifact in (summary, label) if artifact is not None]

    def _label(self, scope: Scope, session: Session) -> Artifact | None:
        """Return a title and tags for a session that has none; only once per session."""
        if session.message_count < MIN_LABEL_MESSAGES or (session.title is not None and session.tags):
            return None
        known = self._storage.artifacts(scope, ArtifactQuery("label", session=session.id, limit=1))
        if known:
            # The process that made this label died before the session was named.
            return known[0] if session.title is None else None
        first = [
            seen for seen in self._storage.snapshot(scope, ReadWindow(first=LABEL_MESSAGES)).tail if not seen.message.private
        ]
        label = self._make_label([seen.message for seen in first])
        if not label.title:
            return None
        numbers = {seen.message.id: seen.number for seen in first}
        now = self._services.now()
        return Artifact(
            self._services.new_id(now),
            "label",
            label.title,
            self._services.counter.count(label.title),
            now,
            session.id,
            tuple(ArtifactSource(numbers[id]) for id in label.sources if id in numbers),
            now,
            data={"tags": list(label.tags), "topics": list(label.topics)},
        )

    def _make_label(self, messages: Sequence[Message]) -> SessionLabel:
        if self._title_writer is not None:
            with suppress(KeepsaidError):
                if (label := self._title_writer.label(messages)) is not None:
                    return label._replace(sources=tuple(message.id for message in messages))
        return label_session(messages)

    def _name_sessions(self, scope: Scope, settled: ArtifactChanges) -> None:
        """Give sessions the titles and tags that were made for them. Those set by a person are never changed."""
        for label in settled.made:
            if label.kind == "label" and label.session is not None:
                with suppress(NotFound):
                    self._name_session(scope.of(label.session), label)

    def _name_session(self, scope: Scope, label: Artifact) -> None:
        while True:
            session = self._storage.get_session(scope)
            changes = {
                **({"title": label.text} if session.title is None else {}),
                **({"tags": tuple(label.data["tags"])} if not session.tags and label.data["tags"] else {}),
            }
            if not changes:
                return
            try:
                renamed_session = self._storage.update_session(
                    scope, changes, self._services.now(), ExpectedRevision(session.revision)
                )
                self._revert_if_erased(scope, label, renamed_session)
                return
            except RevisionConflict:
                continue

    def _revert_if_erased(self, scope: Scope, label: Artifact, session: Session) -> None:
        """Remove the title again if the messages that the label was made from were erased meanwhile."""
        if not self._storage.artifacts(scope, ArtifactQuery("label", ids=(label.id,))):
            self._storage.update_session(
                scope, build_label_removal(session, label), self._services.now(), ExpectedRevision(session.revision)
            )


def _find_call(result: Message, before: Sequence[Message]) -> ToolCall | None:
    """Return the tool call that a tool result answers."""
    for message in reversed(before):
        for call in message.tool_calls:
            if call.id == result.tool_call_id:
                return call
    return None
