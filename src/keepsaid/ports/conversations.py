"""Reading and writing conversations, and the values that this takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

from keepsaid.types import (
    Branch,
    ChangePosition,
    MemoryChange,
    Message,
    Microseconds,
    PoolAccess,
    PoolGrant,
    ReadWindow,
    Scope,
    SearchFilters,
    Session,
    SessionQuery,
    SessionStatus,
)
from keepsaid.types.reports import EraseReceipt

Clock = Callable[[], datetime]

Progress = Callable[[int, int], None]
"""Called with how much of a long task is done, of how much."""

QuotaCheck = Callable[[int, int], None]
"""Called before this many messages and bytes are stored; raises `QuotaExceeded` if the owner may not store them."""

NO_LIMIT = 1 << 31
"""As a limit: no limit."""


class AppendPosition(NamedTuple):
    """Where new messages go: after the active leaf, at an empty root, after a message, or as a sibling of one."""

    kind: Literal["leaf", "root", "after", "sibling"] = "leaf"
    message: str = ""


AT_LEAF = AppendPosition()

AT_ROOT = AppendPosition("root")


class ExpectedRevision(NamedTuple):
    """What the caller expects of a session; otherwise the change is refused with `RevisionConflict`."""

    revision: int | None = None
    head: int | None = None


ANY_REVISION = ExpectedRevision()

NO_FILTERS = SearchFilters()

CHANGEABLE_FIELDS = ("title", "status", "expired", "pinned", "system_prompt", "summary", "summarized", "tags", "metadata")
"""The fields of a session that `update_session` can change. A new status ends `expired`, unless that is given, too."""


def session_tag(session: str) -> str:
    """Return the tag of documents that belong to one conversation and are removed with it.

    >>> session_tag("s1")
    'session:s1'
    """
    return f"session:{session}"


@dataclass(frozen=True, slots=True)
class SweepBatch:
    """One bounded batch of a clean-up. The next one continues after `last`; None at the end."""

    expired: int = 0
    expired_archived: int = 0
    purged: int = 0
    messages_purged: int = 0
    last: int | None = None


class VisibleMessage(NamedTuple):
    """A visible message. `number` counts the owner's messages in the order they were saved and is never reused."""

    number: int
    message: Message
    score: float = 0.0
    parts: tuple[float, ...] = ()
    """In a search for terms: what each term adds to the score."""


class SessionTree(NamedTuple):
    """Messages of a session on all branches, by `seq`. Each names the session that it was saved in: another one for what a
    fork shows of its origin, "" where that was purged. If its parent was erased, it names the one before."""

    session: Session
    messages: list[Message]
    leaf: str | None
    """The id of the last message of the active path."""


class PlacedMessage(NamedTuple):
    """An imported message, and the id of the one it follows."""

    message: Message
    parent: str | None


class KnownMessageId(NamedTuple):
    """Where a message id exists: in the session, in another session of the owner, or as erased (without a number). The ids
    of discarded artifacts count as erased, too."""

    where: Literal["same_session", "other_session", "erased"]
    number: int = 0


class KeywordMatches(NamedTuple):
    """The messages that a search for terms found, best first; the weight (rarity) of each term; and the average number of
    tokens of the owner's messages, which scores depend on."""

    messages: list[VisibleMessage]
    worth: Mapping[str, float]
    average: float = 0.0


