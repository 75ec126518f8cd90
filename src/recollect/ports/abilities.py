"""What only some storages can do, each a small protocol of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from recollect.errors import RecollectError
from recollect.ports.artifacts import StoredReceipt
from recollect.ports.storage import Progress
from recollect.reports import Diagnosis, Usage
from recollect.types import Blob, Mark, Message, Microseconds, Scope

BEYOND = "\U0010ffff"
"""Behind every character that a blob's name can have: so that all names that begin the same lie between two."""


@runtime_checkable
class Blobs(Protocol):
    """Keeps bytes by name, for programs with state of their own. What belongs to a session goes when that is erased; the
    session need not have any messages, nor be there at all: then `Storage.erase` removes what there is of it. Names sort by
    their code points. What is removed, by either verb, is removed for good.

    Every verb acts on the blobs of the scope's session, or without one on those that belong to none.
    """

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        """Keeps each under its name, or removes it (None): all or none. Where `expected` names a revision (0: that there is
        none), and it is another by now, raises `RevisionConflict` and changes nothing."""
        ...

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        """Those that there are, by name."""
        ...

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        """Blobs whose names begin so, in order or from the last one back, behind the name `after` in that order."""
        ...

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        """Removes all whose names begin so, for good; returns how many there were."""
        ...

    def blob_sessions(self, scope: Scope) -> list[str]:
        """The sessions of the scope's space that have any, in order."""
        ...


@runtime_checkable
class Marks(Protocol):
    """A storage that can tell of many owners at once how far they have come, so that many can be watched."""

    def last_marks(self, scopes: Sequence[Scope]) -> list[Mark | None]:
        """The last mark of each; None where there is no access."""
        ...


@runtime_checkable
class Checkup(Protocol):
    """A storage that can compare its rows, indexes and counters, and mend them."""

    def check(self, *, repair: bool = False) -> Diagnosis: ...


@runtime_checkable
class Cautious(Protocol):
    """A storage on a server that may be set up in a way that puts what it keeps at risk."""

    def warnings(self) -> Sequence[str]:
        """What whoever runs the server should know, each in a sentence."""
        ...


@runtime_checkable
class Backup(Protocol):
    """A storage that can copy itself while in use."""

    def backup(self, target: Path, progress: Progress | None = None) -> None:
        """Copies itself to a new file; `progress` is told of bytes."""
        ...


class Step(NamedTuple):
    """What happened in one step of time."""

    sessions: int = 0
    """Begun in it, and not deleted since."""
    messages: int = 0
    """Said in it, on whatever branch."""
    tokens: int = 0
    bytes: int = 0
    """What these messages take, without indexes and vectors."""
    summaries: int = 0
    """Made in it, also those that newer ones have replaced since."""
    waits: Sequence[float] = ()
    """Milliseconds that each prompt made in it took, growing."""
    prompt_tokens: int = 0
    reused_tokens: int = 0
    """Of those, the ones at the beginning of a prompt that were in the one before, as far as its receipt tells."""


class Counted(NamedTuple):
    """What there is by now, and what happened in each step of time. Messages and tokens of sessions not deleted, on their
    active paths; facts that are true."""

    owners: int
    active: int
    archived: int
    deleted: int
    messages: int
    tokens: int
    facts: int
    documents: int
    size: int
    """Bytes that the whole store takes, whoever they belong to."""
    steps: list[Step]


@runtime_checkable
class Figures(Protocol):
    """A storage that can count what it has, and what happened when."""

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
        """The figures of an owner or pool, or with None of all, and of each step from `since` on that begins before
        `until`. Works across owners, like `sweep`; what it tells is numbers alone."""
        ...

    def usage(self, scope: Scope) -> Usage:
        """What an owner or pool has by now, with documents, and with what is deleted but not purged."""
        ...


class Append(NamedTuple):
    """Messages to be added to the end of a session, and when."""

    scope: Scope
    messages: Sequence[Message]
    now: Microseconds


@runtime_checkable
class Batches(Protocol):
    """A storage that can save messages of several sessions in one go."""

    def append_each(self, appends: Sequence[Append]) -> list[list[Message] | RecollectError]:
        """Does each as `append` would, and tells what became of it. One that fails harms none of the others."""
        ...


class Key(NamedTuple):
    """A key to a server: the hash of its secret, and whose it is (an owner's, or a service's of a tenant)."""

    id: str
    digest: str
    name: str
    owner: str | None
    tenant: str | None
    scopes: tuple[str, ...]
    created: Microseconds
    expires: Microseconds | None = None


@runtime_checkable
class Keyring(Protocol):
    """A storage that keeps the keys of the servers in front of it."""

    def keep_key(self, key: Key) -> None:
        """Keeps a new key."""
        ...

    def key(self, id: str) -> Key | None:
        """The key of this id, if there is one."""
        ...

    def keys(self) -> list[Key]:
        """All keys, newest first."""
        ...

    def drop_key(self, id: str) -> bool:
        """Forgets a key; False if there is none of this id."""
        ...


@runtime_checkable
class Directory(Protocol):
    """A storage that can tell of everything it has, so that all of it can be copied. Works across owners, like `sweep`; in a
    pool only an admin is told. Nothing in here ever writes."""

    def everyone(self) -> Iterator[Scope]:
        """A scope without a session for every owner and pool that has anything; a pool's is that of an admin."""
        ...

    def setting(self, key: str) -> str | None:
        """The setting of the store that is in force, if there is one: `settle` would make it."""
        ...

    def makers(self, scope: Scope) -> dict[str, str]:
        """Who made each of a pool's sessions, whatever its status. Those whose maker was erased are left out."""
        ...

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        """Every receipt of a session, oldest first, whatever the session's status and whoever was given it."""
        ...

    def done(self, scope: Scope, line: str) -> int:
        """Up to which number the owner's messages are done in a line of work, be it vectors or notes; 0 if none are."""
        ...
