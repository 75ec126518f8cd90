"""Artifacts and receipts of the in-memory storage."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

from keepsaid.engine.messages.artifacts import extract_artifact_terms
from keepsaid.errors import Conflict, NotFound
from keepsaid.ports import (
    ArtifactChanges,
    ArtifactQuery,
    SessionSnapshot,
    StoredReceipt,
    SummaryCoverage,
    VectorGeneration,
    VisibleMessage,
    WorkLease,
)
from keepsaid.storage.inmemory import cascade
from keepsaid.storage.inmemory.partition import MemoryPartition, MessageNode, SessionRecord, apply_window, path_to
from keepsaid.storage.inmemory.vectors import MemoryVectors
from keepsaid.types import Artifact, Message, Microseconds, PoolAccess, ReadWindow, Scope, Session, SessionStatus


class MemoryArtifacts(MemoryVectors):
    """The part of the in-memory storage for artifacts and receipts."""

    @abstractmethod
    def _space(self, scope: Scope, need: PoolAccess = PoolAccess.READ) -> MemoryPartition: ...
    @abstractmethod
    def _space_to_write(self, scope: Scope) -> MemoryPartition: ...
    @abstractmethod
    def _find_live(self, space: MemoryPartition, session: str) -> SessionRecord: ...
    @abstractmethod
    def _build_session(self, scope: Scope, record: SessionRecord) -> Session: ...

    def begin_notes(self, line: str) -> None:
        with self._lock:
            if line not in self._generations:
                self._begun += 1
                self._generations[line] = self._begun, VectorGeneration(line, 0, True)
            if self._generations[line][1].dimensions:
                raise Conflict(f"{line!r} is the name of an embedder's vectors: choose another name for the notes")

    def unnoted(self, line: str) -> int:
        with self._lock:
            spaces = [space for (kind, _), space in self._spaces.items() if not kind.endswith("documents")]
            return sum(
                node.number > (space.generations[line].upto if line in space.generations else 0)
                for space in spaces
                for node in space.nodes.values()
            )

    def settle_notes(self, task: WorkLease, settled: ArtifactChanges, now: Microseconds) -> bool:
        with self._lock:
            held = self._find_leased(task)
            if held is None or self._has_vectors(task.generation):
                return False
            space, state = held
            _keep(space, settled)
            state.upto, state.holder = task.upto, None
            self._notify_commit()
            return True

    def snapshot(self, scope: Scope, window: ReadWindow) -> SessionSnapshot:
        with self._lock:
            space = self._space(scope)
            record = self._find_live(space, scope.session or "")
            path = path_to(record.leaf)
            tail = apply_window(path, window)
            start = path.index(tail[0]) if tail else len(path)
            on_path = {node.message.seq for node in path}
            covered = [one for one in cascade.list_summaries(space, record.session.id)[::-1] if one.upto in on_path]
            return SessionSnapshot(
                self._build_session(scope, record),
                [_seen_in(node, record) for node in tail],
                [_seen_in(node, record) for node in path[:start] if node.message.pinned],
                [SummaryCoverage(one.id, one.upto) for one in covered],
            )

    def keep_artifacts(self, scope: Scope, settled: ArtifactChanges, now: Microseconds) -> None:
        with self._lock:
            _keep(self._space_to_write(scope), settled)
            self._notify_commit()

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        with self._lock:
            found = [one for one in reversed(self._space(scope).artifacts.values()) if _is_wanted(one, query)]
            found.sort(key=lambda one: one.upto if query.kind == "summary" else one.created, reverse=True)
            return [_copy(one) for one in found[: query.limit]]

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        with self._lock:
            space = self._space(scope, PoolAccess.WRITE)
            known = [id for id in dict.fromkeys(ids) if id in space.artifacts]
            space.erased.update(known)
            removed = cascade.remove_artifacts(space, [space.artifacts[id] for id in known])
            self._notify_commit()
            return removed

    # -- receipts

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        with self._lock:
            space = self._space(scope)
            for receipt in receipts:
                record = space.sessions.get(receipt.session)
                if record and not record.purged:
                    space.receipts.pop(receipt.id, None)
                    space.receipts[receipt.id] = replace(receipt, author=scope.owner, data=deepcopy(receipt.data))
            self._notify_commit()

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        with self._lock:
            space = self._space(scope)
            receipt = space.receipts.get(id)
            if receipt is None or not _may_see(space, scope, receipt) or scope.session not in (None, receipt.session):
                raise NotFound("no such receipt, or no access to it")
            return replace(receipt, data=deepcopy(receipt.data))

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        with self._lock:
            space = self._space(scope)
            session = None if scope.session is None else self._find_live(space, scope.session).session.id
            found = [
                receipt
                for receipt in reversed(space.receipts.values())
                if _may_see(space, scope, receipt)
                and session in (None, receipt.session)
                and (before is None or receipt.created < before)
            ]
            found.sort(key=lambda receipt: receipt.created, reverse=True)
            return [replace(receipt, data=deepcopy(receipt.data)) for receipt in found[:limit]]

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        with self._lock:
            old = [
                (space, one) for space in self._spaces.values() for one in space.receipts.values() if one.created < before
            ]
            old.sort(key=lambda entry: entry[1].created)
            for space, receipt in old[:limit]:
                del space.receipts[receipt.id]
            if old:
                self._notify_commit()
            return len(old[:limit])


def _keep(space: MemoryPartition, settled: ArtifactChanges) -> None:
    for artifact in settled.made:
        record = space.sessions.get(artifact.session or "")
        if (artifact.session is None or (record and not record.purged)) and _has_all_sources(space, record, artifact):
            _put(space, record, artifact)
    for id, moment in settled.ended.items():
        known = space.artifacts.get(id)
        if known and known.kind == "fact":
            space.artifacts[id] = replace(known, valid_to=moment)


def _has_all_sources(space: MemoryPartition, record: SessionRecord | None, artifact: Artifact) -> bool:
    """Whether everything it was derived from still exists and is not private."""
    there = {node.number for node in space.nodes.values() if not node.message.private}
    if any(source.number not in there for source in artifact.sources):
        return False
    if artifact.kind != "summary":
        return True
    previous = artifact.data.get("previous")
    if isinstance(previous, str) and previous not in space.artifacts:
        return False
    return record is not None and cascade.find_node(space, record, artifact.upto) is not None


def _put(space: MemoryPartition, record: SessionRecord | None, artifact: Artifact) -> None:
    space.artifacts.pop(artifact.id, None)
    if record and artifact.kind == "summary":
        for twin in cascade.list_summaries(space, record.session.id):
            if twin.upto == artifact.upto:
                del space.artifacts[twin.id]
    space.artifacts[artifact.id] = _copy(artifact)
    if record and artifact.kind == "summary":
        cascade.prune_summaries(space, record.session.id)
        cascade.update_session_summary(space, record)


def _is_wanted(artifact: Artifact, query: ArtifactQuery) -> bool:
    return (
        artifact.kind == query.kind
        and query.session in (None, artifact.session)
        and (not query.ids or artifact.id in query.ids)
        and (query.pinned is None or artifact.pinned == query.pinned)
        and (query.as_of is None or artifact.was_true(query.as_of))
        and (not query.fact_kinds or artifact.data.get("kind") in query.fact_kinds)
        and (not (query.terms or query.numbers) or _has_any(artifact, query))
    )


def _has_any(artifact: Artifact, query: ArtifactQuery) -> bool:
    words = extract_artifact_terms(artifact.kind, artifact.text, artifact.data)
    numbers = {source.number for source in artifact.sources}
    return not set(words).isdisjoint(query.terms) or not numbers.isdisjoint(query.numbers)


def _may_see(space: MemoryPartition, scope: Scope, receipt: StoredReceipt) -> bool:
    """Whether the scope may read a receipt: in a pool only its own, and none of a deleted session."""
    record = space.sessions.get(receipt.session)
    own = scope.pool is None or receipt.author == scope.owner
    return own and record is not None and record.session.status != SessionStatus.DELETED


def _copy(artifact: Artifact) -> Artifact:
    return replace(artifact, data=deepcopy(artifact.data))


def _seen_in(node: MessageNode, record: SessionRecord) -> VisibleMessage:
    message: Message = node.message._replace(session=record.session.id, metadata=deepcopy(node.message.metadata))
    return VisibleMessage(node.number, message)
