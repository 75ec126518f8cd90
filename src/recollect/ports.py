"""The sockets: what the hall needs from a backend, and nothing more.

A new storage owes `Storage`; what only some can do (a check-up, a backup) is a small protocol of its own. The suite in
`recollect.testing` proves an implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from recollect.types import (
    Access,
    Branch,
    Change,
    Diagnosis,
    EraseReceipt,
    Grant,
    Hit,
    Mark,
    Message,
    Microseconds,
    Scope,
    Session,
    SessionQuery,
    Status,
    Window,
)

Clock = Callable[[], datetime]


class Anchor(NamedTuple):
    """Where new messages go: behind the active leaf, at an empty root, after a message, or beside it (as its sibling)."""

    kind: Literal["leaf", "root", "after", "beside"] = "leaf"
    message: str = ""


LEAF = Anchor()
ROOT = Anchor("root")


class Expected(NamedTuple):
    """What the caller believes of a session; if it is not so, the change is refused with `RevisionConflict`."""

    revision: int | None = None
    head: int | None = None


ANYTHING = Expected()


CHANGEABLE = ("title", "status", "pinned", "system_prompt", "summary", "summarized", "tags", "metadata")
"""The fields of a session that `update_session` can change."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One bounded batch of a clean-up. `last` is where the next one goes on, or None at the end."""

    expired: int = 0
    expired_archived: int = 0
    purged: int = 0
    messages_purged: int = 0
    last: int | None = None


class TokenCounter(Protocol):
    """Counts tokens as a model would; `exact` is False for an estimate, which then errs on the high side."""

    @property
    def name(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def count(self, text: str) -> int: ...


class Storage(Protocol):
    """Keeps conversations. Every verb takes a `Scope`, and no verb looks outside it; `sweep` alone works across owners.

    All verbs are atomic and may be called from any thread. A scope with a pool acts on the pool's memory, if the owner
    holds a grant for it; without one the pool does not exist (`NotFound`).
    """

    @property
    def largest_message(self) -> int:
        """The most bytes of text, parts and metadata that one message may have."""
        ...

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        """Adds a session; `fork` (session id, message id) makes it begin with the path up to that message."""
        ...

    def get_session(self, scope: Scope) -> Session:
        """The session, whatever its status."""
        ...

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        """Sessions by newest activity, ties by id."""
        ...

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: Expected = ANYTHING
    ) -> Session:
        """Changes these fields of the session (`CHANGEABLE`) and raises its revision."""
        ...

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: Anchor = LEAF,
        expected: Expected = ANYTHING,
    ) -> list[Message]:
        """Moves the active leaf to the anchor and adds the messages behind it, all or none.

        A message whose id is stored already in this session with the same content is not added again; the stored one is
        returned. With no messages this only moves the leaf.
        """
        ...

    def read(self, scope: Scope, window: Window) -> list[Message]:
        """Messages of the active path, in order."""
        ...

    def get_message(self, scope: Scope, message: str) -> Message:
        """One message of the session, on whatever branch."""
        ...

    def mark(
        self, scope: Scope, message: str, now: Microseconds, *, importance: float | None = None, pinned: bool | None = None
    ) -> Message:
        """Sets a message's importance or pin."""
        ...

    def branches(self, scope: Scope) -> list[Branch]:
        """Every leaf of the session's tree, oldest first, and the active position."""
        ...

    def find(self, scope: Scope, terms: Sequence[str], limit: int) -> list[Hit]:
        """Messages with these terms (made by `engine.terms`), best first, by the owner's own statistics.

        Looks at the active paths of sessions that are not deleted.
        """
        ...

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """Removes a message, a session, or all of an owner for good, with everything derived from it."""
        ...

    def sweep(
        self, before: Mapping[Status, Microseconds], now: Microseconds, *, after: int, limit: int, dry_run: bool
    ) -> Sweep:
        """Soft-deletes or purges up to `limit` unpinned sessions that were last touched before their status's moment."""
        ...

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        """Adds a pool with its first admin."""
        ...

    def grant(self, pool: str, by: str, owner: str, access: Access | None, now: Microseconds) -> None:
        """Gives, changes or (with None) takes away access; `by` must be an admin, or take away his own."""
        ...

    def grants(self, owner: str, pool: str | None = None) -> list[Grant]:
        """The owner's own grants, or those of one pool that the owner holds a grant for."""
        ...

    def last_mark(self, scope: Scope) -> Mark:
        """How far the owner's changes have come."""
        ...

    def changes(self, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
        """What happened since, in order, and the mark behind it."""
        ...

    def stamp(self) -> object:
        """A cheap value that differs whenever anything was committed, by any process."""
        ...

    def on_commit(self, call: Callable[[], None]) -> None:
        """Asks to be called after every commit of this process."""
        ...

    def settle(self, key: str, value: str) -> str:
        """Keeps a setting of the store, unless it is kept already; returns the one in force."""
        ...

    def maintain(self) -> None:
        """Finishes what had to wait, such as an erase that a reader was blocking."""
        ...

    def close(self) -> None:
        """Gives back files and connections; safe to call twice."""
        ...


@runtime_checkable
class Checkup(Protocol):
    """A storage that can compare its rows, indexes and counters, and mend them."""

    def check(self, *, repair: bool = False) -> Diagnosis: ...


@runtime_checkable
class Backup(Protocol):
    """A storage that can copy itself while in use."""

    def backup(self, target: Path) -> None: ...
