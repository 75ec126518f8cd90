"""The order of sessions and forks for an export or copy: which session continues which, and which one exports a message.

A message may be exported only once. A session that continues another one refers to it and exports only its own messages. If
the other one was purged, the first fork exports what is left of it, and later forks refer to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from keepsaid.errors import NotFound
from keepsaid.ports import NO_LIMIT, Storage
from keepsaid.types import Message, Scope, Session, SessionQuery, SessionStatus


def list_all_sessions(storage: Storage, scope: Scope) -> list[Session]:
    """List all sessions of an owner or pool, whatever their status, oldest first."""
    statuses = (None, SessionStatus.DELETED)
    found = [one for status in statuses for one in storage.list_sessions(scope, SessionQuery(status, limit=NO_LIMIT))]
    return sorted(found, key=lambda session: (session.created, session.id))


def iterate_messages(storage: Storage, scope: Scope, at_once: int = 1000) -> Iterator[Message]:
    """Iterate over all messages of a session, on any branch, read page by page."""
    seq, limit = 0, 1
    with suppress(NotFound):  # the session was erased meanwhile: end here
        while page := storage.tree(scope, seq, limit).messages:
            yield from page
            seq, limit = page[-1].seq, at_once


class ForkOrder:
    """The fork order of one owner's or pool's sessions. It records which session exports the messages of purged ones, so
    call `fork` for each session once, in order."""

    def __init__(self, storage: Storage, scope: Scope) -> None:
        self._storage = storage
        self._scope = scope
        self._exported_by: dict[str, str] = {}
        """Messages of purged sessions, each with the session that exports it."""

    def sessions(self) -> list[Session]:
        """All sessions, each after the one it continues."""
        found = list_all_sessions(self._storage, self._scope)
        waiting = {session.id: session for session in found}
        return [one for session in found for one in self._with_base(waiting, session)]

    def _with_base(self, waiting: dict[str, Session], session: Session) -> Iterator[Session]:
        line: list[Session] = []
        current: Session | None = waiting.pop(session.id, None)
        while current is not None:
            line.append(current)
            homes = [message.session for message in self._inherited(current) if message.session]
            current = waiting.pop(homes[-1], None) if homes else None
        return reversed(line)

    def fork(self, session: Session) -> Message | None:
        """The last message that a session shows of another session; its `session` is the one that exports it."""
        last: Message | None = None
        inherited = list(self._inherited(session))
        for message in inherited:
            exporter = message.session or self._exported_by.get(message.id)
            if exporter is None:
                break
            last = message._replace(session=exporter)
        for message in inherited:
            if not message.session:
                self._exported_by.setdefault(message.id, session.id)
        return last

    def _inherited(self, session: Session) -> Iterator[Message]:
        """The messages that a session inherits from the one it was forked from; they come before its own."""
        for message in iterate_messages(self._storage, self._scope.of(session.id), 100):
            if message.session == session.id:
                break
            yield message
