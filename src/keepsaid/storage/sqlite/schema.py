"""The tables, as a list of named migrations.

A migration is a function with a name that never changes. It runs once, in a transaction that also records the name, so a
store is always at exactly one version. A store that records an unknown name was written by a newer program.

How the tables are related: an owner (or pool) has sessions; a session is a set of branches, one of them active; a branch
holds messages and continues another branch up to `fork`. The path of a branch is the path of its base up to `fork`, followed
by its own messages, so "the last twenty" is a range of the index `messages_path`, and a fork copies nothing.

Tables are STRICT, so that SQLite's integrity check finds rows that ended up in the wrong table.

The upper 31 bits of a message's `rid` are its owner's number, the lower 32 count the owner's messages: an owner's rows are
stored together, the newest `rid` is also the message counter, and an append does not have to update the owner's row.

Messages that wait for their vectors are not listed anywhere: for each generation, `work` says up to which number an owner's
messages are embedded, and all later ones wait. Messages that wait for note extraction are found in the same way: its queue
is a generation without dimensions.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from keepsaid.errors import NewerStore, NotAStore
from keepsaid.storage.sqlite.connection.database import SqliteConnection

APPLICATION_ID = 0x4B707364  # "Kpsd"

OWNER_BITS = 32
NUMBER_MASK = (1 << OWNER_BITS) - 1


def create_foundation(db: SqliteConnection) -> None:
    """Owners, sessions, branches, messages, keyword index, pools, changes."""
    for statement in _FOUNDATION.split(";\n"):
        db.execute(statement)
    db.execute("INSERT INTO keywords(keywords, rank) VALUES ('secure-delete', 1)")
    db.execute("INSERT INTO meta VALUES ('secret', ?)", (secrets.token_hex(32),))


_FOUNDATION = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE owners (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    kind INTEGER NOT NULL,               -- 0 an owner, 1 a pool
    id TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',       -- a pool's name
    life INTEGER NOT NULL DEFAULT (random() & 4503599627370495 | 1), -- tells two owners of one name apart
    floor INTEGER NOT NULL DEFAULT 0,    -- the highest message number that is gone, so that none is used twice
    changes INTEGER NOT NULL DEFAULT 0,  -- the last number in the table changes
    indexed INTEGER NOT NULL DEFAULT 0,  -- messages up to this rid are in the keyword index
    indexed_messages INTEGER NOT NULL DEFAULT 0,
    indexed_tokens INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, id)
) STRICT;
CREATE TABLE sessions (
    no INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL,
    id TEXT NOT NULL,
    status INTEGER NOT NULL,             -- 0 active, 1 archived, 2 deleted, 3 purged but for what a fork still shows
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    touched INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    branch INTEGER NOT NULL,             -- the active one
    head INTEGER NOT NULL,               -- the highest seq ever given
    leaf INTEGER NOT NULL,               -- the seq at which the active path ends
    messages INTEGER NOT NULL,           -- on the active path
    tokens INTEGER NOT NULL,
    detailed INTEGER NOT NULL DEFAULT 0, -- whether there is a row in details
    title TEXT,
    author TEXT,                         -- in a pool: who made it
    UNIQUE (owner, id)
) STRICT;
CREATE INDEX sessions_author ON sessions (author) WHERE author IS NOT NULL;
CREATE INDEX sessions_recent ON sessions (owner, status, updated DESC, id);
CREATE TABLE details (
    session INTEGER PRIMARY KEY,         -- apart from sessions, so that an append does not rewrite a long prompt
    system_prompt TEXT,
    summary TEXT,
    summarized INTEGER,
    tags TEXT,
    metadata TEXT
) STRICT;
CREATE TABLE tags (
    owner INTEGER NOT NULL,
    tag TEXT NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (owner, tag, session)
) STRICT, WITHOUT ROWID;
CREATE TABLE branches (
    no INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    base INTEGER,
    fork INTEGER NOT NULL,               -- the seq up to which the base is part of the path
    messages INTEGER NOT NULL,           -- of the whole path, as it was when the branch was last active
    tokens INTEGER NOT NULL
) STRICT;
CREATE INDEX branches_session ON branches (session);
CREATE INDEX branches_base ON branches (base) WHERE base IS NOT NULL;
CREATE TABLE messages (
    rid INTEGER PRIMARY KEY,
    branch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    id TEXT NOT NULL,
    role INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    created INTEGER NOT NULL,
    importance REAL NOT NULL,
    pinned INTEGER NOT NULL,
    author TEXT,                         -- in a pool: who wrote it
    metadata TEXT,
    extra TEXT,                          -- parts and tool calls, where there are any
    text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_path ON messages (branch, seq);
CREATE UNIQUE INDEX messages_id ON messages (rid >> 32, id);
CREATE INDEX messages_author ON messages (author) WHERE author IS NOT NULL;
CREATE TABLE grants (
    pool INTEGER NOT NULL,
    owner TEXT NOT NULL,
    access INTEGER NOT NULL,
    PRIMARY KEY (pool, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_owner ON grants (owner);
CREATE TABLE changes (
    owner INTEGER NOT NULL,
    number INTEGER NOT NULL,
    messages INTEGER NOT NULL,           -- how many messages there were before it
    kind TEXT NOT NULL,
    session TEXT,
    message TEXT,
    PRIMARY KEY (owner, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_session ON changes (owner, session);
CREATE INDEX changes_message ON changes (owner, message) WHERE message IS NOT NULL;
CREATE TABLE erased (mark BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE VIEW keyword_texts AS
    SELECT m.rid, keyword_text(m.rid >> 32, m.text) AS text
    FROM messages AS m JOIN owners AS o ON o.no = m.rid >> 32 WHERE m.rid <= o.indexed;
CREATE VIRTUAL TABLE keywords USING fts5(
    text, content=keyword_texts, content_rowid=rid, tokenize="ascii tokenchars '_:'", detail=none, columnsize=0
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(keywords, row)
"""


