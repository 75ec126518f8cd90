"""The interface of a storage backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from keepsaid.errors import KeepsaidError
from keepsaid.ports.artifacts import ArtifactStorage
from keepsaid.ports.blobs import BlobStorage
from keepsaid.ports.conversations import ConversationStorage, Progress
from keepsaid.ports.directory import DirectoryStorage
from keepsaid.ports.keys import KeyStorage
from keepsaid.ports.prefetch import ReadCall
from keepsaid.ports.statistics import StatisticsStorage
from keepsaid.ports.vectors import Index, VectorStorage
from keepsaid.types import Message, Microseconds, Scope


class AppendRequest(NamedTuple):
    """Messages to be added to the end of a session, and when."""

    scope: Scope
    messages: Sequence[Message]
    now: Microseconds


@dataclass(frozen=True, slots=True)
class StorageCapabilities:
    """What only some backends can do. None: this one cannot."""

    backup: Callable[[Path, Progress | None], None] | None = None
    """Copy the store to a new file while it is in use; the progress counts bytes."""
    append_each: Callable[[Sequence[AppendRequest]], list[list[Message] | KeepsaidError]] | None = None
    """Do each append in one transaction, and return what became of each. One that fails does not affect the others."""
    warnings: Callable[[], Sequence[str]] | None = None
    """What an operator should know of the server, such as that it keeps nothing on a disk; each in a sentence."""
    deferred_sync: Callable[[], AbstractContextManager[None]] | None = None
    """Commits of this thread in the block need not be on disk before its end: an import can be repeated."""
    index: Callable[[], Index] | None = None
    """The backend's own index over its vectors."""
    read_session: Callable[[Scope], AbstractContextManager[None]] | None = None
    """Reads of this thread in the block belong together. Those in the scope may all show the store as of the first one."""
    pause_reads: Callable[[], None] | None = None
    """Within a read session: this thread is about to wait for something slow. The next read may show a newer state."""
    prefetch: Callable[[ReadCall], None] | None = None
    """Within a read session: announce a read that will follow with the same arguments. It is sent together with the next
    read, and its answer is kept until it is asked for or the session ends."""


class Storage(
    ConversationStorage,
    ArtifactStorage,
    VectorStorage,
    BlobStorage,
    KeyStorage,
    StatisticsStorage,
    DirectoryStorage,
    Protocol,
):
    """Keeps conversations and everything that belongs to them.

    Every verb takes a `Scope` and never looks outside it; `sweep` and the verbs of `DirectoryStorage` alone work across
    owners. All verbs are atomic and may be called from any thread. A scope with a pool acts on the pool's memory, if the
    owner holds a grant for it; without one the pool does not exist (`NotFound`).
    """

    @property
    def capabilities(self) -> StorageCapabilities:
        """What this backend can do beyond the verbs that all have."""
        ...
