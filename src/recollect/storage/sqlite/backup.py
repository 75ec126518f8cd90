"""A copy of the file while it is in use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import apsw

from recollect.errors import InvalidInput
from recollect.storage.sqlite.connection import Source, connect, key_text
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly


def copy_to(source: Source, target: Path) -> None:
    """A consistent copy with the same key, made beside the target and then put in its place."""
    if target.exists():
        raise InvalidInput(f"{target} exists already; name a new file")
    unfinished = target.with_name(target.name + ".part")
    unfinished.unlink(missing_ok=True)
    try:
        with speaking_plainly():
            _copy(source, unfinished)
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.rename(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _copy(source: Source, target: Path) -> None:
    db = connect(source)
    copy = cast(Database, apsw.Connection(str(target)))
    try:
        target.chmod(0o600)
        if source.key is not None:
            copy.pragma("key", key_text(source.key))
        with copy.backup("main", db, "main") as work:
            # In one step, because every commit of others would make a second one begin anew. Nobody waits for it.
            work.step(-1)
    finally:
        copy.close()
        db.close()
