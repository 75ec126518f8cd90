"""The tables and the row-level security between their users.

`sqlite/schema.py` explains how the tables relate: sessions are sets of branches, a branch holds messages and continues
another branch up to `fork`. Here, rows also name their partition. Every table of users' rows begins with `unit`: an owner
("o:" and the owner's id) or a pool ("p:" and its id). Nearly all continue with `space`: 0 for conversations, 1 for
documents. Numbers of messages, sessions, branches, artifacts and receipts count within (unit, space) and are assigned under
the lock of its row in `spaces`. So no statement of a user's verb reads outside its unit, and the tables can be partitioned,
or sharded over machines, by that column alone.

Row-level security is a second protection, also forced on the owner of the tables: a transaction sees only the unit that it
has set (`keepsaid.unit`). Work across owners runs as the role `keepsaid_maintenance`, whose policy allows all rows. If the
user that creates the store may not create roles, setting the unit to '*' replaces the role: that protects against a
forgotten condition, but not against a client that runs its own statements.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

from keepsaid.storage.postgres.connection.source import Connection, run_statements

ROLE = "keepsaid_maintenance"

_FIRST_TABLES = (
    "spaces", "sessions", "details", "tags", "branches", "messages", "postings", "grants", "memberships", "changes",
    "erased", "vectors", "work", "artifacts", "rests", "artifact_terms", "receipts", "systems",
)  # fmt: skip
UNIT_TABLES = (*_FIRST_TABLES, "blobs")
"""The tables of users' rows, all under row-level security."""

_FIRST_LARGE = ("messages", "postings", "changes", "vectors", "artifacts", "rests", "artifact_terms", "receipts")
LARGE_TABLES = (*_FIRST_LARGE, "blobs")
"""The tables that are split into table partitions, if the store has them."""


class StoreLayout(NamedTuple):
    """The layout of a new store."""

    schema: str
    partitions: int = 0
    """The number of table partitions of each large table; 0 for none."""
    has_role: bool = True
    """Whether the maintenance role exists and this user may take it."""


def create_foundation(db: Connection, plan: StoreLayout) -> None:
    """Create the first tables, their indexes and row-level security."""
    cut = "PARTITION BY HASH (unit)" if plan.partitions else ""
    run_statements(db, _FOUNDATION.replace("/*CUT*/", cut))
    role = ROLE if plan.has_role else ""
    settled = (("secret", secrets.token_hex(32)), ("partitions", str(plan.partitions)), ("role", role))
    for key, value in settled:
        run_statements(db, "INSERT INTO meta VALUES (%s, %s)", (key, value))
    parts = [part for table in _FIRST_LARGE for part in _table_partitions(table, plan.partitions)]
    run_statements(db, ";\n".join([*parts, *(_row_security(table, plan.has_role) for table in _FIRST_TABLES)]))
    if plan.has_role:
        run_statements(db, f"GRANT USAGE, CREATE ON SCHEMA {plan.schema} TO {ROLE}")
        run_statements(db, f"GRANT ALL ON ALL TABLES IN SCHEMA {plan.schema} TO {ROLE}")


