"""Named migrations: how a store comes to this program's version.

A migration is a function with a name that never changes. It runs once, in a transaction that also records the name, so a
store is always wholly at one version. A store that records a name this program does not know was made by a newer one.
Whoever migrates holds a lock of the database, so that many processes may open a new store at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import psycopg

from recollect.errors import NewerStore, NotAStore, StorageError
from recollect.storage.postgres import artifacts, functions, keywords, schema
from recollect.storage.postgres.connection import Connection, Source, run
from recollect.storage.postgres.schema import ROLE, Plan

Migration = tuple[str, Callable[[Connection, Plan], None]]

ROLES_WITHOUT_INHERITANCE = 160000
"""Since this version of PostgreSQL a user can be given a role that counts only once he takes it on."""


class Opened(NamedTuple):
    """What is to be known of a store before it is used."""

    secret: bytes
    role: str | None
    extensions: str
    """The schema in which pgvector is."""


def made_functions(db: Connection, plan: Plan) -> None:
    """What runs inside the server."""
    run(db, "SET LOCAL check_function_bodies = off")
    run(db, ";\n".join([*functions.FUNCTIONS, *keywords.FUNCTIONS, *artifacts.FUNCTIONS]))


MIGRATIONS: tuple[Migration, ...] = (
    ("0001-foundation", schema.foundation),
    ("0002-functions", made_functions),
    ("0003-blobs", schema.blobs),
    ("0004-expired-sessions", schema.expired_sessions),
)


def open_store(db: Connection, source: Source, migrations: tuple[Migration, ...] = MIGRATIONS) -> Opened:
    """Makes the store, or brings it to this program's version."""
    extensions = _pgvector(db)
    run(db, f"SET search_path TO {source.schema}, {extensions}")
    if missing(db, source, migrations):
        with alone(db, source):
            _migrate(db, source, migrations)
    kept = dict(run(db, "SELECT key, value FROM meta WHERE key IN ('secret', 'role')"))
    return Opened(bytes.fromhex(kept["secret"]), kept["role"] or None, extensions)


def missing(db: Connection, source: Source, migrations: tuple[Migration, ...] = MIGRATIONS) -> list[Migration]:
    """The migrations that the store has yet to go through."""
    known = applied(db, source)
    if unknown := known - {name for name, _ in migrations}:
        raise NewerStore(f"this store was made by a newer Recollect (it has {', '.join(sorted(unknown))}): upgrade first")
    return [migration for migration in migrations if migration[0] not in known]


def applied(db: Connection, source: Source) -> set[str]:
    """The names of the migrations that the store has been through; none for one that is not there."""
    tables = {
        name
        for (name,) in run(
            db,
            "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE n.nspname = %s AND c.relkind IN ('r', 'p')",
            (source.schema,),
        )
    }
    if tables and "migrations" not in tables:
        raise NotAStore(
            f"the schema {source.schema!r} belongs to another program; `?schema=` in the URL names one of our own"
        )
    return {name for (name,) in run(db, f"SELECT name FROM {source.schema}.migrations")} if tables else set()


@contextmanager
def alone(db: Connection, source: Source) -> Generator[None]:
    """Holds the lock of whoever migrates."""
    lock = f"hashtextextended('recollect:{source.schema}', 0)"
    run(db, f"SELECT pg_advisory_lock({lock})")
    try:
        yield
    finally:
        if not db.closed:
            run(db, f"SELECT pg_advisory_unlock({lock})")


def _migrate(db: Connection, source: Source, migrations: tuple[Migration, ...]) -> None:
    has_role = None
    for name, change in missing(db, source, migrations):
        has_role = _make_role(db) if has_role is None else has_role
        with db.transaction():
            run(db, f"CREATE SCHEMA IF NOT EXISTS {source.schema}")
            run(db, "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())")
            change(db, Plan(source.schema, source.partitions, has_role))
            run(db, "INSERT INTO migrations VALUES (%s)", (name,))


def _make_role(db: Connection) -> bool:
    """Whether there is a role of maintenance that this user may take on; it is made, if he may make it."""
    if db.info.server_version < ROLES_WITHOUT_INHERITANCE:
        return False
    if not run(db, "SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)):
        with suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            run(db, f"CREATE ROLE {ROLE} NOLOGIN")
    try:
        run(db, f"GRANT {ROLE} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE")
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedObject):
        return bool(_may_take_on(db))
    return True


def _may_take_on(db: Connection) -> bool:
    known = "SELECT pg_has_role(oid, 'SET') AND NOT pg_has_role(oid, 'USAGE') FROM pg_roles WHERE rolname = %s"
    return run(db, known, (ROLE,)) == [(True,)]


def _pgvector(db: Connection) -> str:
    """The schema of the extension that keeps vectors, which is made if need be."""
    find = (
        "SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    )
    found = run(db, find)
    if not found:
        try:
            run(db, "CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        except psycopg.errors.UniqueViolation:
            pass  # another process was quicker
        except psycopg.Error as error:
            said = (error.diag.message_primary or str(error)).partition("\n")[0]
            raise StorageError(
                f"PostgreSQL needs its extension pgvector: install it, and `CREATE EXTENSION vector` once ({said})"
            ) from error
        found = run(db, find)
    return str(found[0][0])
