"""What is made of messages, and what turns were given: a storage that keeps these, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from recollect.ports.storage import Seen
from recollect.ports.vectors import Task
from recollect.types import Artifact, ArtifactKind, Microseconds, Scope, Session, Window


@dataclass(frozen=True, slots=True)
class ArtifactQuery:
    """Which artifacts to read; what is left empty asks for nothing in particular. Newest first (summaries: by `upto`).

    `as_of` leaves out what was not yet, or no longer, true at that moment. `terms` (made by `engine.terms`) asks for those
    whose text has any of them, `numbers` for those that rest on any of these messages; with both, either will do.
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


class Covered(NamedTuple):
    """A summary, without its text: its id, and up to which `seq` it covers its session's path."""

    id: str
    upto: int


class Snapshot(NamedTuple):
    """All that a context needs of a session, as it was at one moment."""

    session: Session
    tail: list[Seen]
    """The newest messages of the active path that the window lets in, in order."""
    pinned: list[Seen]
    """Pinned messages of the active path before the tail, in order."""
    summaries: list[Covered]
    """Which summaries there are about the active path (whose `upto` is on it), by growing `upto`."""


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """What a turn was given, by reference. The texts are those that no reference could bring back.

    Erasing a message takes `question` out of the session's receipts that were made for it (those whose `leaf` it followed,
    and those that say the very same), and `rewritten` out of all that were made after it; erasing the session takes all.
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
    """Who asked: the scope's owner."""


class Settled(NamedTuple):
    """What note-taking made of a task's messages, to be kept in one transaction."""

    made: Sequence[Artifact] = ()
    ended: Mapping[str, Microseconds] = {}
    """Ids of facts that are no longer true, with the moment they ceased to be."""


@runtime_checkable
class Artifacts(Protocol):
    """A storage that keeps what is made of messages, and what each turn was given.

    Messages wait for the note-taker as they wait for vectors: `claim` with a line of work that `begin_notes` began hands
    them out by lease, in the order of their numbers.
    """

    def begin_notes(self, line: str) -> None:
        """Begins a line of work; `claim`, `release` and `waiting` then know it by this name. It is no generation of
        vectors, and `generations` does not list it."""
        ...

    def unnoted(self, line: str) -> int:
        """How many messages wait in a line of work, of all owners."""
        ...

    def settle_notes(self, task: Task, settled: Settled, now: Microseconds) -> bool:
        """Keeps what was made, ends what is no longer true, and ends the task's lease, in one transaction. False, and
        nothing is kept, if somebody else has taken or settled it since, or if a message of the owner went or was made
        private: notes may be made of more than they name, so they are taken anew. Artifacts resting on a message that is
        gone or private by now are passed over."""
        ...

    def snapshot(self, scope: Scope, window: Window) -> Snapshot:
        """A session with its newest messages, its pins and its summaries, all of one moment."""
        ...

    def keep_artifacts(self, scope: Scope, settled: Settled, now: Microseconds) -> None:
        """Keeps artifacts made outside of a task, such as a fact written by hand. A summary of the same session and `upto`
        replaces the earlier one, and the session's own `summary` follows its newest."""
        ...

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        """The owner's artifacts. Whether what they rest on can be seen is for the caller to look."""
        ...

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        """Removes artifacts for good; returns how many there were."""
        ...

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        """Keeps what turns were given."""
        ...

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        """One of them, or `NotFound`."""
        ...

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        """Those of the scope (of one session, if it names one), newest first."""
        ...

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        """Removes up to `limit` receipts of all owners that are older, for good. Works across owners, like `sweep`."""
        ...
