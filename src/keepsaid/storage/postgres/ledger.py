"""PostgreSQL as a ledger: for stores whose content is encrypted, so that the server cannot search it.

Its tables are in a separate schema, next to that of unencrypted stores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepsaid.errors import WrongKey
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.storage.postgres.connection.database import PostgresConnection
from keepsaid.storage.postgres.connection.errors import UncertainCommitError, translated_errors
from keepsaid.storage.postgres.connection.source import Connection, PostgresSource, connect, run_statements
from keepsaid.storage.postgres.connection.transactions import PostgresConnectionPool
from keepsaid.storage.postgres.notify.listener import PostgresListener
from keepsaid.storage.postgres.notify.notifier import CommitNotifier
from keepsaid.storage.postgres.schema.migrations import applied_migrations, migration_lock
from keepsaid.storage.replica.codec import decode, encode
from keepsaid.storage.replica.ledger import BEGINNING, LedgerPoint, LedgerRow, PartitionDelta, PartitionHeader

POINTS_KEPT = 1000
"""Points of a partition that are kept, together with the rows deleted since."""

MAX_TRIES = 3
"""How often a commit is sent if its answer is lost; its token shows whether it was stored."""

_TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {{schema}};
CREATE TABLE IF NOT EXISTS {{schema}}.units (
    unit text PRIMARY KEY, revision bigint NOT NULL, token text NOT NULL, note jsonb NOT NULL
);
CREATE TABLE IF NOT EXISTS {{schema}}.points (
    unit text NOT NULL, revision bigint NOT NULL, token text NOT NULL, PRIMARY KEY (unit, revision)
);
CREATE TABLE IF NOT EXISTS {{schema}}.rows (
    unit text NOT NULL, kind text NOT NULL, key text NOT NULL, revision bigint NOT NULL,
    content bytea, -- NULL: the row was deleted, and replicas that follow have yet to read this
    PRIMARY KEY (unit, kind, key)
);
CREATE INDEX IF NOT EXISTS rows_changed ON {{schema}}.rows (unit, revision);
CREATE OR REPLACE FUNCTION {{schema}}.ledger_commit(
    of_unit text, of_revision bigint, of_token text, new_token text, new_note jsonb,
    kinds text[], keys text[], contents bytea[]
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF of_revision = 0 AND of_token = '' THEN
        INSERT INTO units VALUES (of_unit, 1, new_token, new_note) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE units SET revision = of_revision + 1, token = new_token, note = new_note
        WHERE unit = of_unit AND revision = of_revision AND token = of_token;
    END IF;
    IF NOT FOUND THEN
        RETURN EXISTS (SELECT FROM points WHERE unit = of_unit AND revision = of_revision + 1 AND token = new_token);
    END IF;
    INSERT INTO points VALUES (of_unit, of_revision + 1, new_token);
    INSERT INTO rows SELECT of_unit, r.kind, r.key, of_revision + 1, r.content
    FROM unnest(kinds, keys, contents) AS r (kind, key, content)
    ON CONFLICT (unit, kind, key) DO UPDATE SET revision = excluded.revision, content = excluded.content;
    IF (of_revision + 1) % 64 = 0 THEN
        DELETE FROM points WHERE unit = of_unit AND revision <= of_revision + 1 - {POINTS_KEPT};
        DELETE FROM rows WHERE unit = of_unit AND revision <= of_revision + 1 - {POINTS_KEPT} AND content IS NULL;
    END IF;
    RETURN true;
END $$"""


