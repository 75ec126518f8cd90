"""SQLite: one file with everything in it, durable by default, through APSW with encryption built in."""

from recollect.storage.sqlite.connection import Source
from recollect.storage.sqlite.storage import SqliteStorage

__all__ = ["Source", "SqliteStorage"]
