"""Blobs: what programs keep beside conversations is carried over as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from recollect.copier.derived import Compared
from recollect.copier.whole import Pair
from recollect.errors import NotFound
from recollect.ports import Blobs, Storage
from recollect.types import Blob, Scope

AT_ONCE = 100


def compared(pair: Pair, scope: Scope) -> Compared:
    """How the blobs of a memory stand."""
    here, there = _prints(pair.source, scope), _prints(pair.target, scope)
    if extra := there.keys() - here.keys():
        return Compared(len(here), wrong=f"only the target has the blob {min(extra)[1]!r}")
    return Compared(len(here), here != there)


def carry(pair: Pair, scope: Scope) -> None:
    """Keeps in the target those that it has not, or has otherwise."""
    there = _prints(pair.target, scope)
    for place, blobs in _pages(pair.source, scope):
        wanted = [blob for blob in blobs if there.get((place.session or "", blob.name)) != _hash(blob)]
        if wanted and isinstance(pair.target, Blobs):
            pair.target.keep_blobs(place, {blob.name: blob.content for blob in wanted}, {})


def _prints(storage: Storage, scope: Scope) -> dict[tuple[str, str], bytes]:
    return {(place.session or "", blob.name): _hash(blob) for place, blobs in _pages(storage, scope) for blob in blobs}


def _hash(blob: Blob) -> bytes:
    return hashlib.sha256(blob.content).digest()


def _pages(storage: Storage, scope: Scope) -> Iterator[tuple[Scope, list[Blob]]]:
    """All blobs of a memory, some at a time, each time with where they are. A backend may have none."""
    if not isinstance(storage, Blobs):
        return
    try:
        places = [scope, *map(scope.of, storage.blob_sessions(scope))]
    except NotFound:
        return  # a pool that is not there yet
    for place in places:
        after = None
        while page := storage.list_blobs(place, "", after, AT_ONCE):
            yield place, page
            after = page[-1].name
