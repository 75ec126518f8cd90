"""The craft of taking notes: facts, notes on tool results, labels and rolling summaries, made of what was said.

Messages are taken by lease in the order they were saved, as for vectors, and everything made of a batch is kept in one
transaction: whatever dies on the way, nothing is noted twice and nothing is forgotten.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from recollect.engine.artifacts import without_label
from recollect.engine.title import Label, label
from recollect.engine.toolnote import note
from recollect.errors import NotFound, RecollectError, RevisionConflict
from recollect.factbook import BEFORE, FactBook
from recollect.kit import LEASE, Kit
from recollect.ports import ALL, ArtifactQuery, Artifacts, Expected, Seen, Settled, Storage, Task, Vectors
from recollect.summaries import Summaries
from recollect.types import Artifact, ArtifactKind, Message, Role, Scope, Session, Source, Status, ToolCall, Window

LINE = "notes:1"
BATCH = 64

LABELLED_BY = 12
"""Messages at the beginning of a session that its title is made of."""
LABELLED_AFTER = 2
"""Messages that a session has before it gets one."""


class Desk(Storage, Artifacts, Vectors, Protocol):
    """A storage that notes can be taken in."""


class Namer(Protocol):
    """Finds titles better than rules can: a language model."""

    def label(self, messages: Sequence[Message]) -> Label | None: ...


class NoteTaker:
    """Takes the notes of one storage."""

    def __init__(self, kit: Kit, desk: Desk, book: FactBook, summaries: Summaries, namer: Namer | None = None) -> None:
        self._kit = kit
        self._desk = desk
        self._book = book
        self._summaries = summaries
        self._namer = namer
        self._holder = kit.new_id(kit.now())
        self._begun = False
        self._done = 0

    def begin(self) -> None:
        """Begins the line of work, unless that was done."""
        if not self._begun:
            self._desk.begin_notes(LINE)
            self._begun = True

    def one_batch(self, stopping: threading.Event, scope: Scope | None = None) -> int | None:
        """Takes the notes of some messages, of one owner's if a scope is given; returns how many were settled, or None if
        none could be had."""
        now = self._kit.now()
        task = self._desk.claim(LINE, self._holder, now, now + LEASE, BATCH, scope)
        if task is None:
            return None
        try:
            settled = self._notes(task)
        except (RecollectError, KeyboardInterrupt, SystemExit):
            self._desk.release(task)
            raise
        except Exception as error:  # a defect: these few go without notes, or nobody would ever get any again
            warnings.warn(f"no notes were taken of some messages: {type(error).__name__}: {error}", stacklevel=2)
            settled = Settled(())
        if not self._desk.settle_notes(task, settled, self._kit.now()):
            return 0
        self._name_sessions(task.scope, settled)
        self._done += len(task.messages)
        return len(task.messages)

    def progress(self) -> tuple[int, int]:
        """How many messages are done, of how many."""
        return self._done, self._done + self._desk.unnoted(LINE)

    def finish(self) -> None:
        """Nothing is left to do."""

    # -- one batch

    def _notes(self, task: Task) -> Settled:
        before = self._before(task)
        fresh = self._unnoted(task)
        facts = self._book.taken_from(task.scope, fresh, before)
        tools = [made for seen in fresh if (made := self._tool_note(seen, before[seen.number]))]
        talks = dict.fromkeys(seen.message.session for seen in task.messages if seen.message.session)
        of_talks = [made for session in talks for made in self._of_session(task.scope.of(session))]
        return Settled([*facts.made, *tools, *of_talks], facts.ended)

    def _unnoted(self, task: Task) -> list[Seen]:
        """The messages of a task without those that an import brought together with the notes on them."""
        numbers = tuple(seen.number for seen in task.messages)
        kinds: tuple[ArtifactKind, ...] = ("fact", "tool")
        known = {
            source.number
            for kind in kinds
            for artifact in self._desk.artifacts(task.scope, ArtifactQuery(kind, numbers=numbers, limit=ALL))
            for source in artifact.sources
        }
        return [seen for seen in task.messages if seen.number not in known]

    def _before(self, task: Task) -> Mapping[int, Sequence[Message]]:
        """For each message of a task the few before it. Only for the first of a session they must be read."""
        recent: dict[str, list[Message]] = {}
        found: dict[int, Sequence[Message]] = {}
        for seen in task.messages:
            session = seen.message.session
            if session not in recent:
                recent[session] = self._read_before(task.scope.of(session), seen.message.seq)
            found[seen.number] = tuple(recent[session][-BEFORE:])
            recent[session].append(seen.message)
        return found

    def _read_before(self, scope: Scope, seq: int) -> list[Message]:
        with suppress(NotFound):
            return self._desk.read(scope, Window(before=seq, last=BEFORE))
        return []

    def _tool_note(self, seen: Seen, before: Sequence[Message]) -> Artifact | None:
        message = seen.message
        if message.role is not Role.TOOL or message.private:
            return None
        made = note(message, _call(message, before))
        if made is None:
            return None
        now = self._kit.now()
        return Artifact(
            self._kit.new_id(now),
            "tool",
            made.text,
            self._kit.counter.count(made.text),
            now,
            message.session,
            tuple(Source(seen.number, start, end) for start, end in made.excerpts) or (Source(seen.number),),
            message.created,
            data={"tool": made.tool, "source": made.source},
        )

    # -- what is about a whole session

    def _of_session(self, scope: Scope) -> list[Artifact]:
        try:
            snapshot = self._desk.snapshot(scope, Window(last=1))
            if snapshot.session.status is Status.DELETED:
                return []
            previous = self._summaries.kept(scope, snapshot.summaries[-1] if snapshot.summaries else None)
            summary = self._summaries.due(scope, previous)
            named = self._label(scope, snapshot.session)
        except NotFound:
            return []  # it went away while we looked
        return [made for made in (summary, named) if made is not None]

    def _label(self, scope: Scope, session: Session) -> Artifact | None:
        """A title and tags for a session that has none, once."""
        if session.message_count < LABELLED_AFTER or (session.title is not None and session.tags):
            return None
        known = self._desk.artifacts(scope, ArtifactQuery("label", session=session.id, limit=1))
        if known:
            # Whoever found it died before the session was named.
            return known[0] if session.title is None else None
        first = [seen for seen in self._desk.snapshot(scope, Window(first=LABELLED_BY)).tail if not seen.message.private]
        made = self._named([seen.message for seen in first])
        if not made.title:
            return None
        numbers = {seen.message.id: seen.number for seen in first}
        now = self._kit.now()
        return Artifact(
            self._kit.new_id(now),
            "label",
            made.title,
            self._kit.counter.count(made.title),
            now,
            session.id,
            tuple(Source(numbers[id]) for id in made.sources if id in numbers),
            now,
            data={"tags": list(made.tags), "topics": list(made.topics)},
        )

    def _named(self, messages: Sequence[Message]) -> Label:
        if self._namer is not None:
            with suppress(RecollectError):
                if (made := self._namer.label(messages)) is not None:
                    return made._replace(sources=tuple(message.id for message in messages))
        return label(messages)

    def _name_sessions(self, scope: Scope, settled: Settled) -> None:
        """Gives sessions the titles and tags that were found for them. A person's own are never touched."""
        for made in settled.made:
            if made.kind == "label" and made.session is not None:
                with suppress(NotFound):
                    self._name_session(scope.of(made.session), made)

    def _name_session(self, scope: Scope, made: Artifact) -> None:
        while True:
            session = self._desk.get_session(scope)
            changes = {
                **({"title": made.text} if session.title is None else {}),
                **({"tags": tuple(made.data["tags"])} if not session.tags and made.data["tags"] else {}),
            }
            if not changes:
                return
            try:
                named = self._desk.update_session(scope, changes, self._kit.now(), Expected(session.revision))
                self._take_back(scope, made, named)
                return
            except RevisionConflict:
                continue

    def _take_back(self, scope: Scope, made: Artifact, session: Session) -> None:
        """If what the label was made of was erased meanwhile, its words must not stay as a title."""
        if not self._desk.artifacts(scope, ArtifactQuery("label", ids=(made.id,))):
            self._desk.update_session(scope, without_label(session, made), self._kit.now(), Expected(session.revision))


def _call(result: Message, before: Sequence[Message]) -> ToolCall | None:
    """The call that a tool's result answers."""
    for message in reversed(before):
        for call in message.tool_calls:
            if call.id == result.tool_call_id:
                return call
    return None
