"""PostgreSQL: the home of a service, through psycopg and its pool, with vectors kept by pgvector."""

from recollect.storage.postgres.connection import Source, source_of
from recollect.storage.postgres.storage import PostgresStorage

__all__ = ["PostgresStorage", "Source", "source_of"]
