"""Storing artifacts (summaries, facts, tool notes, labels) and the receipts of prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from keepsaid.ports.conversations import VisibleMessage
from keepsaid.ports.vectors import WorkLease
from keepsaid.types import Artifact, ArtifactKind, Microseconds, ReadWindow, Scope, Session


@dataclass(frozen=True, slots=True)
class ArtifactQuery:
    """Which artifacts to read, newest first (summaries: by `upto`). An empty field does not filter.

    `as_of` selects what was valid at that time. `terms` (from `engine.text.terms`) selects artifacts with any of these
    terms, `numbers` those made from any of these messages; with both, either suffices.
    """

    kind: ArtifactKind
    session: str | None = None
    ids: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    as_of: Microseconds | None = None
    pinned: bool | None = None
    limit: int = 200
    fact_kinds: tuple[str, ...] = ()
    """Only facts whose `data["kind"]` is one of these."""


class SummaryCoverage(NamedTuple):
    """The id of a summary, and the `seq` up to which it covers its session's path."""

    id: str
    upto: int


class SessionSnapshot(NamedTuple):
    """Everything a prompt needs of a session, read at one point in time."""

    session: Session
    tail: list[VisibleMessage]
    """The newest messages of the active path within the window, in order."""
    pinned: list[VisibleMessage]
    """Pinned messages of the active path before the tail, in order."""
    summaries: list[SummaryCoverage]
    """The summaries whose `upto` is on the active path, by ascending `upto`."""


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """The references from which a prompt can be rebuilt, and the texts that no reference could restore.

    Erasing a message removes `question` from the receipts made for it (those whose `leaf` it followed, and those with the
    same text), and `rewritten` from all receipts made after it. Erasing the session removes all its receipts.
    """

    id: str
    session: str
    created: Microseconds
    leaf: int
    """The `seq` at which the path ended."""
    question: str | None
    rewritten: str | None
    system: str | None
    data: Mapping[str, Any]
    author: str | None = None
    """The owner who asked."""


class ArtifactChanges(NamedTuple):
    """The artifacts made from a task's messages, to be stored in one transaction."""

    made: Sequence[Artifact] = ()
    ended: Mapping[str, Microseconds] = {}
    """Ids of facts that ended, and when."""


class ArtifactStorage(Protocol):
    """Stores artifacts and receipts.

    Messages wait for extraction as they wait for vectors: `claim` with a work line that `begin_notes` created leases them in
    the order of their numbers.
    """

    def begin_notes(self, line: str) -> None:
        """Create a work line for `claim`, `release` and `waiting`. `generations` does not list it: it has no vectors."""
        ...

    def unnoted(self, line: str) -> int:
        """Count the messages of all owners that wait in a work line."""
        ...

    def settle_notes(self, task: WorkLease, settled: ArtifactChanges, now: Microseconds) -> bool:
        """Store new artifacts, end facts and end the task's lease, in one transaction. Return False and store nothing if
        another worker has claimed or completed the task, or if a message of the owner was removed or made private meanwhile:
        artifacts may depend on more messages than they name, so they are made again. Artifacts made from a message that is
        gone or private are skipped."""
        ...

    def snapshot(self, scope: Scope, window: ReadWindow) -> SessionSnapshot:
        """Read a session with its newest messages, pinned messages and summaries at one point in time."""
        ...

    def keep_artifacts(self, scope: Scope, settled: ArtifactChanges, now: Microseconds) -> None:
        """Store artifacts made outside a task, such as a fact written by hand. A summary replaces one of the same session
        and `upto`; the session's `summary` field is set to its newest."""
        ...

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        """Read the owner's artifacts. The caller checks whether their messages are visible."""
        ...

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        """Remove artifacts for good; return how many there were."""
        ...

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        """Store receipts."""
        ...

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        """Return one receipt, or raise `NotFound`."""
        ...

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        """Receipts of the scope (of its session, if it names one), newest first."""
        ...

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        """Remove up to `limit` older receipts of all owners, for good. Works across owners, like `sweep`."""
        ...
