"""The steps that complete an erase after its rows are deleted: truncate the log, and clean the unused parts of pages.

A reader of an older state, or a process that writes all the time, can prevent both. So the erase itself records the pending
steps in a row of `meta`. They are retried until they succeed: by the storage's background finisher, by `maintain()`, and by
the next process that opens the store.
"""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Literal, NamedTuple

from keepsaid.storage.sqlite import schema
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.source import SqliteSource
from keepsaid.storage.sqlite.erase import page_gaps, residue
from keepsaid.storage.sqlite.search import keyword_index

PENDING_KEY = "erase_pending"
BLOCKED_BY_READER = "a reader still uses the old log; the log is truncated as soon as that reader ends"
BLOCKED_BY_WRITER = "another process is writing; the erase is finished as soon as the store is free"
BLOCKED_BY_FULL_DISK = "the disk is too full to rebuild the file; the erase is finished at the next maintenance"

CLEAN_BATCH_SIZE = 5_000
"""Pages that are overwritten under one write lock, which takes less than a tenth of a second."""

TRIES = 100
"""How often the log is truncated again because another process wrote to it before the lock was taken."""

CUTS, CUT_PAUSE = 5, 0.2
"""Attempts to truncate the log of a rebuilt file, and the seconds between them, in which others can write."""

MAX_SIZE_IN_MEMORY = 64 * 1024 * 1024
"""A larger file is rebuilt in a temporary file instead of in memory. It is encrypted if the store is."""

MIN_UNUSED_PAGES = 2_500
"""Pages (10 MB). If at least so many, and at least half of the file, are unused, the file is rebuilt and becomes smaller."""

EraseStep = Literal["log", "pages"]


class PendingErase(NamedTuple):
    """The pending steps of an erase: truncate the `log`, clean the `pages` as well, or rebuild the file `later`, at the next
    maintenance. `since` is the time of the erase in seconds."""

    step: str
    since: int
    text: str


def request_completion(db: SqliteConnection, what: EraseStep) -> None:
    """Record the pending steps in the transaction of the erase."""
    before = load_pending_erase(db)
    ranks = ("log", "later", "pages")
    most = max(what, before.step if before else "log", key=ranks.index)
    # The token keeps the completion of one erase from removing the record of the next.
    since = before.since if before else int(time.time())
    text = f"{most}:{secrets.token_hex(8)}:{since}"
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (PENDING_KEY, text))


def load_pending_erase(db: SqliteConnection) -> PendingErase | None:
    """Return the pending steps of earlier erases and clean-ups, or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (PENDING_KEY,)).fetchone()
    if row is None:
        return None
    what, _, rest = row[0].partition(":")
    since = rest.partition(":")[2]
    return PendingErase(what if what in ("log", "later") else "pages", int(since) if since.isdecimal() else 0, row[0])


def describe_pending_erase(pending: PendingErase) -> str:
    """Describe the pending steps for the operator."""
    since = time.strftime(" since %Y-%m-%d %H:%M:%S UTC", time.gmtime(pending.since)) if pending.since else ""
    if pending.step == "later":
        return (
            f"the encrypted file has{since} yet to be rebuilt to remove traces of erased data from unused parts of its"
            " pages; `keepsaid doctor` or the next maintenance does it"
        )
    return (
        f"an erase is not finished{since}: another program was reading or writing, and traces may be left in the store's log"
        " and pages; it is retried until the other program releases the store"
    )


def complete_erase(db: SqliteConnection, source: SqliteSource, pieces: set[bytes], *, rebuild: bool) -> str:
    """Remove leftover separator keys from the index, truncate the log, and clean the pages. Return what blocks it, or "".

    Afterwards the cleaned pages are searched for `pieces` of what was erased. A file whose pages cannot be cleaned in place
    is rebuilt; without `rebuild` that is left for later. Runs outside of a transaction, on its own connection. That should
    have a short lock timeout: a reader may take long.
    """
    pending = load_pending_erase(db)
    if keyword_index.count_leftover_prefixes(db):
        db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
    if not _cut_log(db):
        return BLOCKED_BY_READER
    if pending is None:
        return ""  # another process has done it
    if pending.step != "log":
        if _is_cleanable(db, source):
            blocked = _clean(db, source.path, pieces)
        elif rebuild:
            blocked = _rebuild(db)
        else:
            _change(db, pending, "later")
            return ""
        if blocked:
            return blocked
        if not _cut_new_log(db):
            _change(db, pending, "log")  # the pages are done
            return BLOCKED_BY_READER
    db.execute("DELETE FROM meta WHERE key = ? AND value = ?", (PENDING_KEY, pending.text))
    return ""


def _change(db: SqliteConnection, pending: PendingErase, what: str) -> None:
    """Change the pending steps, unless a newer erase has replaced the record."""
    new = what + pending.text[len(pending.step) :]
    db.execute("UPDATE meta SET value = ? WHERE key = ? AND value = ?", (new, PENDING_KEY, pending.text))


def _is_cleanable(db: SqliteConnection, source: SqliteSource) -> bool:
    # A custom file layer (VFS) may store the bytes elsewhere.
    if source.key is not None or source.vfs is not None or not page_gaps.can_clean(source.path):
        return False
    unused = db.pragma("freelist_count")
    return unused < MIN_UNUSED_PAGES or 2 * unused < db.pragma("page_count")


def _clean(db: SqliteConnection, path: Path, pieces: set[bytes]) -> str:
    """Overwrite the unused parts of pages.

    Remains of the erased data can only be in pages that exist when the log is truncated after the erase: later, only rows
    that still exist move and leave copies. So the file is searched without a lock, which is held only while the pages found
    are overwritten.
    """
    dirty = page_gaps.find_dirty_pages(path)
    for start in range(0, len(dirty), CLEAN_BATCH_SIZE):
        if not _clean_some(db, path, dirty[start : start + CLEAN_BATCH_SIZE]):
            return BLOCKED_BY_READER
        if len(dirty) > CLEAN_BATCH_SIZE:
            page_gaps.sync_file(path)  # otherwise truncating the log would wait for it while it blocks all writers
    return _rebuild(db) if residue.has_residue(path, pieces, dirty) else ""


def _clean_some(db: SqliteConnection, path: Path, pages: list[int]) -> bool:
    for _ in range(TRIES):
        db.execute("PRAGMA shrink_memory")  # this connection must not write old pages from its cache either
        with schema.write_transaction(db):
            if _is_empty(Path(f"{path}-wal")):
                page_gaps.clean_pages(path, pages)
                # Any commit makes all other connections drop their page caches.
                db.pragma("user_version", 1 - db.pragma("user_version"))
                return True
        if not _cut_log(db):
            return False
    return False


def _is_empty(path: Path) -> bool:
    """Whether a truncated log is still empty: no process has written since, and under the lock none can."""
    try:
        return path.stat().st_size == 0
    except FileNotFoundError:
        return False


def _rebuild(db: SqliteConnection) -> str:
    if db.pragma("page_count") * db.pragma("page_size") > MAX_SIZE_IN_MEMORY:
        db.pragma("temp_store", 1)
    db.execute("VACUUM")
    return ""


def _cut_new_log(db: SqliteConnection) -> bool:
    """Truncate the log that cleaning or rebuilding has written. After a rebuild it is as large as the file, and another
    process may be copying it into the file. This also waits until all overwritten pages are on disk."""
    for _ in range(CUTS):
        if _cut_log(db):
            return True
        time.sleep(CUT_PAUSE)
    return False


def _cut_log(db: SqliteConnection) -> bool:
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
    return not busy
