"""The files of mirrors that last: each with a note beside it, while nobody has it open, of the point that it rests at."""

from __future__ import annotations

from pathlib import Path

from recollect.storage.mirror.ledger import Point

_RESTS = "-point"


def remove(path: Path) -> None:
    """Takes a mirror's file away, with its log and its note."""
    for suffix in ("", "-wal", "-shm", _RESTS):
        _beside(path, suffix).unlink(missing_ok=True)


def wake(path: Path) -> None:
    """Before a file is opened: from now on nothing can be said of it without a look into it, not even after a crash."""
    _beside(path, _RESTS).unlink(missing_ok=True)


def rest(path: Path, point: Point) -> None:
    """After a file was closed, with nothing left to be done in it."""
    _beside(path, _RESTS).write_text(_text(point))


def rests_at(path: Path, point: Point) -> bool:
    """Whether a file is known to be at this point."""
    try:
        return _beside(path, _RESTS).read_text() == _text(point)
    except FileNotFoundError:
        return False


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _text(point: Point) -> str:
    return f"{point.revision}:{point.token}"
