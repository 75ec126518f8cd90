"""Copies of a store's first owner, made in SQL: ten million messages in minutes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import cast

import apsw

from benchmarks.search.recall import ProgressFunction
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.schema import write_transaction

# ?1: how far the copy is from the first owner; an owner has one conversation with one branch.
_COPY = """
INSERT INTO owners (no, kind, id, indexed, indexed_messages, indexed_tokens)
    SELECT no + ?1, kind, 'owner-' || ?1, indexed + (?1 << 32), indexed_messages, indexed_tokens FROM owners WHERE no = 1;
INSERT INTO sessions (no, owner, id, status, created, updated, touched, pinned, revision, branch, head, leaf, messages,
    tokens)
    SELECT no + ?1, owner + ?1, id, status, created, updated, touched, pinned, revision, branch + ?1, head, leaf, messages,
        tokens FROM sessions WHERE owner = 1;
INSERT INTO branches (no, session, base, fork, messages, tokens)
    SELECT no + ?1, session + ?1, base, fork, messages, tokens FROM branches WHERE no = 1;
INSERT INTO messages
    SELECT rid + (?1 << 32), branch + ?1, seq, parent, id, role, tokens, created, importance, pinned, author, metadata,
        extra, text FROM messages WHERE rid < 2 << 32;
INSERT INTO vectors (generation, rid, part, start, end, vector)
    SELECT g.no, rid + (?1 << 32), part, start, end, vector FROM generations AS g CROSS JOIN vectors AS v
    WHERE g.dimensions > 0 AND v.generation = g.no AND v.rid < 2 << 32;
INSERT INTO work (generation, owner, upto) SELECT generation, owner + ?1, upto FROM work WHERE owner = 1
""".split(";\n")


def copy_first_owner(path: Path, first: int, count: int, tell: ProgressFunction) -> None:
    """Copy the first owner of a store until there are `count`, from number `first` on."""
    with closing(cast(SqliteConnection, apsw.Connection(str(path)))) as db:
        db.pragma("synchronous", "off")  # a store that is made again after a crash
        db.pragma("cache_size", -200_000)
        for number in range(first, count):
            with write_transaction(db):
                for statement in _COPY:
                    db.execute(statement, (number,))
            tell("copying owners", number + 1, count)