def add_vectors(db: SqliteConnection) -> None:
    """Vectors by generation, the progress of embedding, and speakers' names in the keyword index."""
    for statement in _VECTORS.split(";\n"):
        db.execute(statement)


_VECTORS = """
CREATE TABLE generations (
    no INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: a follower of a dropped one must notice
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    complete INTEGER NOT NULL             -- whether it has ever covered every message
) STRICT;
CREATE TABLE vectors (
    generation INTEGER NOT NULL,
    rid INTEGER NOT NULL,
    part INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    tokens INTEGER,                       -- a row of token_vectors
    vector BLOB NOT NULL,                 -- float16
    PRIMARY KEY (generation, rid, part)   -- an owner's lie together and are loaded by one range scan
) STRICT, WITHOUT ROWID;
CREATE TABLE token_vectors (              -- apart: beside the small rows, a scan of those would read these as well
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    width INTEGER NOT NULL,
    rows BLOB NOT NULL                    -- int8
) STRICT;
CREATE TABLE work (
    generation INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    upto INTEGER NOT NULL,                -- messages up to this number are embedded
    holder TEXT,                          -- who works on the next ones
    until INTEGER,                        -- and up to when nobody else may
    PRIMARY KEY (generation, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_held ON work (generation, holder) WHERE holder IS NOT NULL;
DROP VIEW keyword_texts;
CREATE VIEW keyword_texts AS
    SELECT m.rid, keyword_text(m.rid >> 32, m.text, m.extra) AS text
    FROM messages AS m JOIN owners AS o ON o.no = m.rid >> 32 WHERE m.rid <= o.indexed
"""


def add_time_ranges(db: SqliteConnection) -> None:
    """The time range of each run of an owner's messages; the table keeps its first name, `stretches`."""
    db.execute(
        "CREATE TABLE stretches (upto INTEGER PRIMARY KEY, start INTEGER NOT NULL, first INTEGER NOT NULL,"
        " last INTEGER NOT NULL) STRICT"
    )
    db.execute(
        "INSERT INTO stretches SELECT max(m.rid), min(m.rid), min(m.created), max(m.created) FROM messages AS m"
        " JOIN owners AS o ON o.no = m.rid >> 32 WHERE m.rid <= o.indexed GROUP BY m.rid / 128"
    )


def add_artifacts(db: SqliteConnection) -> None:
    """Artifacts derived from messages, receipts of prompts, and an index of pinned messages."""
    for statement in _ARTIFACTS.split(";\n"):
        db.execute(statement)


_ARTIFACTS = """
CREATE TABLE artifacts (
    rid INTEGER PRIMARY KEY,              -- as in messages: the owner's number, and one that counts their artifacts
    id TEXT NOT NULL,
    kind INTEGER NOT NULL,                -- 0 a summary, 1 a fact, 2 a tool note, 3 a label
    session INTEGER,                      -- NULL for what was written by hand
    upto INTEGER NOT NULL,                -- a summary's: the seq at which what it covers ends
    tokens INTEGER NOT NULL,
    created INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,                     -- NULL while nothing newer has taken its place
    pinned INTEGER NOT NULL,
    data TEXT,
    text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifacts_id ON artifacts (rid >> 32, id);
CREATE INDEX artifacts_newest ON artifacts (rid >> 32, kind, created);
CREATE INDEX artifacts_session ON artifacts (session, kind, upto) WHERE session IS NOT NULL;
CREATE TABLE rests (
    artifact INTEGER NOT NULL,
    place INTEGER NOT NULL,               -- keeps an artifact's sources in their order
    message INTEGER NOT NULL,             -- a rid of messages
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    PRIMARY KEY (artifact, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX rests_message ON rests (message);
CREATE TABLE artifact_terms (             -- of facts and tool notes, without stop words
    owner INTEGER NOT NULL,
    term TEXT NOT NULL,
    artifact INTEGER NOT NULL,
    PRIMARY KEY (owner, term, artifact)
) STRICT, WITHOUT ROWID;
CREATE TABLE receipts (
    rid INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    session INTEGER NOT NULL,
    created INTEGER NOT NULL,
    leaf INTEGER NOT NULL,
    author TEXT,                          -- in a pool: who asked
    summary TEXT,                         -- the id of the summary that was given
    system INTEGER,                       -- a row of systems
    question TEXT,
    rewritten TEXT,
    data TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX receipts_id ON receipts (rid >> 32, id);
CREATE INDEX receipts_newest ON receipts (rid >> 32, created);
CREATE INDEX receipts_session ON receipts (session, created);
CREATE INDEX receipts_author ON receipts (author) WHERE author IS NOT NULL;
CREATE INDEX receipts_summary ON receipts (rid >> 32, summary) WHERE summary IS NOT NULL;
CREATE INDEX receipts_system ON receipts (system) WHERE system IS NOT NULL;
CREATE TABLE systems (                    -- system texts, each once: turns of a conversation share theirs
    no INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL,
    hash BLOB NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (owner, hash)
) STRICT;
CREATE INDEX messages_pinned ON messages (branch, seq) WHERE pinned = 1
"""


