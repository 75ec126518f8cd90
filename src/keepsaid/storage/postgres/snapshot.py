"""Everything a prompt needs of a session, read in one snapshot: newest messages, pinned messages and summaries."""

from __future__ import annotations

from keepsaid.ports import SessionSnapshot, SummaryCoverage, VisibleMessage
from keepsaid.storage.postgres import branches, rows
from keepsaid.storage.postgres.connection.database import Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.types import ReadWindow, Scope

_LIVE = "keepsaid_live(%(unit)s, %(space)s, %(session)s) AS s"
_PATH = f"keepsaid_path(%(unit)s, %(space)s, s.branch, {branches.MAX_SEQ}) AS p"
_ON_PATH = "m.unit = %(unit)s AND m.space = %(space)s AND m.branch = p.branch AND m.seq > p.after AND m.seq <= p.upto"

_SESSION = f"""
SELECT {rows.SESSION_COLUMNS} FROM {_LIVE}
LEFT JOIN details AS d ON d.unit = %(unit)s AND d.space = %(space)s AND d.session = s.no"""
_TAIL = f"""
SELECT {rows.MESSAGE_COLUMNS}, m.number FROM {_LIVE} CROSS JOIN LATERAL keepsaid_window(
    %(unit)s, %(space)s, s.branch, %(after)s, %(before)s, %(last)s, %(max_tokens)s, %(first)s) AS m"""
_PINNED = f"""
SELECT {rows.MESSAGE_COLUMNS}, m.number FROM {_LIVE} CROSS JOIN LATERAL {_PATH} JOIN messages AS m ON {_ON_PATH}
WHERE m.pinned ORDER BY m.seq"""
_SUMMARIES = f"""
SELECT a.id, a.upto FROM {_LIVE}
JOIN artifacts AS a ON a.unit = %(unit)s AND a.space = %(space)s AND a.session = s.no AND a.kind = 0
WHERE EXISTS (SELECT 1 FROM {_PATH} JOIN messages AS m ON {_ON_PATH} AND m.seq = a.upto) ORDER BY a.upto"""


def snapshot(space: PartitionKey, scope: Scope, window: ReadWindow) -> PostgresReadOperation[SessionSnapshot]:
    """Read the session's snapshot. Cost depends on what is returned, not on the session's length."""
    values = {
        **space._asdict(),
        "session": scope.session,
        "after": window.after or 0,
        "before": branches.MAX_SEQ if window.before is None else window.before,
        "last": window.last,
        "max_tokens": window.max_tokens,
        "first": window.first,
    }

    def made(answers: list[list[Row]]) -> SessionSnapshot:
        (session,), newest, pins, summaries = answers
        tail = sorted((rows.seen_from_row(row, scope.session or "") for row in newest), key=_seq)
        start = tail[0].message.seq if tail else branches.MAX_SEQ
        pinned = [seen for row in pins if (seen := rows.seen_from_row(row, scope.session or "")).message.seq < start]
        return SessionSnapshot(
            rows.session_from_row(session, scope), tail, pinned, [SummaryCoverage(*row) for row in summaries]
        )

    return PostgresReadOperation(tuple((statement, values) for statement in (_SESSION, _TAIL, _PINNED, _SUMMARIES)), made)


def _seq(seen: VisibleMessage) -> int:
    return seen.message.seq
