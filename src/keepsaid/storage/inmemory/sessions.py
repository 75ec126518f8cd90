"""Sessions of the in-memory storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepsaid.errors import Conflict, InvalidInput
from keepsaid.ports import ANY_REVISION, CHANGEABLE_FIELDS, ExpectedRevision
from keepsaid.storage.inmemory.partition import SessionRecord
from keepsaid.storage.inmemory.state import MemoryState, check_expected
from keepsaid.types import Microseconds, PoolAccess, Scope, Session, SessionQuery, SessionStatus


class MemorySessions(MemoryState):
    """The part of the in-memory storage for sessions."""

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        with self._lock:
            space = self._space_to_write(scope)
            if session.id in space.sessions:
                raise Conflict(f"session {session.id!r} already exists")
            self._numbers += 1
            record = SessionRecord(session._replace(owner=scope.owner, pool=scope.pool), self._numbers)
            if fork:
                origin = self._find_node(space, self._find_record(space, Scope("", fork[0])), fork[1])
                record.origin = record.leaf = origin
                record.session = record.session._replace(head=origin.message.seq)
            space.sessions[session.id] = record
            space.record_change("session", session.id)
            self._notify_commit()
            return self._build_session(scope, record)

    def get_session(self, scope: Scope) -> Session:
        with self._lock:
            return self._build_session(scope, self._find_record(self._space(scope), scope))

    def titles(self, scope: Scope, sessions: Sequence[str]) -> dict[str, str | None]:
        with self._lock:
            records = self._space(scope).sessions
            found = ((id, records.get(id)) for id in sessions)
            return {id: record.session.title for id, record in found if record is not None and not record.purged}

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        with self._lock:
            found = [
                self._build_session(scope, record) for record in self._space(scope).sessions.values() if not record.purged
            ]

        def wanted(session: Session) -> bool:
            return (
                (session.status == query.status if query.status else session.status != SessionStatus.DELETED)
                and (query.tag is None or query.tag in session.tags)
                and (query.pinned is None or session.pinned == query.pinned)
                and (query.since is None or session.updated >= query.since)
                and (query.until is None or session.updated < query.until)
                and (query.after is None or place(session) > (-query.after[0], query.after[1]))
            )

        def place(session: Session) -> tuple[int, str]:
            return -session.updated, session.id

        return sorted(filter(wanted, found), key=place)[: query.limit]

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: ExpectedRevision = ANY_REVISION
    ) -> Session:
        with self._lock:
            space = self._space(scope, PoolAccess.WRITE)
            record = self._find_record(space, scope)
            check_expected(record.session, expected)
            if unknown := changes.keys() - set(CHANGEABLE_FIELDS):
                raise InvalidInput(f"a session's {', '.join(sorted(unknown))} cannot be changed")
            moved = {"touched": max(record.session.touched, now), "expired": False} if "status" in changes else {}
            record.session = record.session._replace(**{**moved, **changes}, revision=record.session.revision + 1)
            space.record_change("session", record.session.id)
            self._notify_commit()
            return self._build_session(scope, record)
