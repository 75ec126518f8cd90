"""Copy blobs, the bytes that programs store besides conversations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from keepsaid.errors import NotFound
from keepsaid.ports import Storage
from keepsaid.transfer.copy.derived import DerivedComparison
from keepsaid.transfer.copy.pools import PoolCopier
from keepsaid.transfer.copy.storage_pair import StoragePair
from keepsaid.types import Blob, Scope

PAGE_SIZE = 16
"""Blobs read at a time: each may be as large as the largest message."""

MAX_BATCH_BYTES = 4 * 1024 * 1024
"""The most bytes in a batch of several blobs: less than any backend's limit for one change. A single blob may be larger."""

BlobFingerprint = tuple[bytes, str | None]
"""The fingerprint of a blob: the hash of its content and, in a pool, its author."""


def compare_blobs(pair: StoragePair, scope: Scope) -> DerivedComparison:
    """Compare the blobs of a memory."""
    here, there = _fingerprints(pair.source, scope), _fingerprints(pair.target, scope)
    if extra := there.keys() - here.keys():
        return DerivedComparison(len(here), wrong=f"only the target has the blob {min(extra)[1]!r}")
    return DerivedComparison(len(here), here != there)


def copy_blobs(pair: StoragePair, pools: PoolCopier, scope: Scope) -> None:
    """Copy the blobs that are missing or different in the target, each as its author."""
    there = _fingerprints(pair.target, scope)
    for place, blobs in _pages(pair.source, scope):
        wanted = [blob for blob in blobs if there.get((place.session or "", blob.name)) != _fingerprint(blob)]
        for some in _batches(wanted):
            contents = {blob.name: blob.content for blob in some}
            with pools.writer_scope(place, some[0].author) as whose:
                pair.target.keep_blobs(whose, contents, {})


def _batches(blobs: Iterable[Blob]) -> Iterator[list[Blob]]:
    """Split blobs into batches of one author and a limited size."""
    batch: list[Blob] = []
    for blob in blobs:
        full = sum(len(one.content) for one in batch) + len(blob.content) > MAX_BATCH_BYTES
        if batch and (full or batch[0].author != blob.author):
            yield batch
            batch = []
        batch.append(blob)
    if batch:
        yield batch


def _fingerprints(storage: Storage, scope: Scope) -> dict[tuple[str, str], BlobFingerprint]:
    return {
        (place.session or "", blob.name): _fingerprint(blob) for place, blobs in _pages(storage, scope) for blob in blobs
    }


def _fingerprint(blob: Blob) -> BlobFingerprint:
    return hashlib.sha256(blob.content).digest(), blob.author


def _pages(storage: Storage, scope: Scope) -> Iterator[tuple[Scope, list[Blob]]]:
    """All blobs of a memory, page by page, each page with its scope."""
    try:
        places = [scope, *map(scope.of, storage.blob_sessions(scope))]
    except NotFound:
        return  # a pool that does not exist yet
    for place in places:
        after = None
        while page := storage.list_blobs(place, "", after, PAGE_SIZE):
            yield place, page
            after = page[-1].name
