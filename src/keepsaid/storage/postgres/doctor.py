"""Consistency check: compares rows, keyword index and counters, and repairs them from the rows. Works across owners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from keepsaid.storage.postgres import rows
from keepsaid.storage.postgres.branches import MAX_SEQ
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row
from keepsaid.storage.postgres.search.keyword_index import CHUNK
from keepsaid.types.reports import CheckFinding, StoreDiagnosis

AT_ONCE = 5000
"""Messages whose terms are checked in one batch."""


def check(db: PostgresConnection, repair: bool) -> StoreDiagnosis:
    """Check everything in one transaction."""
    findings = [*_check_orphans(db, repair), *_check_terms(db, repair)]
    findings += [finding for rule in _RULES for finding in _check_rule(db, rule, repair)]
    tables = ("spaces", "sessions", "branches", "messages", "vectors", "artifacts", "receipts")
    counted = {table: db.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0] for table in tables}
    return StoreDiagnosis(counted, tuple(findings))


def rebuild_keywords(db: PostgresConnection) -> None:
    """Rebuild the terms of all messages and the keyword index."""
    for _ in _check_terms(db, repair=True):
        pass
    for statement in _MEND_POSTINGS:
        db.execute(statement)


# -- orphaned rows


def _orphan_condition(table: str, column: str, of: str, key: str) -> tuple[str, str]:
    """The condition for rows of a table that refer to a missing row."""
    same = f"SELECT 1 FROM {of} AS o WHERE o.unit = t.unit AND o.space = t.space AND o.{key} = t.{column}"
    return table, f"t.{column} IS NOT NULL AND NOT EXISTS ({same})"


_ORPHANS = (
    _orphan_condition("sessions", "space", "spaces", "space"),
    _orphan_condition("branches", "session", "sessions", "no"),
    _orphan_condition("messages", "branch", "branches", "no"),
    _orphan_condition("details", "session", "sessions", "no"),
    _orphan_condition("tags", "session", "sessions", "no"),
    _orphan_condition("vectors", "number", "messages", "number"),
    _orphan_condition("artifacts", "session", "sessions", "no"),
    _orphan_condition("rests", "message", "messages", "number"),
    _orphan_condition("rests", "artifact", "artifacts", "number"),
    _orphan_condition("artifact_terms", "artifact", "artifacts", "number"),
    _orphan_condition("receipts", "session", "sessions", "no"),
)


def _check_orphans(db: PostgresConnection, repair: bool) -> Iterator[CheckFinding]:
    for table, where in _ORPHANS:
        ((lost,),) = db.execute(f"SELECT count(*) FROM {table} AS t WHERE {where}").fetchall()
        if lost:
            if repair:
                db.execute(f"DELETE FROM {table} AS t WHERE {where}")
            yield CheckFinding("rows", f"{lost} rows of {table} refer to missing rows", repair)


# -- the terms of messages


_SOME = f"""
SELECT unit, space, number, text, extra, terms FROM messages
WHERE (unit, space, number) > (%s, %s, %s) ORDER BY unit, space, number LIMIT {AT_ONCE}"""
_SET = "UPDATE messages SET terms = %s WHERE unit = %s AND space = %s AND number = %s"


def _check_terms(db: PostgresConnection, repair: bool) -> Iterator[CheckFinding]:
    place: tuple[Any, ...] = ("", 0, 0)
    while some := db.execute(_SOME, place).fetchall():
        place = some[-1][:3]
        for unit, space, number, text, extra, terms in some:
            true = list(dict.fromkeys(rows.message_terms(text, extra)))
            if true != terms:
                if repair:
                    db.execute(_SET, (true, unit, space, number))
                yield CheckFinding("keywords", f"the terms of message {number} of {unit} do not match its text", repair)


# -- counters and duplicated data


class _ConsistencyRule(NamedTuple):
    """A consistency rule: a query for violations, the text for each row of it, and the statements that repair them."""

    about: str
    found: str
    words: str
    repair_statements: Sequence[str]


def _check_rule(db: PostgresConnection, rule: _ConsistencyRule, repair: bool) -> Iterator[CheckFinding]:
    wrong: list[Row] = db.execute(rule.found).fetchall()
    if wrong and repair:
        for statement in rule.repair_statements:
            db.execute(statement)
    for row in wrong:
        yield CheckFinding(rule.about, rule.words.format(*row), repair)


_COUNTED_SPACES = """
SELECT p.unit, p.space, count(m.number) AS messages, coalesce(sum(m.tokens), 0)::bigint AS tokens,
    greatest(p.last, max(m.number)) AS last
