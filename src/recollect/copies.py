"""Dated backups in a folder: made on a schedule, and only so many kept."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect import wiring
from recollect.config import Settings

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.ports import Progress

STAMP = "%Y%m%d-%H%M%S"
_NAME = re.compile(r"recollect-(\d{8}-\d{6})\.db")


class Made(NamedTuple):
    """A new copy, and how many old ones went for it."""

    path: Path
    bytes: int
    removed: int


def make(
    memory: Memory, settings: Settings, folder: Path, keep: int, now: datetime, progress: Progress | None = None
) -> Made:
    """Makes a copy named by its time, and removes the oldest ones of this store beyond `keep`.

    Nothing is removed but files of such a name that are copies of this very store.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"recollect-{now.astimezone(UTC):{STAMP}}.db"
    memory.backup(path, progress=progress)
    return Made(path, path.stat().st_size, _prune(settings, folder, keep, path))


def newest(settings: Settings, folder: Path) -> datetime | None:
    """When the newest copy of this store in a folder was made, if there is one."""
    dates = [moment for path in _dated(folder) if wiring.is_copy(settings, path) and (moment := stamp(path))]
    return max(dates, default=None)


def stamp(path: Path) -> datetime | None:
    """When a copy was made, by its name: in UTC, where no hour comes twice.

    >>> stamp(Path("recollect-20260503-140000.db")).hour, stamp(Path("recollect-today.db"))
    (14, None)
    """
    name = _NAME.fullmatch(path.name)
    try:
        return datetime.strptime(name[1], STAMP).replace(tzinfo=UTC) if name else None
    except ValueError:
        return None


def _dated(folder: Path) -> list[Path]:
    """Files with the name of a copy, newest first."""
    return sorted((path for path in folder.glob("recollect-*.db") if stamp(path)), reverse=True)


def _prune(settings: Settings, folder: Path, keep: int, new: Path) -> int:
    """Removes copies beyond `keep`; never the new one, whatever date others have in their names."""
    others = [path for path in _dated(folder) if path != new and wiring.is_copy(settings, path)]
    old = others[keep - 1 :]
    for path in old:
        path.unlink()
    return len(old)
