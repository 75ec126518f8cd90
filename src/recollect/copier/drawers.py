"""Blobs: what programs keep beside conversations is carried over as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from recollect.copier.derived import Compared
from recollect.copier.pools import Pools
from recollect.copier.whole import Pair
from recollect.errors import NotFound
from recollect.ports import Blobs, Storage
from recollect.types import Blob, Scope

AT_ONCE = 16
"""Blobs that are read together: each may be as large as a message can be."""

BYTES = 4 * 1024 * 1024
"""Of those that are kept together; the least that a backend takes in one change is some more. One alone may be larger."""

Print = tuple[bytes, str | None]
"""What two blobs of one name are compared by: what is in them, and in a pool who kept them."""


def compared(pair: Pair, scope: Scope) -> Compared:
    """How the blobs of a memory stand."""
    here, there = _prints(pair.source, scope), _prints(pair.target, scope)
    if extra := there.keys() - here.keys():
        return Compared(len(here), wrong=f"only the target has the blob {min(extra)[1]!r}")
    return Compared(len(here), here != there)


def carry(pair: Pair, pools: Pools, scope: Scope) -> None:
    """Keeps in the target those that it has not, or has otherwise, each for whoever kept it."""
    there = _prints(pair.target, scope)
    for place, blobs in _pages(pair.source, scope):
        wanted = [blob for blob in blobs if there.get((place.session or "", blob.name)) != _print(blob)]
        for some in _batches(wanted):
            if isinstance(pair.target, Blobs):
                contents = {blob.name: blob.content for blob in some}
                pair.target.keep_blobs(pools.writing(place, some[0].author), contents, {})


def _batches(blobs: Iterable[Blob]) -> Iterator[list[Blob]]:
    """Blobs of one author each, as many as may go together."""
    batch: list[Blob] = []
    for blob in blobs:
        full = sum(len(one.content) for one in batch) + len(blob.content) > BYTES
        if batch and (full or batch[0].author != blob.author):
            yield batch
            batch = []
        batch.append(blob)
    if batch:
        yield batch


def _prints(storage: Storage, scope: Scope) -> dict[tuple[str, str], Print]:
    return {(place.session or "", blob.name): _print(blob) for place, blobs in _pages(storage, scope) for blob in blobs}


def _print(blob: Blob) -> Print:
    return hashlib.sha256(blob.content).digest(), blob.author


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
