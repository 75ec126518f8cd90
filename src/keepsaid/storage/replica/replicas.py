"""The replicas that a process has open: those of the partitions it used most recently."""

from __future__ import annotations

import hashlib
import logging
import secrets
import tempfile
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from keepsaid.errors import NotAStore, StorageError, StoreClosed, StoreCorrupt, WrongKey
from keepsaid.storage.replica import files, partitions
from keepsaid.storage.replica.ledger import Ledger, PartitionHeader
from keepsaid.storage.replica.replica import Replica
from keepsaid.storage.sqlite import SqliteSource
from keepsaid.storage.sqlite.connection.source import connect

_log = logging.getLogger("keepsaid")

MAX_IDLE_REPLICAS = 48
"""Idle replicas that stay open. Each has six or more open files, and the usual limit for a process is 1,024."""


class ReplicaPool:
    """Opens replicas on demand, and closes those that have been idle longest.

    Without a folder they are in a temporary one, encrypted with a random key that exists only in this process.
    """

    def __init__(
        self, ledger: Ledger, folder: Path | None = None, key: str | bytes | None = None, kept: int = MAX_IDLE_REPLICAS
    ) -> None:
        self._ledger, self._max_idle = ledger, kept
        self._lock_file = None if folder is None else lock_folder(folder)
        self._temporary = tempfile.TemporaryDirectory(prefix="keepsaid-") if self._lock_file is None else None
        self._folder = Path(self._temporary.name) if self._temporary else folder or Path()
        self._key = secrets.token_bytes(32) if self._temporary else key
        self._open: OrderedDict[str, Replica] = OrderedDict()
        self._opening_locks: dict[str, threading.Lock] = {}
        self._in_use: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []
        self._closed = False
        with suppress(StorageError):  # if the backend cannot be reached now, the next maintenance does this
            self._follow_erasures(most=kept)

    @contextmanager
    def acquire(self, partition: str) -> Generator[Replica]:
        """Yield a partition's replica, and keep it open during the block."""
        with self._lock:
            if self._closed:
                raise StoreClosed("the store is closed")
            self._in_use[partition] += 1
            opening = self._opening_locks.setdefault(partition, threading.Lock())
        try:
            with opening:
                replica = self._open.get(partition) or self._add_replica(partition)
            yield replica
        finally:
            with self._lock:
                if partition in self._open:
                    self._open.move_to_end(partition)
                self._in_use[partition] -= 1
                if not self._in_use[partition]:
                    del self._in_use[partition]
                    self._opening_locks.pop(partition, None)
                surplus = self._take_surplus()
            for one in surplus:
                self._close_replica(one)

    def _path(self, partition: str) -> Path:
        return self._folder / f"{hashlib.sha256(partition.encode()).hexdigest()[:40]}.db"

    def _add_replica(self, partition: str) -> Replica:
        replica = self._open_replica(self._path(partition), partition)
        with self._lock:
            for call in self._listeners:
                replica.on_commit(call)
            self._open[partition] = replica
        return replica

    def _can_open(self, path: Path) -> bool:
        try:
            connect(SqliteSource(path, self._key)).close()
        except (NotAStore, StoreCorrupt, WrongKey):
            return False
        return True

    def _open_replica(self, path: Path, partition: str) -> Replica:
        """Open the replica in a file. A damaged one, or one with another key, is created again: the ledger decides whether
        the key is right."""
        source, lasting = SqliteSource(path, self._key, durable=False), self._temporary is None
        files.mark_in_use(path)
        try:
            return Replica(source, partition, self._ledger, lasting=lasting)
        except (NotAStore, StoreCorrupt, WrongKey):
            files.remove_replica_file(path)
            return Replica(source, partition, self._ledger, lasting=lasting)

    def _close_replica(self, replica: Replica) -> None:
        """Close a replica, and delete the file of a temporary one: the ledger has the data."""
        settled = replica.is_settled()
        replica.close()
        if self._temporary is not None:
            files.remove_replica_file(replica.path)
        elif settled:
            files.mark_at_rest(replica.path, replica.header.point)

    def _take_surplus(self) -> list[Replica]:
        if self._closed:
            idle = [partition for partition in self._open if partition not in self._in_use]
        else:
            too_many = len(self._open) - self._max_idle
            idle = [partition for partition in self._open if partition not in self._in_use][: max(0, too_many)]
        return [self._open.pop(partition) for partition in idle]

    def on_commit(self, call: Callable[[], None]) -> None:
        """Register a callback for every commit to any replica."""
        with self._lock:
            self._listeners.append(call)
            for replica in self._open.values():
                replica.on_commit(call)

    def maintain(self) -> None:
        """Apply erasures of other processes, and run the maintenance of each open replica."""
        self._follow_erasures()
        for partition in list(self._open):
            with self.acquire(partition) as replica:
                replica.maintain()

    def _follow_erasures(self, most: int | None = None) -> None:
        """Remove from a persistent folder what other processes have erased, also of owners that this process does not use.
        The replica of an erased owner is deleted, and one that is behind catches up. After `most` of these, the others are
        deleted instead: they can be rebuilt from the ledger, so opening the store stays fast."""
        followed = 0
        remaining = set[str]() if self._temporary is not None else {path.name for path in self._folder.glob("*.db")}
        for partition, header in self._ledger.list_partitions() if remaining else ():
            path = self._path(partition)
            if path.name not in remaining:
                continue
            remaining.remove(path.name)
            is_gone = partitions.is_owned(partition) and not header.note
            if (is_gone and self._remove(path)) or files.is_at_rest(path, header.point):
                continue
            followed += 1
            if most is None or followed <= most or not self._remove(path):
                self._follow(partition, header)
        for name in remaining:
            self._remove(self._folder / name)

    def _remove(self, path: Path) -> bool:
        """Delete a replica file, unless it is in use."""
        with self._lock:
            if path in {self._path(partition) for partition in (*self._open, *self._in_use)}:
                return False
            files.remove_replica_file(path)
            return True

    def _follow(self, partition: str, header: PartitionHeader) -> None:
        path = self._path(partition)
        if not self._can_open(path) and self._remove(path):
            return  # another key, or damaged: it is created again when it is needed
        try:
            with self.acquire(partition) as replica:
                replica.catch_up(header)
        except StoreCorrupt as error:
            _log.warning("the replica of %s cannot catch up with the ledger: %s", partition, error)

    def close(self) -> None:
        """Close the idle replicas now, and the others as soon as they are released."""
        with self._lock:
            self._closed = True
            idle = self._take_surplus()
        for replica in idle:
            self._close_replica(replica)
        if self._temporary is not None:
            self._temporary.cleanup()
        if self._lock_file is not None:
            self._lock_file.close()


def lock_folder(folder: Path) -> TextIO | None:
    """Return the lock of a folder, or None if another process has it. A replica has one writer."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = (folder / "lock").open("w")
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # on Windows, processes must not share a folder
    except OSError:
        lock.close()
        _log.info("another process uses the replicas in %s: this one creates its own", folder)
        return None
    return lock
