"""The files of persistent replicas. While a replica is closed, a second file records the point it is at."""

from __future__ import annotations

from pathlib import Path

from keepsaid.storage.replica.ledger import LedgerPoint

_POINT_SUFFIX = "-point"


def remove_replica_file(path: Path) -> None:
    """Delete a replica's file, with its log and its recorded point."""
    for suffix in ("", "-wal", "-shm", _POINT_SUFFIX):
        _sibling(path, suffix).unlink(missing_ok=True)


def mark_in_use(path: Path) -> None:
    """Call before a file is opened: delete the recorded point, so that it is not trusted after a crash."""
    _sibling(path, _POINT_SUFFIX).unlink(missing_ok=True)


def mark_at_rest(path: Path, point: LedgerPoint) -> None:
    """Call after a file was closed with no pending work: record its point."""
    _sibling(path, _POINT_SUFFIX).write_text(_text(point))


def is_at_rest(path: Path, point: LedgerPoint) -> bool:
    """Whether a closed file is recorded to be at this point."""
    try:
        return _sibling(path, _POINT_SUFFIX).read_text() == _text(point)
    except FileNotFoundError:
        return False


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _text(point: LedgerPoint) -> str:
    return f"{point.revision}:{point.token}"
