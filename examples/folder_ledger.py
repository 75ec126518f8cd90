"""A custom backend in one file: conversations in a folder, one JSON file per owner.

A backend that can store rows needs no search, branches or vectors of its own: it implements `Ledger`, and Keepsaid provides
these with a local replica. This example is for a shared folder and small teams; yours may be any database that can change
several rows atomically. tests/test_folder_ledger.py runs the suites that every backend must pass.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, unquote

import keepsaid
from keepsaid.errors import StoreClosed, StoreFull
from keepsaid.storage.replica.ledger import BEGINNING, Columns, LedgerPoint, LedgerRow, PartitionDelta, PartitionHeader
from keepsaid.storage.replica.storage import ReplicaStorage

LOG = 100
"""Number of commits whose changes a partition lists; replicas that are further back load everything."""


class FolderLedger:
    """Keep each partition in a file that is replaced as a whole, under a lock."""

    largest_message = 4 * 1024 * 1024

    def __init__(self, folder: Path) -> None:
        self._folder, self._closed = folder, False
        folder.mkdir(parents=True, exist_ok=True)

    def headers(self, partitions: Sequence[str]) -> list[PartitionHeader]:
        return [_header(self._read(partition)) for partition in partitions]

    def load(self, partition: str, since: LedgerPoint) -> PartitionDelta:
        kept = self._read(partition)
        known = [LedgerPoint(*point) for point, _ in kept["log"]]
        whole = since not in known
        changed = (
            [name for _, names in kept["log"][known.index(since) + 1 :] for name in names] if not whole else kept["rows"]
        )
        rows = [LedgerRow(*name.split(" ", 1), _decoded(kept["rows"].get(name))) for name in dict.fromkeys(changed)]
        return PartitionDelta(_header(kept), rows, whole)

    def commit(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        reached = LedgerPoint(after.revision + 1, token)
        with self._locked(partition):
            kept = self._read(partition)
            if LedgerPoint(*kept["point"]) != after:
                return reached in [LedgerPoint(*point) for point, _ in kept["log"]]
            for table, key, columns in rows:
                kept["rows"].pop(f"{table} {key}", None)
                if columns is not None:
                    kept["rows"][f"{table} {key}"] = _encoded(columns)
            log = [*kept["log"], [reached, [f"{row.table} {row.key}" for row in rows]]]
            self._write(partition, {"point": reached, "note": dict(note), "rows": kept["rows"], "log": log[-LOG:]})
        return True

    def list_partitions(self) -> Iterator[tuple[str, PartitionHeader]]:
        for path in sorted(self._open().glob("*.json")):
            partition = unquote(path.stem)
            yield partition, _header(self._read(partition))

    def stamp(self) -> object:
        return self._open().stat().st_mtime_ns  # every commit replaces a file in the folder

    def warnings(self) -> Sequence[str]:
        return ()

    def on_remote_commit(self, call: Callable[[], None]) -> None:
        """Do nothing: a folder sends no notifications, so watchers poll the stamp."""

    def close(self) -> None:
        self._closed = True

    def _open(self) -> Path:
        if self._closed:
            raise StoreClosed("this ledger was closed")
        return self._folder

    def _path(self, partition: str) -> Path:
        return self._open() / f"{quote(partition, safe='')}.json"

    def _read(self, partition: str) -> dict[str, Any]:
        try:
            return json.loads(self._path(partition).read_bytes())
        except FileNotFoundError:
            return {"point": BEGINNING, "note": {}, "rows": {}, "log": []}

    def _write(self, partition: str, kept: dict[str, Any]) -> None:
        new = self._path(partition).with_suffix(".new")
        try:
            with new.open("w") as file:
                json.dump(kept, file)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path(partition))
        except OSError as error:
            raise StoreFull(f"could not write to the folder: {error}") from error

    @contextmanager
    def _locked(self, partition: str) -> Iterator[None]:
        with self._path(partition).with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _header(kept: Mapping[str, Any]) -> PartitionHeader:
    return PartitionHeader(LedgerPoint(*kept["point"]), kept["note"])


def _encoded(columns: Columns) -> dict[str, Any]:
    return {name: {"b": base64.b64encode(v).decode()} if isinstance(v, bytes) else v for name, v in columns.items()}


def _decoded(columns: Mapping[str, Any] | None) -> Columns | None:
    if columns is None:
        return None
    return {name: base64.b64decode(v["b"]) if isinstance(v, dict) else v for name, v in columns.items()}


def main() -> None:
    """Open the same folder twice, as two processes would."""
    with TemporaryDirectory() as folder:
        one, other = (keepsaid.open(storage=ReplicaStorage(FolderLedger(Path(folder))), embedder="off") for _ in range(2))
        with one, other:
            one.chat(owner="ann").add("user", "My sister moved to Lisbon in May.")
            print(other.search("where do my sisters live?", owner="ann")[0].passage)
        print(*sorted(path.name for path in Path(folder).glob("*.json")))


if __name__ == "__main__":
    main()
