"""The source of an import: a file, a zip archive, or a folder of them, as files that can be read one by one.

Nothing is unpacked to disk, so names in an archive are never used as paths.
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

from keepsaid.errors import ImportProblem

SQLITE = b"SQLite format 3\0"
MAX_EXPANSION_RATIO = 200
"""The largest ratio of unpacked to packed bytes, of one file and of the whole archive. Chats have 3 to 20, a zip bomb
1,000."""
MIN_CHECKED_BYTES = 16 * 1024 * 1024
"""Unpacked bytes up to which the ratio is not checked: a small file may consist of one repeated letter."""
MAX_TOTAL_BYTES = 64 * 1024**3
"""The most bytes in all files of an archive together, far more than anyone's chats."""
MAX_MEMBERS = 100_000
"""The most files in an archive."""
_LOCAL_HEADER = 30
"""The size of the fixed header before each file's name and data in an archive."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods that return no more bytes at a time than requested. Others unpack everything they are given."""
_JSON = frozenset((".json", ".jsonl", ".ndjson"))
_DATABASES = frozenset((".db", ".sqlite", ".sqlite3", ".db3"))
_DIGITS = re.compile(r"(\d{1,18})")


class ImportFile(NamedTuple):
    """A file that may contain conversations. `name` is its display name."""

    name: str
    size: int
    path: Path
    open: Callable[[], BinaryIO]
    is_database: bool = False


def iterate_files(path: Path) -> Iterator[ImportFile]:
    """Iterate over the files of a path, shards in their order. Each can be read until the next one is requested."""
    if "\0" in str(path) or not path.exists():
        raise ImportProblem(f"there is no file {printable_name(str(path))}")
    if path.is_dir():
        yield from _in_folder(path)
    else:
        yield from _in_file(path, path.name)


def _in_folder(folder: Path) -> Iterator[ImportFile]:
    suffixes = _JSON | _DATABASES | {".zip"}
    found = [path for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file()]
    names = {path: path.relative_to(folder).as_posix() for path in found}
    for path in sorted(found, key=lambda path: _natural_sort_key(names[path])):
        if not _is_hidden(names[path]):
            yield from _in_file(path, names[path])


def _in_file(path: Path, name: str) -> Iterator[ImportFile]:
    with translated_read_errors(printable_name(name)):
        size = path.stat().st_size
        if is_sqlite(path):
            yield ImportFile(printable_name(name), size, path, lambda: path.open("rb"), is_database=True)
            return
        packed = zipfile.is_zipfile(path)
    if packed:
        yield from _in_archive(path, printable_name(name))
    else:
        yield ImportFile(printable_name(name), size, path, lambda: path.open("rb"))


def _in_archive(path: Path, name: str) -> Iterator[ImportFile]:
    with translated_read_errors(name):
        archive = zipfile.ZipFile(path)
    with archive:
        members = [info for info in archive.infolist() if _may_hold_chats(info)]
        _refuse_bombs(members, name)
        _refuse_total_expansion(members, path.stat().st_size, name)
        _refuse_overlaps(archive, name)
        for info in sorted(members, key=lambda info: _natural_sort_key(info.filename)):
            yield ImportFile(f"{name}: {printable_name(info.filename)}", info.file_size, path, _opener(archive, info, name))


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Callable[[], BinaryIO]:
    def opened() -> BinaryIO:
        if info.flag_bits & 1:
            raise ImportProblem(f"{name} is protected by a password: unpack it and import the folder")
        if info.compress_type not in _METHODS:
            raise NotImplementedError(f"compression type {info.compress_type}")
        return cast(BinaryIO, archive.open(info))

    return opened


def _may_hold_chats(info: zipfile.ZipInfo) -> bool:
    name = info.filename.replace("\\", "/")
    return not info.is_dir() and PurePosixPath(name).suffix.lower() in _JSON and not _is_hidden(name)


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part not in (".", "..") for part in name.split("/"))


def _refuse_bombs(members: list[zipfile.ZipInfo], name: str) -> None:
    for info in members:
        if info.file_size > MIN_CHECKED_BYTES and info.file_size > MAX_EXPANSION_RATIO * max(1, info.compress_size):
            times = info.file_size // max(1, info.compress_size)
            raise ImportProblem(
                f"{name}: {printable_name(info.filename)} claims to unpack to {info.file_size:,} bytes, "
                f"{times:,} times its size; it is not read. If you trust it, unpack it and import the folder"
            )
    if (total := sum(info.file_size for info in members)) > MAX_TOTAL_BYTES:
        raise ImportProblem(f"{name} would unpack to {total:,} bytes; at most {MAX_TOTAL_BYTES:,} are read from an archive")


def _refuse_total_expansion(members: list[zipfile.ZipInfo], size: int, name: str) -> None:
    """Refuse an archive that is a zip bomb as a whole, even if each file has an acceptable ratio. The sizes in its directory
    are sufficient: `zipfile` never returns more of a file than its directory entry says."""
    if len(members) > MAX_MEMBERS:
        raise ImportProblem(f"{name} has {len(members):,} files; at most {MAX_MEMBERS:,} are read from an archive")
    total = sum(info.file_size for info in members)
    if total > MIN_CHECKED_BYTES and total > MAX_EXPANSION_RATIO * size:
        raise ImportProblem(
            f"{name} claims to unpack to {total:,} bytes, {total // max(1, size):,} times its size; it is not read. If you"
            " trust it, unpack it and import the folder"
        )


def _refuse_overlaps(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse an archive in which several files share the same bytes."""
    end, before = 0, ""
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise ImportProblem(
                f"{name} is not read: its files {printable_name(before)} and"
                f" {printable_name(info.filename)} share bytes, which is invalid"
            )
        end, before = info.header_offset + _LOCAL_HEADER + info.compress_size, info.filename


def _natural_sort_key(name: str) -> list[tuple[int, str]]:
    """A sort key that puts `conversations-2` before `conversations-10`."""
    pieces = _DIGITS.split(name.lower())
    return [(int(piece), "") if piece.isdecimal() and piece.isascii() else (-1, piece) for piece in pieces]


def is_sqlite(path: Path) -> bool:
    """Whether a file is a SQLite database. This reads through SQLite's own file layer: closing a file opened any other way
    would drop the POSIX locks that this process may hold on it."""
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


def printable_name(name: str) -> str:
    """Make a file name safe to print in a terminal.

    >>> printable_name("chats\\x1b[31m.json")
    'chats\ufffd[31m.json'
    """
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in name)


@contextmanager
def translated_read_errors(name: str) -> Generator[None]:
    """Translate errors of reading a file into an `ImportProblem` that names it."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ImportProblem(f"{name} is damaged: {error}") from error
    except NotImplementedError as error:
        raise ImportProblem(f"{name} is packed in an unknown way ({error}): unpack it and import the folder") from error
    except OSError as error:
        raise ImportProblem(f"{name} cannot be read: {error.strerror or error}") from error
