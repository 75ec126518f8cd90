"""The check-up: rows, keyword index and counters compared with each other, and mended from the rows.

Messages are the truth; everything else can be made from them. SQLite's own integrity check does not look into FTS5, so the
index is asked to check itself against the messages' texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import apsw

from recollect.engine import terms
from recollect.reports import Diagnosis, Finding
from recollect.storage.sqlite import (
    artifacts,
    branches,
    checkup_artifacts,
    checkup_vectors,
    keywords,
    rows,
    spaces,
    stretches,
)
from recollect.storage.sqlite.database import Database

Check = Callable[[Database, bool], Iterator[Finding]]


def check(db: Database, repair: bool) -> Diagnosis:
    """Looks at everything, in one transaction. If the file itself is damaged, nothing else it says can be trusted."""
    findings = list(_file(db, repair))
    if any(not finding.repaired for finding in findings):
        return Diagnosis({}, tuple(findings))
    findings += [finding for look in CHECKS for finding in look(db, repair)]
    counted = {
        table: db.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        for table in ("owners", "sessions", "branches", "messages", "vectors", "artifacts", "receipts")
    }
    return Diagnosis(counted, tuple(findings))


def rebuild_keywords(db: Database) -> None:
    """Makes the keyword index anew from the messages, and the words of artifacts from their texts."""
    db.execute("UPDATE owners SET indexed = 0, indexed_messages = 0, indexed_tokens = 0")
    db.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")
    db.execute("DELETE FROM stretches")
    for (owner,) in db.execute("SELECT no FROM owners").fetchall():
        keywords.index_tail(db, owner, spaces.last_number(db, owner))
    artifacts.rebuild_terms(db)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('terms', ?)", (terms.VERSION,))


def _file(db: Database, repair: bool) -> Iterator[Finding]:
    for (problem,) in db.execute("PRAGMA integrity_check(20)"):
        if problem != "ok":
            indexes_only = repair and ("index" in problem or "entries" in problem)
            if indexes_only:
                db.execute("REINDEX")
            yield Finding("file", problem, repaired=indexes_only)


def _keywords(db: Database, repair: bool) -> Iterator[Finding]:
    try:
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('integrity-check', 1)")
        return
    except apsw.CorruptError as error:
        detail = f"the keyword index does not match the messages ({error})"
    if repair:
        rebuild_keywords(db)
    yield Finding("keywords", detail, repair)


def _statistics(db: Database, repair: bool) -> Iterator[Finding]:
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
        yield Finding("statistics", f"owner {owner}: {messages} messages indexed by count, {true_messages} in fact", repair)


def _stretches(db: Database, repair: bool) -> Iterator[Finding]:
    for owner in stretches.missing(db):
        if repair:
            stretches.renew(db, owner)
        yield Finding("stretches", f"owner {owner}: a search by time would miss some messages", repair)


def _lost_owners(db: Database, repair: bool) -> Iterator[Finding]:
    """Sessions and messages of an owner who is not known: nobody else gets them; they are kept under a new name."""
    for (owner,) in db.execute(
        "SELECT owner FROM (SELECT owner FROM sessions UNION SELECT rid >> 32 FROM messages)"
        " WHERE owner NOT IN (SELECT no FROM owners)"
    ).fetchall():
        if repair:
            db.execute("INSERT INTO owners (no, kind, id) VALUES (?, 0, ?)", (owner, f"recovered-{owner}"))
        yield Finding("orphans", f"what belongs to owner {owner} has lost its owner", repair)


def _orphans(db: Database, repair: bool) -> Iterator[Finding]:
    """Messages without a branch, branches without a session: they get a session of their own, so that nothing is lost."""
    for branch, owner, count in db.execute(
        "SELECT m.branch, min(m.rid >> 32), count(*) FROM messages AS m LEFT JOIN branches AS b ON b.no = m.branch"
        " WHERE b.no IS NULL GROUP BY m.branch"
    ).fetchall():
        if repair:
            still = db.execute("SELECT no FROM sessions WHERE branch = ?", (branch,)).fetchone()
            session = still[0] if still else _recovery_session(db, owner, branch)
            db.execute("INSERT INTO branches VALUES (?, ?, NULL, 0, 0, 0)", (branch, session))
        yield Finding("orphans", f"{count} messages have lost their branch {branch}", repair)
    for branch, owner in db.execute(
        "SELECT b.no, coalesce((SELECT rid >> 32 FROM messages WHERE branch = b.no LIMIT 1), 0) FROM branches AS b"
        " LEFT JOIN sessions AS s ON s.no = b.session WHERE s.no IS NULL"
    ).fetchall():
        if repair and owner:
            session = _recovery_session(db, owner, branch)
            db.execute("UPDATE branches SET session = ? WHERE no = ?", (session, branch))
        elif repair:
            db.execute("DELETE FROM branches WHERE no = ?", (branch,))
        yield Finding("orphans", f"branch {branch} has lost its session", repair)
    stray = "detailed <> EXISTS (SELECT 1 FROM details WHERE session = no)"
    for number, id in db.execute(f"SELECT no, id FROM sessions WHERE {stray}").fetchall():
        if repair:
            db.execute("UPDATE sessions SET detailed = 1 - detailed WHERE no = ?", (number,))
        yield Finding("orphans", f"session {id!r} does not know of its details", repair)
    for table in ("details", "tags"):
        lost = f"FROM {table} WHERE session NOT IN (SELECT no FROM sessions)"
        (count,) = db.execute(f"SELECT count(*) {lost}").fetchall()[0]
        if count:
            if repair:
                db.execute(f"DELETE {lost}")
            yield Finding("orphans", f"{count} rows in {table} belong to no session", repair)


def _recovery_session(db: Database, owner: int, branch: int) -> int:
    db.execute(
        "INSERT INTO sessions (owner, id, status, created, updated, touched, pinned, revision, branch, head, leaf, messages,"
        " tokens) SELECT ?, ?, 0, t.first, t.last, t.now, 0, 1, ?, t.head, t.head, 0, 0"
        " FROM (SELECT min(created) AS first, max(created) AS last, max(seq) AS head,"
        "   unixepoch('now') * 1000000 AS now FROM messages WHERE branch = ?) AS t",
        (owner, f"recovered-{branch}", branch, branch),
    )
    return db.last_insert_rowid()


def _active_branches(db: Database, repair: bool) -> Iterator[Finding]:
    for number, id, branch in db.execute("SELECT no, id, branch FROM sessions").fetchall():
        if not db.execute("SELECT 1 FROM branches WHERE no = ?", (branch,)).fetchone():
            if repair:
                db.execute("UPDATE sessions SET branch = ? WHERE no = ?", (_any_branch(db, number), number))
            yield Finding("orphans", f"session {id!r} has lost its active branch", repair)


def _counters(db: Database, repair: bool) -> Iterator[Finding]:
    for number, id, branch, head, leaf, messages, tokens in db.execute(
        "SELECT no, id, branch, head, leaf, messages, tokens FROM sessions"
    ).fetchall():
        true_messages, true_tokens = branches.path_totals(db, branch)
        end = branches.last_place(db, branch)
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
            yield Finding(
                "counters",
                f"session {id!r} counts {messages} messages and {tokens} tokens; it has {true_messages} and {true_tokens}",
                repair,
            )
    yield from _branch_counters(db, repair)


def _branch_counters(db: Database, repair: bool) -> Iterator[Finding]:
    for branch, messages, tokens in db.execute(
        "SELECT b.no, b.messages, b.tokens FROM branches AS b JOIN sessions AS s ON s.no = b.session AND s.branch <> b.no"
    ).fetchall():
        true = branches.path_totals(db, branch)
        if true != (messages, tokens):
            if repair:
                db.execute("UPDATE branches SET messages = ?, tokens = ? WHERE no = ?", (*true, branch))
            yield Finding("counters", f"branch {branch} counts {messages} messages, it has {true[0]}", repair)


def _any_branch(db: Database, session: int) -> int:
    row = db.execute("SELECT max(no) FROM branches WHERE session = ?", (session,)).fetchone()
    return row[0] if row and row[0] else branches.add(db, session, None, 0)


def _values(db: Database, repair: bool) -> Iterator[Finding]:
    """JSON that cannot be read: it is wrapped, not thrown away."""
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
                    f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (rows.pack({rows.DAMAGED: str(text)}), number)
                )
            yield Finding("values", f"{column} of {table} row {number} is not JSON", repair)


CHECKS: tuple[Check, ...] = (
    _lost_owners,
    _orphans,
    _active_branches,
    _counters,
    _keywords,
    _statistics,
    _stretches,
    _values,
    checkup_vectors.check,
    checkup_artifacts.check,
)
