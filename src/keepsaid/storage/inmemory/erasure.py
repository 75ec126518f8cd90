"""Erase and retention of the in-memory storage."""

from __future__ import annotations

from collections.abc import Mapping

from keepsaid.ports import SweepBatch, session_tag
from keepsaid.storage.inmemory import cascade
from keepsaid.storage.inmemory.blobs import remove_blobs
from keepsaid.storage.inmemory.partition import MemoryPartition, MessageNode, SessionRecord, path_to
from keepsaid.storage.inmemory.state import LEVELS, MemoryState, partition_key
from keepsaid.types import Microseconds, PoolAccess, Scope, SessionStatus
from keepsaid.types.reports import EraseReceipt

POOL_KINDS = ("pool", "pool documents")
NO_FACTS: set[str] = set()


class MemoryErasure(MemoryState):
    """The part of the in-memory storage that erases, and that applies retention."""

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        with self._lock:
            before = self._count_all()
            if scope.session is None:
                self._erase_all(scope)
            else:
                space = self._space(scope, PoolAccess.WRITE if message else PoolAccess.ADMIN)
                had_blobs = not message and remove_blobs(space, lambda session, _: session == scope.session) > 0
                if scope.session in space.sessions or not had_blobs:
                    record = self._find_record(space, scope)
                    if message:
                        self._erase_message(scope, space, record, message)
                    else:
                        self._erase_session(space, record)
                space.record_change("erased")
            self._notify_commit()
            sessions, messages, passages = (was - now_ for was, now_ in zip(before, self._count_all(), strict=True))
            return EraseReceipt(sessions, messages, passages, ("rows", "vectors", "artifacts"))

    def _erase_all(self, scope: Scope) -> None:
        self._space(scope, PoolAccess.ADMIN)
        for key in {partition_key(scope), partition_key(scope._replace(documents=True))}:
            space = self._spaces.pop(key, None)
            if space:
                self._erased[key] = space.erased | set(space.nodes) | set(space.artifacts)
        if scope.documents:
            return
        if scope.pool:
            self._grants = {key: access for key, access in self._grants.items() if key[0] != scope.pool}
            return
        for (kind, _), pool in list(self._spaces.items()):
            if kind in POOL_KINDS:
                self._erase_author(pool, scope.owner)
        for kind, id in list(self._spaces):
            if kind == "pool":
                self._leave(id, scope.owner)

    def _erase_author(self, pool: MemoryPartition, author: str) -> None:
        """Erase what an owner wrote and created in a pool, and the owner's receipts."""
        pool.receipts = {id: receipt for id, receipt in pool.receipts.items() if receipt.author != author}
        remove_blobs(pool, lambda session, blob: blob.author == author)
        written = [node for node in pool.nodes.values() if node.message.author == author]
        made = [record for record in pool.sessions.values() if record.session.owner == author]
        for node in written:
            self._drop(pool, node)
        for record in made:
            if any(node.home is record for node in pool.nodes.values()):
                record.session = record.session._replace(
                    owner="", title=None, system_prompt=None, summary=None, summarized=None, tags=(), metadata={}
                )
            else:
                self._erase_session(pool, record)
        if written or made:
            pool.record_change("erased")

    def _leave(self, pool: str, owner: str) -> None:
        """Remove a member from a pool. A pool without other members is deleted; one without an admin gets a new one."""
        if self._grants.pop((pool, owner), None) is None:
            return
        rest = sorted((-LEVELS[level], holder) for (of, holder), level in self._grants.items() if of == pool)
        if rest:
            self._grants[pool, rest[0][1]] = PoolAccess.ADMIN
        else:
            for kind in POOL_KINDS:
                self._spaces.pop((kind, pool), None)

    def _erase_message(self, scope: Scope, space: MemoryPartition, record: SessionRecord, message: str) -> None:
        node = self._find_node(space, record, message)
        if scope.pool and node.message.author != scope.owner:
            self._space(scope, PoolAccess.ADMIN)
        self._drop(space, node)

    def _erase_session(self, space: MemoryPartition, record: SessionRecord) -> None:
        for documents, document in self._documents(space, record):
            self._erase_session(documents, document)
            documents.record_change("erased")
        for node in [n for n in space.nodes.values() if n.home is record]:
            self._drop(space, node)
        self._purge(space, record)

    def _drop(self, space: MemoryPartition, node: MessageNode) -> None:
        """Remove a node from its tree. What followed it now follows its parent."""
        cascade.redact_receipts(space, node)
        cascade.remove_message_artifacts(space, node)
        for other in space.nodes.values():
            if other.parent is node:
                other.parent = node.parent
        for record in space.sessions.values():
            record.leaf = node.parent if record.leaf is node else record.leaf
            record.origin = node.parent if record.origin is node else record.origin
        del space.nodes[node.message.id]
        space.erased.add(node.message.id)
        space.log = [entry for entry in space.log if entry[4] != node.message.id]

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
        with self._lock:
            everyone = [(space, record) for space in self._spaces.values() for record in space.sessions.values()]
            due = sorted(
                (
                    (record.number, space, record)
                    for space, record in everyone
                    if record.number > after
                    and not record.session.pinned
                    and not record.purged
                    and record.session.status in before
                    and record.session.touched < before[record.session.status]
                ),
                key=lambda entry: entry[0],
            )
            batch = due[:limit]
            counts = {status: sum(t.session.status == status for _, _, t in batch) for status in SessionStatus}
            messages = sum(
                n.home is t
                for _, space, t in batch
                for n in space.nodes.values()
                if t.session.status == SessionStatus.DELETED
            )
            if not dry_run:
                messages = sum(self._expire_or_purge(space, record, now, keep_facts) for _, space, record in batch)
                self._notify_commit()
            last = batch[-1][0] if len(due) > limit else None
            return SweepBatch(
                counts[SessionStatus.ACTIVE], counts[SessionStatus.ARCHIVED], counts[SessionStatus.DELETED], messages, last
            )

    def _expire_or_purge(self, space: MemoryPartition, record: SessionRecord, now: Microseconds, keep_facts: bool) -> int:
        if record.purged:
            return 0  # a document that was purged with its session, earlier in this batch
        if record.session.status != SessionStatus.DELETED:
            record.session = record.session._replace(
                status=SessionStatus.DELETED,
                expired=True,
                touched=max(record.session.touched, now),
                revision=record.session.revision + 1,
            )
            space.record_change("session", record.session.id)
            return 0
        had = len(space.nodes)
        self._purge(space, record, cascade.detach_facts(space, record) if keep_facts and record.session.expired else set())
        space.record_change("erased")
        return had - len(space.nodes)

    def _purge(self, space: MemoryPartition, record: SessionRecord, kept_facts: set[str] = NO_FACTS) -> None:
        """Purge a session. While a fork shows some of its messages, it stays without a name. The facts with the given ids
        are kept."""
        record.purged = True
        cascade.remove_session_artifacts(space, record.session.id)
        remove_blobs(space, lambda session, blob: session == record.session.id)
        space.sessions[f"\0{record.number}"] = space.sessions.pop(record.session.id)
        space.log = [entry for entry in space.log if entry[3] != record.session.id]
        self._collect(space, kept_facts)
        for documents, document in self._documents(space, record):
            self._purge(documents, document)
            documents.record_change("erased")

    def _documents(self, space: MemoryPartition, record: SessionRecord) -> list[tuple[MemoryPartition, SessionRecord]]:
        """Return the documents that belong to a session, each with its space."""
        tag = session_tag(record.session.id)
        spaces = [self._known((f"{kind} documents", id)) for (kind, id), known in self._spaces.items() if known is space]
        return [(s, one) for s in spaces for one in s.sessions.values() if tag in one.session.tags and not one.purged]

    def _collect(self, space: MemoryPartition, kept_facts: set[str]) -> None:
        """Delete purged sessions, except for messages that an existing fork shows."""
        needed = {id(n) for record in space.sessions.values() if not record.purged for n in path_to(record.origin)}
        kept = {key: n for key, n in space.nodes.items() if not n.home.purged or id(n) in needed}
        space.nodes = kept
        homes = {id(n.home) for n in kept.values()}
        space.sessions = {key: t for key, t in space.sessions.items() if not t.purged or id(t) in homes}
        space.drop_orphaned_vectors()
        cascade.drop_missing_sources(space, kept_facts)
        cascade.remove_orphaned_artifacts(space)
