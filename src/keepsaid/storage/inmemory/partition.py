"""The data of one owner in the in-memory storage: sessions as trees of linked nodes, and what is derived from them."""

from __future__ import annotations

from dataclasses import dataclass, field

from keepsaid.ports import EmbeddedPassage, StoredReceipt
from keepsaid.types import Artifact, Blob, ChangeKind, ChangePosition, Message, Microseconds, ReadWindow, Session

NO_CHANGES = ChangePosition()


@dataclass(slots=True, eq=False)
class MessageNode:
    """A message in its tree. `home` is the session in which it was added."""

    message: Message
    parent: MessageNode | None
    home: SessionRecord
    number: int


@dataclass(slots=True, eq=False)
class SessionRecord:
    """A session and the end of its active path. `origin` is the node at which it was forked."""

    session: Session
    number: int
    leaf: MessageNode | None = None
    origin: MessageNode | None = None
    purged: bool = False


@dataclass(slots=True)
class GenerationState:
    """The vectors of one generation by message number, its progress, and the lease of the next messages."""

    upto: int = 0
    holder: str | None = None
    until: Microseconds = 0
    passages: dict[int, list[EmbeddedPassage]] = field(default_factory=dict[int, list[EmbeddedPassage]])
    notes: bool = False
    """Whether it is a notes queue, which has no vectors."""


@dataclass(slots=True)
class MemoryPartition:
    """All data of one owner or pool, or of the documents of one."""

    sessions: dict[str, SessionRecord] = field(default_factory=dict[str, SessionRecord])
    nodes: dict[str, MessageNode] = field(default_factory=dict[str, MessageNode])
    erased: set[str] = field(default_factory=set[str])
    log: list[tuple[int, int, ChangeKind, str | None, str | None]] = field(
        default_factory=list[tuple[int, int, ChangeKind, str | None, str | None]]
    )
    generations: dict[str, GenerationState] = field(default_factory=dict[str, GenerationState])
    artifacts: dict[str, Artifact] = field(default_factory=dict[str, Artifact])
    receipts: dict[str, StoredReceipt] = field(default_factory=dict[str, StoredReceipt])
    blobs: dict[tuple[str, str], Blob] = field(default_factory=dict[tuple[str, str], Blob])
    """By session and name."""
    last: ChangePosition = NO_CHANGES
    name: str = ""

    def record_change(self, kind: ChangeKind, session: str | None = None, message: str | None = None) -> None:
        """Record a change that is not a new message."""
        self.last = self.last._replace(changes=self.last.changes + 1)
        self.log.append((self.last.messages, self.last.changes, kind, session, message))

    def release_note_leases(self) -> None:
        """Release the leases of note extraction: notes in progress may derive from what was just deleted."""
        for state in self.generations.values():
            if state.notes:
                state.holder = None

    def drop_orphaned_vectors(self) -> None:
        """Delete the vectors of messages that no longer exist."""
        alive = {node.number for node in self.nodes.values()}
        for state in self.generations.values():
            state.passages = {number: some for number, some in state.passages.items() if number in alive}


def path_to(leaf: MessageNode | None) -> list[MessageNode]:
    """Return the nodes from the root to a leaf."""
    found: list[MessageNode] = []
    while leaf:
        found.append(leaf)
        leaf = leaf.parent
    return found[::-1]


def apply_window(path: list[MessageNode], window: ReadWindow) -> list[MessageNode]:
    """Return the nodes of a path that are in a window."""
    if window.after is not None:
        path = [node for node in path if node.message.seq > window.after]
    if window.before is not None:
        path = [node for node in path if node.message.seq < window.before]
    if window.first is not None:
        path = path[: window.first]
    if window.last is not None:
        path = path[-window.last :] if window.last else []
    if window.max_tokens is not None:
        left, start = window.max_tokens, len(path)
        while start and path[start - 1].message.tokens <= left:
            start -= 1
            left -= path[start].message.tokens
        path = path[start:]
    return path
