"""Export to a file, and import from one."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from keepsaid.errors import ImportProblem, InvalidInput, QuotaExceeded, StorageError, StoreFull
from keepsaid.interchange import detect, read
from keepsaid.interchange.conversation import ImportTally
from keepsaid.interchange.formats import keepsaid_json, markdown
from keepsaid.ports import Progress, QuotaCheck, Storage, deferred_sync
from keepsaid.transfer.exporter import MemoryExporter
from keepsaid.transfer.importer import MemoryImporter
from keepsaid.types import Scope
from keepsaid.types.reports import ExportReport, ImportReport

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

FORMATS = ("json", "markdown")


def export(
    storage: Storage, scope: Scope, target: str | os.PathLike[str] | TextIO, format: str, progress: Progress | None
) -> ExportReport:
    """Export a scope to an open file or to a path. A file at a path appears only when it is complete."""
    if format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r}; known are {', '.join(FORMATS)}")
    exporter = MemoryExporter(storage, scope, progress)
    if format == "json":
        pieces = keepsaid_json.render_export(scope.owner, exporter.sections())
    else:
        pieces = markdown.render_markdown(exporter.conversations(), exporter.artifacts())
    if isinstance(target, str | os.PathLike):
        size = _write_file(Path(target), pieces)
    else:
        size = sum(_write(target, piece) for piece in pieces)
    return exporter.report(size)


def _write_file(path: Path, pieces: Iterable[str]) -> int:
    part = path.with_name(f"{path.name}.part")
    try:
        # Only the owner of the file may read it: it contains all conversations.
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8", newline="\n") as file:
            size = sum(_write(file, piece) for piece in pieces)
        part.replace(path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            raise _unwritten(path, error) from error
        raise
    return size


_FULL = (errno.ENOSPC, errno.EDQUOT)
_UNWRITABLE = (*_FULL, errno.EFBIG, errno.EIO, errno.EROFS, errno.ENAMETOOLONG)
"""Error codes for problems of the disk rather than of the path, and for a name that is too long."""


def _unwritten(path: Path, error: OSError) -> StorageError:
    reason = f"{path} could not be written: {error.strerror}"
    if error.errno in _FULL:
        return StoreFull(f"{reason}; free some space, or write to another disk")
    return StorageError(f"{reason}; no partial file was left")


def _write(file: TextIO, piece: str) -> int:
    file.write(piece)
    return len(piece.encode())


def import_file(
    services: ServiceContainer,
    scope: Scope,
    source: Path,
    format: str | None,
    dry_run: bool,
    progress: Progress | None,
    quota: QuotaCheck | None = None,
) -> ImportReport:
    """Import a file. If it cannot be read to its end, or exceeds the quota, the error has a report of what was imported."""
    tally = ImportTally()
    if services.readers is None:
        known = format or detect(source)
        items = read(source, format, tally=tally, progress=progress)
    else:
        known, items = services.readers.read_export(source, format, tally, progress)
    importer = MemoryImporter(services, scope, tally, dry_run=dry_run, quota=quota)
    try:
        with deferred_sync(services.storage):
            importer.import_all(items)
    except (ImportProblem, QuotaExceeded) as problem:
        problem.report = importer.report(known)
        raise
    finally:
        # Another process may be reading the file; closing the generator ends it with the import.
        if isinstance(items, Generator):
            items.close()
    return importer.report(known)
