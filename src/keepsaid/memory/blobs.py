"""Bytes kept by name, for programs with state of their own beside conversations."""

from __future__ import annotations

import builtins
from collections.abc import Mapping

from keepsaid.engine.messages.validation import clean_limit, clean_name, clean_text
from keepsaid.errors import InvalidInput
from keepsaid.ports import AFTER_ALL_NAMES, Storage
from keepsaid.types import Blob, Scope

LIST_LIMIT = 200
"""Blobs listed by default."""


class BlobStore:
    """The blobs of an owner, or of one of their sessions; these are erased with the session. Get one from `Memory.blobs`.

    >>> import keepsaid
    >>> blobs = keepsaid.open("memory://").blobs(owner="u1", session="trip")
    >>> blobs.put({"state": b"packing"})
    >>> blobs.get("state", "luggage")["state"].content
    b'packing'
    """

    def __init__(self, scope: Scope, storage: Storage) -> None:
        self._scope = scope
        self._blobs = storage
        self._largest = storage.largest_message

    def __repr__(self) -> str:
        return f"<BlobStore of {self._scope.session or self._scope.owner}>"

    def get(self, *names: str) -> dict[str, Blob]:
        """Return the blobs of these names that exist.

        >>> import keepsaid
        >>> keepsaid.open("memory://").blobs(owner="u1").get("state")
        {}
        """
        return {blob.name: blob for blob in self._blobs.blobs(self._scope, [_clean(name) for name in names])}

    def put(self, contents: Mapping[str, bytes | None], *, expected: Mapping[str, int] | None = None) -> None:
        """Save each content under its name, or remove it for good (None): all or none. If `expected` names a revision (0: no
        such blob) and the blob has another one, raise `RevisionConflict` and change nothing.

        >>> import keepsaid
        >>> blobs = keepsaid.open("memory://").blobs(owner="u1")
        >>> blobs.put({"state": b"1"}, expected={"state": 0})
        >>> blobs.put({"state": b"2"}, expected={"state": 0})
        Traceback (most recent call last):
        keepsaid.errors.RevisionConflict: 'state' has changed since it was read
        """
        kept = {_clean(name): self._content(name, content) for name, content in contents.items()}
        known = {_clean(name): _revision(revision) for name, revision in (expected or {}).items()}
        if kept or known:
            self._blobs.keep_blobs(self._scope, kept, known)

    def _content(self, name: str, content: object) -> bytes | None:
        if content is None:
            return None
        if not isinstance(content, bytes | bytearray):
            raise InvalidInput(f"{name!r} must be bytes, not {type(content).__name__}")
        if len(content) > self._largest:
            raise InvalidInput(f"{name!r} has {len(content):,} bytes; at most {self._largest:,} are possible")
        return bytes(content)

    def list(
        self, prefix: str = "", *, after: str | None = None, backwards: bool = False, limit: int = LIST_LIMIT
    ) -> builtins.list[Blob]:
        """List blobs whose names have the prefix, ascending or `backwards`, starting after the name `after`.

        >>> import keepsaid
        >>> blobs = keepsaid.open("memory://").blobs(owner="u1")
        >>> blobs.put({"step/1": b"", "step/2": b"", "other": b""})
        >>> [blob.name for blob in blobs.list("step/", backwards=True)]
        ['step/2', 'step/1']
        """
        start_after = None if after is None else clean_text(after, "after")
        many = clean_limit(limit, "limit", 0)
        return self._blobs.list_blobs(self._scope, clean_text(prefix, "prefix"), start_after, many, backwards=backwards)

    def clear(self, prefix: str = "") -> int:
        """Remove every blob whose name has the prefix, for good; return how many there were.

        >>> import keepsaid
        >>> blobs = keepsaid.open("memory://").blobs(owner="u1")
        >>> blobs.put({"step/1": b"", "step/2": b"", "other": b""})
        >>> blobs.clear("step/")
        2
        """
        return self._blobs.drop_blobs(self._scope, clean_text(prefix, "prefix"))

    def sessions(self) -> builtins.list[str]:
        """List the sessions of the owner that have blobs.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.blobs(owner="u1", session="trip").put({"state": b"packing"})
        >>> memory.blobs(owner="u1").sessions()
        ['trip']
        """
        return self._blobs.blob_sessions(self._scope)


def _revision(revision: object) -> int:
    if isinstance(revision, bool) or not isinstance(revision, int) or not 0 <= revision < 1 << 63:
        raise InvalidInput(f"a revision is a whole number that was read, or 0, not {revision!r}")
    return revision


def _clean(name: str) -> str:
    if AFTER_ALL_NAMES in clean_name(name, "blob's name"):
        raise InvalidInput("a blob's name cannot have the last of all characters in it")
    return name
