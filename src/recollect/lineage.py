"""How sessions hang together: which of them continue which, and who brings what.

Forks are the difficulty for whoever carries sessions elsewhere: a message may be carried once. A session that continues
another says so and brings only its own messages; where the other one was purged, the first fork brings what is left of it,
and later ones refer to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from recollect.errors import NotFound
from recollect.ports import ALL, Storage
from recollect.types import Message, Scope, Session, SessionQuery, Status


def listed(storage: Storage, scope: Scope) -> list[Session]:
    """All sessions of an owner or pool, whatever their status, oldest first."""
    statuses = (None, Status.DELETED)
    found = [one for status in statuses for one in storage.list_sessions(scope, SessionQuery(status, limit=ALL))]
    return sorted(found, key=lambda session: (session.created, session.id))


def messages(storage: Storage, scope: Scope, at_once: int = 1000) -> Iterator[Message]:
    """All messages of a session, on whatever branch, read bit by bit."""
    seq, limit = 0, 1
    with suppress(NotFound):  # it was erased just now: what was read is all there is
        while page := storage.tree(scope, seq, limit).messages:
            yield from page
            seq, limit = page[-1].seq, at_once


class Lineage:
    """The sessions of one owner or pool. It remembers who brings the messages of those that are gone, so ask for the forks
    of sessions in their order, each once."""

    def __init__(self, storage: Storage, scope: Scope) -> None:
        self._storage = storage
        self._scope = scope
        self._carried: dict[str, str] = {}
        """Messages without a home, each with the session that brings it."""

    def sessions(self) -> list[Session]:
        """All of them, none before one that it continues."""
        found = listed(self._storage, self._scope)
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
        """The last message that a session shows of another one which brings it; its `session` is that one."""
        last: Message | None = None
        inherited = list(self._inherited(session))
        for message in inherited:
            bringer = message.session or self._carried.get(message.id)
            if bringer is None:
                break
            last = message._replace(session=bringer)
        for message in inherited:
            if not message.session:
                self._carried.setdefault(message.id, session.id)
        return last

    def _inherited(self, session: Session) -> Iterator[Message]:
        """The messages that a session shows of the one it was forked from: they come before its own."""
        for message in messages(self._storage, self._scope.of(session.id), 100):
            if message.session == session.id:
                break
            yield message
