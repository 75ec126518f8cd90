"""A folder for uploads while they are read. It is removed with its process, or by a later one if the process was killed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

if sys.platform != "win32":
    import fcntl

PREFIXES = ("keepsaid-uploads-", "keepsaid-workers-")
LOCK = ".lock"


class UploadFolder:
    """A folder of this process in the system's temporary folder. The process holds a lock in it, which tells other processes
    that it is in use."""

    def __init__(self, prefix: str = PREFIXES[0]) -> None:
        remove_abandoned(Path(tempfile.gettempdir()))
        self._folder = TemporaryDirectory(prefix=prefix)
        self._lock = _lock_file(Path(self._folder.name) / LOCK, create=True)

    @property
    def name(self) -> str:
        """Return the path of the folder."""
        return self._folder.name

    def close(self) -> None:
        """Remove the folder and everything in it."""
        self._folder.cleanup()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_abandoned(parent: Path) -> None:
    """Remove the folders of killed processes: an upload is plaintext, while the store may be encrypted."""
    if sys.platform == "win32":
        return  # no locks that end with their process; the system's own clean-up has to suffice
    for prefix in PREFIXES:
        for folder in parent.glob(f"{prefix}*"):
            with suppress(OSError):
                _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    # Ignore folders of other users, and links.
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return
    lock = _lock_file(folder / LOCK, create=False)
    if lock is None:
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _lock_file(path: Path, *, create: bool) -> int | None:
    """Return a descriptor that holds the lock; None if another process holds it."""
    if sys.platform == "win32":
        return None
    # A new lock file gets its name once it is locked, so that no process takes the folder for an abandoned one.
    opened = path.with_name(f"{path.name}.new") if create else path
    descriptor = os.open(opened, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if create:
            opened.rename(path)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
