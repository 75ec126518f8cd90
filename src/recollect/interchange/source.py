"""What a user gives to be imported: a file, a zip archive, or a folder of them, as pieces that can be read one by one.

Nothing is ever unpacked to disk, so that names in an archive are never used as paths.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, cast

import apsw

from recollect.errors import ImportProblem

SQLITE = b"SQLite format 3\0"
LARGEST_RATIO = 200
"""How many times larger than its packed bytes a file in an archive may be; chats have 3 to 20, a bomb 1,000."""
UNSUSPICIOUS = 16 * 1024 * 1024
"""Bytes up to which nobody asks for the ratio: a small file may be nothing but one letter."""
LARGEST_TOTAL = 64 * 1024**3
"""Bytes in all files of an archive together: a lifetime of chats many times over."""
_JSON = frozenset((".json", ".jsonl", ".ndjson"))
_DATABASES = frozenset((".db", ".sqlite", ".sqlite3", ".db3"))
_DIGITS = re.compile(r"(\d{1,18})")


class Piece(NamedTuple):
    """A file that may hold conversations. `name` is what to call it in front of the user."""

    name: str
    size: int
    path: Path
    open: Callable[[], BinaryIO]
    is_database: bool = False


def pieces(path: Path) -> Iterator[Piece]:
    """The files in what the user gave, shards in their order. Each can be read until the next one is asked for."""
    if "\0" in str(path) or not path.exists():
        raise ImportProblem(f"there is no file {shown(str(path))}")
    if path.is_dir():
        yield from _in_folder(path)
    else:
        yield from _in_file(path, path.name)


def _in_folder(folder: Path) -> Iterator[Piece]:
    suffixes = _JSON | _DATABASES | {".zip"}
    found = [path for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file()]
    names = {path: path.relative_to(folder).as_posix() for path in found}
    for path in sorted(found, key=lambda path: _natural(names[path])):
        if not _is_hidden(names[path]):
            yield from _in_file(path, names[path])


def _in_file(path: Path, name: str) -> Iterator[Piece]:
    with reading(shown(name)):
        size = path.stat().st_size
        if is_sqlite(path):
            yield Piece(shown(name), size, path, lambda: path.open("rb"), is_database=True)
            return
        packed = zipfile.is_zipfile(path)
    if packed:
        yield from _in_archive(path, shown(name))
    else:
        yield Piece(shown(name), size, path, lambda: path.open("rb"))


def _in_archive(path: Path, name: str) -> Iterator[Piece]:
    with reading(name):
        archive = zipfile.ZipFile(path)
    with archive:
        members = [info for info in archive.infolist() if _may_hold_chats(info)]
        _refuse_bombs(members, name)
        for info in sorted(members, key=lambda info: _natural(info.filename)):
            yield Piece(f"{name}: {shown(info.filename)}", info.file_size, path, _opener(archive, info, name))


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Callable[[], BinaryIO]:
    def opened() -> BinaryIO:
        if info.flag_bits & 1:
            raise ImportProblem(f"{name} is protected by a password: unpack it and import the folder")
        return cast(BinaryIO, archive.open(info))

    return opened


def _may_hold_chats(info: zipfile.ZipInfo) -> bool:
    name = info.filename.replace("\\", "/")
    return not info.is_dir() and PurePosixPath(name).suffix.lower() in _JSON and not _is_hidden(name)


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part not in (".", "..") for part in name.split("/"))


def _refuse_bombs(members: list[zipfile.ZipInfo], name: str) -> None:
    for info in members:
        if info.file_size > UNSUSPICIOUS and info.file_size > LARGEST_RATIO * max(1, info.compress_size):
            times = info.file_size // max(1, info.compress_size)
            raise ImportProblem(
                f"{name}: {shown(info.filename)} claims to unpack to {info.file_size:,} bytes, {times:,} times its size;"
                " it is not read. If you trust it, unpack it and import the folder"
            )
    if (total := sum(info.file_size for info in members)) > LARGEST_TOTAL:
        raise ImportProblem(f"{name} would unpack to {total:,} bytes; at most {LARGEST_TOTAL:,} are read from an archive")


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that puts `conversations-2` before `conversations-10`."""
    pieces = _DIGITS.split(name.lower())
    return [(int(piece), "") if piece.isdecimal() and piece.isascii() else (-1, piece) for piece in pieces]


def is_sqlite(path: Path) -> bool:
    """Whether a file is a SQLite database. It is looked at through SQLite's own file layer: closing it any other way would
    drop the locks that this process may hold on it."""
    if path.stat().st_size < len(SQLITE):
        return False
    system = next(name for name in apsw.vfs_names() if "cipher" not in name)
    try:
        file = apsw.VFSFile(system, str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    except (apsw.CantOpenError, UnicodeEncodeError):
        return False
    try:
        return file.xRead(len(SQLITE), 0) == SQLITE
    finally:
        file.xClose()


def shown(name: str) -> str:
    """A name from an archive or a disk as it can be shown in a terminal.

    >>> shown("chats\\x1b[31m.json")
    'chats\ufffd[31m.json'
    """
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in name)


@contextmanager
def reading(name: str) -> Generator[None]:
    """Turns what can go wrong with a file into an error that names it."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ImportProblem(f"{name} is damaged: {error}") from error
    except NotImplementedError as error:
        raise ImportProblem(f"{name} is packed in an unknown way ({error}): unpack it and import the folder") from error
    except OSError as error:
        raise ImportProblem(f"{name} cannot be read: {error.strerror or error}") from error
