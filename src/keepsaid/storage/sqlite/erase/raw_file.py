"""Raw access to the file's bytes through SQLite's own file layer (VFS).

Opening and closing the file any other way would drop every POSIX lock that this process holds on it, and another program
could then delete the log while we use it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import apsw


class RawFile:
    """An open file, read and written by offset."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __len__(self) -> int:
        return self._file.xFileSize()

    def read(self, start: int, amount: int) -> bytes:
        """Return some bytes; fewer at the end of the file."""
        amount = min(amount, len(self) - start)
        return self._file.xRead(amount, start) if amount > 0 else b""

    def write(self, start: int, content: bytes) -> None:
        """Overwrite some bytes. The file cannot grow."""
        if not 0 <= start <= start + len(content) <= len(self):
            raise ValueError(f"{len(content)} bytes at {start} are outside the file")
        self._file.xWrite(content, start)

    def sync(self) -> None:
        """Flush the file to disk."""
        self._file.xSync(apsw.SQLITE_SYNC_FULL)


@contextmanager
def open_raw_file(path: Path, *, writing: bool = False) -> Generator[RawFile]:
    """Open the file for reading, or also for writing. Pages of an encrypted file are not decrypted."""
    # The ciphers have their own file layer, on top of the system's.
    system = next(name for name in apsw.vfs_names() if "cipher" not in name)
    flags = [apsw.SQLITE_OPEN_MAIN_DB | (apsw.SQLITE_OPEN_READWRITE if writing else apsw.SQLITE_OPEN_READONLY), 0]
    file = cast(Any, apsw).VFSFile(system, str(path), flags)
    try:
        yield RawFile(file)
    finally:
        file.xClose()
