"""All that a context needs of a session, read at one moment: its newest messages, its pins, its summaries."""

from __future__ import annotations

from recollect.ports import Covered, Seen, Snapshot
from recollect.storage.postgres import branches, rows
from recollect.storage.postgres.database import Row
from recollect.storage.postgres.reading import Reading
from recollect.storage.postgres.spaces import Space
from recollect.types import Scope, Window

_LIVE = "recollect_live(%(unit)s, %(space)s, %(session)s) AS s"
_PATH = f"recollect_path(%(unit)s, %(space)s, s.branch, {branches.END}) AS p"
_ON_PATH = "m.unit = %(unit)s AND m.space = %(space)s AND m.branch = p.branch AND m.seq > p.after AND m.seq <= p.upto"

_SESSION = f"""
SELECT {rows.SESSION} FROM {_LIVE}
LEFT JOIN details AS d ON d.unit = %(unit)s AND d.space = %(space)s AND d.session = s.no"""
_TAIL = f"""
SELECT {rows.MESSAGE}, m.number FROM {_LIVE} CROSS JOIN LATERAL recollect_window(
    %(unit)s, %(space)s, s.branch, %(after)s, %(before)s, %(last)s, %(max_tokens)s, %(first)s) AS m"""
_PINNED = f"""
SELECT {rows.MESSAGE}, m.number FROM {_LIVE} CROSS JOIN LATERAL {_PATH} JOIN messages AS m ON {_ON_PATH}
WHERE m.pinned ORDER BY m.seq"""
_SUMMARIES = f"""
SELECT a.id, a.upto FROM {_LIVE}
JOIN artifacts AS a ON a.unit = %(unit)s AND a.space = %(space)s AND a.session = s.no AND a.kind = 0
WHERE EXISTS (SELECT 1 FROM {_PATH} JOIN messages AS m ON {_ON_PATH} AND m.seq = a.upto) ORDER BY a.upto"""


def snapshot(space: Space, scope: Scope, window: Window) -> Reading[Snapshot]:
    """Costs what it returns: neither the length of the session nor what lies before the window matters."""
    values = {
        **space._asdict(),
        "session": scope.session,
        "after": window.after or 0,
        "before": branches.END if window.before is None else window.before,
        "last": window.last,
        "max_tokens": window.max_tokens,
        "first": window.first,
    }

    def made(answers: list[list[Row]]) -> Snapshot:
        (session,), newest, pins, summaries = answers
        tail = sorted((rows.seen(row, scope.session or "") for row in newest), key=_seq)
        start = tail[0].message.seq if tail else branches.END
        pinned = [seen for row in pins if (seen := rows.seen(row, scope.session or "")).message.seq < start]
        return Snapshot(rows.session(session, scope), tail, pinned, [Covered(*row) for row in summaries])

    return Reading(tuple((statement, values) for statement in (_SESSION, _TAIL, _PINNED, _SUMMARIES)), made)


def _seq(seen: Seen) -> int:
    return seen.message.seq