_FOUNDATION = """
CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE graves (mark bytea PRIMARY KEY); -- what erased owners and pools had: keyed hashes, store-wide
CREATE TABLE generations (
    no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- never used twice: a follower of a dropped one must notice
    name text NOT NULL UNIQUE,
    dimensions integer NOT NULL,         -- 0 for a line of notes
    complete boolean NOT NULL            -- whether it has ever covered every message
);
CREATE TABLE keys (
    id text COLLATE "C" PRIMARY KEY, digest text NOT NULL, name text NOT NULL, owner text, tenant text, scopes text NOT NULL,
    created bigint NOT NULL, expires bigint
);
CREATE TABLE spaces (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,             -- 0 conversations, 1 documents
    no bigint GENERATED ALWAYS AS IDENTITY, -- of the whole store, never used twice: for work that goes across owners
    name text NOT NULL DEFAULT '',       -- a pool's name
    life bigint NOT NULL DEFAULT (random() * 4503599627370495)::bigint | 1, -- tells two owners of one name apart
    last bigint NOT NULL DEFAULT 0,      -- the highest message number ever given
    changes bigint NOT NULL DEFAULT 0,   -- the last number in the table changes
    sessions bigint NOT NULL DEFAULT 0,  -- the last numbers given to these
    branches bigint NOT NULL DEFAULT 0,
    artifacts bigint NOT NULL DEFAULT 0,
    receipts bigint NOT NULL DEFAULT 0,
    messages bigint NOT NULL DEFAULT 0,  -- how many there are, on whatever branch
    tokens bigint NOT NULL DEFAULT 0,    -- and what they have
    indexed bigint NOT NULL DEFAULT 0,   -- messages up to this number are in the table postings
    erasures boolean NOT NULL DEFAULT false, -- whether there are rows in erased
    reborn boolean NOT NULL DEFAULT false,   -- whether one of this name was erased before: then there are graves
    PRIMARY KEY (unit, space)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX spaces_no ON spaces (no);
CREATE TABLE sessions (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    no bigint NOT NULL,
    id text COLLATE "C",                             -- NULL for one that is purged
    status smallint NOT NULL,            -- 0 active, 1 archived, 2 deleted, 3 purged but for what a fork still shows
    created bigint NOT NULL,
    updated bigint NOT NULL,
    touched bigint NOT NULL,
    pinned boolean NOT NULL,
    revision bigint NOT NULL,
    branch bigint NOT NULL,              -- the active one
    head bigint NOT NULL,                -- the highest seq ever given
    leaf bigint NOT NULL,                -- the seq at which the active path ends
    messages bigint NOT NULL,            -- on the active path
    tokens bigint NOT NULL,
    title text,
    author text COLLATE "C",                         -- in a pool: who made it
    PRIMARY KEY (unit, space, no),
    UNIQUE (unit, space, id)
);
CREATE INDEX sessions_recent ON sessions (unit, space, status, updated DESC, id);
CREATE INDEX sessions_author ON sessions (author) WHERE author IS NOT NULL; -- to erase an author in all pools
CREATE TABLE details (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    session bigint NOT NULL,             -- apart from sessions, so that an append does not rewrite a long prompt
    system_prompt text,
    summary text,
    summarized bigint,
    tags text,                           -- JSON, as all that follows of that kind: it comes back as it was written
    metadata text,
    PRIMARY KEY (unit, space, session)
);
CREATE TABLE tags (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    tag text COLLATE "C" NOT NULL,
    session bigint NOT NULL,
    PRIMARY KEY (unit, space, tag, session)
);
CREATE TABLE branches (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    no bigint NOT NULL,
    session bigint NOT NULL,
    base bigint,
    fork bigint NOT NULL,                -- the seq up to which the base is part of the path
    messages bigint NOT NULL,            -- of the whole path, as it was when the branch was last active
    tokens bigint NOT NULL,
    PRIMARY KEY (unit, space, no)
);
CREATE INDEX branches_session ON branches (unit, space, session, no);
CREATE INDEX branches_base ON branches (unit, space, base) WHERE base IS NOT NULL;
CREATE TABLE messages (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    number bigint NOT NULL,
    branch bigint NOT NULL,
    seq bigint NOT NULL,
    parent bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    role smallint NOT NULL,
    tokens integer NOT NULL,
    created bigint NOT NULL,
    importance double precision NOT NULL,
    pinned boolean NOT NULL,
    author text COLLATE "C",                         -- in a pool: who wrote it
    metadata text,
    extra text,                          -- parts and tool calls, where there are any
    text text NOT NULL,
    terms text[] NOT NULL,               -- what the keyword index reads; none of a private message
    PRIMARY KEY (unit, space, number)
) /*CUT*/;
CREATE UNIQUE INDEX messages_path ON messages (unit, space, branch, seq);
CREATE UNIQUE INDEX messages_id ON messages (unit, space, id);
CREATE INDEX messages_author ON messages (author) WHERE author IS NOT NULL; -- to erase an author in all pools
CREATE INDEX messages_pinned ON messages (unit, space, branch, seq) WHERE pinned;
CREATE INDEX messages_created ON messages (unit, space, created);
CREATE TABLE postings (                  -- which messages have a term: up to spaces.indexed (`search/keyword_index.py`)
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    term text COLLATE "C" NOT NULL,
    chunk bigint NOT NULL,               -- so many numbers lie in one, `keyword_index.CHUNK`
    places smallint[] NOT NULL,          -- which of them
    PRIMARY KEY (unit, space, term, chunk)
) /*CUT*/;
CREATE TABLE grants (
    unit text COLLATE "C" NOT NULL,                  -- the pool's
    owner text COLLATE "C" NOT NULL,
    access smallint NOT NULL,
    PRIMARY KEY (unit, owner)
);
CREATE TABLE memberships (               -- the same by member, so that listing a member's pools reads one partition
    unit text COLLATE "C" NOT NULL,                  -- the member's
    pool text COLLATE "C" NOT NULL,
    access smallint NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (unit, pool)
);
CREATE TABLE changes (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    number bigint NOT NULL,
    messages bigint NOT NULL,            -- the number of the newest message then
    kind text NOT NULL,
    session text COLLATE "C",
    message text COLLATE "C",
    PRIMARY KEY (unit, space, number)
) /*CUT*/;
CREATE INDEX changes_session ON changes (unit, space, session);
CREATE INDEX changes_message ON changes (unit, space, message) WHERE message IS NOT NULL;
CREATE TABLE erased (                    -- ids that do not come back, while their owner is there; see graves
    unit text COLLATE "C" NOT NULL,
    mark bytea NOT NULL,
    PRIMARY KEY (unit, mark)
);
CREATE TABLE vectors (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    generation integer NOT NULL,
    number bigint NOT NULL,
    part integer NOT NULL,
    start integer NOT NULL,
    "end" integer NOT NULL,
    vector halfvec NOT NULL,
    tokens bytea,                        -- int8 rows of `width`; PostgreSQL keeps what is large apart by itself
    width integer NOT NULL DEFAULT 0,
    PRIMARY KEY (unit, space, generation, number, part)
) /*CUT*/;
ALTER TABLE vectors ALTER COLUMN tokens SET STORAGE EXTERNAL;
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE MAIN; -- in the row, however long: a search looks at every one
CREATE TABLE work (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    generation integer NOT NULL,
    upto bigint NOT NULL,                -- messages up to this number are done
    holder text COLLATE "C",                         -- who works on the next ones
    until bigint,                        -- and up to when nobody else may
    PRIMARY KEY (unit, space, generation)
);
CREATE INDEX work_held ON work (generation, holder) WHERE holder IS NOT NULL;
CREATE TABLE artifacts (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    number bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,              -- 0 a summary, 1 a fact, 2 a tool note, 3 a label
    session bigint,                      -- NULL for what was written by hand
    upto bigint NOT NULL,                -- a summary's: the seq at which what it covers ends
    tokens integer NOT NULL,
    created bigint NOT NULL,
    valid_from bigint NOT NULL,
    valid_to bigint,                     -- NULL while nothing newer has taken its place
    pinned boolean NOT NULL,
    data text,
    text text NOT NULL,
    PRIMARY KEY (unit, space, number)
) /*CUT*/;
CREATE UNIQUE INDEX artifacts_id ON artifacts (unit, space, id);
CREATE INDEX artifacts_newest ON artifacts (unit, space, kind, created);
CREATE INDEX artifacts_session ON artifacts (unit, space, session, kind, upto) WHERE session IS NOT NULL;
CREATE INDEX artifacts_pinned ON artifacts (unit, space, kind, created) WHERE pinned;
CREATE TABLE rests (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    artifact bigint NOT NULL,
    place integer NOT NULL,              -- keeps an artifact's sources in their order
    message bigint NOT NULL,             -- its number
    start integer NOT NULL,
    "end" integer NOT NULL,
    PRIMARY KEY (unit, space, artifact, place)
) /*CUT*/;
CREATE INDEX rests_message ON rests (unit, space, message);
CREATE TABLE artifact_terms (            -- of facts and tool notes, without stop words
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    term text COLLATE "C" NOT NULL,
    artifact bigint NOT NULL,
    PRIMARY KEY (unit, space, term, artifact)
) /*CUT*/;
CREATE INDEX artifact_terms_artifact ON artifact_terms (unit, space, artifact);
CREATE TABLE receipts (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    number bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    session bigint NOT NULL,
    created bigint NOT NULL,
    leaf bigint NOT NULL,
    author text COLLATE "C",                         -- in a pool: who asked
    summary text,                        -- the id of the summary that was given
    system bytea,                        -- the hash of a row of systems
    question text,
    rewritten text,
    data text NOT NULL,
    PRIMARY KEY (unit, space, number)
) /*CUT*/;
CREATE UNIQUE INDEX receipts_id ON receipts (unit, space, id);
CREATE INDEX receipts_newest ON receipts (unit, space, created);
CREATE INDEX receipts_session ON receipts (unit, space, session, created);
CREATE INDEX receipts_author ON receipts (author) WHERE author IS NOT NULL; -- to erase an author in all pools
CREATE INDEX receipts_summary ON receipts (unit, space, summary) WHERE summary IS NOT NULL;
CREATE INDEX receipts_system ON receipts (unit, space, system) WHERE system IS NOT NULL;
CREATE INDEX receipts_age ON receipts (created);
CREATE TABLE systems (                   -- system texts, each once: turns of a conversation share theirs
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    hash bytea NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (unit, space, hash)
)
"""


