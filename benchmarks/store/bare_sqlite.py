"""The baseline: the minimum that a program with raw SQLite has to do for the same result."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import apsw

from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection

_MESSAGES = """
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session TEXT, seq INTEGER, role TEXT, content TEXT, created_at REAL, metadata TEXT
)"""
_BARE = _MESSAGES.replace(" PRIMARY KEY", "")
_PATH = "CREATE INDEX messages_path ON messages (session, seq)"
_INSERT = "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)"
_LAST = """
SELECT id, session, seq, role, content, created_at, metadata FROM messages
WHERE session = ? ORDER BY seq DESC LIMIT ?"""

_SESSIONS = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, owner TEXT, title TEXT, status TEXT, created REAL, updated REAL, messages INTEGER, metadata TEXT
)"""
_RECENT = "CREATE INDEX sessions_recent ON sessions (owner, updated)"
_NEWEST = """
SELECT id, owner, title, status, created, updated, messages, metadata FROM sessions
WHERE owner = ? AND status = 'active' ORDER BY updated DESC LIMIT ?"""


def connect(path: Path, *, durable: bool) -> SqliteConnection:
    """Create a file with the same durability as our store's."""
    db = cast(SqliteConnection, apsw.Connection(str(path)))
    db.pragma("journal_mode", "wal")
    db.pragma("synchronous", "full" if durable else "normal")
    return db


def new_id() -> str:
    """A random id that sorts by time, as ours are."""
    return f"{int(time.time() * 1000):012x}{os.urandom(10).hex()}"


class RawMessages:
    """One table of messages with the two necessary indexes; `bare` omits both."""

    def __init__(self, path: Path, *, durable: bool, bare: bool = False) -> None:
        self._db = connect(path, durable=durable)
        self._db.execute(_BARE if bare else _MESSAGES)
        if not bare:
            self._db.execute(_PATH)
        self._seq = 0

    def append(self, texts: Sequence[str]) -> None:
        """Save messages one by one, each in its own transaction."""
        execute = self._db.execute
        for text in texts:
            self._seq += 1
            execute(_INSERT, (new_id(), "s1", self._seq, "user", text, time.time(), None))

    def append_batch(self, texts: Sequence[str]) -> None:
        """Save messages in one transaction."""
        first = self._seq + 1
        self._seq += len(texts)
        self._db.execute("BEGIN")
        self._db.executemany(
            _INSERT, ((new_id(), "s1", seq, "user", text, time.time(), None) for seq, text in enumerate(texts, first))
        )
        self._db.execute("COMMIT")

    def last(self, count: int) -> list[Row]:
        """Return the last messages, in order."""
        return self._db.execute(_LAST, ("s1", count)).fetchall()[::-1]

    def close(self) -> None:
        """Closes the file."""
        self._db.close()


class RawSessions:
    """One table of sessions with an index by owner and time."""

    def __init__(self, path: Path) -> None:
        self._db = connect(path, durable=False)
        self._db.execute(_SESSIONS)
        self._db.execute(_RECENT)

    def fill(self, owners: Sequence[str], titles: Sequence[str]) -> None:
        """Add a session for each owner and title."""
        self._db.execute("BEGIN")
        self._db.executemany(
            "INSERT INTO sessions VALUES (?, ?, ?, 'active', ?, ?, 0, NULL)",
            ((new_id(), owner, title, now := time.time(), now) for owner, title in zip(owners, titles, strict=True)),
        )
        self._db.execute("COMMIT")

    def newest(self, owner: str, count: int) -> list[Row]:
        """Return the owner's most recently active sessions."""
        return self._db.execute(_NEWEST, (owner, count)).fetchall()

    def close(self) -> None:
        """Closes the file."""
        self._db.close()
