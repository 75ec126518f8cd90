"""A disk that forgets: what is written stays in memory and reaches the real file only when it is synced.

It stands between SQLite and the file system as a VFS. All connections of the process see the same state, as they would
through the page cache; the real files are what a power cut would leave.
"""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
"""What a disk writes as a whole or not at all."""


class Cached:
    """A file as programs see it, and the changes that are not on the disk yet."""

    def __init__(self, content: bytes) -> None:
        self.image = bytearray(content)
        self.pending: list[tuple[int, bytes | None]] = []

    def change(self, offset: int, data: bytes | None) -> None:
        """Writes data at an offset, or without data cuts the file there."""
        self.pending.append((offset, data))
        apply(self.image, offset, data)


def apply(image: bytearray, offset: int, data: bytes | None) -> None:
    """One change of a file's content."""
    if data is None:
        del image[offset:]
        return
    image.extend(bytes(max(0, offset - len(image))))
    image[offset : offset + len(data)] = data


class Disk(apsw.VFS):
    """The VFS. `before_io` is called with the path before every write, cut or sync of a file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lock = threading.RLock()
        self.cache: dict[str, Cached] = {}
        self.before_io: Callable[[str], None] | None = None
        self.syncs: dict[str, int] = {}
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        return apsw.VFSFile("", name, flags) if path is None else File(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        with self.lock:
            super().xDelete(filename, syncdir)
            self.cache.pop(filename, None)

    def about_to_change(self, path: str) -> None:
        if self.before_io:
            self.before_io(path)

    def cut_power(self, path: Path, folder: Path, luck: random.Random | None = None) -> Path:
        """Leaves in a new folder what a power cut now would leave of a database. Returns its path there.

        With `luck`, some sectors that were not synced have reached the disk all the same, as happens with real ones.
        """
        folder.mkdir()
        with self.lock:
            for real in path.parent.glob(f"{path.name}*"):
                if real.name.endswith("-shm"):
                    continue
                copy = Path(shutil.copy(real, folder))
                if luck and (cached := self.cache.get(str(real))):
                    copy.write_bytes(_apply_some_writes(copy.read_bytes(), cached.pending, luck))
        return folder / path.name


class File(apsw.VFSFile):
    """One connection's handle of a file."""

    def __init__(self, disk: Disk, path: str, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self.disk = disk
        self.path = path
        with disk.lock:
            self.cached = disk.cache.setdefault(path, Cached(Path(path).read_bytes()))

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        with self.disk.lock:
            return bytes(self.cached.image[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        with self.disk.lock:
            self.disk.about_to_change(self.path)
            self.cached.change(offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        with self.disk.lock:
            self.disk.about_to_change(self.path)
            self.cached.change(newsize, None)

    def xFileSize(self) -> int:  # noqa: N802
        with self.disk.lock:
            return len(self.cached.image)

    def xSync(self, flags: int) -> None:  # noqa: N802
        with self.disk.lock:
            self.disk.about_to_change(self.path)
            self.disk.syncs[self.path] = self.disk.syncs.get(self.path, 0) + 1
            for offset, data in self.cached.pending:
                if data is None:
                    super().xTruncate(offset)
                else:
                    super().xWrite(data, offset)
            self.cached.pending.clear()


def _apply_some_writes(content: bytes, pending: list[tuple[int, bytes | None]], luck: random.Random) -> bytes:
    """The content with some sectors of some pending writes."""
    image = bytearray(content)
    for offset, data in pending:
        if data is None:
            if luck.random() < 0.5:
                apply(image, offset, None)
            continue
        start = 0
        while start < len(data):
            end = min(len(data), start + SECTOR - (offset + start) % SECTOR)
            if luck.random() < 0.5:
                apply(image, offset + start, data[start:end])
            start = end
    return bytes(image)