FROM spaces AS p LEFT JOIN messages AS m ON m.unit = p.unit AND m.space = p.space GROUP BY p.unit, p.space"""
_WRONG_SPACES = f"""
SELECT p.unit, p.messages, p.tokens, c.messages, c.tokens FROM spaces AS p JOIN ({_COUNTED_SPACES}) AS c USING (unit, space)
WHERE (p.messages, p.tokens, p.last) IS DISTINCT FROM (c.messages, c.tokens, c.last)"""
_MEND_SPACES = f"""
UPDATE spaces AS p SET messages = c.messages, tokens = c.tokens, last = c.last FROM ({_COUNTED_SPACES}) AS c
WHERE p.unit = c.unit AND p.space = c.space"""

_OWN_BRANCHES = "SELECT {} FROM branches AS b WHERE b.unit = s.unit AND b.space = s.space AND b.session = s.no"
_WITHOUT = f"NOT EXISTS ({_OWN_BRANCHES.format('1')} AND b.no = s.branch)"
_WRONG_ACTIVE = f"SELECT s.id, s.branch FROM sessions AS s WHERE {_WITHOUT}"
_ADD_BRANCH = f"""
INSERT INTO branches SELECT s.unit, s.space, s.branch, s.no, NULL, 0, 0, 0 FROM sessions AS s
WHERE NOT EXISTS ({_OWN_BRANCHES.format("1")})"""
_MEND_ACTIVE = f"UPDATE sessions AS s SET branch = ({_OWN_BRANCHES.format('max(b.no)')}) WHERE {_WITHOUT}"

_ON_PATH = f"""
SELECT count(*) AS messages, coalesce(sum(m.tokens), 0)::bigint AS tokens, coalesce(max(m.seq), 0) AS leaf
FROM keepsaid_path({{0}}.unit, {{0}}.space, {{1}}, {MAX_SEQ}) AS p JOIN messages AS m
ON m.unit = {{0}}.unit AND m.space = {{0}}.space AND m.branch = p.branch AND m.seq <= p.upto"""
_COUNTED_SESSIONS = f"""
SELECT s.unit, s.space, s.no, c.* FROM sessions AS s CROSS JOIN LATERAL ({_ON_PATH.format("s", "s.branch")}) AS c
WHERE (s.messages, s.tokens, s.leaf) IS DISTINCT FROM (c.messages, c.tokens, c.leaf)"""
_WRONG_SESSIONS = f"""
SELECT s.id, s.messages, s.tokens, c.messages, c.tokens FROM sessions AS s JOIN ({_COUNTED_SESSIONS}) AS c
ON c.unit = s.unit AND c.space = s.space AND c.no = s.no"""
_MEND_SESSIONS = f"""
UPDATE sessions AS s SET messages = c.messages, tokens = c.tokens, leaf = c.leaf, head = greatest(head, c.leaf)
FROM ({_COUNTED_SESSIONS}) AS c WHERE s.unit = c.unit AND s.space = c.space AND s.no = c.no"""

_COUNTED_BRANCHES = f"""
SELECT b.unit, b.space, b.no, c.messages, c.tokens FROM branches AS b
JOIN sessions AS s ON s.unit = b.unit AND s.space = b.space AND s.no = b.session AND s.branch <> b.no
CROSS JOIN LATERAL ({_ON_PATH.format("b", "b.no")}) AS c
WHERE (b.messages, b.tokens) IS DISTINCT FROM (c.messages, c.tokens)"""
_WRONG_BRANCHES = f"""
SELECT b.no, b.messages, c.messages FROM branches AS b JOIN ({_COUNTED_BRANCHES}) AS c
ON c.unit = b.unit AND c.space = b.space AND c.no = b.no"""
_MEND_BRANCHES = f"""
UPDATE branches AS b SET messages = c.messages, tokens = c.tokens FROM ({_COUNTED_BRANCHES}) AS c
WHERE b.unit = c.unit AND b.space = c.space AND b.no = c.no"""

_TRUE_POSTINGS = f"""
SELECT m.unit, m.space, t.term, m.number / {CHUNK} AS chunk,
    array_agg((m.number % {CHUNK})::smallint ORDER BY m.number) AS places
FROM messages AS m JOIN spaces AS p ON p.unit = m.unit AND p.space = m.space AND m.number <= p.indexed
CROSS JOIN LATERAL unnest(m.terms) AS t (term) GROUP BY 1, 2, 3, 4"""
_WRONG_POSTINGS = f"""
SELECT count(*), min(unit) FROM ({_TRUE_POSTINGS}) AS t FULL JOIN postings AS p USING (unit, space, term, chunk)
WHERE t.places IS DISTINCT FROM p.places HAVING count(*) > 0"""
_MEND_POSTINGS = (
    "DELETE FROM postings",
    f"INSERT INTO postings (unit, space, term, chunk, places) SELECT * FROM ({_TRUE_POSTINGS}) AS t",
)

_MEMBERS = """
SELECT 'o:' || g.owner AS unit, substr(g.unit, 3) AS pool, g.access, p.name
FROM grants AS g JOIN spaces AS p ON p.unit = g.unit AND p.space = 0"""
_WRONG_MEMBERS = f"""
SELECT pool, unit FROM ({_MEMBERS}) AS g FULL JOIN memberships AS m USING (unit, pool)
WHERE (g.access, g.name) IS DISTINCT FROM (m.access, m.name)"""
_MEND_MEMBERS = ("DELETE FROM memberships", f"INSERT INTO memberships SELECT * FROM ({_MEMBERS}) AS g")

_COUNTS = "counts {} messages and {} tokens; it has {} and {}"
_RULES = (
    _ConsistencyRule(
        "branches", _WRONG_ACTIVE, "session {!r} has no branch {}, its active one", (_ADD_BRANCH, _MEND_ACTIVE)
    ),
    _ConsistencyRule("counters", _WRONG_SPACES, f"{{}} {_COUNTS}", (_MEND_SPACES,)),
    _ConsistencyRule("counters", _WRONG_SESSIONS, f"session {{!r}} {_COUNTS}", (_MEND_SESSIONS,)),
    _ConsistencyRule("counters", _WRONG_BRANCHES, "branch {} counts {} messages, it has {}", (_MEND_BRANCHES,)),
    _ConsistencyRule(
        "keywords", _WRONG_POSTINGS, "{} entries of the keyword index are wrong, the first in {}", _MEND_POSTINGS
    ),
    _ConsistencyRule("grants", _WRONG_MEMBERS, "the grants of pool {!r} and of its member {!r} differ", _MEND_MEMBERS),
)