def add_blobs(db: Connection, plan: StoreLayout) -> None:
    """Add the table of blobs, for programs that store their own state. It has as many table partitions as the others."""
    kept = dict(run_statements(db, "SELECT key, value FROM meta WHERE key IN ('partitions', 'role')"))
    partitions, has_role = int(kept["partitions"]), bool(kept["role"])
    run_statements(db, _BLOBS.replace("/*CUT*/", "PARTITION BY HASH (unit)" if partitions else ""))
    run_statements(db, ";\n".join([*_table_partitions("blobs", partitions), _row_security("blobs", has_role)]))
    if has_role:
        run_statements(db, f"GRANT ALL ON blobs TO {ROLE}")


_BLOBS = """
CREATE TABLE blobs (
    unit text COLLATE "C" NOT NULL,
    space smallint NOT NULL,
    session text COLLATE "C" NOT NULL,   -- its id, '' for none: it need not be there
    name text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    author text COLLATE "C",             -- in a pool: who kept it
    content bytea NOT NULL,
    PRIMARY KEY (unit, space, session, name)
) /*CUT*/;
CREATE INDEX blobs_author ON blobs (author) WHERE author IS NOT NULL -- to erase an author in all pools
"""


def add_expired_sessions(db: Connection, plan: StoreLayout) -> None:
    """Add the column that tells whether retention deleted a session, and not a user."""
    run_statements(db, "ALTER TABLE sessions ADD COLUMN expired boolean NOT NULL DEFAULT false")


def _table_partitions(table: str, partitions: int) -> list[str]:
    return [
        f"CREATE TABLE {table}_{part} PARTITION OF {table} FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part})"
        for part in range(partitions)
    ]


def _row_security(table: str, has_role: bool) -> str:
    """The statements that enable row-level security on a table."""
    everyone = f"TO {ROLE} USING (true)" if has_role else "USING (current_setting('keepsaid.unit', true) = '*')"
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"
        f" CREATE POLICY own ON {table} USING (unit = current_setting('keepsaid.unit', true));"
        f" CREATE POLICY maintenance ON {table} {everyone}"
    )
