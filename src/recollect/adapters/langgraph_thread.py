"""The checkpoints of one thread in a drawer: a record of each, the writes that wait, and the pieces that they share.

Many may write at the same time. A piece that is there already is not written again, so it must not go meanwhile: two blobs
see to that. `THREAD` gets another revision whenever something is removed. Who writes expects the revision that he knew; if
it is another by now, he forgets what he knew to be there. `PULSE` gets another revision whenever something is written. Who
removes expects the one from before he looked.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from recollect.adapters.common import missing
from recollect.adapters.langgraph_cut import Cut, Cutter, join, needed
from recollect.adapters.langgraph_shelf import Known, Shelf
from recollect.drawer import AT_ONCE, Drawer
from recollect.errors import RevisionConflict, StorageError
from recollect.types import Blob

try:
    import ormsgpack
    from langgraph.checkpoint.serde.base import SerializerProtocol
    from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
except ImportError:
    raise missing("LangGraph", "langgraph") from None

ALL = "langgraph/"
PIECE, RECORD, WRITE = ALL + "piece/", ALL + "record/", ALL + "write/"
THREAD, PULSE = ALL + "thread", ALL + "pulse"

TRIES = 100
"""How often it is tried to remove something while others write."""

_PLAIN, _DEFLATED, _ENCRYPTED = b"\0", b"\1", b"\2"


class Gone(Exception):
    """A piece was removed while its checkpoint was read."""


class Codec:
    """Values and bytes, as the saver's serializer has them. One that encrypts does so with whole pieces: the same text is
    another one each time that it is encrypted, and no piece would be shared.

    >>> from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    >>> codec = Codec(JsonPlusSerializer())
    >>> codec.unwrapped(codec.wrapped(b"Hello " * 100)) == b"Hello " * 100
    True
    """

    def __init__(self, serde: SerializerProtocol) -> None:
        encrypts = type(serde) is EncryptedSerializer
        self._cipher = serde.cipher if encrypts else None
        inner = serde.serde if encrypts else serde
        self.dumps = inner.dumps_typed
        self.loads = inner.loads_typed

    def wrapped(self, content: bytes) -> bytes:
        """Bytes as they are kept."""
        deflated = zlib.compress(content, 1)
        content = _DEFLATED + deflated if len(deflated) < len(content) else _PLAIN + content
        return content if self._cipher is None else _ENCRYPTED + ormsgpack.packb(self._cipher.encrypt(content))

    def unwrapped(self, content: bytes) -> bytes:
        """Bytes as they were."""
        if content[:1] == _ENCRYPTED:
            if self._cipher is None:
                raise StorageError("this thread was encrypted: give the saver the serializer that it was written with")
            content = self._cipher.decrypt(*ormsgpack.unpackb(content[1:]))
        return zlib.decompress(content[1:]) if content[:1] == _DEFLATED else content[1:]


Key = tuple[str, str]
"""What a checkpoint is found by: its namespace and its id."""

Goes = Callable[[Key], bool]
"""Whether a checkpoint goes, and what was written behind it."""


class Record(NamedTuple):
    """A checkpoint as it is kept: the values of its channels are cut."""

    namespace: str
    id: str
    parent: str | None
    checkpoint: tuple[str, bytes]
    metadata: tuple[str, bytes]
    versions: dict[str, Any]
    values: dict[str, Cut]

    @property
    def key(self) -> Key:
        """What it is found by."""
        return self.namespace, self.id


class Write(NamedTuple):
    """What a task wrote to a channel, for the step behind a checkpoint."""

    namespace: str
    id: str
    task: str
    number: int
    path: str
    channel: str
    value: Cut

    @property
    def key(self) -> Key:
        """The checkpoint that it was written behind."""
        return self.namespace, self.id


class Thread:
    """One thread. What is known of it is on a shelf, for the next time."""

    def __init__(self, id: str, drawer: Drawer, codec: Codec, shelf: Shelf[Record]) -> None:
        self.id = id
        self._drawer = drawer
        self._codec = codec
        self._shelf = shelf

    # -- reading

    def record(self, namespace: str, id: str | None) -> Record | None:
        """A checkpoint, or the latest of a namespace."""
        if id is None:
            return next(self._listed(_place(RECORD, namespace), None, 1), None)
        found = self._drawer.get(record_name(namespace, id))
        return next(map(self._as_record, found.values()), None)

    def records(self, namespace: str, *, before: str | None = None, at_once: int = AT_ONCE) -> Iterator[Record]:
        """The checkpoints of a namespace, from the latest back."""
        return self._listed(_place(RECORD, namespace), before and record_name(namespace, before), at_once)

    def namespaces(self) -> list[str]:
        """Those that have checkpoints."""
        found: list[str] = []
        after = RECORD
        while blobs := self._drawer.list(RECORD, after=after, limit=1):
            found.append(self._as_record(blobs[0]).namespace)
            after = _behind(_place(RECORD, found[-1]))
        return found

    def writes(self, namespace: str, id: str) -> list[Write]:
        """What tasks wrote behind a checkpoint, in no order."""
        return [self._as_write(blob) for blob in self._all(_place(WRITE, namespace, id))]

    def values(self, cuts: Sequence[Cut]) -> list[Any]:
        """Values that were cut. Raises `Gone` if a piece of them is not there any more."""
        return join(cuts, self._fetched, self._codec.loads)

    # -- writing

    def keep_record(self, make: Callable[[Cutter, Record | None], Record], namespace: str, parent: str | None) -> None:
        """Keeps a checkpoint. It is made with its parent at hand, whose pieces are all there: maybe several times."""
        while True:
            known = self._looked()
            cutter = Cutter(self._codec.dumps, known.secret)
            record = make(cutter, self._parent(known, namespace, parent))
            values = {name: tuple(cut) for name, cut in record.values.items()}
            content = ormsgpack.packb((*record[:-1], values))
            name = record_name(namespace, record.id)
            if self._put(known, cutter, {name: content}):
                known.remember((), {name: record})
                return

    def keep_writes(self, make: Callable[[Cutter], list[Write]]) -> None:
        """Keeps what a task wrote. What it wrote before stays, but for the special ones (below zero): those are replaced."""
        there: Collection[str] = ()
        while True:
            known = self._looked()
            cutter = Cutter(self._codec.dumps, known.secret)
            writes = {write_name(write): write for write in make(cutter)}
            new = {name: write for name, write in writes.items() if write.number < 0 or name not in there}
            contents = {name: ormsgpack.packb((*write[:-1], tuple(write.value))) for name, write in new.items()}
            if self._put(known, cutter, contents, {name: 0 for name, write in new.items() if write.number >= 0}):
                return
            there = self._drawer.get(*writes)

    def _put(
        self, known: Known[Record], cutter: Cutter, contents: Mapping[str, bytes], expected: Mapping[str, int] | None = None
    ) -> bool:
        """Keeps contents and the pieces that are not there yet. Whether nobody came between."""
        pieces = {name: content for name, content in cutter.pieces.items() if name not in known.pieces}
        every = {**{PIECE + name.hex(): content for name, content in pieces.items()}, **contents}
        try:
            self._drawer.put(
                {**{name: self._codec.wrapped(content) for name, content in every.items()}, PULSE: b""},
                expected={THREAD: known.revision, **(expected or {})},
            )
        except RevisionConflict:
            self._shelf.forget(self.id)
            return False
        known.remember(pieces)
        self._shelf.add(pieces)
        return True

    def _parent(self, known: Known[Record], namespace: str, id: str | None) -> Record | None:
        if id is None:
            return None
        return known.recent.get(record_name(namespace, id)) or self.record(namespace, id)

    def _looked(self) -> Known[Record]:
        """What is known of the thread; if it is new, it is begun."""
        while (known := self._seen()) is None:
            with suppress(RevisionConflict):
                self._drawer.put({THREAD: self._codec.wrapped(secrets.token_bytes(32))}, expected={THREAD: 0})
        return known

    def _seen(self) -> Known[Record] | None:
        """What is known of the thread, if there is one."""
        known = self._shelf.known(self.id)
        if known is None and (found := self._drawer.get(THREAD)):
            blob = found[THREAD]
            known = self._shelf.learn(self.id, Known(blob.revision, self._codec.unwrapped(blob.content)))
        return known

    # -- removing and copying

    def remove(self, choose: Callable[[list[Record]], Goes | None]) -> None:
        """Removes some of the checkpoints, what was written behind them, and every piece that nothing names any more."""
        for _ in range(TRIES):
            # Somebody else may write, or remove something, while we look.
            with suppress(RevisionConflict, Gone):
                return self._remove(choose)
        raise StorageError(
            f"nothing could be removed from thread {self.id!r} in {TRIES} tries: others write to it all the time, or pieces"
            " of it are missing"
        )

    def _remove(self, choose: Callable[[list[Record]], Goes | None]) -> None:
        begun = self._drawer.get(THREAD, PULSE)
        going = self._going(choose) if THREAD in begun else ()
        if going:
            expected = {name: begun[name].revision if name in begun else 0 for name in (THREAD, PULSE)}
            self._drawer.put({THREAD: begun[THREAD].content, **dict.fromkeys(going)}, expected=expected)
            self._shelf.clear()

    def clear(self) -> None:
        """Removes everything."""
        self._drawer.clear(ALL)
        self._shelf.clear()

    def copy_to(self, other: Thread) -> None:
        """Copies everything. Pieces are named by the secret of the thread that they come from, which does no harm."""
        while (begun := self._drawer.get(THREAD).get(THREAD)) is not None:
            last = {blob.name: blob.content for prefix in (RECORD, WRITE) for blob in self._all(prefix)}
            revision = other.begun(begun.content)
            try:
                for page in self._pages(PIECE):
                    other.take({blob.name: blob.content for blob in page}, revision)
                now = self._drawer.get(THREAD).get(THREAD)
                # If nothing was removed since we looked, all pieces of what we saw are there.
                if now is not None and now.revision == begun.revision:
                    return other.take({**last, PULSE: b""}, revision)
            except RevisionConflict:
                continue
        return None

    def begun(self, secret: bytes) -> int:
        """The revision of the thread, which begins with this secret if it is new."""
        while not (found := self._drawer.get(THREAD)):
            with suppress(RevisionConflict):
                self._drawer.put({THREAD: secret}, expected={THREAD: 0})
        return found[THREAD].revision

    def take(self, contents: Mapping[str, bytes], revision: int) -> None:
        """Takes over blobs of another thread."""
        self._drawer.put(contents, expected={THREAD: revision})

    def _going(self, choose: Callable[[list[Record]], Goes | None]) -> list[str]:
        """The names of all that is to go."""
        kept = {blob.name: self._as_record(blob) for blob in self._all(RECORD)}
        writes = {blob.name: self._as_write(blob) for blob in self._all(WRITE)}
        goes = choose(list(kept.values()))
        if goes is None:
            return []
        going = [name for name, one in (*kept.items(), *writes.items()) if goes(one.key)]
        for name in going:
            kept.pop(name, None)
            writes.pop(name, None)
        if not kept and not writes:
            return [blob.name for blob in self._all(ALL)]
        cuts = [cut for record in kept.values() for cut in record.values.values()]
        pieces = needed([*cuts, *(write.value for write in writes.values())], self._fetched)
        return [*going, *(blob.name for blob in self._all(PIECE) if _piece(blob.name) not in pieces)]

    # -- blobs

    def _all(self, prefix: str) -> Iterator[Blob]:
        for page in self._pages(prefix):
            yield from page

    def _pages(self, prefix: str) -> Iterator[list[Blob]]:
        after = None
        while page := self._drawer.list(prefix, after=after):
            yield page
            after = page[-1].name

    def _listed(self, prefix: str, after: str | None, at_once: int) -> Iterator[Record]:
        while page := self._drawer.list(prefix, after=after, backwards=True, limit=at_once):
            yield from map(self._as_record, page)
            after = page[-1].name

    def _fetched(self, names: Iterable[bytes]) -> dict[bytes, bytes]:
        known = self._seen()  # before anything is read: of what is there now, it knows that it stays
        wanted = set(names)
        found = self._shelf.pieces(wanted)
        lacking = sorted(wanted - found.keys())
        read: dict[bytes, bytes] = {}
        for start in range(0, len(lacking), AT_ONCE):
            blobs = self._drawer.get(*(PIECE + name.hex() for name in lacking[start : start + AT_ONCE]))
            read.update((_piece(name), self._codec.unwrapped(blob.content)) for name, blob in blobs.items())
        if len(read) < len(lacking):
            raise Gone(f"{len(lacking) - len(read)} pieces of thread {self.id!r} are missing")
        self._shelf.add(read)
        if known is not None:
            known.remember(read)
        return {**found, **read}

    def _as_record(self, blob: Blob) -> Record:
        record = Record(*ormsgpack.unpackb(self._codec.unwrapped(blob.content)))
        return record._replace(values={name: Cut(*cut) for name, cut in record.values.items()})

    def _as_write(self, blob: Blob) -> Write:
        write = Write(*ormsgpack.unpackb(self._codec.unwrapped(blob.content)))
        return write._replace(value=Cut(*write.value))


def record_name(namespace: str, id: str) -> str:
    """Where a checkpoint is kept: behind its namespace in the order of the ids."""
    return _place(RECORD, namespace) + id


def write_name(write: Write) -> str:
    """Where a write is kept."""
    return _place(WRITE, write.namespace, write.id) + _hash(write.task, str(write.number))


def _place(prefix: str, *which: str) -> str:
    return f"{prefix}{_hash(*which)}/"


def _behind(place: str) -> str:
    return place[:-1] + chr(ord("/") + 1)


def _hash(*words: str) -> str:
    """Namespaces may be longer than a blob's name."""
    return hashlib.blake2b(ormsgpack.packb(words), digest_size=16).hexdigest()


def _piece(name: str) -> bytes:
    return bytes.fromhex(name[len(PIECE) :])
