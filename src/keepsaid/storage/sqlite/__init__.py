"""SQLite backend: everything in one file, durable by default. Uses APSW with built-in encryption."""

from keepsaid.storage.sqlite.connection.source import SqliteSource
from keepsaid.storage.sqlite.storage import SqliteStorage

__all__ = ["SqliteSource", "SqliteStorage"]
