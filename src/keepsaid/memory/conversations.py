"""The verbs for conversations: start, resume, list and watch them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from keepsaid.engine.messages import cursor as cursors
from keepsaid.engine.messages.validation import (
    clean_datetime,
    clean_limit,
    clean_metadata,
    clean_name,
    clean_tags,
    clean_text,
)
from keepsaid.errors import Conflict, InvalidInput, KeepsaidError, NotFound
from keepsaid.memory.base import MemoryBase
from keepsaid.memory.chat import Chat
from keepsaid.memory.watch import Watch
from keepsaid.services.background.change_dispatcher import ChangeDispatcher
from keepsaid.types import (
    ChangePosition,
    Message,
    MessageAddition,
    Page,
    Scope,
    Session,
    SessionQuery,
    SessionStatus,
    to_microseconds,
)

if TYPE_CHECKING:
    from keepsaid.memory.blobs import BlobStore

STATUSES = {status.value: status for status in SessionStatus}


class ConversationVerbs(MemoryBase):
    """The verbs for conversations: start, resume, list and watch them."""

    def chat(
        self,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        create: bool = False,
        temporary: bool = False,
        title: str | None = None,
        system_prompt: str | None = None,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        created_at: datetime | None = None,
    ) -> Chat:
        """Start a new conversation, or resume the one with the id `session`.

        An unknown session raises `NotFound`, unless `create` is set. A temporary session is kept in this process and never
        written to the store. With `pool`, the conversation belongs to a shared pool.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> chat = memory.chat(owner="u1", title="Travel")
        >>> memory.chat(owner="u1", session=chat.id).info().title
        'Travel'
        """
        scope = self._scope(owner, session, pool)
        temporary = temporary or not self._services.settings.persist or self._is_temporary(scope)
        if temporary and pool is not None:
            raise InvalidInput("a temporary session cannot be in a pool: other members could not read it")
        if session is not None:
            try:
                return self._resumed(scope, temporary)
            except NotFound:
                if not create:
                    raise
        now = self._services.now()
        moment = now if created_at is None else to_microseconds(clean_datetime(created_at, "created_at"))
        id = session or self._services.new_id(now)
        new = Session.new(
            id,
            owner,
            now,
            title=None if title is None else clean_text(title, "title"),
            created=moment,
            system_prompt=None if system_prompt is None else clean_text(system_prompt, "system_prompt"),
            tags=clean_tags(tags),
            metadata=clean_metadata(metadata),
            pool=pool,
            temporary=temporary,
        )
        try:
            self._home(temporary).storage.create_session(scope.of(id), new)
        except Conflict:
            # Another caller created it after the check above. If it was deleted meanwhile, this raises `NotFound`.
            return self._resumed(scope.of(id), temporary)
        return self._handle(scope.of(id), temporary)

    def add_each(self, additions: Iterable[MessageAddition]) -> list[Message | KeepsaidError]:
        """Save messages of many conversations together, with one write to disk.

        Return for each the saved message or the error; an error does not affect the other messages.

        >>> import keepsaid
        >>> from keepsaid import MessageAddition, MessageDraft
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1", session="trip", create=True)
        >>> words = MessageDraft("user", "Hello")
        >>> saved, refused = memory.add_each([MessageAddition("u1", "trip", words), MessageAddition("u1", "nowhere", words)])
        >>> saved.text, type(refused).__name__
        ('Hello', 'NotFound')
        """
        from keepsaid.services.bulk_add import add_each

        return add_each(lambda scope: self._home(self._is_temporary(scope)), additions)

    def sessions(
        self,
        *,
        owner: str,
        status: str | None = None,
        tag: str | None = None,
        pinned: bool | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        pool: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Session]:
        """Return the owner's sessions, newest activity first.

        By default active and archived sessions; `status`, `tag` and `pinned` select others or fewer.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> for name in ("one", "two", "three"):
        ...     _ = memory.chat(owner="u1", session=name, create=True)
        >>> page = memory.sessions(owner="u1", limit=2)
        >>> rest = memory.sessions(owner="u1", limit=2, cursor=page.next)
        >>> len(page), len(rest), rest.next
        (2, 1, None)
        """
        scope = self._scope(owner, None, pool)
        query = SessionQuery(
            status=None if status is None else _status(status),
            tag=None if tag is None else clean_name(tag, "tag"),
            since=None if since is None else to_microseconds(clean_datetime(since, "since")),
            until=None if until is None else to_microseconds(clean_datetime(until, "until")),
            limit=(self._services.settings.sessions_limit if limit is None else clean_limit(limit, "limit")) + 1,
            pinned=None if pinned is None else bool(pinned),
        )
        key = ("sessions", owner, pool, status, tag, query.since, query.until, *(() if pinned is None else (query.pinned,)))
        if cursor is not None:
            query = replace(query, after=cursors.decode_cursor(key, cursor))
        found = self._services.storage.list_sessions(scope, query)
        shown = self._services.all_with_expiry(found[: query.limit - 1])
        more = len(found) == query.limit
        return Page(shown, cursors.encode_cursor(key, shown[-1].updated, shown[-1].id) if more else None)

    def restore(self, *, owner: str, session: str, pool: str | None = None) -> Chat:
        """Restore a deleted session and resume it.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> _ = chat.delete()
        >>> memory.restore(owner="u1", session=chat.id).id == chat.id
        True
        """
        scope = self._scope(owner, session, pool)
        chat = self._handle(scope, self._is_temporary(scope))
        chat.restore()
        return chat

    def watch(
        self, *, owner: str, session: str | None = None, pool: str | None = None, after: ChangePosition | None = None
    ) -> Watch:
        """Watch the changes of an owner's memory or of one session as they happen, in any process.

        With `after`, the position of a change or of an earlier watch, it begins with the changes since then: none is missed
        or repeated. If there are too many of them, or the owner was erased since, the first change is a `reset`: read
        everything again.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> with memory.watch(owner="u1") as changes:
        ...     chat = memory.chat(owner="u1")
        ...     changes.get(timeout=5).kind
        'session'
        """
        return Watch(*self._watched(owner, session, pool), after)

    def _watched(self, owner: str, session: str | None, pool: str | None) -> tuple[ChangeDispatcher, Scope]:
        """Return what a watch follows; raise `NotFound` if there is no such session."""
        if session is not None:
            return self.chat(owner=owner, session=session, pool=pool)._watched()  # pyright: ignore[reportPrivateUsage]
        return self._services.dispatcher, self._scope(owner, None, pool)

    def position(self, *, owner: str, pool: str | None = None) -> ChangePosition:
        """Return the current position in the owner's changes; its `revision` grows with every change.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> before = memory.position(owner="u1").revision
        >>> _ = memory.chat(owner="u1").add("user", "Hello")
        >>> memory.position(owner="u1").revision > before
        True
        """
        return self._services.storage.last_position(self._scope(owner, None, pool))

    def blobs(self, *, owner: str, session: str | None = None, pool: str | None = None) -> BlobStore:
        """Return a store for bytes that a program keeps for an owner, or for a session, with which they are erased.

        The session need not have any messages.

        >>> import keepsaid
        >>> blobs = keepsaid.open("memory://").blobs(owner="u1")
        >>> blobs.put({"settings": b"dark"})
        >>> blobs.get("settings")["settings"].content
        b'dark'
        """
        from keepsaid.memory.blobs import BlobStore

        scope = self._scope(owner, session, pool)
        temporary = (not self._services.settings.persist and pool is None) or self._is_temporary(scope)
        return BlobStore(scope, self._home(temporary).storage)


def _status(status: str) -> SessionStatus:
    try:
        return STATUSES[status]
    except (KeyError, TypeError):
        raise InvalidInput(f"unknown status {status!r}; known are {', '.join(STATUSES)}") from None
