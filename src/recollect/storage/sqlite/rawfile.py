"""Bytes of the file as they are, read through SQLite's own file layer.

Opening and closing the file any other way would drop every POSIX lock that this process holds on it, and another program
could then delete the log under our hands.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import apsw


class RawFile:
    """A file that can be looked into."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __len__(self) -> int:
        return self._file.xFileSize()

    def read(self, start: int, amount: int) -> bytes:
        """Some bytes; fewer at the end of the file."""
        amount = min(amount, len(self) - start)
        return self._file.xRead(amount, start) if amount > 0 else b""


@contextmanager
def opened(path: Path) -> Generator[RawFile]:
    """The file, for reading; the pages of an encrypted one stay encrypted."""
    # The ciphers have a file layer of their own, above the system's.
    system = next(name for name in apsw.vfs_names() if "cipher" not in name)
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    file = cast(Any, apsw).VFSFile(system, str(path), flags)
    try:
        yield RawFile(file)
    finally:
        file.xClose()
