"""The purge by Firestore's TTL: only for what was deleted so long ago that nobody's retention can be at work any more.

A session gets the moment with the commit that deletes it. TTL removes documents one by one and skips subcollections, so its
messages get it as well: behind that commit, which it is no part of, since there may be any number of them. Before a session
comes back, they lose it again. What a fork continues never gets it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import RecollectError
from recollect.storage.firestore.atlas import Place, whole
from recollect.storage.firestore.documents import DELETED, KEY, PURGE, moment, plain_row
from recollect.storage.firestore.faults import Clash
from recollect.storage.firestore.gateway import Fields, Gateway, Write
from recollect.storage.firestore.places import Names
from recollect.storage.firestore.placing import Placing
from recollect.storage.mirror.ledger import Row


class Purge:
    """Says for one commit which sessions get the moment, and carries it to their messages."""

    def __init__(self, gateway: Gateway, names: Names, unit: str, days: int, rows: Sequence[Row], placing: Placing) -> None:
        self._gateway, self._names, self._unit, self._rows, self._placing = gateway, names, unit, rows, placing
        self._days = days
        self.moments: dict[int, datetime] = {}
        """Of sessions that are deleted with this commit, or were before."""
        self._marked: list[int] = []
        self._freed: list[Place] = []
        self.continued = self._continued()
        """Deleted sessions that another one continues from now on: they must stay."""
        self._freed += self.continued
        self._look()

    def _continued(self) -> list[Place]:
        found: list[Place] = []
        for row in self._rows:
            base = whole(row.columns, "base") if row.table == "branches" else None
            if base is None:
                continue
            number, place = self._placing.session_of_branch(base)
            if place is not None and place.status == DELETED and number != whole(row.columns, "session"):
                found.append(place)
        return found

    def _look(self) -> None:
        forked: set[int] | None = None
        for row in self._rows:
            place = self._placing.session(row)
            if place is None:
                continue
            was = self._placing.was(row)
            if place.status == DELETED:
                forked = self._forked() if forked is None else forked
                self._delete(row, forked, is_new=was is None or was.status != DELETED)
            elif was is not None and was.status == DELETED:
                self._freed.append(was)

    def _delete(self, row: Row, forked: set[int], *, is_new: bool) -> None:
        number, touched = int(row.key), moment((row.columns or {}).get("touched"))
        if not self._days or touched is None or number in forked:
            return
        with suppress(OverflowError):
            self.moments[number] = touched + timedelta(days=self._days)
            if is_new:
                self._marked.append(number)

    def _forked(self) -> set[int]:
        """The sessions that others continue."""
        branches = self._gateway.select(self._names.rows(self._unit), [("table", "==", "branches")])
        rows = {row.key: row for row in [*map(plain_row, branches), *(row for row in self._rows if row.table == "branches")]}
        homes = {int(key): whole(row.columns, "session") for key, row in rows.items() if row.columns is not None}
        bases = {(whole(row.columns, "base"), whole(row.columns, "session")) for row in rows.values()}
        found = {homes.get(base) for base, session in bases if base is not None and homes.get(base) != session}
        return {number for number in found if number is not None}

    def prepare(self) -> None:
        """Takes the moment from the messages of what comes back; they must be without it when it is there."""
        for place in self._freed:
            for page in self._gateway.pages(self._names.messages(place.document), KEY, only=[KEY, PURGE]):
                marked = [one.path for one in page if one.fields.get(PURGE) is not None]
                if marked:
                    self._gateway.commit([Write("change", path, {PURGE: None}) for path in marked])

    def finish(self, times: dict[str, Any]) -> None:
        """Gives the moment to the messages of what was deleted. If that fails, they stay until they are purged by us."""
        for number in self._marked:
            place = self._placing.atlas.sessions.get(number)
            if place is not None:
                with suppress(Clash, RecollectError):
                    self._mark(place, {PURGE: self.moments[number]}, times.get(self._names.session(place.document)))

    def _mark(self, place: Place, fields: Fields, time: Any) -> None:
        session = self._names.session(place.document)
        for page in self._gateway.pages(self._names.messages(place.document), KEY, only=[KEY]):
            # Each batch also wants the session not to have changed: what was restored meanwhile must not be marked.
            guard = Write("change", session, fields, time)
            time = self._gateway.commit([guard, *(Write("change", one.path, fields) for one in page)])[0]
