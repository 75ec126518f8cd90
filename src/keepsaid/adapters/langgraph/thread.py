"""The checkpoints of one thread in its blob store: a record of each, pending writes, and the pieces that they share.

Writers may run concurrently. They do not write pieces that exist already, so these must not be removed meanwhile. Two blobs
guarantee this. `REMOVAL_BLOB` gets a new revision with every removal. Writers expect the revision that they have seen, and
discard their knowledge of existing pieces if it has changed. `WRITE_BLOB` gets a new revision with every write. Removers
expect the revision from before they looked for unused pieces.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from keepsaid.adapters.common import missing_extra
from keepsaid.adapters.langgraph.state_pieces import SplitValue, StateSplitter, collect_piece_names, join_values
from keepsaid.adapters.langgraph.thread_cache import CachedThread, ThreadCache
from keepsaid.errors import RevisionConflict, StorageError
from keepsaid.memory.blobs import LIST_LIMIT, BlobStore
from keepsaid.types import Blob

try:
    import ormsgpack
    from langgraph.checkpoint.serde.base import SerializerProtocol
    from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
except ImportError:
    raise missing_extra("LangGraph", "langgraph") from None

BLOB_PREFIX = "langgraph/"
PIECE_PREFIX, RECORD_PREFIX, WRITE_PREFIX = BLOB_PREFIX + "piece/", BLOB_PREFIX + "record/", BLOB_PREFIX + "write/"
REMOVAL_BLOB, WRITE_BLOB = BLOB_PREFIX + "thread", BLOB_PREFIX + "pulse"

MAX_ATTEMPTS = 100
"""Attempts to remove something while others write."""

_PLAIN, _DEFLATED, _ENCRYPTED = b"\0", b"\1", b"\2"


class MissingPieceError(Exception):
    """A piece of a checkpoint was removed while the checkpoint was read."""


class ThreadCodec:
    """Serialize values with the saver's serializer, and encode pieces. With an `EncryptedSerializer`, whole pieces are
    encrypted instead of values: each encryption of the same value differs, so no piece could be shared.

    >>> from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    >>> codec = ThreadCodec(JsonPlusSerializer())
    >>> codec.decode(codec.encode(b"Hello " * 100)) == b"Hello " * 100
    True
    """

    def __init__(self, serde: SerializerProtocol) -> None:
        encrypts = type(serde) is EncryptedSerializer
        self._cipher = serde.cipher if encrypts else None
        inner = serde.serde if encrypts else serde
        self.dumps = inner.dumps_typed
        self.loads = inner.loads_typed

    def encode(self, content: bytes) -> bytes:
        """Compress and encrypt bytes for storage."""
        deflated = zlib.compress(content, 1)
        content = _DEFLATED + deflated if len(deflated) < len(content) else _PLAIN + content
        return content if self._cipher is None else _ENCRYPTED + ormsgpack.packb(self._cipher.encrypt(content))

    def decode(self, content: bytes) -> bytes:
        """Decrypt and decompress stored bytes."""
        if content[:1] == _ENCRYPTED:
            if self._cipher is None:
                raise StorageError("this thread is encrypted: create the saver with the serializer that wrote it")
            content = self._cipher.decrypt(*ormsgpack.unpackb(content[1:]))
        return zlib.decompress(content[1:]) if content[:1] == _DEFLATED else content[1:]


CheckpointKey = tuple[str, str]
"""The namespace and the id of a checkpoint."""

RemovalFilter = Callable[[CheckpointKey], bool]
"""Whether to remove a checkpoint and its pending writes."""


class CheckpointRecord(NamedTuple):
    """A checkpoint as stored, with the values of its channels split into pieces."""

    namespace: str
    id: str
    parent: str | None
    checkpoint: tuple[str, bytes]
    metadata: tuple[str, bytes]
    versions: dict[str, Any]
    values: dict[str, SplitValue]

    @property
    def key(self) -> CheckpointKey:
        """The key of the checkpoint."""
        return self.namespace, self.id


class PendingWrite(NamedTuple):
    """What a task wrote to a channel, for the step after a checkpoint."""

    namespace: str
    id: str
    task: str
    number: int
    path: str
    channel: str
    value: SplitValue

    @property
    def key(self) -> CheckpointKey:
        """The key of the checkpoint that it was written after."""
        return self.namespace, self.id


class CheckpointThread:
    """The stored checkpoints of one thread, with a cache shared by all threads of a saver."""

    def __init__(self, id: str, blob_store: BlobStore, codec: ThreadCodec, cache: ThreadCache[CheckpointRecord]) -> None:
        self.id = id
        self._blob_store = blob_store
        self._codec = codec
        self._cache = cache

    # -- reading

    def record(self, namespace: str, id: str | None) -> CheckpointRecord | None:
        """Return a checkpoint, or the latest of a namespace."""
        if id is None:
            return next(self._list_records(_prefix(RECORD_PREFIX, namespace), None, 1), None)
        found = self._blob_store.get(record_blob_name(namespace, id))
        return next(map(self._as_record, found.values()), None)

    def records(self, namespace: str, *, before: str | None = None, at_once: int = LIST_LIMIT) -> Iterator[CheckpointRecord]:
        """Yield the checkpoints of a namespace, latest first."""
        return self._list_records(_prefix(RECORD_PREFIX, namespace), before and record_blob_name(namespace, before), at_once)

    def namespaces(self) -> list[str]:
        """Return the namespaces that have checkpoints."""
        found: list[str] = []
        after = RECORD_PREFIX
        while blobs := self._blob_store.list(RECORD_PREFIX, after=after, limit=1):
            found.append(self._as_record(blobs[0]).namespace)
            after = _end_of_prefix(_prefix(RECORD_PREFIX, found[-1]))
        return found

    def writes(self, namespace: str, id: str) -> list[PendingWrite]:
        """Return what tasks wrote after a checkpoint, in no particular order."""
        return [self._as_write(blob) for blob in self._all(_prefix(WRITE_PREFIX, namespace, id))]

    def values(self, cuts: Sequence[SplitValue]) -> list[Any]:
        """Join split values. Raise `MissingPieceError` if a piece no longer exists."""
        return join_values(cuts, self._fetch_pieces, self._codec.loads)

    # -- writing

    def save_record(
        self, make: Callable[[StateSplitter, CheckpointRecord | None], CheckpointRecord], namespace: str, parent: str | None
    ) -> None:
        """Save a checkpoint. `make` gets the parent, whose pieces all exist; it may be called several times."""
        while True:
            known = self._load_or_create()
            cutter = StateSplitter(self._codec.dumps, known.secret)
            record = make(cutter, self._parent(known, namespace, parent))
            values = {name: tuple(cut) for name, cut in record.values.items()}
            content = ormsgpack.packb((*record[:-1], values))
            name = record_blob_name(namespace, record.id)
            if self._put(known, cutter, {name: content}):
                known.remember((), {name: record})
                return

    def save_writes(self, make: Callable[[StateSplitter], list[PendingWrite]]) -> None:
        """Save the writes of a task. Existing writes stay, except special ones (numbers below zero), which are replaced."""
        there: Collection[str] = ()
        while True:
            known = self._load_or_create()
            cutter = StateSplitter(self._codec.dumps, known.secret)
            writes = {write_blob_name(write): write for write in make(cutter)}
            new = {name: write for name, write in writes.items() if write.number < 0 or name not in there}
            contents = {name: ormsgpack.packb((*write[:-1], tuple(write.value))) for name, write in new.items()}
            if self._put(known, cutter, contents, {name: 0 for name, write in new.items() if write.number >= 0}):
                return
            there = self._blob_store.get(*writes)

    def _put(
        self,
        known: CachedThread[CheckpointRecord],
        cutter: StateSplitter,
        contents: Mapping[str, bytes],
        expected: Mapping[str, int] | None = None,
    ) -> bool:
        """Save contents and missing pieces. Return False if the thread has changed concurrently."""
        pieces = {name: content for name, content in cutter.pieces.items() if name not in known.pieces}
        every = {**{PIECE_PREFIX + name.hex(): content for name, content in pieces.items()}, **contents}
        try:
            self._blob_store.put(
                {**{name: self._codec.encode(content) for name, content in every.items()}, WRITE_BLOB: b""},
                expected={REMOVAL_BLOB: known.revision, **(expected or {})},
            )
        except RevisionConflict:
            self._cache.forget_thread(self.id)
            return False
        known.remember(pieces)
        self._cache.add_pieces(pieces)
        return True

    def _parent(self, known: CachedThread[CheckpointRecord], namespace: str, id: str | None) -> CheckpointRecord | None:
        if id is None:
            return None
        return known.records.get(record_blob_name(namespace, id)) or self.record(namespace, id)

    def _load_or_create(self) -> CachedThread[CheckpointRecord]:
        """Return the cached state of the thread; create the thread if it does not exist."""
        while (known := self._load()) is None:
            with suppress(RevisionConflict):
                self._blob_store.put({REMOVAL_BLOB: self._codec.encode(secrets.token_bytes(32))}, expected={REMOVAL_BLOB: 0})
        return known

    def _load(self) -> CachedThread[CheckpointRecord] | None:
        """Return the cached state of the thread, if it exists."""
        known = self._cache.get_thread(self.id)
        if known is None and (found := self._blob_store.get(REMOVAL_BLOB)):
            blob = found[REMOVAL_BLOB]
            known = self._cache.add_thread(self.id, CachedThread(blob.revision, self._codec.decode(blob.content)))
        return known

    # -- removing and copying

    def remove(self, choose: Callable[[list[CheckpointRecord]], RemovalFilter | None]) -> None:
        """Remove the chosen checkpoints, their pending writes, and all pieces that are no longer referenced."""
        for _ in range(MAX_ATTEMPTS):
            # Other processes may write or remove something meanwhile.
            with suppress(RevisionConflict, MissingPieceError):
                return self._remove(choose)
        raise StorageError(
            f"could not remove checkpoints from thread {self.id!r} in {MAX_ATTEMPTS} attempts:"
            " others write to it all the time, or pieces of it are missing"
        )

    def _remove(self, choose: Callable[[list[CheckpointRecord]], RemovalFilter | None]) -> None:
        begun = self._blob_store.get(REMOVAL_BLOB, WRITE_BLOB)
        going = self._names_to_remove(choose) if REMOVAL_BLOB in begun else ()
        if going:
            expected = {name: begun[name].revision if name in begun else 0 for name in (REMOVAL_BLOB, WRITE_BLOB)}
            self._blob_store.put({REMOVAL_BLOB: begun[REMOVAL_BLOB].content, **dict.fromkeys(going)}, expected=expected)
            self._cache.clear()

    def clear(self) -> None:
        """Remove everything."""
        self._blob_store.clear(BLOB_PREFIX)
        self._cache.clear()

    def copy_to(self, other: CheckpointThread) -> None:
        """Copy everything to another thread. Pieces keep their names, which depend on the secret of this thread."""
        while (begun := self._blob_store.get(REMOVAL_BLOB).get(REMOVAL_BLOB)) is not None:
            last = {blob.name: blob.content for prefix in (RECORD_PREFIX, WRITE_PREFIX) for blob in self._all(prefix)}
            revision = other.ensure_secret(begun.content)
            try:
                for page in self._pages(PIECE_PREFIX):
                    other.import_blobs({blob.name: blob.content for blob in page}, revision)
                now = self._blob_store.get(REMOVAL_BLOB).get(REMOVAL_BLOB)
                # If nothing was removed since the records were read, all their pieces have been copied.
                if now is not None and now.revision == begun.revision:
                    return other.import_blobs({**last, WRITE_BLOB: b""}, revision)
            except RevisionConflict:
                continue
        return None

    def ensure_secret(self, secret: bytes) -> int:
        """Return the revision of the thread; create it with this secret if it does not exist."""
        while not (found := self._blob_store.get(REMOVAL_BLOB)):
            with suppress(RevisionConflict):
                self._blob_store.put({REMOVAL_BLOB: secret}, expected={REMOVAL_BLOB: 0})
        return found[REMOVAL_BLOB].revision

    def import_blobs(self, contents: Mapping[str, bytes], revision: int) -> None:
        """Write blobs of another thread."""
        self._blob_store.put(contents, expected={REMOVAL_BLOB: revision})

    def _names_to_remove(self, choose: Callable[[list[CheckpointRecord]], RemovalFilter | None]) -> list[str]:
        """Return the names of all blobs to remove."""
        kept = {blob.name: self._as_record(blob) for blob in self._all(RECORD_PREFIX)}
        writes = {blob.name: self._as_write(blob) for blob in self._all(WRITE_PREFIX)}
        goes = choose(list(kept.values()))
        if goes is None:
            return []
        going = [name for name, one in (*kept.items(), *writes.items()) if goes(one.key)]
        for name in going:
            kept.pop(name, None)
            writes.pop(name, None)
        if not kept and not writes:
            return [blob.name for blob in self._all(BLOB_PREFIX)]
        cuts = [cut for record in kept.values() for cut in record.values.values()]
        pieces = collect_piece_names([*cuts, *(write.value for write in writes.values())], self._fetch_pieces)
        return [*going, *(blob.name for blob in self._all(PIECE_PREFIX) if _piece_name(blob.name) not in pieces)]

    # -- blobs

    def _all(self, prefix: str) -> Iterator[Blob]:
        for page in self._pages(prefix):
            yield from page

    def _pages(self, prefix: str) -> Iterator[list[Blob]]:
        after = None
        while page := self._blob_store.list(prefix, after=after):
            yield page
            after = page[-1].name

    def _list_records(self, prefix: str, after: str | None, at_once: int) -> Iterator[CheckpointRecord]:
        while page := self._blob_store.list(prefix, after=after, backwards=True, limit=at_once):
            yield from map(self._as_record, page)
            after = page[-1].name

    def _fetch_pieces(self, names: Iterable[bytes]) -> dict[bytes, bytes]:
        known = self._load()  # before the reads: its revision then covers all pieces that are read
        wanted = set(names)
        found = self._cache.get_pieces(wanted)
        lacking = sorted(wanted - found.keys())
        read: dict[bytes, bytes] = {}
        for start in range(0, len(lacking), LIST_LIMIT):
            blobs = self._blob_store.get(*(PIECE_PREFIX + name.hex() for name in lacking[start : start + LIST_LIMIT]))
            read.update((_piece_name(name), self._codec.decode(blob.content)) for name, blob in blobs.items())
        if len(read) < len(lacking):
            raise MissingPieceError(f"{len(lacking) - len(read)} pieces of thread {self.id!r} are missing")
        self._cache.add_pieces(read)
        if known is not None:
            known.remember(read)
        return {**found, **read}

    def _as_record(self, blob: Blob) -> CheckpointRecord:
        record = CheckpointRecord(*ormsgpack.unpackb(self._codec.decode(blob.content)))
        return record._replace(values={name: SplitValue(*cut) for name, cut in record.values.items()})

    def _as_write(self, blob: Blob) -> PendingWrite:
        write = PendingWrite(*ormsgpack.unpackb(self._codec.decode(blob.content)))
        return write._replace(value=SplitValue(*write.value))


def record_blob_name(namespace: str, id: str) -> str:
    """Return the blob name of a checkpoint. Names in a namespace sort by id."""
    return _prefix(RECORD_PREFIX, namespace) + id


def write_blob_name(write: PendingWrite) -> str:
    """Return the blob name of a pending write."""
    return _prefix(WRITE_PREFIX, write.namespace, write.id) + _hash(write.task, str(write.number))


def _prefix(prefix: str, *which: str) -> str:
    return f"{prefix}{_hash(*which)}/"


def _end_of_prefix(place: str) -> str:
    return place[:-1] + chr(ord("/") + 1)


def _hash(*words: str) -> str:
    """Hash words for use in a blob name; namespaces may be longer than such a name."""
    return hashlib.blake2b(ormsgpack.packb(words), digest_size=16).hexdigest()


def _piece_name(name: str) -> bytes:
    return bytes.fromhex(name[len(PIECE_PREFIX) :])
