"""Sessions, their status, and how long they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from keepsaid.types.time import Microseconds, to_datetime


class SessionStatus(StrEnum):
    """The state of a session: active, archived, or deleted (which can still be restored).

    >>> [str(status) for status in SessionStatus]
    ['active', 'archived', 'deleted']
    """

    ACTIVE = "active"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Session(NamedTuple):
    """A conversation, without its messages. Counts follow the active path.

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1", title="Travel", tags=["family"])
    ...     session = chat.info()
    >>> session.title, session.tags, session.message_count, str(session.status)
    ('Travel', ('family',), 0, 'active')
    """

    id: str
    owner: str
    title: str | None
    created: Microseconds
    updated: Microseconds
    touched: Microseconds
    status: SessionStatus
    message_count: int
    token_count: int
    pinned: bool
    revision: int
    head: int
    system_prompt: str | None
    summary: str | None
    summarized: Microseconds | None
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    pool: str | None = None
    temporary: bool = False
    expired: bool = False
    """Whether retention deleted the session, and not the user: then its facts stay."""
    expires: Microseconds | None = None

    @classmethod
    def new(
        cls,
        id: str,
        owner: str,
        now: Microseconds,
        *,
        title: str | None = None,
        created: Microseconds | None = None,
        updated: Microseconds | None = None,
        status: SessionStatus = SessionStatus.ACTIVE,
        pinned: bool = False,
        system_prompt: str | None = None,
        tags: tuple[str, ...] = (),
        metadata: Mapping[str, Any] | None = None,
        pool: str | None = None,
        temporary: bool = False,
        expired: bool = False,
    ) -> Session:
        """A session without messages. `created` is `now` by default, `updated` is `created`.

        >>> Session.new("s1", "u1", 5, title="Trip").revision
        1
        """
        created = now if created is None else created
        updated = created if updated is None else updated
        return cls(
            id, owner, title, created, updated, now, status, 0, 0, pinned, 1, 0, system_prompt, None, None, tags,
            metadata or {}, pool, temporary, expired,
        )  # fmt: skip

    @property
    def created_at(self) -> datetime:
        """When the session was created."""
        return to_datetime(self.created)

    @property
    def updated_at(self) -> datetime:
        """When its last message was said. Lists are sorted by this."""
        return to_datetime(self.updated)

    @property
    def touched_at(self) -> datetime:
        """The last activity, restore or import. Retention counts from here."""
        return to_datetime(self.touched)

    @property
    def summary_at(self) -> datetime | None:
        """When its summary was made."""
        return None if self.summarized is None else to_datetime(self.summarized)

    @property
    def expires_at(self) -> datetime | None:
        """When retention moves it to the next state if nothing happens to it; None: never."""
        return None if self.expires is None else to_datetime(self.expires)


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long sessions are kept, in days, from their last activity, restore or import. None: for ever.

    With `keep_facts`, facts outlive a session that expired. The facts of a session that a user deleted are always deleted
    with it.

    >>> RetentionPolicy().active_days is None, RetentionPolicy().deleted_days
    (True, 30.0)
    """

    active_days: float | None = None
    archived_days: float | None = None
    deleted_days: float | None = 30.0
    keep_facts: bool = True


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """Which sessions to list, newest activity first. `status` None means active and archived together.

    >>> SessionQuery(status=SessionStatus.ACTIVE).limit
    20
    """

    status: SessionStatus | None = None
    tag: str | None = None
    since: Microseconds | None = None
    until: Microseconds | None = None
    limit: int = 20
    after: tuple[int, str] | None = None
    pinned: bool | None = None
