"""Conversations in and out: our own export, and those of the programs that people come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from recollect.errors import ImportProblem, InvalidInput
from recollect.interchange.detect import FORMATS, detect, format_of, unknown
from recollect.interchange.nouns import Item, Tally
from recollect.interchange.source import Piece, pieces, reading, shown
from recollect.interchange.stream import Utf8Stream
from recollect.ports import Progress

__all__ = ["FORMATS", "detect", "read"]

NO_CHATS = "files without conversations"
LEAST_SURE = "chat-jsonl"
"""The format that is told by nothing but a list of messages."""
_DATABASES = frozenset(("langchain-sql", "tables"))


def read(path: str | Path, format: str | None = None, *, tally: Tally, progress: Progress | None = None) -> Iterator[Item]:
    """The conversations of a file, an archive or a folder, one by one as they are read.

    What is left out or mended is counted in `tally`. Where a file cannot be read any further, the others are still read;
    at the end, `ImportProblem` tells of the first that could not.

    >>> import json, tempfile
    >>> file = Path(tempfile.mkdtemp()) / "chats.jsonl"
    >>> _ = file.write_text(json.dumps({"id": "c1", "messages": [{"role": "user", "content": "Hi"}]}))
    >>> [conversation.id for conversation in read(file, tally=Tally())]
    ['c1']
    """
    if format is not None and format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r}; known are {', '.join(FORMATS)}")
    source = Path(path)
    formats, total, problem = _survey(source, format, tally)
    return _items(source, formats, tally, _Meter(total, progress), problem)


def _survey(source: Path, format: str | None, tally: Tally) -> tuple[list[str | None], int, ImportProblem | None]:
    """The format of every file, None for those that hold no conversations; how many bytes are to be read; and what is
    wrong with a file that cannot even be looked into."""
    problem: ImportProblem | None = None
    found: list[tuple[Piece, str | None]] = []
    for piece in pieces(source):
        # Who gives one file and says what it is will know.
        sure = format is not None and piece.path == source and piece.name == shown(source.name)
        try:
            own = _checked(piece, format) if sure else format_of(piece)
        except ImportProblem as error:
            problem, own = problem or error, None
        found.append((piece, own if format in (None, own) else None))
    sure_ones = {piece.path for piece, own in found if own not in (None, LEAST_SURE)}
    # Beside conversations, an archive may have lists that only look like some.
    formats = [None if own == LEAST_SURE and piece.path in sure_ones else own for piece, own in found]
    if not any(formats):
        raise problem or unknown(source, [piece.name for piece, _ in found])
    tally.skip(NO_CHATS, formats.count(None))
    return formats, sum(piece.size for (piece, _), own in zip(found, formats, strict=True) if own), problem


def _checked(piece: Piece, format: str | None) -> str | None:
    if (format in _DATABASES) != piece.is_database:
        raise ImportProblem(f"{piece.name} is {'a' if piece.is_database else 'no'} SQLite database; it is not {format}")
    return format


def _items(
    source: Path, formats: list[str | None], tally: Tally, meter: _Meter, problem: ImportProblem | None
) -> Iterator[Item]:
    for piece, format in zip(pieces(source), formats, strict=False):
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


def _reader(format: str) -> Callable[[Piece, Tally, Callable[[int], None]], Iterator[Item]]:
    """How a format is read; it is imported when it is needed."""
    if format == "recollect":
        return _own
    return import_module(f"recollect.interchange.{format.replace('-', '_')}").read


def _own(piece: Piece, tally: Tally, told: Callable[[int], None]) -> Iterator[Item]:
    from recollect.interchange import recollect_json

    with reading(piece.name), closing(Utf8Stream(piece.open(), told)) as stream:
        yield from recollect_json.read(cast(Any, stream), tally, piece.name)


class _Meter:
    """Tells how much is read of everything."""

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