class ConversationStorage(Protocol):
    """Sessions and messages, pools, changes, erase and retention."""

    @property
    def largest_message(self) -> int:
        """The maximum bytes of text, parts and metadata of one message."""
        ...

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        """Create a session; with `fork` (session id, message id) it begins with the path up to that message."""
        ...

    def get_session(self, scope: Scope) -> Session:
        """Return the session, of any status."""
        ...

    def titles(self, scope: Scope, sessions: Sequence[str]) -> dict[str, str | None]:
        """Return the titles of those of these sessions that exist, of any status."""
        ...

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        """List sessions by newest activity, then id."""
        ...

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: ExpectedRevision = ANY_REVISION
    ) -> Session:
        """Change fields of the session (`CHANGEABLE_FIELDS`) and increase its revision."""
        ...

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: AppendPosition = AT_LEAF,
        expected: ExpectedRevision = ANY_REVISION,
    ) -> list[Message]:
        """Move the active leaf to the anchor and add the messages after it, all or none.

        A message whose id already exists in this session with the same content is not added again; the stored one is
        returned. Without messages this only moves the leaf.
        """
        ...

    def read(self, scope: Scope, window: ReadWindow) -> list[Message]:
        """Read messages of the active path, in order."""
        ...

    def get_message(self, scope: Scope, message: str) -> Message:
        """Return one message of the session, on any branch."""
        ...

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[VisibleMessage]:
        """Return the owner's messages with these numbers that still exist, on any branch of any session."""
        ...

    def mark(
        self,
        scope: Scope,
        message: str,
        now: Microseconds,
        *,
        importance: float | None = None,
        pinned: bool | None = None,
        private: bool | None = None,
    ) -> Message:
        """Set a message's importance, pin or privacy. A message made private loses its vectors, its keyword index entries
        and all artifacts made from it; made public again, it is processed again."""
        ...

    def branches(self, scope: Scope) -> list[Branch]:
        """List every leaf of the session's tree, oldest first, and the active position."""
        ...

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> SessionTree:
        """Read messages of the session after a `seq`, on any branch and in any status: for exports."""
        ...

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, KnownMessageId]:
        """Return those of the message ids that new messages of the session cannot have, and why. For a scope without a
        session all messages are in another session."""
        ...

    def plant(
        self, scope: Scope, messages: Sequence[PlacedMessage], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        """Insert imported messages, all or none, in any status of the session: each after its parent, which exists or comes
        before it, and with its own `seq` where that is above all others of the session. Their ids must be new (`known`).
        Then the active path ends at `leaf`; None moves it to its beginning. The last activity becomes `updated`, unless it
        is later already."""
        ...

    def find(self, scope: Scope, terms: Sequence[str], filters: SearchFilters, limit: int) -> KeywordMatches:
        """Search messages with these terms (from `engine.text.terms`), best first, by the statistics of the owner's own
        messages.

        Searches the active paths of sessions that are not deleted.
        """
        ...

    def look(
        self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: SearchFilters = NO_FILTERS
    ) -> list[VisibleMessage]:
        """Return those of the owner's messages that are visible (as for `find`), with up to `around` neighbours on either
        side of each; every message once, unordered. Of the filters only `sessions`, `tags` and `expired` apply."""
        ...

    def numbers(self, scope: Scope, filters: SearchFilters) -> list[int]:
        """List the numbers of all messages that pass the filters, visible or not, ascending."""
        ...

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """Remove a message, a session, or everything of an owner for good, with everything derived from it and with the
        documents that belong to it."""
        ...

    def sweep(
        self,
        before: Mapping[SessionStatus, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool = False,
    ) -> SweepBatch:
        """Soft-delete (as `expired`) or purge up to `limit` unpinned sessions that were last touched before the time of
        their status. The documents of a purged session are purged with it, uncounted.

        With `keep_facts`, purging an expired session keeps the facts made from its active path, without their references to
        it. Facts made from messages with an author (in pools) are purged, so that erasing the author leaves none of them."""
        ...

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        """Create a pool with its first admin."""
        ...

    def grant(self, pool: str, by: str, owner: str, access: PoolAccess | None, now: Microseconds) -> None:
        """Grant, change or (with None) revoke access; `by` must be an admin, or revoke their own access."""
        ...

    def grants(self, owner: str, pool: str | None = None) -> list[PoolGrant]:
        """List the owner's grants, or all grants of a pool that the owner has access to."""
        ...

    def last_position(self, scope: Scope) -> ChangePosition:
        """The position after the owner's newest change."""
        ...

    def last_positions(self, scopes: Sequence[Scope]) -> list[ChangePosition | None]:
        """The last mark of each scope, in one call; None where the owner has no access."""
        ...

    def changes(self, scope: Scope, since: ChangePosition, limit: int) -> tuple[list[MemoryChange], ChangePosition]:
        """Return the changes since a position, in order, each with the position after it, and the position after the last.
        For a position of an owner that is gone, or of the future, one `reset` and the last position."""
        ...

    def stamp(self) -> object:
        """Return a value that changes whenever any process has committed; cheap to get."""
        ...

    def on_commit(self, call: Callable[[], None]) -> None:
        """Register a listener to call after every commit of this process. A listener that fails does not affect the
        commit."""
        ...

    def settle(self, key: str, value: str) -> str:
        """Store a setting unless it exists; return the one in force."""
        ...

    def maintain(self) -> None:
        """Finish what had to wait, such as an erase that was blocked by a reader."""
        ...

    def close(self) -> None:
        """Close files and connections; safe to call twice."""
        ...
