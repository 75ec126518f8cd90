"""PostgreSQL as a ledger: for stores whose content is encrypted, so that the server could not search it anyway.

Its tables are in a schema of their own, beside that of stores which the server can read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from recollect.errors import WrongKey
from recollect.storage.audience import Audience
from recollect.storage.mirror.codec import decode, encode
from recollect.storage.mirror.ledger import BEGINNING, Delta, Header, Point, Row
from recollect.storage.postgres.connection import Connection, Source, connect, run
from recollect.storage.postgres.database import Database
from recollect.storage.postgres.faults import Uncertain, speaking_plainly
from recollect.storage.postgres.herald import Herald
from recollect.storage.postgres.listener import Listener
from recollect.storage.postgres.migrations import alone, applied
from recollect.storage.postgres.transactions import Store

LOG = 1000
"""Points of a unit that are remembered, and with them which rows went since."""

TRIES = 3
"""How often a commit is sent whose answer was lost; its token tells whether it was kept."""

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
    content bytea, -- NULL: the row is gone, which followers have yet to hear
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
        DELETE FROM points WHERE unit = of_unit AND revision <= of_revision + 1 - {LOG};
        DELETE FROM rows WHERE unit = of_unit AND revision <= of_revision + 1 - {LOG} AND content IS NULL;
    END IF;
    RETURN true;
END $$"""


class PostgresLedger:
    """Keeps units in four small tables; what is in a row is bytes to them."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, source: Source) -> None:
        plain, source = source, _beside(source)
        db = connect(source)
        try:
            with speaking_plainly(), alone(db, source):
                if not _is_there(db, source):
                    _refuse_plain(db, plain)
                    run(db, _TABLES.format(schema=source.schema))
        finally:
            db.close()
        self._store = Store(source, "public", b"", None)
        self._audience = Audience()
        self._listener = Listener(source, self._audience.tell)
        self._herald = Herald(source)
        self._store.listen(self._herald.tell)
        self._commits = 0

    def headers(self, units: Sequence[str]) -> list[Header]:
        """The header of each unit."""
        wanted = "SELECT unit, revision, token, note FROM units WHERE unit = ANY(%s)"
        found = {
            unit: _header(*rest) for unit, *rest in self._store.ask(lambda db: db.last(wanted, (list(units),)).fetchall())
        }
        return [found.get(unit, Header()) for unit in units]

    def load(self, unit: str, since: Point) -> Delta:
        """The rows that changed behind a point, or all."""
        return self._store.ask(lambda db: _loaded(db, unit, since))

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        """Makes the next point of `after`, if the unit is there."""
        kinds, keys = [row.table for row in rows], [row.key for row in rows]
        contents = [None if row.columns is None else encode(row.columns) for row in rows]
        statement = "SELECT ledger_commit(%s, %s, %s, %s, %s::jsonb, %s::text[], %s::text[], %s::bytea[])"
        values = (unit, *after, token, json.dumps(dict(note)), kinds, keys, contents)
        for tries in range(TRIES):
            try:
                (((done,),),) = self._store.call((statement, values), changes=True)
                self._commits += 1
                return bool(done)
            except Uncertain:
                if tries == TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def units(self) -> Iterable[tuple[str, Header]]:
        """Every unit with its header."""
        found = self._store.ask(lambda db: db.last("SELECT unit, revision, token, note FROM units").fetchall())
        return [(unit, _header(*rest)) for unit, *rest in found]

    def stamp(self) -> object:
        """What the listener has heard; while it hears nothing, the newest of all points."""
        heard = self._listener.heard()
        if heard is not None:
            return self._commits, heard
        return self._store.ask(lambda db: db.last("SELECT sum(revision)::text FROM units").fetchall())

    def warnings(self) -> Sequence[str]:
        """None: PostgreSQL keeps what it acknowledges."""
        return ()

    def on_news(self, call: Callable[[], None]) -> None:
        """Calls when another process has committed something."""
        self._audience.add(call)
        self._listener.heard()

    def close(self) -> None:
        """Gives back the connections."""
        self._herald.close()
        self._listener.close()
        self._store.close()


def refuse_sealed(source: Source) -> None:
    """Raises `WrongKey` where there is an encrypted store, and no other."""
    db = connect(source)
    try:
        with speaking_plainly():
            if _is_there(db, _beside(source)) and not applied(db, source):
                raise WrongKey("this store is encrypted and needs its key")
    finally:
        db.close()


def _refuse_plain(db: Connection, source: Source) -> None:
    if applied(db, source):
        raise WrongKey("this store is not encrypted, but a key was given")


def _beside(source: Source) -> Source:
    return replace(source, schema=f"{source.schema}_sealed")


def _is_there(db: Connection, source: Source) -> bool:
    return run(db, "SELECT to_regproc(%s) IS NOT NULL", (f"{source.schema}.ledger_commit",)) == [(True,)]


def _header(revision: int, token: str, note: Mapping[str, Any]) -> Header:
    return Header(Point(revision, token), note)


def _loaded(db: Database, unit: str, since: Point) -> Delta:
    head, known = db.together(
        ("SELECT revision, token, note FROM units WHERE unit = %s", (unit,)),
        ("SELECT 1 FROM points WHERE unit = %s AND revision = %s AND token = %s", (unit, *since)),
    )
    row = head.fetchone()
    header = Header() if row is None else _header(*row)
    whole = since == BEGINNING or known.fetchone() is None
    changed = "content IS NOT NULL" if whole else "revision > %s"
    found = db.last(
        f"SELECT kind, key, content FROM rows WHERE unit = %s AND {changed}", (unit,) if whole else (unit, since.revision)
    )
    rows = [Row(kind, key, None if content is None else decode(bytes(content))) for kind, key, content in found]
    return Delta(header, rows, whole)
