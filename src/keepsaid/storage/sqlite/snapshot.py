"""Everything that a prompt needs of a session, read in one transaction: newest messages, pinned messages and summaries."""

from __future__ import annotations

from keepsaid.ports import SessionSnapshot
from keepsaid.storage.sqlite import artifacts, branches, messages, partitions, rows, sessions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types import ReadWindow, Scope

_COLUMNS = f"{rows.MESSAGE_COLUMNS}, m.rid"
_SEQ = 1

# Seqs only increase along a path, so each of its branches has the seqs after its own fork, up to where the next one starts.
_PATH = f"""
WITH RECURSIVE path (branch, base, after, upto) AS (
    SELECT no, base, fork, {branches.MAX_SEQ} FROM branches WHERE no = ?
    UNION ALL SELECT b.no, b.base, b.fork, path.after FROM path JOIN branches AS b ON b.no = path.base)"""
_PINNED = f"""{_PATH}
SELECT {_COLUMNS} FROM path CROSS JOIN messages AS m ON m.branch = path.branch AND m.seq <= min(path.upto, ?)
WHERE m.pinned = 1 ORDER BY m.seq"""


def snapshot(db: SqliteConnection, scope: Scope, window: ReadWindow) -> SessionSnapshot:
    """Return a snapshot of the session. The cost depends on what is returned, not on the length of the session."""
    state = branches.load_live_session(db, scope)
    tail = messages.read_window(db, state, window, _COLUMNS)
    start = tail[0][_SEQ] if tail else branches.MAX_SEQ
    pinned = db.execute(_PINNED, (state.branch, start - 1)).fetchall()
    low, _ = partitions.rid_range(state.owner)
    session = scope.session or ""
    summaries = artifacts.list_summaries(db, state.no)
    return SessionSnapshot(
        sessions.get(db, scope),
        [rows.seen_from_row(row, session, low) for row in tail],
        [rows.seen_from_row(row, session, low) for row in pinned],
        artifacts.summaries_on_path(db, summaries, _path(db, state)) if summaries else [],
    )


def _path(db: SqliteConnection, state: branches.SessionState) -> dict[int, tuple[int, int]]:
    """Return the active path as {branch: (after which seq, up to which seq)}."""
    found = db.execute(f"{_PATH} SELECT branch, after, upto FROM path", (state.branch,))
    return {branch: (after, upto) for branch, after, upto in found}
