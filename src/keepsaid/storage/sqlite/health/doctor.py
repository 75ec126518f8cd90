"""The consistency check: rows, keyword index and counters are compared with each other, and repaired from the rows.

Messages are the source of truth; everything else can be rebuilt from them. SQLite's own integrity check does not cover the
content of FTS5, so the index is told to check itself against the messages' texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import apsw

from keepsaid.engine.text import terms
from keepsaid.storage.sqlite import artifacts, branches, partitions, rows
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.health import check_artifacts, check_vectors
from keepsaid.storage.sqlite.search import keyword_index, time_ranges
from keepsaid.types.reports import CheckFinding, StoreDiagnosis

Check = Callable[[SqliteConnection, bool], Iterator[CheckFinding]]


def check(db: SqliteConnection, repair: bool) -> StoreDiagnosis:
    """Check everything in one transaction. If the file itself is damaged, the other checks are skipped as unreliable."""
    findings = list(_file(db, repair))
    if any(not finding.repaired for finding in findings):
        return StoreDiagnosis({}, tuple(findings))
    findings += [finding for look in CHECKS for finding in look(db, repair)]
    counted = {
        table: db.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        for table in ("owners", "sessions", "branches", "messages", "vectors", "artifacts", "receipts")
    }
    return StoreDiagnosis(counted, tuple(findings))


def rebuild_keywords(db: SqliteConnection) -> None:
    """Rebuild the keyword index from the messages, and the index terms of artifacts from their texts."""
    db.execute("UPDATE owners SET indexed = 0, indexed_messages = 0, indexed_tokens = 0")
    db.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")
    db.execute("DELETE FROM stretches")
    for (owner,) in db.execute("SELECT no FROM owners").fetchall():
        keyword_index.index_tail(db, owner, partitions.last_message_number(db, owner))
    artifacts.rebuild_terms(db)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('terms', ?)", (terms.VERSION,))


def _file(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    # SQLite's check asks FTS5, which then uses its cached structure of the index. If another process has merged the index
    # since, FTS5 reports damage. Any FTS5 command makes it reload the structure; this one changes nothing.
    with suppress(apsw.CorruptError):
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 1)")
    for (problem,) in db.execute("PRAGMA integrity_check(20)"):
        if problem != "ok":
            indexes_only = repair and ("index" in problem or "entries" in problem)
            if indexes_only:
                db.execute("REINDEX")
            yield CheckFinding("file", problem, repaired=indexes_only)


def _keywords(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    try:
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('integrity-check', 1)")
        return
    except apsw.CorruptError as error:
        detail = f"the keyword index does not match the messages ({error})"
    if repair:
        rebuild_keywords(db)
    yield CheckFinding("keywords", detail, repair)


def _statistics(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    wrong = db.execute(
        "SELECT o.no, o.indexed_messages, o.indexed_tokens, count(m.rid), coalesce(sum(m.tokens), 0)"
        " FROM owners AS o LEFT JOIN messages AS m ON m.rid BETWEEN o.no << 32 AND o.indexed GROUP BY o.no"
        " HAVING o.indexed_messages <> count(m.rid) OR o.indexed_tokens <> coalesce(sum(m.tokens), 0)"
    ).fetchall()
    for owner, messages, _, true_messages, true_tokens in wrong:
        if repair:
            db.execute(
                "UPDATE owners SET indexed_messages = ?, indexed_tokens = ? WHERE no = ?",
                (true_messages, true_tokens, owner),
            )
        yield CheckFinding(
            "statistics", f"owner {owner}: counts {messages} indexed messages, but has {true_messages}", repair
        )


def _time_ranges(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    for owner in time_ranges.find_uncovered_owners(db):
        if repair:
            time_ranges.rebuild_ranges(db, owner)
        yield CheckFinding("time ranges", f"owner {owner}: a search by time would miss some messages", repair)


def _lost_owners(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check for rows of unknown owners. No other owner gets them: they are kept under a new owner name."""
    for (owner,) in db.execute(
        "SELECT owner FROM (SELECT owner FROM sessions UNION SELECT rid >> 32 FROM messages UNION SELECT owner FROM blobs)"
        " WHERE owner NOT IN (SELECT no FROM owners)"
    ).fetchall():
        if repair:
            db.execute("INSERT INTO owners (no, kind, id) VALUES (?, 0, ?)", (owner, f"recovered-{owner}"))
        yield CheckFinding("orphans", f"rows belong to owner {owner}, which does not exist", repair)


