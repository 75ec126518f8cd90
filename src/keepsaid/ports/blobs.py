"""Bytes kept by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from keepsaid.types import Blob, Scope

AFTER_ALL_NAMES = "\U0010ffff"
"""Sorts after every character that a name can have, so that all names with a prefix lie between two bounds."""


class BlobStorage(Protocol):
    """Stores bytes by name, for programs with state of their own. The blobs of a session are erased with it; the session
    need not have messages, nor exist. Names sort by code points. Removing is for good.

    Every verb acts on the blobs of the scope's session or, without a session, on those that belong to none.
    """

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        """Store each content under its name, or remove it (None): all or none. If `expected` names a revision (0: no such
        blob) and the blob has another one, raise `RevisionConflict` and change nothing."""
        ...

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        """Return the blobs of these names that exist."""
        ...

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        """List blobs whose names have the prefix, ascending or `backwards`, starting after the name `after`."""
        ...

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        """Remove all blobs whose names have the prefix, for good; return how many there were."""
        ...

    def blob_sessions(self, scope: Scope) -> list[str]:
        """List the sessions that have blobs, in order."""
        ...
