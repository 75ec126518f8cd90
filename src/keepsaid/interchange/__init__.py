"""Import and export of conversations: our own format, and the export formats of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from keepsaid.errors import ImportProblem, InvalidInput
from keepsaid.interchange.conversation import ExportItem, ImportTally
from keepsaid.interchange.detect import FORMATS, detect, format_of, unknown_format_error
from keepsaid.interchange.source import ImportFile, iterate_files, printable_name, translated_read_errors
from keepsaid.interchange.stream import Utf8Stream
from keepsaid.ports import Progress

__all__ = ["FORMATS", "detect", "read"]

NO_CONVERSATIONS = "files without conversations"
FALLBACK_FORMAT = "chat-jsonl"
"""The least certain format: it is recognized only by a list of messages."""
_DATABASES = frozenset(("langchain-sql", "tables"))


def read(
    path: str | Path, format: str | None = None, *, tally: ImportTally, progress: Progress | None = None
) -> Iterator[ExportItem]:
    """Read the conversations of a file, an archive or a folder lazily, one by one.

    Whatever is left out or repaired is counted in `tally`. If a file cannot be read to its end, the others are still read;
    then `ImportProblem` is raised for the first such file.

    >>> import json, tempfile
    >>> file = Path(tempfile.mkdtemp()) / "chats.jsonl"
    >>> _ = file.write_text(json.dumps({"id": "c1", "messages": [{"role": "user", "content": "Hi"}]}))
    >>> [conversation.id for conversation in read(file, tally=ImportTally())]
    ['c1']
    """
    if format is not None and format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r}; known are {', '.join(FORMATS)}")
    source = Path(path)
    formats, total, problem = _detect_formats(source, format, tally)
    return _items(source, formats, tally, _ProgressMeter(total, progress), problem)


def _detect_formats(
    source: Path, format: str | None, tally: ImportTally
) -> tuple[list[str | None], int, ImportProblem | None]:
    """The format of every file (None for those without conversations), the number of bytes to read, and the error of the
    first file whose format cannot be read."""
    problem: ImportProblem | None = None
    found: list[tuple[ImportFile, str | None]] = []
    for piece in iterate_files(source):
        # Trust the caller's format for a single file.
        sure = format is not None and piece.path == source and piece.name == printable_name(source.name)
        try:
            own = _check_format(piece, format) if sure else format_of(piece)
        except ImportProblem as error:
            problem, own = problem or error, None
        found.append((piece, own if format in (None, own) else None))
    sure_ones = {piece.path for piece, own in found if own not in (None, FALLBACK_FORMAT)}
    # Next to real conversations, an archive may contain other lists that only look like messages.
    formats = [None if own == FALLBACK_FORMAT and piece.path in sure_ones else own for piece, own in found]
    if not any(formats):
        raise problem or unknown_format_error(source, [piece.name for piece, _ in found])
    tally.skip(NO_CONVERSATIONS, formats.count(None))
    return formats, sum(piece.size for (piece, _), own in zip(found, formats, strict=True) if own), problem


def _check_format(piece: ImportFile, format: str | None) -> str | None:
    if (format in _DATABASES) != piece.is_database:
        raise ImportProblem(f"{piece.name} is {'a' if piece.is_database else 'not a'} SQLite database; it is not {format}")
    return format


def _items(
    source: Path, formats: list[str | None], tally: ImportTally, meter: _ProgressMeter, problem: ImportProblem | None
) -> Iterator[ExportItem]:
    for piece, format in zip(iterate_files(source), formats, strict=False):
        if format is None:
            continue
        try:
            yield from _reader(format)(piece, tally, meter.add)
        except ImportProblem as error:
            problem = problem or error
            tally.warnings.append(str(error))
    if problem is not None:
        raise problem
    meter.finish()


def _reader(format: str) -> Callable[[ImportFile, ImportTally, Callable[[int], None]], Iterator[ExportItem]]:
    """The reader of a format, imported on first use."""
    if format == "keepsaid":
        return _read_own_format
    return import_module(f"keepsaid.interchange.formats.{format.replace('-', '_')}").read


def _read_own_format(piece: ImportFile, tally: ImportTally, on_read: Callable[[int], None]) -> Iterator[ExportItem]:
    from keepsaid.interchange.formats import keepsaid_json

    with translated_read_errors(piece.name), closing(Utf8Stream(piece.open(), on_read)) as stream:
        yield from keepsaid_json.read(cast(Any, stream), tally, piece.name)


class _ProgressMeter:
    """Reports how much of all files has been read."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._done = 0
        self._progress = progress

    def add(self, amount: int) -> None:
        self._done = min(self._total, self._done + amount)
        if self._progress is not None:
            self._progress(self._done, self._total)

    def finish(self) -> None:
        self.add(self._total - self._done)
