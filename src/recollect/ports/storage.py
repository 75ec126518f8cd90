"""What every storage owes, and the values that go to it and come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

from recollect.reports import EraseReceipt
from recollect.types import (
    Access,
    Branch,
    Change,
    Filters,
    Grant,
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

Progress = Callable[[int, int], None]
"""Is told how much of a long work is done, of how much."""

ALL = 1 << 31
"""As a limit: none."""


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

NO_FILTERS = Filters()

CHANGEABLE = ("title", "status", "expired", "pinned", "system_prompt", "summary", "summarized", "tags", "metadata")
"""The fields of a session that `update_session` can change. A new status ends `expired`, unless that is given, too."""


def session_tag(session: str) -> str:
    """The tag of a document (a session on the shelf) that belongs to one conversation, and goes with it.

    >>> session_tag("s1")
    'session:s1'
    """
    return f"session:{session}"


@dataclass(frozen=True, slots=True)
class Sweep:
    """One bounded batch of a clean-up. `last` is where the next one goes on, or None at the end."""

    expired: int = 0
    expired_archived: int = 0
    purged: int = 0
    messages_purged: int = 0
    last: int | None = None


class Seen(NamedTuple):
    """A message that can be seen. `number` counts the owner's messages in the order they were saved and is never reused."""

    number: int
    message: Message
    score: float = 0.0
    parts: tuple[float, ...] = ()
    """Where terms were searched for: what each of them adds to the score."""


class Tree(NamedTuple):
    """Some messages of a session, on whatever branch, by `seq`. Each names the session where it is at home: another one for
    what a fork shows of its origin, none ("") where that was purged. Where its parent was erased, it has the one before."""

    session: Session
    messages: list[Message]
    leaf: str | None
    """The id of the message at which the active path ends."""


class Planted(NamedTuple):
    """A message that comes from elsewhere with its place, and the id of the one it follows."""

    message: Message
    parent: str | None


class Known(NamedTuple):
    """Where a message id is known already: in the session, in another one of the owner, or as erased (without a number). Of
    artifacts that somebody discarded, or that went with their owner, the ids are known as erased, too."""

    where: Literal["here", "elsewhere", "erased"]
    number: int = 0


class Found(NamedTuple):
    """What a search for terms found, best first; what each term that was asked for is worth (its rarity); and how many
    tokens the owner's messages have on average, which scores depend on."""

    messages: list[Seen]
    worth: Mapping[str, float]
    average: float = 0.0


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

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[Seen]:
        """The owner's messages of these numbers that are still there, on whatever branch of whatever session."""
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
        """Sets a message's importance or pin. A message made private loses its vectors, its place in the keyword index, and
        all artifacts that rest on it; made public again, it waits for them anew."""
        ...

    def branches(self, scope: Scope) -> list[Branch]:
        """Every leaf of the session's tree, oldest first, and the active position."""
        ...

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> Tree:
        """Messages of the session behind a seq, on whatever branch and whatever the session's status: for exports."""
        ...

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, Known]:
        """Those of the message ids that cannot be given to new messages of the session, and why. For a scope without a
        session all messages are elsewhere."""
        ...

    def plant(
        self, scope: Scope, messages: Sequence[Planted], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        """Adds messages that come from elsewhere, all or none, whatever the session's status: each behind its parent, which
        is there or comes before it, and with its own `seq` where that is above all others of the session. Their ids must be
        new (`known`). Then the active path ends at `leaf`; None moves it to its beginning. The session was last active at
        `updated`, or later."""
        ...

    def find(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Found:
        """Messages with these terms (made by `engine.terms`), best first, by the owner's own statistics.

        Looks at the active paths of sessions that are not deleted.
        """
        ...

    def look(self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: Filters = NO_FILTERS) -> list[Seen]:
        """Those of the owner's messages that can be seen (as `find` sees), with up to so many neighbours on either side
        of each; every message once, in no order. Of the filters only `sessions`, `tags` and `expired` count here: they say
        in which sessions to look."""
        ...

    def numbers(self, scope: Scope, filters: Filters) -> list[int]:
        """The numbers of all messages that pass the filters, whether they can be seen or not, growing."""
        ...

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """Removes a message, a session, or all of an owner for good, with everything derived from it. The documents of a
        session (`session_tag`) go with it, those of an owner or pool with him."""
        ...

    def sweep(
        self,
        before: Mapping[Status, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool = False,
    ) -> Sweep:
        """Soft-deletes (as `expired`) or purges up to `limit` unpinned sessions that were last touched before their status's
        moment. The documents of a purged session go with it, uncounted.

        With `keep_facts`, purging an expired session keeps the facts that rest on its active path: they lose the session
        and the messages that go. Those on messages with an author (in pools) go, so that erasing the author finds them."""
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
        """What happened since, in order, each with the mark of a follower who has seen it and all before; and the mark
        behind it. For a mark of an owner who is gone, or of what has not happened, one `reset`, and the last mark."""
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
