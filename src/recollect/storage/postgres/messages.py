"""Messages: added, read and marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.engine.intake import same_content
from recollect.errors import MessageConflict
from recollect.ports import Anchor, Expected, Seen
from recollect.storage.postgres import branches, privacy, rows, spaces
from recollect.storage.postgres.branches import Place
from recollect.storage.postgres.database import Database, Row
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.spaces import Space
from recollect.types import Message, Microseconds, Scope, Window

APPEND = "SELECT * FROM recollect_append(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
READ = f"SELECT {rows.MESSAGE} FROM recollect_read(%s, %s, %s, %s, %s, %s, %s, %s, %s) AS m"
_ONE = f"""
SELECT {rows.MESSAGE}, l.at_branch FROM recollect_live(%s, %s, %s) AS s
CROSS JOIN LATERAL recollect_locate(s.unit, s.space, s.no, %s) AS l
JOIN messages AS m ON m.unit = %s AND m.space = %s AND m.branch = l.at_branch AND m.seq = l.at_seq"""
_STORED = f"""
SELECT {rows.MESSAGE}, b.session = s.no FROM sessions AS s
JOIN messages AS m ON m.unit = s.unit AND m.space = s.space AND m.id = ANY (%s)
JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
WHERE s.unit = %s AND s.space = %s AND s.id = %s"""

_MARK = """
UPDATE messages SET importance = coalesce(%s, importance), pinned = coalesce(%s, pinned)
WHERE unit = %s AND space = %s AND branch = %s AND seq = %s"""


def append_values(
    secret: bytes, scope: Scope, messages: Sequence[Message], now: Microseconds, anchor: Anchor, expected: Expected
) -> tuple[Any, ...]:
    """What `recollect_append` is called with."""
    space = spaces.whose(scope)
    return (
        *space, spaces.member(scope), scope.session, rows.messages_json(messages), len(messages),
        sum(message.tokens for message in messages), max((message.created for message in messages), default=now), now,
        spaces.marks(secret, space, [message.id for message in messages]), *anchor, *expected,
    )  # fmt: skip


def placed(scope: Scope, messages: Sequence[Message], answer: Row) -> list[Message]:
    """The messages as they are stored, by what `recollect_append` answered: the last seq before them, and the leaf."""
    seq, parent = answer
    author, session = spaces.member(scope), scope.session or ""
    made: list[Message] = []
    for message in messages:
        seq += 1
        made.append(message._replace(session=session, seq=seq, parent=parent, author=author))
        parent = seq
    return made


def append_carefully(
    db: Database,
    scope: Scope,
    messages: Sequence[Message],
    now: Microseconds,
    anchor: Anchor,
    expected: Expected,
    again: bool,
) -> list[Message]:
    """Adds those of the messages that are not stored yet. With `again`, this call was perhaps done already: if so, what it
    believed of the session was true then, and is not asked again."""
    space = spaces.whose(scope)
    ids = [message.id for message in messages]
    stored = {row[0]: row for row in db.execute(_STORED, (ids, *space, scope.session))}
    if not (again and messages and all(id in stored for id in ids)):
        db.together(*_refusals(db.secret, scope, ids, anchor, expected))
    new = _only_new(stored, messages)
    added: list[Message] = []
    if new or not messages:
        values = append_values(db.secret, scope, new, now, anchor, expected)
        added = placed(scope, new, db.last(APPEND, values).fetchall()[0])
    known = {message.id: message for message in added}
    return [known.get(id) or rows.message(stored[id][:-1], scope.session or "") for id in ids]


def _refusals(
    secret: bytes, scope: Scope, ids: list[str], anchor: Anchor, expected: Expected
) -> list[tuple[str, tuple[Any, ...]]]:
    """Statements that fail where an append must be refused, whether its messages are new or not."""
    space = spaces.whose(scope)
    live = "recollect_live(%s, %s, %s)"
    statements: list[tuple[str, tuple[Any, ...]]] = [
        (f"SELECT recollect_check({live}, %s, %s)", (*space, scope.session, expected.revision, expected.head)),
        ("SELECT recollect_refuse_erased(%s, %s, %s)", (*space, spaces.marks(secret, space, ids))),
    ]
    if anchor.message:
        located = f"SELECT recollect_locate(s.unit, s.space, s.no, %s) FROM {live} AS s"
        statements.append((located, (anchor.message, *space, scope.session)))
    return statements


def _only_new(stored: dict[str, Row], messages: Sequence[Message]) -> list[Message]:
    """The messages whose ids are not stored yet; an id with other content is a conflict."""
    new: dict[str, Message] = {}
    for message in messages:
        row = stored.get(message.id)
        if row and not row[-1]:
            raise MessageConflict(f"message id {message.id!r} is taken by a message of another session")
        twin = rows.message(row[:-1], "") if row else new.get(message.id)
        if twin and not same_content(twin, message):
            raise MessageConflict(f"message id {message.id!r} is taken by a message with other content")
        if not twin:
            new[message.id] = message
    return list(new.values())


def read(scope: Scope, window: Window) -> Reading[list[Message]]:
    """Messages of the active path, in order. The function enters the unit by itself."""
    return reading(READ, _read_values(scope, window), lambda found: _in_order(found, scope, window))


def _read_values(scope: Scope, window: Window) -> tuple[Any, ...]:
    before = branches.END if window.before is None else window.before
    return (
        *spaces.whose(scope), spaces.member(scope), scope.session, window.after or 0, before, window.last,
        window.max_tokens, window.first,
    )  # fmt: skip


def _in_order(found: Sequence[Row], scope: Scope, window: Window) -> list[Message]:
    session = scope.session or ""
    return [rows.message(row, session) for row in (found if window.first is not None else reversed(found))]


def get(db: Database, space: Space, scope: Scope, message: str) -> Message:
    """One message of the session, on whatever branch."""
    ((*row, _),) = db.last(_ONE, (*space, scope.session, message, *space)).fetchall()
    return rows.message(tuple(row), scope.session or "")


def fetch(db: Database, space: Space, numbers: Sequence[int]) -> list[Seen]:
    """The owner's messages of these numbers, as far as they are there."""
    wanted = list({number for number in numbers if 0 < number < branches.END})
    found = db.last(
        f"SELECT {rows.MESSAGE}, m.number, coalesce(s.id, '') FROM messages AS m"
        " LEFT JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch"
        " LEFT JOIN sessions AS s ON s.unit = m.unit AND s.space = m.space AND s.no = b.session"
        " WHERE m.unit = %s AND m.space = %s AND m.number = ANY (%s) ORDER BY m.number",
        (*space, wanted),
    )
    return [rows.seen(row[:-1], row[-1]) for row in found]


def mark(
    db: Database,
    space: Space,
    scope: Scope,
    message: str,
    importance: float | None,
    pinned: bool | None,
    private: bool | None,
) -> Message:
    """Sets a message's importance or pin, or whether it may be remembered."""
    one = (_ONE, (*space, scope.session, message, *space))
    (found,) = db.execute(*one).fetchall()
    place = Place(found[-1], found[1])
    if private is not None:
        privacy.set_private(db, space, place, private)
    *_, made = db.together(
        (_MARK, (importance, pinned, *space, *place)),
        spaces.note(space, "marked", scope.session, message),
        one,
        last=True,
    )
    return rows.message(made.fetchall()[0][:-1], scope.session or "")
