"""Blobs of the in-memory storage: bytes by name, of an owner or of a session."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence

from keepsaid.errors import RevisionConflict
from keepsaid.storage.inmemory.artifacts import MemoryArtifacts
from keepsaid.storage.inmemory.partition import MemoryPartition
from keepsaid.types import Blob, PoolAccess, Scope


class MemoryBlobs(MemoryArtifacts):
    """The part of the in-memory storage for blobs."""

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        with self._lock:
            space = self._space_to_write(scope)
            here = scope.session or ""
            known = {blob.name: blob for blob in _named(space, scope)}
            for name, revision in expected.items():
                if (known[name].revision if name in known else 0) != revision:
                    raise RevisionConflict(f"{name!r} has changed since it was read")
            for name, content in contents.items():
                old = space.blobs.pop((here, name), None)
                if content is not None:
                    revision = old.revision + 1 if old else 1 + secrets.randbits(52)
                    space.blobs[here, name] = Blob(name, bytes(content), revision, scope.owner if scope.pool else None)
            self._notify_commit()

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        with self._lock:
            wanted = set(names)
            return [blob for blob in _named(self._space(scope), scope) if blob.name in wanted]

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        with self._lock:
            found = [blob for blob in _named(self._space(scope), scope) if blob.name.startswith(prefix)]
        if backwards:
            found.reverse()
        if after is not None:
            found = [blob for blob in found if (blob.name < after if backwards else blob.name > after)]
        return found[:limit]

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        with self._lock:
            space, here = self._space(scope, PoolAccess.WRITE), scope.session or ""
            dropped = remove_blobs(space, lambda session, blob: session == here and blob.name.startswith(prefix))
            self._notify_commit()
            return dropped

    def blob_sessions(self, scope: Scope) -> list[str]:
        with self._lock:
            return sorted({session for session, _ in self._space(scope).blobs if session})


def _named(space: MemoryPartition, scope: Scope) -> list[Blob]:
    here = scope.session or ""
    return sorted(blob for (session, _), blob in space.blobs.items() if session == here)


def remove_blobs(space: MemoryPartition, matches: Callable[[str, Blob], bool]) -> int:
    """Delete the blobs that match a condition on their session and value. Return how many there were."""
    kept = {(session, name): blob for (session, name), blob in space.blobs.items() if not matches(session, blob)}
    dropped = len(space.blobs) - len(kept)
    space.blobs = kept
    return dropped
