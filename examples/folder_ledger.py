"""A backend of your own in one file: conversations in a folder, one JSON file for each owner.

A backend that can keep rows needs no search, no branches and no vectors of its own: it implements `Ledger`, and Recollect
puts a mirror before it that can do all that. This one is for a shared folder and small teams; yours may be any database that
can change several rows in one step. tests/test_folder_ledger.py proves it with the suites that every backend must pass.
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

import recollect
from recollect.errors import StoreClosed, StoreFull
from recollect.storage.mirror.ledger import BEGINNING, Columns, Delta, Header, Point, Row
from recollect.storage.mirror.storage import MirrorStorage

LOG = 100
"""Commits of which a unit remembers what they changed; who comes later loads all."""


class FolderLedger:
    """Keeps each unit in a file that is replaced as a whole, under a lock."""

    largest_message = 4 * 1024 * 1024

    def __init__(self, folder: Path) -> None:
        self._folder, self._closed = folder, False
        folder.mkdir(parents=True, exist_ok=True)

    def headers(self, units: Sequence[str]) -> list[Header]:
        return [_header(self._read(unit)) for unit in units]

    def load(self, unit: str, since: Point) -> Delta:
        kept = self._read(unit)
        known = [Point(*point) for point, _ in kept["log"]]
        whole = since not in known
        changed = (
            [name for _, names in kept["log"][known.index(since) + 1 :] for name in names] if not whole else kept["rows"]
        )
        rows = [Row(*name.split(" ", 1), _decoded(kept["rows"].get(name))) for name in dict.fromkeys(changed)]
        return Delta(_header(kept), rows, whole)

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        reached = Point(after.revision + 1, token)
        with self._locked(unit):
            kept = self._read(unit)
            if Point(*kept["point"]) != after:
                return reached in [Point(*point) for point, _ in kept["log"]]
            for table, key, columns in rows:
                kept["rows"].pop(f"{table} {key}", None)
                if columns is not None:
                    kept["rows"][f"{table} {key}"] = _encoded(columns)
            log = [*kept["log"], [reached, [f"{row.table} {row.key}" for row in rows]]]
            self._write(unit, {"point": reached, "note": dict(note), "rows": kept["rows"], "log": log[-LOG:]})
        return True

    def units(self) -> Iterator[tuple[str, Header]]:
        for path in sorted(self._open().glob("*.json")):
            unit = unquote(path.stem)
            yield unit, _header(self._read(unit))

    def stamp(self) -> object:
        return self._open().stat().st_mtime_ns  # every commit puts a file in its place

    def warnings(self) -> Sequence[str]:
        return ()

    def on_news(self, call: Callable[[], None]) -> None:
        """A folder cannot tell; whoever watches looks at the stamp."""

    def close(self) -> None:
        self._closed = True

    def _open(self) -> Path:
        if self._closed:
            raise StoreClosed("this ledger was closed")
        return self._folder

    def _path(self, unit: str) -> Path:
        return self._open() / f"{quote(unit, safe='')}.json"

    def _read(self, unit: str) -> dict[str, Any]:
        try:
            return json.loads(self._path(unit).read_bytes())
        except FileNotFoundError:
            return {"point": BEGINNING, "note": {}, "rows": {}, "log": []}

    def _write(self, unit: str, kept: dict[str, Any]) -> None:
        new = self._path(unit).with_suffix(".new")
        try:
            with new.open("w") as file:
                json.dump(kept, file)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path(unit))
        except OSError as error:
            raise StoreFull(f"the folder takes nothing more: {error}") from error

    @contextmanager
    def _locked(self, unit: str) -> Iterator[None]:
        with self._path(unit).with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _header(kept: Mapping[str, Any]) -> Header:
    return Header(Point(*kept["point"]), kept["note"])


def _encoded(columns: Columns) -> dict[str, Any]:
    return {name: {"b": base64.b64encode(v).decode()} if isinstance(v, bytes) else v for name, v in columns.items()}


def _decoded(columns: Mapping[str, Any] | None) -> Columns | None:
    if columns is None:
        return None
    return {name: base64.b64decode(v["b"]) if isinstance(v, dict) else v for name, v in columns.items()}


def main() -> None:
    """Two processes on one folder, as it were."""
    with TemporaryDirectory() as folder:
        one, other = (recollect.open(storage=MirrorStorage(FolderLedger(Path(folder))), embedder="off") for _ in range(2))
        with one, other:
            one.chat(owner="ann").add("user", "My sister moved to Lisbon in May.")
            print(other.search("where do my sisters live?", owner="ann")[0].passage)
        print(*sorted(path.name for path in Path(folder).glob("*.json")))


if __name__ == "__main__":
    main()
