"""Append, read and mark messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepsaid.engine.messages.intake import has_same_content
from keepsaid.errors import MessageConflict
from keepsaid.ports import AppendPosition, ExpectedRevision, VisibleMessage
from keepsaid.storage.postgres import branches, partitions, rows
from keepsaid.storage.postgres.branches import PostgresBranchPosition
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.erase import privacy
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.types import Message, Microseconds, ReadWindow, Scope

APPEND = "SELECT * FROM keepsaid_append(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
READ = f"SELECT {rows.MESSAGE_COLUMNS} FROM keepsaid_read(%s, %s, %s, %s, %s, %s, %s, %s, %s) AS m"
_ONE = f"""
SELECT {rows.MESSAGE_COLUMNS}, l.at_branch FROM keepsaid_live(%s, %s, %s) AS s
CROSS JOIN LATERAL keepsaid_locate(s.unit, s.space, s.no, %s) AS l
LEFT JOIN messages AS m ON m.unit = %s AND m.space = %s AND m.branch = l.at_branch AND m.seq = l.at_seq"""
# LEFT: an inner join whose other side is empty may not call the functions, which raise `NotFound`.
_STORED = f"""
SELECT {rows.MESSAGE_COLUMNS}, b.session = s.no FROM sessions AS s
JOIN messages AS m ON m.unit = s.unit AND m.space = s.space AND m.id = ANY (%s)
JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
WHERE s.unit = %s AND s.space = %s AND s.id = %s"""

_MARK = """
UPDATE messages SET importance = coalesce(%s, importance), pinned = coalesce(%s, pinned)
WHERE unit = %s AND space = %s AND branch = %s AND seq = %s"""


def append_values(
    secret: bytes,
    scope: Scope,
    messages: Sequence[Message],
    now: Microseconds,
    anchor: AppendPosition,
    expected: ExpectedRevision,
) -> tuple[Any, ...]:
    """The arguments of `keepsaid_append`."""
    space = partitions.partition_key(scope)
    return (
        *space, partitions.acting_member(scope), scope.session, rows.messages_json(messages), len(messages),
        sum(message.tokens for message in messages), max((message.created for message in messages), default=now), now,
        partitions.hash_erased_ids(secret, space, [message.id for message in messages]), *anchor, *expected,
    )  # fmt: skip


def assign_positions(scope: Scope, messages: Sequence[Message], answer: Row) -> list[Message]:
    """The messages as stored, from what `keepsaid_append` returned: the last seq before them, and the leaf."""
    seq, parent = answer
    author, session = partitions.acting_member(scope), scope.session or ""
    made: list[Message] = []
    for message in messages:
        seq += 1
        made.append(message._replace(session=session, seq=seq, parent=parent, author=author))
        parent = seq
    return made


def append_missing(
    db: PostgresConnection,
    scope: Scope,
    messages: Sequence[Message],
    now: Microseconds,
    anchor: AppendPosition,
    expected: ExpectedRevision,
    again: bool,
) -> list[Message]:
    """Append the messages that are not stored yet. With `again`, an earlier attempt may have been committed: if all messages
    are stored, the expected state is not checked a second time."""
    space = partitions.partition_key(scope)
    ids = [message.id for message in messages]
    stored = {row[0]: row for row in db.execute(_STORED, (ids, *space, scope.session))}
    if not (again and messages and all(id in stored for id in ids)):
        db.together(*_refusals(db.secret, scope, ids, anchor, expected))
    new = _only_new(stored, messages)
    added: list[Message] = []
    if new or not messages:
        values = append_values(db.secret, scope, new, now, anchor, expected)
        added = assign_positions(scope, new, db.last(APPEND, values).fetchall()[0])
    known = {message.id: message for message in added}
    return [known.get(id) or rows.message_from_row(stored[id][:-1], scope.session or "") for id in ids]


def _refusals(
    secret: bytes, scope: Scope, ids: list[str], anchor: AppendPosition, expected: ExpectedRevision
) -> list[tuple[str, tuple[Any, ...]]]:
    """Statements that fail if the append must be refused, whether its messages are new or not."""
    space = partitions.partition_key(scope)
    live = "keepsaid_live(%s, %s, %s)"
    statements: list[tuple[str, tuple[Any, ...]]] = [
        (f"SELECT keepsaid_check({live}, %s, %s)", (*space, scope.session, expected.revision, expected.head)),
        ("SELECT keepsaid_refuse_erased(%s, %s, %s)", (*space, partitions.hash_erased_ids(secret, space, ids))),
    ]
    if anchor.message:
        located = f"SELECT keepsaid_locate(s.unit, s.space, s.no, %s) FROM {live} AS s"
        statements.append((located, (anchor.message, *space, scope.session)))
    return statements


def _only_new(stored: dict[str, Row], messages: Sequence[Message]) -> list[Message]:
    """The messages whose ids are not stored yet. Raise `MessageConflict` if an id is stored with other content."""
    new: dict[str, Message] = {}
    for message in messages:
        row = stored.get(message.id)
        if row and not row[-1]:
            raise MessageConflict(f"message id {message.id!r} is already used in another session")
        twin = rows.message_from_row(row[:-1], "") if row else new.get(message.id)
        if twin and not has_same_content(twin, message):
            raise MessageConflict(f"message id {message.id!r} is already used for a message with other content")
        if not twin:
            new[message.id] = message
    return list(new.values())


def read(scope: Scope, window: ReadWindow) -> PostgresReadOperation[list[Message]]:
    """Read messages of the active path, in order. The SQL function sets the partition by itself."""
    return single_statement_read(READ, _read_values(scope, window), lambda found: _in_order(found, scope, window))


def _read_values(scope: Scope, window: ReadWindow) -> tuple[Any, ...]:
    before = branches.MAX_SEQ if window.before is None else window.before
    return (
        *partitions.partition_key(scope), partitions.acting_member(scope), scope.session, window.after or 0, before,
        window.last, window.max_tokens, window.first,
    )  # fmt: skip


def _in_order(found: Sequence[Row], scope: Scope, window: ReadWindow) -> list[Message]:
    session = scope.session or ""
    return [rows.message_from_row(row, session) for row in (found if window.first is not None else reversed(found))]


def get(db: PostgresConnection, space: PartitionKey, scope: Scope, message: str) -> Message:
    """Read one message of the session, on any branch."""
    ((*row, _),) = db.last(_ONE, (*space, scope.session, message, *space)).fetchall()
    return rows.message_from_row(tuple(row), scope.session or "")


def fetch(db: PostgresConnection, space: PartitionKey, numbers: Sequence[int]) -> list[VisibleMessage]:
    """Read the owner's messages with these numbers; missing ones are left out."""
    wanted = list({number for number in numbers if 0 < number < branches.MAX_SEQ})
    found = db.last(
        f"SELECT {rows.MESSAGE_COLUMNS}, m.number, coalesce(s.id, '') FROM messages AS m"
        " LEFT JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch"
        " LEFT JOIN sessions AS s ON s.unit = m.unit AND s.space = m.space AND s.no = b.session"
        " WHERE m.unit = %s AND m.space = %s AND m.number = ANY (%s) ORDER BY m.number",
        (*space, wanted),
    )
    return [rows.seen_from_row(row[:-1], row[-1]) for row in found]


def mark(
    db: PostgresConnection,
    space: PartitionKey,
    scope: Scope,
    message: str,
    importance: float | None,
    pinned: bool | None,
    private: bool | None,
) -> Message:
    """Set a message's importance, pin or private flag."""
    one = (_ONE, (*space, scope.session, message, *space))
    (found,) = db.execute(*one).fetchall()
    place = PostgresBranchPosition(found[-1], found[1])
    if private is not None:
        privacy.set_private(db, space, place, private)
    *_, made = db.together(
        (_MARK, (importance, pinned, *space, *place)),
        partitions.record_change(space, "marked", scope.session, message),
        one,
        last=True,
    )
    return rows.message_from_row(made.fetchall()[0][:-1], scope.session or "")