class PostgresLedger:
    """A ledger that stores partitions in a few small tables; the content of a row is opaque bytes."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, source: PostgresSource) -> None:
        plain, source = source, _encrypted_source(source)
        db = connect(source)
        try:
            with translated_errors(), migration_lock(db, source):
                if not _is_there(db, source):
                    _refuse_unencrypted(db, plain)
                    run_statements(db, _TABLES.format(schema=source.schema))
        finally:
            db.close()
        self._store = PostgresConnectionPool(source, "public", b"", None)
        self._audience = ListenerGroup()
        self._listener = PostgresListener(source, self._audience.notify)
        self._notifier = CommitNotifier(source)
        self._store.on_commit(self._notifier.notify)
        self._commits = 0

    def headers(self, partitions: Sequence[str]) -> list[PartitionHeader]:
        """Read the header of each partition."""
        wanted = "SELECT unit, revision, token, note FROM units WHERE unit = ANY(%s)"
        found = {
            partition: _header(*rest)
            for partition, *rest in self._store.ask(lambda db: db.last(wanted, (list(partitions),)).fetchall())
        }
        return [found.get(partition, PartitionHeader()) for partition in partitions]

    def load(self, partition: str, since: LedgerPoint) -> PartitionDelta:
        """Read the rows that changed after a point, or all."""
        return self._store.ask(lambda db: _load_delta(db, partition, since))

    def commit(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        """Commit the next point after `after`, if the partition is at `after`; return whether it was."""
        kinds, keys = [row.table for row in rows], [row.key for row in rows]
        contents = [None if row.columns is None else encode(row.columns) for row in rows]
        statement = "SELECT ledger_commit(%s, %s, %s, %s, %s::jsonb, %s::text[], %s::text[], %s::bytea[])"
        values = (partition, *after, token, json.dumps(dict(note)), kinds, keys, contents)
        for tries in range(MAX_TRIES):
            try:
                (((done,),),) = self._store.call((statement, values), changes=True)
                self._commits += 1
                return bool(done)
            except UncertainCommitError:
                if tries == MAX_TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def list_partitions(self) -> Iterable[tuple[str, PartitionHeader]]:
        """Read every partition with its header."""
        found = self._store.ask(lambda db: db.last("SELECT unit, revision, token, note FROM units").fetchall())
        return [(unit, _header(*rest)) for unit, *rest in found]

    def stamp(self) -> object:
        """Return a value that changes after every commit: local counters, or a server query while not listening."""
        heard = self._listener.commit_counter()
        if heard is not None:
            return self._commits, heard
        return self._store.ask(lambda db: db.last("SELECT sum(revision)::text FROM units").fetchall())

    def warnings(self) -> Sequence[str]:
        """Return no warnings: PostgreSQL durably stores what it acknowledges."""
        return ()

    def on_remote_commit(self, call: Callable[[], None]) -> None:
        """Call after every commit of another process."""
        self._audience.add(call)
        self._listener.commit_counter()

    def close(self) -> None:
        """Close all connections."""
        self._notifier.close()
        self._listener.close()
        self._store.close()


def refuse_encrypted_store(source: PostgresSource) -> None:
    """Raise `WrongKey` if there is only an encrypted store."""
    db = connect(source)
    try:
        with translated_errors():
            if _is_there(db, _encrypted_source(source)) and not applied_migrations(db, source):
                raise WrongKey("this store is encrypted and needs its key")
    finally:
        db.close()


def _refuse_unencrypted(db: Connection, source: PostgresSource) -> None:
    if applied_migrations(db, source):
        raise WrongKey("this store is not encrypted, but a key was given")


def _encrypted_source(source: PostgresSource) -> PostgresSource:
    return replace(source, schema=f"{source.schema}_sealed")


def _is_there(db: Connection, source: PostgresSource) -> bool:
    return run_statements(db, "SELECT to_regproc(%s) IS NOT NULL", (f"{source.schema}.ledger_commit",)) == [(True,)]


def _header(revision: int, token: str, note: Mapping[str, Any]) -> PartitionHeader:
    return PartitionHeader(LedgerPoint(revision, token), note)


def _load_delta(db: PostgresConnection, unit: str, since: LedgerPoint) -> PartitionDelta:
    head, known = db.together(
        ("SELECT revision, token, note FROM units WHERE unit = %s", (unit,)),
        ("SELECT 1 FROM points WHERE unit = %s AND revision = %s AND token = %s", (unit, *since)),
    )
    row = head.fetchone()
    header = PartitionHeader() if row is None else _header(*row)
    whole = since == BEGINNING or known.fetchone() is None
    changed = "content IS NOT NULL" if whole else "revision > %s"
    found = db.last(
        f"SELECT kind, key, content FROM rows WHERE unit = %s AND {changed}", (unit,) if whole else (unit, since.revision)
    )
    rows = [LedgerRow(kind, key, None if content is None else decode(bytes(content))) for kind, key, content in found]
    return PartitionDelta(header, rows, whole)