def _orphans(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check for messages without a branch and branches without a session. They get a new session, so nothing is lost."""
    for branch, owner, count in db.execute(
        "SELECT m.branch, min(m.rid >> 32), count(*) FROM messages AS m LEFT JOIN branches AS b ON b.no = m.branch"
        " WHERE b.no IS NULL GROUP BY m.branch"
    ).fetchall():
        if repair:
            still = db.execute("SELECT no FROM sessions WHERE branch = ?", (branch,)).fetchone()
            session = still[0] if still else _recovery_session(db, owner, branch)
            db.execute("INSERT INTO branches VALUES (?, ?, NULL, 0, 0, 0)", (branch, session))
        yield CheckFinding("orphans", f"{count} messages have lost their branch {branch}", repair)
    for branch, owner in db.execute(
        "SELECT b.no, coalesce((SELECT rid >> 32 FROM messages WHERE branch = b.no LIMIT 1), 0) FROM branches AS b"
        " LEFT JOIN sessions AS s ON s.no = b.session WHERE s.no IS NULL"
    ).fetchall():
        if repair and owner:
            session = _recovery_session(db, owner, branch)
            db.execute("UPDATE branches SET session = ? WHERE no = ?", (session, branch))
        elif repair:
            db.execute("DELETE FROM branches WHERE no = ?", (branch,))
        yield CheckFinding("orphans", f"branch {branch} has lost its session", repair)
    stray = "detailed <> EXISTS (SELECT 1 FROM details WHERE session = no)"
    for number, id in db.execute(f"SELECT no, id FROM sessions WHERE {stray}").fetchall():
        if repair:
            db.execute("UPDATE sessions SET detailed = 1 - detailed WHERE no = ?", (number,))
        yield CheckFinding("orphans", f"session {id!r} has a wrong flag for its details", repair)
    for table in ("details", "tags"):
        lost = f"FROM {table} WHERE session NOT IN (SELECT no FROM sessions)"
        (count,) = db.execute(f"SELECT count(*) {lost}").fetchall()[0]
        if count:
            if repair:
                db.execute(f"DELETE {lost}")
            yield CheckFinding("orphans", f"{count} rows in {table} belong to no session", repair)


def _recovery_session(db: SqliteConnection, owner: int, branch: int) -> int:
    db.execute(
        "INSERT INTO sessions (owner, id, status, created, updated, touched, pinned, revision, branch, head, leaf, messages,"
        " tokens) SELECT ?, ?, 0, t.first, t.last, t.now, 0, 1, ?, t.head, t.head, 0, 0"
        " FROM (SELECT min(created) AS first, max(created) AS last, max(seq) AS head,"
        "   unixepoch('now') * 1000000 AS now FROM messages WHERE branch = ?) AS t",
        (owner, f"recovered-{branch}", branch, branch),
    )
    return db.last_insert_rowid()


def _active_branches(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    for number, id, branch in db.execute("SELECT no, id, branch FROM sessions").fetchall():
        if not db.execute("SELECT 1 FROM branches WHERE no = ?", (branch,)).fetchone():
            if repair:
                db.execute("UPDATE sessions SET branch = ? WHERE no = ?", (_any_branch(db, number), number))
            yield CheckFinding("orphans", f"session {id!r} has lost its active branch", repair)


def _counters(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    for number, id, branch, head, leaf, messages, tokens in db.execute(
        "SELECT no, id, branch, head, leaf, messages, tokens FROM sessions"
    ).fetchall():
        true_messages, true_tokens = branches.count_path(db, branch)
        end = branches.find_last_position(db, branch)
        (highest,) = db.execute(
            "SELECT max(m.seq) FROM branches AS b JOIN messages AS m ON m.branch = b.no WHERE b.session = ?", (number,)
        ).fetchall()[0]
        true_leaf, true_head = end.seq if end else 0, max(head, highest or 0)
        if (messages, tokens, leaf, head) != (true_messages, true_tokens, true_leaf, true_head):
            if repair:
                db.execute(
                    "UPDATE sessions SET messages = ?, tokens = ?, leaf = ?, head = ? WHERE no = ?",
                    (true_messages, true_tokens, true_leaf, true_head, number),
                )
            yield CheckFinding(
                "counters",
                f"session {id!r} counts {messages} messages and {tokens} tokens; it has {true_messages} and {true_tokens}",
                repair,
            )
    yield from _branch_counters(db, repair)


def _branch_counters(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    for branch, messages, tokens in db.execute(
        "SELECT b.no, b.messages, b.tokens FROM branches AS b JOIN sessions AS s ON s.no = b.session AND s.branch <> b.no"
    ).fetchall():
        true = branches.count_path(db, branch)
        if true != (messages, tokens):
            if repair:
                db.execute("UPDATE branches SET messages = ?, tokens = ? WHERE no = ?", (*true, branch))
            yield CheckFinding("counters", f"branch {branch} counts {messages} messages, it has {true[0]}", repair)


def _any_branch(db: SqliteConnection, session: int) -> int:
    row = db.execute("SELECT max(no) FROM branches WHERE session = ?", (session,)).fetchone()
    return row[0] if row and row[0] else branches.add_branch(db, session, None, 0)


def _values(db: SqliteConnection, repair: bool) -> Iterator[CheckFinding]:
    """Check for JSON that cannot be parsed. It is wrapped, not deleted."""
    for table, key, column in (
        ("messages", "rid", "metadata"),
        ("messages", "rid", "extra"),
        ("details", "session", "metadata"),
        ("artifacts", "rid", "data"),
        ("receipts", "rid", "data"),
    ):
        for number, text in db.execute(
            f"SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL"
            f" AND NOT iif(json_valid({column}), json_type({column}) = 'object', 0)"
        ).fetchall():
            if repair:
                db.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {key} = ?",
                    (rows.pack_json({rows.DAMAGED_KEY: str(text)}), number),
                )
            yield CheckFinding("values", f"{column} of {table} row {number} is not JSON", repair)


CHECKS: tuple[Check, ...] = (
    _lost_owners,
    _orphans,
    _active_branches,
    _counters,
    _keywords,
    _statistics,
    _time_ranges,
    _values,
    check_vectors.check,
    check_artifacts.check,
)
