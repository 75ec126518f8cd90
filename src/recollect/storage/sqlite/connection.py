"""One connection to the file: its key, its pragmas, its patience, and what the keyword index reads of a message."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import apsw

from recollect.errors import NotAStore, StoreReadOnly, WrongKey
from recollect.storage.sqlite import rawfile, schema
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly
from recollect.storage.sqlite.rows import message_terms

HEADER = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the file is and how it is opened."""

    path: Path
    key: str | bytes | None = field(default=None, repr=False)
    durable: bool = True
    busy_timeout: float = 60.0
    vfs: str | None = None


def connect(source: Source) -> Database:
    """Opens the file, or makes it. A wrong key, a foreign file or a folder that cannot be written is a clear error."""
    _check_header(source)
    if not source.path.parent.is_dir():
        raise StoreReadOnly(f"the folder {source.path.parent} does not exist")
    _make_private(source.path)
    with speaking_plainly():
        db = cast(Database, apsw.Connection(str(source.path), vfs=source.vfs, statementcachesize=200))
        try:
            _prepare(db, source)
        except apsw.NotADBError:
            db.close()
            raise _wrong(source) from None
        except BaseException:
            db.close()
            raise
    return db


def _make_private(path: Path) -> None:
    """A new file is for its user's eyes only; SQLite gives its log the same permissions."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreReadOnly(f"the store cannot be made: {error}") from None


def _prepare(db: Database, source: Source) -> None:
    if source.key is not None:
        db.pragma("key", key_text(source.key))
    db.set_busy_handler(patience(source.busy_timeout))
    schema.refuse_foreign(db)
    if db.pragma("journal_mode") != "wal":
        _use_log(db, patience(source.busy_timeout))
    db.pragma("synchronous", "full" if source.durable else "normal")
    db.pragma("secure_delete", "on")
    db.create_scalar_function("keyword_text", keyword_text, 3, deterministic=True)


def _use_log(db: Database, wait: Callable[[int], bool]) -> None:
    """Switches a new file to the write-ahead log. SQLite does not wait for others by itself here."""
    tries = 0
    while True:
        try:
            db.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if not wait(tries):
                raise
            tries += 1


def key_text(key: str | bytes) -> str:
    """A key as SQLite takes it: 32 bytes are the key itself, anything else a passphrase to be stretched."""
    return f"raw:{key.hex()}" if isinstance(key, bytes) else key


def patience(seconds: float) -> Callable[[int], bool]:
    """Waits for a lock a little longer each time, at random, so that many waiters do not move in step."""
    deadline = 0.0

    def wait(tries: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if tries == 0:
            deadline = now + seconds
        if now >= deadline:
            return False
        time.sleep(random.uniform(0.3, 1.0) * min(0.02, 0.0002 * 2 ** min(tries, 10)))
        return True

    return wait


def _check_header(source: Source) -> None:
    if source.path.is_dir():
        raise NotAStore(f"{source.path} is a folder")
    if not source.path.exists():
        return
    # SQLite takes a file of one byte for an empty one. Before the header, because others may be making the store just now.
    size = source.path.stat().st_size
    try:
        with rawfile.opened(source.path) as file:
            header = file.read(0, len(HEADER))
    except apsw.Error as error:
        raise StoreReadOnly(f"{source.path} cannot be read: {error}") from None
    if header == HEADER and source.key is not None:
        raise WrongKey(f"{source.path} is not encrypted, but a key was given")
    foreign = header != HEADER if header else size == 1
    if foreign and source.key is None:
        raise NotAStore(f"{source.path} is not a Recollect store, or it is encrypted and needs its key")


def _wrong(source: Source) -> Exception:
    if source.key is not None:
        return WrongKey(f"the key does not open {source.path} (or it is no Recollect store)")
    return NotAStore(f"{source.path} is not a Recollect store")


def keyword_text(owner: int, text: str, extra: str | None) -> str:
    """What the keyword index reads of a message: its terms, each with its owner's number before it.

    So every owner has posting lists of his own: a search never walks through, is slowed by, or learns anything of another's
    (docs/decisions/0002-keyword-index.md).

    >>> keyword_text(7, "My sisters moved", None), keyword_text(7, "Hi", '{"name":"Ann"}')
    ('7:my 7:sister 7:move', '7:ann 7:hi')
    """
    found = message_terms(text, extra)
    prefix = f"{owner}:"
    return prefix + f" {prefix}".join(found) if found else ""
