"""Exports to a file, and imports from one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from recollect.errors import ImportProblem, InvalidInput
from recollect.exporter import Exporter
from recollect.importer import Importer
from recollect.interchange import detect, markdown, read, recollect_json
from recollect.interchange.nouns import Tally
from recollect.kit import Kit
from recollect.ports import Progress, Storage
from recollect.reports import ExportReport, ImportReport
from recollect.types import Scope

FORMATS = ("json", "markdown")


def export(
    storage: Storage, scope: Scope, target: str | os.PathLike[str] | TextIO, format: str, progress: Progress | None
) -> ExportReport:
    """Writes what a scope has to an open file, or to a path: there it appears only when it is whole."""
    if format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r}; known are {', '.join(FORMATS)}")
    exporter = Exporter(storage, scope, progress)
    if format == "json":
        pieces = recollect_json.written(scope.owner, exporter.sections())
    else:
        pieces = markdown.written(exporter.conversations(), exporter.made())
    if isinstance(target, str | os.PathLike):
        size = _write_file(Path(target), pieces)
    else:
        size = sum(_write(target, piece) for piece in pieces)
    return exporter.report(size)


def _write_file(path: Path, pieces: Iterable[str]) -> int:
    part = path.with_name(f"{path.name}.part")
    try:
        # Only the owner of the file may read it: it holds everything that was ever said.
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8", newline="\n") as file:
            size = sum(_write(file, piece) for piece in pieces)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return size


def _write(file: TextIO, piece: str) -> int:
    file.write(piece)
    return len(piece.encode())


def import_file(
    kit: Kit, storage: Storage, scope: Scope, source: Path, format: str | None, dry_run: bool, progress: Progress | None
) -> ImportReport:
    """Takes in what a file holds. A file that cannot be read to its end is a problem that tells what was kept."""
    known = format or detect(source)
    tally = Tally()
    importer = Importer(kit, storage, scope, tally, dry_run=dry_run)
    try:
        importer.take_all(read(source, format, tally=tally, progress=progress))
    except ImportProblem as problem:
        problem.report = importer.report(known)
        raise
    return importer.report(known)
