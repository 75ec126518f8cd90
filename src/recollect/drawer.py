"""A drawer: bytes by name, for a program that keeps state of its own beside conversations."""

from __future__ import annotations

import builtins
from collections.abc import Mapping

from recollect.engine.hygiene import clean_limit, clean_name, clean_text
from recollect.errors import InvalidInput, StorageError
from recollect.ports import BEYOND, Blobs, Storage
from recollect.types import Blob, Scope

AT_ONCE = 200
"""How many are listed, if nothing else is said."""


class Drawer:
    """The blobs of an owner, or of one of his sessions; these go when the session is erased. `Memory.drawer` makes one.

    >>> import recollect
    >>> drawer = recollect.open("memory://").drawer(owner="u1", session="trip")
    >>> drawer.put({"state": b"packing"})
    >>> drawer.get("state", "luggage")["state"].content
    b'packing'
    """

    def __init__(self, scope: Scope, storage: Storage) -> None:
        if not isinstance(storage, Blobs):
            raise StorageError("this backend keeps no blobs")
        self._scope = scope
        self._blobs = storage
        self._largest = storage.largest_message

    def __repr__(self) -> str:
        return f"<Drawer of {self._scope.session or self._scope.owner}>"

    def get(self, *names: str) -> dict[str, Blob]:
        """Those of these names that there are.

        >>> import recollect
        >>> recollect.open("memory://").drawer(owner="u1").get("state")
        {}
        """
        return {blob.name: blob for blob in self._blobs.blobs(self._scope, [_clean(name) for name in names])}

    def put(self, contents: Mapping[str, bytes | None], *, expected: Mapping[str, int] | None = None) -> None:
        """Keeps each under its name, or removes it for good (None): all or none. Where `expected` names a revision (0: that
        there is none), and it is another by now, raises `RevisionConflict` and changes nothing.

        >>> import recollect
        >>> drawer = recollect.open("memory://").drawer(owner="u1")
        >>> drawer.put({"state": b"1"}, expected={"state": 0})
        >>> drawer.put({"state": b"2"}, expected={"state": 0})
        Traceback (most recent call last):
        recollect.errors.RevisionConflict: 'state' has changed since it was read
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
        self, prefix: str = "", *, after: str | None = None, backwards: bool = False, limit: int = AT_ONCE
    ) -> builtins.list[Blob]:
        """Blobs whose names begin so, in the order of their names or from the last one back; the next ones are those behind
        the name `after`.

        >>> import recollect
        >>> drawer = recollect.open("memory://").drawer(owner="u1")
        >>> drawer.put({"step/1": b"", "step/2": b"", "other": b""})
        >>> [blob.name for blob in drawer.list("step/", backwards=True)]
        ['step/2', 'step/1']
        """
        behind = None if after is None else clean_text(after, "after")
        many = clean_limit(limit, "limit", 0)
        return self._blobs.list_blobs(self._scope, clean_text(prefix, "prefix"), behind, many, backwards=backwards)

    def clear(self, prefix: str = "") -> int:
        """Removes every blob whose name begins so, for good; returns how many there were.

        >>> import recollect
        >>> drawer = recollect.open("memory://").drawer(owner="u1")
        >>> drawer.put({"step/1": b"", "step/2": b"", "other": b""})
        >>> drawer.clear("step/")
        2
        """
        return self._blobs.drop_blobs(self._scope, clean_text(prefix, "prefix"))

    def sessions(self) -> builtins.list[str]:
        """The sessions of the same owner that have blobs.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.drawer(owner="u1", session="trip").put({"state": b"packing"})
        >>> memory.drawer(owner="u1").sessions()
        ['trip']
        """
        return self._blobs.blob_sessions(self._scope)


def _revision(revision: object) -> int:
    if isinstance(revision, bool) or not isinstance(revision, int) or not 0 <= revision < 1 << 63:
        raise InvalidInput(f"a revision is a whole number that was read, or 0, not {revision!r}")
    return revision


def _clean(name: str) -> str:
    if BEYOND in clean_name(name, "blob's name"):
        raise InvalidInput("a blob's name cannot have the last of all characters in it")
    return name
