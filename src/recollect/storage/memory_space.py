"""What the reference keeps of an owner: sessions as trees of linked nodes, and beside them what was made of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.ports import Passage, StoredReceipt
from recollect.types import Artifact, Blob, ChangeKind, Mark, Message, Microseconds, Session, Window

NOTHING = Mark()


@dataclass(slots=True, eq=False)
class Node:
    """A message in its tree."""

    message: Message
    parent: Node | None
    home: Talk
    number: int


@dataclass(slots=True, eq=False)
class Talk:
    """A session and where its active path ends; `origin` is the node it was forked at."""

    session: Session
    number: int
    leaf: Node | None = None
    origin: Node | None = None
    purged: bool = False


@dataclass(slots=True)
class Shelf:
    """The vectors of one generation, by message number, and who works on the next ones."""

    upto: int = 0
    holder: str | None = None
    until: Microseconds = 0
    passages: dict[int, list[Passage]] = field(default_factory=dict[int, list[Passage]])
    notes: bool = False
    """Whether it is a line of notes, which has no vectors."""


@dataclass(slots=True)
class Space:
    """All that one owner, or one pool, has."""

    talks: dict[str, Talk] = field(default_factory=dict[str, Talk])
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    erased: set[str] = field(default_factory=set[str])
    log: list[tuple[int, int, ChangeKind, str | None, str | None]] = field(
        default_factory=list[tuple[int, int, ChangeKind, str | None, str | None]]
    )
    shelves: dict[str, Shelf] = field(default_factory=dict[str, Shelf])
    artifacts: dict[str, Artifact] = field(default_factory=dict[str, Artifact])
    receipts: dict[str, StoredReceipt] = field(default_factory=dict[str, StoredReceipt])
    blobs: dict[tuple[str, str], Blob] = field(default_factory=dict[tuple[str, str], Blob])
    """By session and name, each with who kept it."""
    last: Mark = NOTHING
    name: str = ""

    def note(self, kind: ChangeKind, session: str | None = None, message: str | None = None) -> None:
        """Records a change that is not a new message."""
        self.last = self.last._replace(changes=self.last.changes + 1)
        self.log.append((self.last.messages, self.last.changes, kind, session, message))

    def interrupt_notes(self) -> None:
        """Whoever is taking notes must begin anew: they may be made of what just went."""
        for shelf in self.shelves.values():
            if shelf.notes:
                shelf.holder = None

    def forget_vectors(self) -> None:
        """Lets go of the vectors of messages that are gone."""
        alive = {node.number for node in self.nodes.values()}
        for shelf in self.shelves.values():
            shelf.passages = {number: some for number, some in shelf.passages.items() if number in alive}


def path_to(leaf: Node | None) -> list[Node]:
    """The messages from the root to a leaf."""
    found: list[Node] = []
    while leaf:
        found.append(leaf)
        leaf = leaf.parent
    return found[::-1]


def windowed(path: list[Node], window: Window) -> list[Node]:
    """The messages of a path that a window lets in."""
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
