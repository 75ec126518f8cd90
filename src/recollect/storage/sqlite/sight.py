"""What can be seen: messages on the active path of a session that is not deleted, and who stands beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from recollect.ports import Seen
from recollect.storage.sqlite import branches, rows, spaces
from recollect.storage.sqlite.branches import Place
from recollect.storage.sqlite.database import Database, Row
from recollect.storage.sqlite.schema import NUMBERS

ROW = f"SELECT m.rid, m.branch, m.seq, {rows.MESSAGE} FROM messages AS m"
"""Where a message is, and behind `PLACE` what it says."""
PLACE = 3
ROLE, TEXT, TOKENS, IMPORTANCE, EXTRA = 6, 7, 8, 10, 13

_BY_RID = f"{ROW} WHERE m.rid IN (SELECT value FROM json_each(?))"
_BESIDE = (
    f"{ROW.replace(' FROM messages AS m', '')} FROM json_each(?1) AS j CROSS JOIN messages AS m"
    " WHERE m.branch = j.value ->> 0 AND m.seq BETWEEN (j.value ->> 1) - ?2 AND (j.value ->> 1) + ?2"
)


class Sight:
    """Which messages can be seen, and in which session; with `among` only these sessions are looked at, with `expired` also
    those that retention deleted."""

    def __init__(self, db: Database, among: set[int] | None = None, *, expired: bool = False) -> None:
        self._db = db
        self._among = among
        self._expired = expired
        self._plain: dict[int, tuple[int, str]] = {}
        self._asked: set[int] = set()
        self._paths: dict[int, tuple[str, dict[int, int]]] = {}
        self._sessions: dict[int, list[int]] = {}

    def learn(self, some: Iterable[int]) -> None:
        """Looks up many branches at once. Nearly all are the active one of their own session, and then all is said."""
        new = set(some) - self._asked
        self._asked |= new
        for branch, session, id in self._db.execute(
            "SELECT b.no, s.no, s.id FROM json_each(?) AS j CROSS JOIN branches AS b ON b.no = j.value"
            " CROSS JOIN sessions AS s ON s.no = b.session"
            " WHERE s.branch = b.no AND (s.status < 2 OR (? AND s.status = 2 AND s.expired = 1))",
            (json.dumps(list(new)), self._expired),
        ):
            if self._among is None or session in self._among:
                self._plain[branch] = (session, id)

    def is_active(self, branch: int) -> bool:
        """Whether a branch that was learnt of is the active one of its own session."""
        return branch in self._plain

    def shows(self, branch: int, seq: int) -> str | None:
        """The id of the oldest session that shows the message there, or None."""
        session = self.shown_by(branch, seq)
        return None if session is None else session[1]

    def shown_by(self, branch: int, seq: int) -> tuple[int, str] | None:
        """The same session, by number and id. A fork is always younger than what it continues."""
        if plain := self._plain.get(branch):
            return plain
        for session in self._through(branch):
            id, path = self._path(session)
            if seq <= path.get(branch, 0):
                return session, id
        return None

    def segments(self, session: int) -> list[tuple[int, int]]:
        """The active path of a session, as ranges (branch, up to which seq) from its end to the root."""
        return list(self._path(session)[1].items())

    def _through(self, branch: int) -> list[int]:
        """Sessions with a branch that continues this one, oldest first."""
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
            path = dict(branches.segments(self._db, row[1])) if row and shown else {}
            self._paths[session] = (row[0] if row else "", path)
        return self._paths[session]


def fetch(db: Database, rids: Iterable[int]) -> list[Row]:
    """The rows of these messages, as far as they are there."""
    return db.execute(_BY_RID, (json.dumps(list(rids)),)).fetchall()


def look(
    db: Database,
    owner: int,
    numbers: Sequence[int],
    around: int,
    among: set[int] | None = None,
    *,
    expired: bool = False,
) -> list[Seen]:
    """Those of the messages that can be seen, with their neighbours; every message once, and no private one. `among` and
    `expired` say in which sessions to look."""
    low, _ = spaces.rid_range(owner)
    asked_for = fetch(db, {low + number for number in numbers if 0 < number <= NUMBERS})
    found = {row[0]: row for row in asked_for if not rows.is_private(row[EXTRA])}
    sight = Sight(db, among, expired=expired)
    sight.learn(row[1] for row in found.values())
    asked = [Place(*row[1:PLACE]) for row in found.values() if sight.shows(row[1], row[2]) is not None]
    if around > 0 and asked:
        found |= {row[0]: row for row in _neighbours(db, sight, asked, around)}
        sight.learn(row[1] for row in found.values())
    return [
        Seen(rid - low, rows.message(row[PLACE:], session))
        for rid, row in found.items()
        if not rows.is_private(row[EXTRA]) and (session := sight.shows(row[1], row[2])) is not None
    ]


def _neighbours(db: Database, sight: Sight, places: list[Place], around: int) -> list[Row]:
    """Messages up to so many steps before and behind each place, on the active path of the session that shows it.

    Neighbours mostly have the next numbers on the same active branch, so those are read together. Only where some are
    missing, at the ends of a branch and where something was erased, the path is followed step by step.
    """
    found = db.execute(_BESIDE, (json.dumps([p for p in places if sight.is_active(p.branch)]), around)).fetchall()
    there = {(row[1], row[2]) for row in found}
    for place in places:
        for step in (-1, 1):
            beside = ((place.branch, place.seq + step * distance) in there for distance in range(1, around + 1))
            if not all(beside):
                found += _steps(db, sight, place, step, around)
    return found


def _steps(db: Database, sight: Sight, place: Place, step: int, around: int) -> list[Row]:
    """The next messages of a path, forwards or backwards."""
    session = sight.shown_by(*place)
    path = sight.segments(session[0]) if session else []
    at = next(index for index, (branch, _) in enumerate(path) if branch == place.branch)
    found: list[Row] = []
    ahead = [(place.branch, path[at][1])] + (path[at + 1 :] if step < 0 else path[:at][::-1])
    for branch, upto in ahead:
        before, after = (min(upto, place.seq - 1), 0) if step < 0 else (upto, place.seq)
        found += db.execute(
            f"{ROW} WHERE m.branch = ? AND m.seq <= ? AND m.seq > ? ORDER BY m.seq {'DESC' if step < 0 else ''} LIMIT ?",
            (branch, before, after, around - len(found)),
        ).fetchall()
        if len(found) == around:
            break
    return found
