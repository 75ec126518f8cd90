"""Messages and branches of the in-memory storage."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.engine.messages.intake import has_same_content
from keepsaid.errors import Erased, InvalidTransition, MessageConflict, NotFound
from keepsaid.ports import (
    ANY_REVISION,
    AT_LEAF,
    AppendPosition,
    ExpectedRevision,
    KnownMessageId,
    PlacedMessage,
    SessionTree,
    VisibleMessage,
)
from keepsaid.storage.inmemory import cascade
from keepsaid.storage.inmemory.partition import MemoryPartition, MessageNode, SessionRecord, apply_window, path_to
from keepsaid.storage.inmemory.state import MemoryState, check_expected, message_in
from keepsaid.types import Branch, Message, Microseconds, PoolAccess, ReadWindow, Scope, SessionStatus


class MemoryMessages(MemoryState):
    """The part of the in-memory storage for messages and branches."""

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: AppendPosition = AT_LEAF,
        expected: ExpectedRevision = ANY_REVISION,
    ) -> list[Message]:
        with self._lock:
            space = self._space(scope, PoolAccess.WRITE)
            record = self._find_live(space, scope.session or "")
            if record.session.status != SessionStatus.ACTIVE:
                raise InvalidTransition("the session is archived: unarchive it before adding to it")
            check_expected(record.session, expected)
            at = self._resolve(space, record, anchor)
            new = self._new_messages(space, record, messages)
            if new or not messages:
                self._extend(space, record, at, new, scope)
                moved = anchor.kind != "leaf"
                record.session = record.session._replace(
                    updated=max([record.session.updated, *(m.created for m in new)] + ([] if new else [now])),
                    touched=max(record.session.touched, now),
                    revision=record.session.revision + moved,
                )
                if moved:
                    space.record_change("session", record.session.id)
                self._notify_commit()
            return [message_in(space.nodes[m.id], record) for m in messages]

    def _new_messages(self, space: MemoryPartition, record: SessionRecord, messages: Sequence[Message]) -> list[Message]:
        new: dict[str, Message] = {}
        for message in messages:
            stored = space.nodes.get(message.id)
            if stored and stored.home is not record:
                raise MessageConflict(f"message id {message.id!r} is already used in another session")
            twin = stored.message if stored else new.get(message.id)
            if twin and not has_same_content(twin, message):
                raise MessageConflict(f"message id {message.id!r} is already used for a message with other content")
            if message.id in space.erased:
                raise Erased(f"message {message.id!r} was erased")
            if not twin:
                new[message.id] = message
        return list(new.values())

    def _extend(
        self, space: MemoryPartition, record: SessionRecord, at: MessageNode | None, new: list[Message], scope: Scope
    ) -> None:
        seq = record.session.head
        for message in new:
            seq += 1
            space.last = space.last._replace(messages=space.last.messages + 1)
            placed = message._replace(
                session=record.session.id,
                seq=seq,
                parent=at.message.seq if at else 0,
                author=scope.owner if scope.pool else None,
            )
            at = space.nodes[message.id] = MessageNode(placed, at, record, space.last.messages)
        record.leaf = at
        record.session = record.session._replace(head=seq)

    def read(self, scope: Scope, window: ReadWindow) -> list[Message]:
        with self._lock:
            space = self._space(scope)
            record = self._find_live(space, scope.session or "")
            return [message_in(node, record) for node in apply_window(path_to(record.leaf), window)]

    def get_message(self, scope: Scope, message: str) -> Message:
        with self._lock:
            space = self._space(scope)
            record = self._find_live(space, scope.session or "")
            return message_in(self._find_node(space, record, message), record)

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[VisibleMessage]:
        with self._lock:
            known = {node.number: node for node in self._space(scope).nodes.values()}
            found = [known[number] for number in sorted(set(numbers)) if number in known]
            return [VisibleMessage(node.number, _message_at_home(node)) for node in found]

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
        with self._lock:
            space = self._space(scope, PoolAccess.WRITE)
            record = self._find_live(space, scope.session or "")
            node = self._find_node(space, record, message)
            if importance is not None:
                node.message = node.message._replace(importance=importance)
            if pinned is not None:
                node.message = node.message._replace(pinned=pinned)
            if private is not None and private != node.message.private:
                self._set_private(space, node, private)
            space.record_change("marked", record.session.id, message)
            self._notify_commit()
            return message_in(node, record)

    def _set_private(self, space: MemoryPartition, node: MessageNode, private: bool) -> None:
        node.message = node.message._replace(private=private)
        if private:
            cascade.remove_message_artifacts(space, node)
            for state in space.generations.values():
                state.passages.pop(node.number, None)
            space.record_change("erased")
        else:
            # With the next number, it is processed like a new message.
            space.last = space.last._replace(messages=space.last.messages + 1)
            node.number = space.last.messages

    def branches(self, scope: Scope) -> list[Branch]:
        with self._lock:
            space = self._space(scope)
            record = self._find_live(space, scope.session or "")
            own = [node for node in space.nodes.values() if node.home is record]
            inner = {node.parent for node in own}
            known = [record.origin, *own] if record.origin else own
            leaves = [node for node in known if node not in inner]
            leaves.sort(key=lambda node: node.message.seq)
            ends = leaves if record.leaf in leaves else [*leaves, record.leaf]
            return [_branch(leaf, leaf is record.leaf) for leaf in ends]

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> SessionTree:
        with self._lock:
            space = self._space(scope)
            record = self._find_record(space, scope)
            nodes = [*path_to(record.origin), *(node for node in space.nodes.values() if node.home is record)]
            nodes = sorted((node for node in nodes if node.message.seq > after), key=lambda node: node.message.seq)
            leaf = record.leaf.message.id if record.leaf else None
            return SessionTree(self._build_session(scope, record), [_message_in_tree(node) for node in nodes[:limit]], leaf)

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, KnownMessageId]:
        with self._lock:
            space = self._space(scope)
            record = None if scope.session is None else self._find_record(space, scope)
            return {id: known for id in ids if (known := self._find_known(space, record, id))}

    def _find_known(self, space: MemoryPartition, record: SessionRecord | None, id: str) -> KnownMessageId | None:
        node = space.nodes.get(id)
        if node is None:
            return KnownMessageId("erased") if id in space.erased else None
        shown = record is not None and (node.home is record or node in path_to(record.origin))
        return KnownMessageId("same_session" if shown else "other_session", node.number)

    def plant(
        self, scope: Scope, messages: Sequence[PlacedMessage], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        with self._lock:
            space = self._space(scope, PoolAccess.WRITE)
            record = self._find_record(space, scope)
            ids = [one.message.id for one in messages]
            for index, id in enumerate(ids):
                if self._find_known(space, record, id) or id in ids[:index]:
                    raise MessageConflict(f"message id {id!r} is already used")
            before = dict(space.nodes), space.last, record.session, record.leaf
            try:
                for message, parent in messages:
                    record.session = record.session._replace(head=max(record.session.head, message.seq - 1))
                    at = None if parent is None else self._find_node(space, record, parent)
                    self._extend(space, record, at, [message], scope)
                record.leaf = None if leaf is None else self._find_node(space, record, leaf)
            except NotFound:
                space.nodes, space.last, record.session, record.leaf = before
                raise
            record.session = record.session._replace(
                updated=max(record.session.updated, updated),
                touched=max(record.session.touched, now),
                revision=record.session.revision + 1,
            )
            space.record_change("session", record.session.id)
            self._notify_commit()


def _message_at_home(node: MessageNode) -> Message:
    return message_in(node, node.home)._replace(session="" if node.home.purged else node.home.session.id)


def _message_in_tree(node: MessageNode) -> Message:
    """Return a message with its current parent."""
    return _message_at_home(node)._replace(parent=node.parent.message.seq if node.parent else 0)


def _branch(leaf: MessageNode | None, active: bool) -> Branch:
    path = path_to(leaf)
    tokens = sum(node.message.tokens for node in path)
    return Branch(leaf.message.id if leaf else None, len(path), tokens, active)
