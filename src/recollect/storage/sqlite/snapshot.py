"""All that a context needs of a session, read at one moment: its newest messages, its pins, its summaries."""

from __future__ import annotations

from recollect.ports import Snapshot
from recollect.storage.sqlite import artifacts, branches, rows, sessions, spaces
from recollect.storage.sqlite import messages as said
from recollect.storage.sqlite.database import Database
from recollect.types import Scope, Window

_COLUMNS = f"{rows.MESSAGE}, m.rid"
_SEQ = 1

# Along a path the seqs only grow, so each branch of it has those behind its own fork, up to where the next one begins.
_PATH = f"""
WITH RECURSIVE path (branch, base, after, upto) AS (
    SELECT no, base, fork, {branches.END} FROM branches WHERE no = ?
    UNION ALL SELECT b.no, b.base, b.fork, path.after FROM path JOIN branches AS b ON b.no = path.base)"""
_PINNED = f"""{_PATH}
SELECT {_COLUMNS} FROM path CROSS JOIN messages AS m ON m.branch = path.branch AND m.seq <= min(path.upto, ?)
WHERE m.pinned = 1 ORDER BY m.seq"""


def snapshot(db: Database, scope: Scope, window: Window) -> Snapshot:
    """Costs what it returns: neither the length of the session nor what lies before the window matters."""
    state = branches.live(db, scope)
    tail = said.windowed(db, state, window, _COLUMNS)
    start = tail[0][_SEQ] if tail else branches.END
    pinned = db.execute(_PINNED, (state.branch, start - 1)).fetchall()
    low, _ = spaces.rid_range(state.owner)
    session = scope.session or ""
    made = artifacts.summaries(db, state.no)
    return Snapshot(
        sessions.get(db, scope),
        [rows.seen(row, session, low) for row in tail],
        [rows.seen(row, session, low) for row in pinned],
        artifacts.on_path(db, made, _path(db, state)) if made else [],
    )


def _path(db: Database, state: branches.State) -> dict[int, tuple[int, int]]:
    """The active path: of each branch, behind which seq and up to which."""
    found = db.execute(f"{_PATH} SELECT branch, after, upto FROM path", (state.branch,))
    return {branch: (after, upto) for branch, after, upto in found}