def add_pinned_artifacts(db: SqliteConnection) -> None:
    """An index of pinned facts: every prompt reads them, and there are few."""
    db.execute("CREATE INDEX artifacts_pinned ON artifacts (rid >> 32, kind, created) WHERE pinned = 1")


def add_keys(db: SqliteConnection) -> None:
    """API keys of the server, with only a hash of each secret."""
    db.execute(
        "CREATE TABLE keys (id TEXT PRIMARY KEY, digest TEXT NOT NULL, name TEXT NOT NULL, owner TEXT, tenant TEXT,"
        " scopes TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER) STRICT, WITHOUT ROWID"
    )


def add_blobs(db: SqliteConnection) -> None:
    """Bytes by name, for programs that store their own state. Rows have numbers, so that the keys of rows that are sent to a
    server reveal nothing."""
    db.execute(
        "CREATE TABLE blobs (no INTEGER PRIMARY KEY, owner INTEGER NOT NULL, session TEXT NOT NULL, name TEXT NOT NULL,"
        " revision INTEGER NOT NULL, author TEXT, content BLOB NOT NULL, UNIQUE (owner, session, name)) STRICT"
    )
    db.execute("CREATE INDEX blobs_author ON blobs (author) WHERE author IS NOT NULL")


def add_expired_sessions(db: SqliteConnection) -> None:
    """Whether a session was deleted by retention instead of by a user. NULL is allowed: rows from a ledger may lack it."""
    db.execute("ALTER TABLE sessions ADD COLUMN expired INTEGER")


MIGRATIONS: tuple[tuple[str, Callable[[SqliteConnection], None]], ...] = (
    ("0001-foundation", create_foundation),
    ("0002-vectors", add_vectors),
    ("0003-stretches", add_time_ranges),
    ("0004-artifacts", add_artifacts),
    ("0005-pinned-artifacts", add_pinned_artifacts),
    ("0006-keys", add_keys),
    ("0007-blobs", add_blobs),
    ("0008-expired-sessions", add_expired_sessions),
)


def migrate(
    db: SqliteConnection, migrations: tuple[tuple[str, Callable[[SqliteConnection], None]], ...] = MIGRATIONS
) -> None:
    """Migrate the store to this program's version."""
    refuse_foreign(db)
    if _is_new(db):
        _begin_store(db)
    known = [name for name, _ in migrations]
    if unknown := applied_migrations(db) - set(known):
        raise NewerStore(
            f"this store was written by a newer Keepsaid (it has {', '.join(sorted(map(str, unknown)))}): upgrade first"
        )
    for name, change in migrations:
        if name not in applied_migrations(db):
            _apply(db, name, change)


def refuse_foreign(db: SqliteConnection) -> None:
    """Raise `NotAStore` for a database that is neither ours nor empty."""
    # The tables are counted first: the first transaction of a store creates them together with the application id.
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0]
    if tables and db.pragma("application_id") != APPLICATION_ID:
        raise NotAStore("this is a database of another program; Keepsaid does not change it")


def applied_migrations(db: SqliteConnection) -> set[str]:
    """Return the names of the migrations that were applied to the store."""
    return {name for (name,) in db.execute("SELECT name FROM migrations")}


def _begin_store(db: SqliteConnection) -> None:
    with write_transaction(db):
        # Two processes may open a new file at the same time: the second one to get the lock finds the table created.
        if _is_new(db):
            db.pragma("application_id", APPLICATION_ID)
            db.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID")


def _apply(db: SqliteConnection, name: str, change: Callable[[SqliteConnection], None]) -> None:
    with write_transaction(db):
        if name not in applied_migrations(db):
            change(db)
            db.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))


@contextmanager
def write_transaction(db: SqliteConnection) -> Generator[None]:
    """Run the block in a write transaction."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _is_new(db: SqliteConnection) -> bool:
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0]
    return not tables and not db.pragma("application_id")
