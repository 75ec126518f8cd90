"""Read sessions with all their branches for an export, and insert them for an import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice

from keepsaid.errors import MessageConflict, NotFound
from keepsaid.ports import KnownMessageId, PlacedMessage, SessionTree
from keepsaid.storage.postgres import partitions, rows, sessions
from keepsaid.storage.postgres.branches import MAX_SEQ
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.types import Message, Microseconds, Scope

Statement = tuple[str, Values]

_SEGMENTS = f"""
WITH s AS MATERIALIZED (SELECT * FROM keepsaid_there(%(unit)s, %(space)s, %(session)s)),
segments AS MATERIALIZED (
    SELECT b.no AS branch, {MAX_SEQ} AS upto FROM s
    JOIN branches AS b ON b.unit = s.unit AND b.space = s.space AND b.session = s.no
    UNION ALL
    SELECT p.branch, p.upto FROM s CROSS JOIN LATERAL keepsaid_inherited(s.unit, s.space, s.no) AS p)"""
_MESSAGES = f"""{_SEGMENTS}
SELECT g.branch, h.id, before.at_seq, {rows.MESSAGE_COLUMNS} FROM segments AS g
JOIN branches AS b ON b.unit = %(unit)s AND b.space = %(space)s AND b.no = g.branch
JOIN sessions AS h ON h.unit = %(unit)s AND h.space = %(space)s AND h.no = b.session
CROSS JOIN LATERAL (SELECT * FROM messages AS m WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.branch = g.branch
    AND m.seq > %(after)s AND m.seq <= g.upto ORDER BY m.seq LIMIT %(limit)s) AS m
CROSS JOIN LATERAL keepsaid_last_place(%(unit)s, %(space)s, g.branch, %(after)s) AS before
ORDER BY g.branch, m.seq"""
_LEAF = f"""
SELECT m.id FROM keepsaid_there(%(unit)s, %(space)s, %(session)s) AS s
CROSS JOIN LATERAL keepsaid_last_place(s.unit, s.space, s.branch, {MAX_SEQ}) AS l
JOIN messages AS m ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = l.at_branch AND m.seq = l.at_seq"""
_HOMES = """
SELECT m.id, m.number, m.branch, m.seq, s.id FROM messages AS m
JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
JOIN sessions AS s ON s.unit = m.unit AND s.space = m.space AND s.no = b.session
WHERE m.unit = %s AND m.space = %s AND m.id = ANY (%s)"""
_INHERITED = """
SELECT p.branch, p.upto FROM keepsaid_there(%s, %s, %s) AS s
CROSS JOIN LATERAL keepsaid_inherited(s.unit, s.space, s.no) AS p"""
_ERASED = "SELECT mark FROM erased WHERE unit = %s AND mark = ANY (%s) UNION SELECT mark FROM graves WHERE mark = ANY (%s)"

_PLANTED = """
UPDATE sessions SET revision = revision + 1, updated = %s, touched = greatest(touched, %s)
WHERE unit = %s AND space = %s AND no = %s"""


def tree(db: PostgresConnection, space: PartitionKey, scope: Scope, after: int, limit: int) -> SessionTree:
    """Read up to `limit` messages of the session after a seq, on any branch. Reads at most `limit` of each branch."""
    values = {"unit": space.unit, "space": space.space, "session": scope.session, "after": after, "limit": limit}
    session, found_messages, leaf = db.together(
        (sessions.ONE, (*space, scope.session)), (_MESSAGES, values), (_LEAF, values), last=True
    )  # fmt: skip
    found = session.fetchone()
    if found is None:
        raise NotFound("no such session, or no access to it")
    by_branch: dict[int, list[Row]] = {}
    for row in found_messages:
        by_branch.setdefault(row[0], []).append(row)
    first = islice(merge(*map(_linked, by_branch.values()), key=lambda message: message.seq), limit)
    end = leaf.fetchone()
    return SessionTree(rows.session_from_row(found, scope), list(first), end[0] if end else None)


def _linked(found: Sequence[Row]) -> list[Message]:
    """Messages of one branch, each with the previous one on the path as its parent: the stored parent may be erased."""
    messages = [rows.message_from_row(row[3:], row[1] or "") for row in found]
    parents = [found[0][2] or 0, *(message.seq for message in messages)]
    return [message._replace(parent=parent) for message, parent in zip(messages, parents, strict=False)]


def known(
    db: PostgresConnection, space: PartitionKey, scope: Scope, ids: Sequence[str], *, last: bool = True
) -> dict[str, KnownMessageId]:
    """Find which of the message ids are not free for new messages of the session."""
    marks = dict(zip(partitions.hash_erased_ids(db.secret, space, list(ids)), ids, strict=True))
    statements: list[Statement] = [
        (_HOMES, (*space, list(ids))),
        (_ERASED, (space.unit, list(marks), list(marks))),
    ]
    if scope.session is not None:
        statements.append((_INHERITED, (*space, scope.session)))
    homes, erased, *inherited = db.together(*statements, last=last)
    segments = [row for some in inherited for row in some]
    gone = {marks[bytes(mark)] for (mark,) in erased}
    found: dict[str, KnownMessageId] = {}
    for id, number, branch, seq, home in homes:
        own = scope.session is not None and home == scope.session
        shown = own or any(branch == one and seq <= upto for one, upto in segments)
        found[id] = KnownMessageId("same_session" if shown else "other_session", number)
    return found | {id: KnownMessageId("erased") for id in gone if id not in found}


def plant(
    db: PostgresConnection,
    space: PartitionKey,
    scope: Scope,
    planted: Sequence[PlacedMessage],
    leaf: str | None,
    now: Microseconds,
    updated: Microseconds,
) -> None:
    """Insert messages, each after its parent, and make the active path end at `leaf`."""
    ids = [one.message.id for one in planted]
    ((number, head, active),) = db.execute(
        "SELECT no, head, updated FROM keepsaid_there(%s, %s, %s)", (*space, scope.session)
    ).fetchall()
    taken = [*known(db, space, scope, ids, last=False), *(id for id, count in Counter(ids).items() if count > 1)]
    if taken:
        raise MessageConflict(f"message id {taken[0]!r} is already used")
    steps: list[Statement] = []
    move = "SELECT keepsaid_move_to(%s, %s, %s, %s)"
    for parent, run in _runs(planted, head):
        steps.append((move, (*space, number, parent)))
        steps.append(_insert_statement(space, partitions.acting_member(scope), number, run, now))
    # A message may be older or newer than the session's own times: clocks differ.
    db.together(
        *steps,
        (move, (*space, number, leaf)),
        (_PLANTED, (max(active, updated), now, *space, number)),
        partitions.record_change(space, "session", scope.session),
        last=True,
    )


def _runs(planted: Sequence[PlacedMessage], head: int) -> Iterator[tuple[str | None, list[Message]]]:
    """Group messages that follow one another in path and seq, so that one insert adds them all."""
    run: list[Message] = []
    run_parent: str | None = None
    for message, parent in planted:
        if run and not (parent == run[-1].id and message.seq <= head + 1):
            yield run_parent, run
            run = []
        if not run:
            run_parent = parent
        run.append(message)
        head = max(head + 1, message.seq)
    if run:
        yield run_parent, run


def _insert_statement(
    space: PartitionKey, author: str | None, session: int, run: list[Message], now: Microseconds
) -> Statement:
    return (
        "SELECT keepsaid_insert(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, false)",
        (
            *space, session, author, rows.messages_json(run), len(run), sum(message.tokens for message in run),
            max(message.created for message in run), now, run[0].seq - 1,
        ),
    )  # fmt: skip
