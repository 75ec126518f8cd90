"""Named migrations, which bring a store to this program's version.

A migration is a function with a name that never changes. It runs once, in a transaction that also records the name, so a
migration is applied completely or not at all. A store that records an unknown name was made by a newer version. The
migrating process holds an advisory lock, so that many processes can open a new store at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import psycopg

from keepsaid.errors import NewerStore, NotAStore, StorageError
from keepsaid.storage.postgres import artifacts
from keepsaid.storage.postgres.connection.source import Connection, PostgresSource, run_statements
from keepsaid.storage.postgres.schema import functions, tables
from keepsaid.storage.postgres.schema.tables import ROLE, StoreLayout
from keepsaid.storage.postgres.search import keyword_index

Migration = tuple[str, Callable[[Connection, StoreLayout], None]]

ROLES_WITHOUT_INHERITANCE = 160000
"""Since this version, PostgreSQL can grant a role that takes effect only after SET ROLE."""


class StoreParameters(NamedTuple):
    """The parameters read from a store when it is opened."""

    secret: bytes
    role: str | None
    extensions: str
    """The schema that contains pgvector."""


def create_functions(db: Connection, plan: StoreLayout) -> None:
    """Create the SQL functions."""
    run_statements(db, "SET LOCAL check_function_bodies = off")
    run_statements(db, ";\n".join([*functions.FUNCTIONS, *keyword_index.FUNCTIONS, *artifacts.FUNCTIONS]))


MIGRATIONS: tuple[Migration, ...] = (
    ("0001-foundation", tables.create_foundation),
    ("0002-functions", create_functions),
    ("0003-blobs", tables.add_blobs),
    ("0004-expired-sessions", tables.add_expired_sessions),
)


def open_store(db: Connection, source: PostgresSource, migrations: tuple[Migration, ...] = MIGRATIONS) -> StoreParameters:
    """Create the store, or bring it to this program's version."""
    extensions = _pgvector(db)
    run_statements(db, f"SET search_path TO {source.schema}, {extensions}")
    if missing_migrations(db, source, migrations):
        with migration_lock(db, source):
            _migrate(db, source, migrations)
    kept = dict(run_statements(db, "SELECT key, value FROM meta WHERE key IN ('secret', 'role')"))
    return StoreParameters(bytes.fromhex(kept["secret"]), kept["role"] or None, extensions)


def missing_migrations(
    db: Connection, source: PostgresSource, migrations: tuple[Migration, ...] = MIGRATIONS
) -> list[Migration]:
    """The migrations that are not applied to the store yet."""
    known = applied_migrations(db, source)
    if unknown := known - {name for name, _ in migrations}:
        raise NewerStore(f"this store was made by a newer Keepsaid (it has {', '.join(sorted(unknown))}): upgrade Keepsaid")
    return [migration for migration in migrations if migration[0] not in known]


def applied_migrations(db: Connection, source: PostgresSource) -> set[str]:
    """The names of the migrations applied to the store; none for a store that does not exist."""
    tables = {
        name
        for (name,) in run_statements(
            db,
            "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE n.nspname = %s AND c.relkind IN ('r', 'p')",
            (source.schema,),
        )
    }
    if tables and "migrations" not in tables:
        raise NotAStore(
            f"the schema {source.schema!r} belongs to another program; name another schema with `?schema=` in the URL"
        )
    return {name for (name,) in run_statements(db, f"SELECT name FROM {source.schema}.migrations")} if tables else set()


@contextmanager
def migration_lock(db: Connection, source: PostgresSource) -> Generator[None]:
    """Hold the migration lock."""
    lock = f"hashtextextended('keepsaid:{source.schema}', 0)"
    run_statements(db, f"SELECT pg_advisory_lock({lock})")
    try:
        yield
    finally:
        if not db.closed:
            run_statements(db, f"SELECT pg_advisory_unlock({lock})")


def _migrate(db: Connection, source: PostgresSource, migrations: tuple[Migration, ...]) -> None:
    has_role = None
    for name, change in missing_migrations(db, source, migrations):
        has_role = _make_role(db) if has_role is None else has_role
        with db.transaction():
            run_statements(db, f"CREATE SCHEMA IF NOT EXISTS {source.schema}")
            run_statements(
                db, "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
            )
            change(db, StoreLayout(source.schema, source.partitions, has_role))
            run_statements(db, "INSERT INTO migrations VALUES (%s)", (name,))


def _make_role(db: Connection) -> bool:
    """Create the maintenance role if allowed; return whether this user may take it."""
    if db.info.server_version < ROLES_WITHOUT_INHERITANCE:
        return False
    if not run_statements(db, "SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)):
        with suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            run_statements(db, f"CREATE ROLE {ROLE} NOLOGIN")
    try:
        run_statements(db, f"GRANT {ROLE} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE")
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedObject):
        return bool(_may_take_role(db))
    return True


def _may_take_role(db: Connection) -> bool:
    known = "SELECT pg_has_role(oid, 'SET') AND NOT pg_has_role(oid, 'USAGE') FROM pg_roles WHERE rolname = %s"
    return run_statements(db, known, (ROLE,)) == [(True,)]


def _pgvector(db: Connection) -> str:
    """The schema of the extension pgvector, which is created if it is missing."""
    find = (
        "SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    )
    found = run_statements(db, find)
    if not found:
        try:
            run_statements(db, "CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        except psycopg.errors.UniqueViolation:
            pass  # another process was quicker
        except psycopg.Error as error:
            reason = (error.diag.message_primary or str(error)).partition("\n")[0]
            raise StorageError(
                f"PostgreSQL needs the extension pgvector: install it and run `CREATE EXTENSION vector` once ({reason})"
            ) from error
        found = run_statements(db, find)
    return str(found[0][0])
