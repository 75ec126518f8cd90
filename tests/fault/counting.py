"""A disk that counts its syncs, and takes as long for one as it is told to."""

from __future__ import annotations

import os
import time
from typing import Any

import apsw


class CountingDisk(apsw.VFS):
    """The VFS. Nothing is changed but the sync."""

    def __init__(self, name: str, seconds: float = 0.0) -> None:
        self.name = name
        self.seconds = seconds
        self.syncs = 0
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return CountingFile(self, name, flags)


class CountingFile(apsw.VFSFile):
    """A file whose sync is counted."""

    def __init__(self, disk: CountingDisk, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self.disk = disk
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else name

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.disk.syncs += 1
        # Not super().xSync: APSW calls that with the interpreter locked, and the other threads could not queue meanwhile,
        # as they do without a VFS in Python.
        file = os.open(self.path, os.O_RDWR)
        try:
            os.fsync(file)
        finally:
            os.close(file)
        time.sleep(self.disk.seconds)
