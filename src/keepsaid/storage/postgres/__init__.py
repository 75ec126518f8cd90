"""PostgreSQL backend, for services: psycopg with its connection pool, and pgvector for vectors."""

from keepsaid.storage.postgres.connection.source import PostgresSource, parse_source_url
from keepsaid.storage.postgres.storage import PostgresStorage

__all__ = ["PostgresSource", "PostgresStorage", "parse_source_url"]
