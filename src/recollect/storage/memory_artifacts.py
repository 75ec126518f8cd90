"""The reference's artifacts and receipts: kept with their owner, by the same rules as everywhere."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

from recollect.engine.artifacts import found_by
from recollect.errors import Conflict, NotFound
from recollect.ports import ArtifactQuery, Covered, Generation, Seen, Settled, Snapshot, StoredReceipt, Task
from recollect.storage import memory_aftermath as aftermath
from recollect.storage.memory_space import Node, Space, Talk, path_to, windowed
from recollect.storage.memory_vectors import MemoryVectors
from recollect.types import Access, Artifact, Message, Microseconds, Scope, Session, Status, Window


class MemoryArtifacts(MemoryVectors):
    """The third of the reference that keeps what is made of messages."""

    @abstractmethod
    def _space(self, scope: Scope, need: Access = Access.READ) -> Space: ...
    @abstractmethod
    def _space_to_write(self, scope: Scope) -> Space: ...
    @abstractmethod
    def _live(self, space: Space, session: str) -> Talk: ...
    @abstractmethod
    def _shown(self, scope: Scope, talk: Talk) -> Session: ...

    def begin_notes(self, line: str) -> None:
        with self._lock:
            if line not in self._generations:
                self._begun += 1
                self._generations[line] = self._begun, Generation(line, 0, True)
            if self._generations[line][1].dimensions:
                raise Conflict(f"{line!r} is the name of an embedder's vectors: give the notes another one")

    def unnoted(self, line: str) -> int:
        with self._lock:
            talks = [space for (kind, _), space in self._spaces.items() if not kind.endswith("shelf")]
            return sum(
                node.number > (space.shelves[line].upto if line in space.shelves else 0)
                for space in talks
                for node in space.nodes.values()
            )

    def settle_notes(self, task: Task, settled: Settled, now: Microseconds) -> bool:
        with self._lock:
            held = self._held(task)
            if held is None or self._has_vectors(task.generation):
                return False
            space, shelf = held
            _keep(space, settled)
            shelf.upto, shelf.holder = task.upto, None
            self._committed()
            return True

    def snapshot(self, scope: Scope, window: Window) -> Snapshot:
        with self._lock:
            space = self._space(scope)
            talk = self._live(space, scope.session or "")
            path = path_to(talk.leaf)
            tail = windowed(path, window)
            start = path.index(tail[0]) if tail else len(path)
            on_path = {node.message.seq for node in path}
            covered = [one for one in aftermath.summaries(space, talk.session.id)[::-1] if one.upto in on_path]
            return Snapshot(
                self._shown(scope, talk),
                [_seen(node, talk) for node in tail],
                [_seen(node, talk) for node in path[:start] if node.message.pinned],
                [Covered(one.id, one.upto) for one in covered],
            )

    def keep_artifacts(self, scope: Scope, settled: Settled, now: Microseconds) -> None:
        with self._lock:
            _keep(self._space_to_write(scope), settled)
            self._committed()

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        with self._lock:
            found = [one for one in reversed(self._space(scope).artifacts.values()) if _is_wanted(one, query)]
            found.sort(key=lambda one: one.upto if query.kind == "summary" else one.created, reverse=True)
            return [_copy(one) for one in found[: query.limit]]

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        with self._lock:
            space = self._space(scope, Access.WRITE)
            known = [id for id in dict.fromkeys(ids) if id in space.artifacts]
            space.erased.update(known)
            removed = aftermath.remove(space, [space.artifacts[id] for id in known])
            self._committed()
            return removed

    # -- receipts

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        with self._lock:
            space = self._space(scope)
            for receipt in receipts:
                talk = space.talks.get(receipt.session)
                if talk and not talk.purged:
                    space.receipts.pop(receipt.id, None)
                    space.receipts[receipt.id] = replace(receipt, author=scope.owner, data=deepcopy(receipt.data))
            self._committed()

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
            session = None if scope.session is None else self._live(space, scope.session).session.id
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
                self._committed()
            return len(old[:limit])


def _keep(space: Space, settled: Settled) -> None:
    for artifact in settled.made:
        talk = space.talks.get(artifact.session or "")
        if (artifact.session is None or (talk and not talk.purged)) and _stands(space, talk, artifact):
            _put(space, talk, artifact)
    for id, moment in settled.ended.items():
        known = space.artifacts.get(id)
        if known and known.kind == "fact":
            space.artifacts[id] = replace(known, valid_to=moment)


def _stands(space: Space, talk: Talk | None, artifact: Artifact) -> bool:
    """Whether all is still there that it was made of, and none of it private."""
    there = {node.number for node in space.nodes.values() if not node.message.private}
    if any(source.number not in there for source in artifact.sources):
        return False
    if artifact.kind != "summary":
        return True
    previous = artifact.data.get("previous")
    if isinstance(previous, str) and previous not in space.artifacts:
        return False
    return talk is not None and aftermath.node_at(space, talk, artifact.upto) is not None


def _put(space: Space, talk: Talk | None, artifact: Artifact) -> None:
    space.artifacts.pop(artifact.id, None)
    if talk and artifact.kind == "summary":
        for twin in aftermath.summaries(space, talk.session.id):
            if twin.upto == artifact.upto:
                del space.artifacts[twin.id]
    space.artifacts[artifact.id] = _copy(artifact)
    if talk and artifact.kind == "summary":
        aftermath.prune(space, talk.session.id)
        aftermath.follow(space, talk)


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
    words = found_by(artifact.kind, artifact.text, artifact.data)
    numbers = {source.number for source in artifact.sources}
    return not set(words).isdisjoint(query.terms) or not numbers.isdisjoint(query.numbers)


def _may_see(space: Space, scope: Scope, receipt: StoredReceipt) -> bool:
    """In a pool everybody sees his own; nobody sees those of a deleted session."""
    talk = space.talks.get(receipt.session)
    own = scope.pool is None or receipt.author == scope.owner
    return own and talk is not None and talk.session.status != Status.DELETED


def _copy(artifact: Artifact) -> Artifact:
    return replace(artifact, data=deepcopy(artifact.data))


def _seen(node: Node, talk: Talk) -> Seen:
    message: Message = node.message._replace(session=talk.session.id, metadata=deepcopy(node.message.metadata))
    return Seen(node.number, message)
