"""Visible messages: those on the active path of a session that is not deleted, and their neighbors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from keepsaid.ports import VisibleMessage
from keepsaid.storage.sqlite import branches, partitions, rows
from keepsaid.storage.sqlite.branches import SqliteBranchPosition
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.schema import NUMBER_MASK

ROW_QUERY = f"SELECT m.rid, m.branch, m.seq, {rows.MESSAGE_COLUMNS} FROM messages AS m"
"""Selects the position of a message, followed by the message columns."""
MESSAGE_START = 3
PARENT, ROLE, TEXT, TOKENS, IMPORTANCE, EXTRA = 5, 6, 7, 8, 10, 13
NO_PARENT = 0

_BY_RID = f"{ROW_QUERY} WHERE m.rid IN (SELECT value FROM json_each(?))"
_BESIDE = (
    f"{ROW_QUERY.replace(' FROM messages AS m', '')} FROM json_each(?1) AS j CROSS JOIN messages AS m"
    " WHERE m.branch = j.value ->> 0 AND m.seq BETWEEN (j.value ->> 1) - ?2 AND (j.value ->> 1) + ?2"
)


class MessageVisibility:
    """Determines which messages are visible, and in which session. With `among`, only these sessions are considered; with
    `expired`, also those that retention deleted."""

    def __init__(self, db: SqliteConnection, among: set[int] | None = None, *, expired: bool = False) -> None:
        self._db = db
        self._among = among
        self._expired = expired
        self._active: dict[int, tuple[int, str]] = {}
        self._leaves: dict[int, int] = {}
        self._loaded: set[int] = set()
        self._paths: dict[int, tuple[str, dict[int, int]]] = {}
        self._sessions: dict[int, list[int]] = {}

    def load_branches(self, some: Iterable[int]) -> None:
        """Look up many branches at once. Nearly all are the active branch of their session and need no further lookup."""
        new = set(some) - self._loaded
        if not new:
            return
        self._loaded |= new
        for branch, session, id, leaf in self._db.execute(
            "SELECT b.no, s.no, s.id, s.leaf FROM json_each(?) AS j CROSS JOIN branches AS b ON b.no = j.value"
            " CROSS JOIN sessions AS s ON s.no = b.session"
            " WHERE s.branch = b.no AND (s.status < 2 OR (? AND s.status = 2 AND s.expired = 1))",
            (json.dumps(list(new)), self._expired),
        ):
            if self._among is None or session in self._among:
                self._active[branch] = (session, id)
                self._leaves[branch] = leaf

    def is_active(self, branch: int) -> bool:
        """Whether a loaded branch is the active one of its session."""
        return branch in self._active

    def is_leaf(self, branch: int, seq: int) -> bool:
        """Whether the active path of a session ends with this message of a loaded branch."""
        return self._leaves.get(branch) == seq

    def find_session_id(self, branch: int, seq: int) -> str | None:
        """Return the id of the oldest session in which the message at a position is visible, or None."""
        if active := self._active.get(branch):  # nearly always
            return active[1]
        session = self.find_session(branch, seq)
        return None if session is None else session[1]

    def find_session(self, branch: int, seq: int) -> tuple[int, str] | None:
        """Return the number and id of that session. A fork is always newer than the session it continues."""
        if active := self._active.get(branch):
            return active
        for session in self._through(branch):
            id, path = self._path(session)
            if seq <= path.get(branch, 0):
                return session, id
        return None

    def list_segments(self, session: int) -> list[tuple[int, int]]:
        """Return the active path of a session as segments (branch, highest seq), from its end to the root."""
        return list(self._path(session)[1].items())

    def _through(self, branch: int) -> list[int]:
        """Return the sessions with a branch that continues this one, oldest first."""
        if branch not in self._sessions:
            found = self._db.execute(
                "WITH RECURSIVE above (no) AS"
                " (SELECT ? UNION SELECT b.no FROM above JOIN branches AS b ON b.base = above.no)"
                " SELECT DISTINCT b.session FROM above JOIN branches AS b ON b.no = above.no ORDER BY b.session",
                (branch,),
            )
            self._sessions[branch] = [no for (no,) in found if self._among is None or no in self._among]
        return self._sessions[branch]

    def _path(self, session: int) -> tuple[str, dict[int, int]]:
        if session not in self._paths:
            row = self._db.execute("SELECT id, branch, status, expired FROM sessions WHERE no = ?", (session,)).fetchone()
            shown = row is not None and (row[2] < 2 or (self._expired and row[2] == 2 and row[3] == 1))
            path = dict(branches.list_segments(self._db, row[1])) if row and shown else {}
            self._paths[session] = (row[0] if row else "", path)
        return self._paths[session]


def fetch_rows(db: SqliteConnection, rids: Iterable[int]) -> list[Row]:
    """Return the rows of these messages, as far as they exist."""
    return db.execute(_BY_RID, (json.dumps(list(rids)),)).fetchall()


def look(
    db: SqliteConnection, owner: int, numbers: Sequence[int], around: int, visibility: MessageVisibility
) -> list[VisibleMessage]:
    """Return the visible ones of these messages with their neighbors, each once and without private ones."""
    low, _ = partitions.rid_range(owner)
    asked_for = fetch_rows(db, {low + number for number in numbers if 0 < number <= NUMBER_MASK})
    found = {row[0]: row for row in asked_for if not rows.is_private(row[EXTRA])}
    visibility.load_branches(row[1] for row in found.values())
    asked = [
        SqliteBranchPosition(*row[1:MESSAGE_START])
        for row in found.values()
        if visibility.find_session_id(row[1], row[2]) is not None
    ]
    if around > 0 and asked:
        found |= {row[0]: row for row in _neighbors(db, visibility, asked, around)}
        visibility.load_branches(row[1] for row in found.values())
    return [
        VisibleMessage(rid - low, rows.message_from_row(row[MESSAGE_START:], session))
        for rid, row in found.items()
        if not rows.is_private(row[EXTRA]) and (session := visibility.find_session_id(row[1], row[2])) is not None
    ]


def _neighbors(
    db: SqliteConnection, visibility: MessageVisibility, places: list[SqliteBranchPosition], around: int
) -> list[Row]:
    """Return the messages up to `around` steps before and after each position, on the active path of its session.

    Neighbors mostly have adjacent seqs on the same active branch, so those are read together. Only where some are missing,
    at the ends of a branch or where a message was erased, the path is followed step by step.
    """
    found = db.execute(_BESIDE, (json.dumps([p for p in places if visibility.is_active(p.branch)]), around)).fetchall()
    there = {(row[1], row[2]): row for row in found}
    for place in places:
        for step in (-1, 1):
            if not _has_all_neighbors(visibility, there, place, step, around):
                found += _steps(db, visibility, place, step, around)
    return found


def _has_all_neighbors(
    visibility: MessageVisibility,
    there: Mapping[tuple[int, int], Row],
    place: SqliteBranchPosition,
    step: int,
    around: int,
) -> bool:
    """Whether all messages before or after a position are there, up to the end of its conversation."""
    seq, last = place.seq, place.seq + step * around
    while seq != last and (place.branch, seq + step) in there:
        seq += step
    if seq == last:
        return True
    if step > 0:
        return visibility.is_leaf(place.branch, seq)
    row = there.get((place.branch, seq))
    return row is not None and row[PARENT] == NO_PARENT


def _steps(
    db: SqliteConnection, visibility: MessageVisibility, place: SqliteBranchPosition, step: int, around: int
) -> list[Row]:
    """Return the next messages of a path, forwards or backwards."""
    session = visibility.find_session(*place)
    path = visibility.list_segments(session[0]) if session else []
    at = next(index for index, (branch, _) in enumerate(path) if branch == place.branch)
    found: list[Row] = []
    ahead = [(place.branch, path[at][1])] + (path[at + 1 :] if step < 0 else path[:at][::-1])
    for branch, upto in ahead:
        before, after = (min(upto, place.seq - 1), 0) if step < 0 else (upto, place.seq)
        found += db.execute(
            f"{ROW_QUERY} WHERE m.branch = ? AND m.seq <= ? AND m.seq > ?"
            f" ORDER BY m.seq {'DESC' if step < 0 else ''} LIMIT ?",
            (branch, before, after, around - len(found)),
        ).fetchall()
        if len(found) == around:
            break
    return found
