"""Dated backups in a folder: made on a schedule, with only the newest kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from keepsaid.memory import Memory
    from keepsaid.ports import Progress

BACKUP_TIME_FORMAT = "%Y%m%d-%H%M%S"
_NAME = re.compile(r"keepsaid-(\d{8}-\d{6})\.db")


class BackupResult(NamedTuple):
    """Path and size of a new backup, and the number of old ones removed."""

    path: Path
    bytes: int
    removed: int


def make_backup(
    memory: Memory, is_copy: Callable[[Path], bool], folder: Path, keep: int, now: datetime, progress: Progress | None = None
) -> BackupResult:
    """Create a backup named by its time, and remove this store's oldest backups beyond `keep`.

    `is_copy` tells whether a file is a backup of this store. Only such files are removed, whatever the others are called.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"keepsaid-{now.astimezone(UTC):{BACKUP_TIME_FORMAT}}.db"
    memory.backup(path, progress=progress)
    return BackupResult(path, path.stat().st_size, _prune(is_copy, folder, keep, path))


def find_newest_backup_time(is_copy: Callable[[Path], bool], folder: Path) -> datetime | None:
    """Return the time of this store's newest backup in a folder, or None."""
    dates = [moment for path in _list_backups(folder) if is_copy(path) and (moment := parse_backup_time(path))]
    return max(dates, default=None)


def parse_backup_time(path: Path) -> datetime | None:
    """Return the time of a backup from its name. Names are in UTC, where no hour occurs twice.

    >>> parse_backup_time(Path("keepsaid-20260503-140000.db")).hour, parse_backup_time(Path("keepsaid-today.db"))
    (14, None)
    """
    name = _NAME.fullmatch(path.name)
    try:
        return datetime.strptime(name[1], BACKUP_TIME_FORMAT).replace(tzinfo=UTC) if name else None
    except ValueError:
        return None


def _list_backups(folder: Path) -> list[Path]:
    """Return the files named like backups, newest first."""
    return sorted((path for path in folder.glob("keepsaid-*.db") if parse_backup_time(path)), reverse=True)


def _prune(is_copy: Callable[[Path], bool], folder: Path, keep: int, new: Path) -> int:
    """Remove backups beyond `keep`, but never the new one, whatever dates the other names have."""
    others = [path for path in _list_backups(folder) if path != new and is_copy(path)]
    old = others[keep - 1 :]
    for path in old:
        path.unlink()
    return len(old)
