"""The state of the in-memory storage, and how its other parts find partitions, sessions and messages in it."""

from __future__ import annotations

import secrets
from copy import deepcopy

from keepsaid.errors import NotFound, RevisionConflict, StoreClosed
from keepsaid.ports import AppendPosition, ExpectedRevision
from keepsaid.storage.inmemory.artifacts import MemoryArtifacts
from keepsaid.storage.inmemory.partition import NO_CHANGES, MemoryPartition, MessageNode, SessionRecord, path_to
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.types import ChangePosition, Message, PoolAccess, Scope, Session, SessionStatus

LEVELS = {PoolAccess.READ: 0, PoolAccess.WRITE: 1, PoolAccess.ADMIN: 2}


class MemoryState(MemoryArtifacts):
    """The part of the in-memory storage that all others use: it finds what a scope may read or write."""

    def __init__(self) -> None:
        super().__init__()
        self._grants: dict[tuple[str, str], PoolAccess] = {}
        self._erased: dict[tuple[str, str], set[str]] = {}
        self._listeners = ListenerGroup()
        self._commits = 0
        self._numbers = 0
        self._closed = False

    def _space(self, scope: Scope, need: PoolAccess = PoolAccess.READ) -> MemoryPartition:
        self._check_open()
        if scope.pool is None:
            return self._known(partition_key(scope))
        held = self._grants.get((scope.pool, scope.owner))
        if held is None:
            raise NotFound("no such pool, or no access to it")
        if LEVELS[held] < LEVELS[need]:
            raise NotFound(f"this needs {need} access to the pool; you have {held}")
        return self._known(partition_key(scope))

    def _admin_scope(self, space: MemoryPartition) -> Scope:
        """Return a scope with full access to a space: that of its owner, or of an admin of its pool."""
        kind, id = next(key for key, known in self._spaces.items() if known is space)
        documents_space = kind.endswith("documents")
        if not kind.startswith("pool"):
            return Scope(id, documents=documents_space)
        admins = [owner for (pool, owner), held in self._grants.items() if pool == id and held is PoolAccess.ADMIN]
        return Scope(min(admins, default=""), None, id, documents_space)

    def _known(self, key: tuple[str, str]) -> MemoryPartition:
        return self._spaces.get(key) or MemoryPartition(erased=self._erased.get(key, set()))

    def _space_to_write(self, scope: Scope) -> MemoryPartition:
        space = self._space(scope, PoolAccess.WRITE)
        if space.last == NO_CHANGES:
            space.last = ChangePosition(life=secrets.randbits(52) | 1)
            self._spaces[partition_key(scope)] = space
        return space

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _find_record(self, space: MemoryPartition, scope: Scope) -> SessionRecord:
        record = space.sessions.get(scope.session or "")
        if record is None or record.purged:
            raise NotFound("no such session, or no access to it")
        return record

    def _find_live(self, space: MemoryPartition, session: str) -> SessionRecord:
        record = self._find_record(space, Scope("", session))
        if record.session.status == SessionStatus.DELETED:
            raise NotFound("the session is deleted: restore it first")
        return record

    def _find_node(self, space: MemoryPartition, record: SessionRecord, message: str) -> MessageNode:
        node = space.nodes.get(message)
        if node is None or not (node.home is record or node in path_to(record.origin)):
            raise NotFound("no such message in this session")
        return node

    def _resolve(self, space: MemoryPartition, record: SessionRecord, anchor: AppendPosition) -> MessageNode | None:
        if anchor.kind == "leaf":
            return record.leaf
        if anchor.kind == "root":
            return None
        node = self._find_node(space, record, anchor.message)
        return node if anchor.kind == "after" else node.parent

    def _build_session(self, scope: Scope, record: SessionRecord) -> Session:
        path = path_to(record.leaf)
        return record.session._replace(
            owner=scope.owner,
            metadata=deepcopy(record.session.metadata),
            message_count=len(path),
            token_count=sum(node.message.tokens for node in path),
        )

    def _count(self) -> tuple[int, int]:
        spaces = self._spaces.values()
        return sum(not t.purged for s in spaces for t in s.sessions.values()), sum(len(s.nodes) for s in spaces)

    def _count_all(self) -> tuple[int, int, int]:
        """Count sessions, messages, and what is derived from them."""
        for space in self._spaces.values():
            space.drop_orphaned_vectors()
        states = [state for space in self._spaces.values() for state in space.generations.values()]
        made = sum(len(space.artifacts) + len(space.receipts) + len(space.blobs) for space in self._spaces.values())
        return *self._count(), made + sum(len(some) for state in states for some in state.passages.values())

    def _notify_commit(self) -> None:
        self._commits += 1
        self._listeners.notify()


def partition_key(scope: Scope) -> tuple[str, str]:
    """Return the key of the space that a scope acts on."""
    kind, id = ("owner", scope.owner) if scope.pool is None else ("pool", scope.pool)
    return (f"{kind} documents" if scope.documents else kind), id


def message_in(node: MessageNode, record: SessionRecord) -> Message:
    """Return a message as read in a session. Its metadata is copied, so that changes by the caller have no effect."""
    return node.message._replace(session=record.session.id, metadata=deepcopy(node.message.metadata))


def check_expected(session: Session, expected: ExpectedRevision) -> None:
    """Raise `RevisionConflict` if the session is not in the state that the caller expects."""
    if expected.revision is not None and expected.revision != session.revision:
        raise RevisionConflict(f"the session is at revision {session.revision}, not {expected.revision}")
    if expected.head is not None and expected.head != session.head:
        raise RevisionConflict(f"the session's last message is number {session.head}, not {expected.head}")
