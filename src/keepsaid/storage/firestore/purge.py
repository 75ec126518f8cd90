"""The purge by Firestore's TTL, a fallback for sessions that were deleted long ago and that no retention run has purged.

A session gets its purge time in the commit that deletes it. TTL removes documents one by one and skips subcollections, so
the messages need it, too. They get it after that commit, not in it, because there may be any number of them. Before a
session is restored, its messages lose it again. Sessions that a fork continues never get it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from keepsaid.errors import KeepsaidError
from keepsaid.storage.firestore.commit_placement import CommitPlacement
from keepsaid.storage.firestore.document_cache import SessionLocation, integer_column
from keepsaid.storage.firestore.document_names import DocumentPaths
from keepsaid.storage.firestore.documents import DELETED, KEY, PURGE_AT, row_from_document, to_datetime
from keepsaid.storage.firestore.errors import WriteConflict
from keepsaid.storage.firestore.gateway import DocumentWrite, Fields, FirestoreGateway
from keepsaid.storage.replica.ledger import LedgerRow


class PurgeScheduler:
    """Decides for one commit which sessions get a purge time, and copies it to their messages."""

    def __init__(
        self,
        gateway: FirestoreGateway,
        names: DocumentPaths,
        partition: str,
        days: int,
        rows: Sequence[LedgerRow],
        placing: CommitPlacement,
    ) -> None:
        self._gateway, self._names, self._partition, self._rows, self._placing = gateway, names, partition, rows, placing
        self._days = days
        self.purge_times: dict[int, datetime] = {}
        """The purge times of sessions that this commit deletes, or that were deleted before."""
        self._newly_deleted: list[int] = []
        self._restored: list[SessionLocation] = []
        self.continued = self._continued()
        """Deleted sessions that a fork now continues, so they must stay."""
        self._restored += self.continued
        self._find_changes()

    def _continued(self) -> list[SessionLocation]:
        found: list[SessionLocation] = []
        for row in self._rows:
            base = integer_column(row.columns, "base") if row.table == "branches" else None
            if base is None:
                continue
            number, place = self._placing.session_of_branch(base)
            if place is not None and place.status == DELETED and number != integer_column(row.columns, "session"):
                found.append(place)
        return found

    def _find_changes(self) -> None:
        forked: set[int] | None = None
        for row in self._rows:
            place = self._placing.session(row)
            if place is None:
                continue
            was = self._placing.previous_location(row)
            if place.status == DELETED:
                forked = self._forked() if forked is None else forked
                self._delete(row, forked, is_new=was is None or was.status != DELETED)
            elif was is not None and was.status == DELETED:
                self._restored.append(was)

    def _delete(self, row: LedgerRow, forked: set[int], *, is_new: bool) -> None:
        number, touched = int(row.key), to_datetime((row.columns or {}).get("touched"))
        if not self._days or touched is None or number in forked:
            return
        with suppress(OverflowError):
            self.purge_times[number] = touched + timedelta(days=self._days)
            if is_new:
                self._newly_deleted.append(number)

    def _forked(self) -> set[int]:
        """The sessions that a fork continues."""
        branches = self._gateway.select(self._names.rows(self._partition), [("table", "==", "branches")])
        rows = {
            row.key: row
            for row in [*map(row_from_document, branches), *(row for row in self._rows if row.table == "branches")]
        }
        homes = {int(key): integer_column(row.columns, "session") for key, row in rows.items() if row.columns is not None}
        bases = {(integer_column(row.columns, "base"), integer_column(row.columns, "session")) for row in rows.values()}
        found = {homes.get(base) for base, session in bases if base is not None and homes.get(base) != session}
        return {number for number in found if number is not None}

    def prepare(self) -> None:
        """Clear the purge time of messages of restored sessions, before the session itself is restored."""
        for place in self._restored:
            for page in self._gateway.pages(self._names.messages(place.document), KEY, only=[KEY, PURGE_AT]):
                marked = [one.path for one in page if one.fields.get(PURGE_AT) is not None]
                if marked:
                    self._gateway.commit([DocumentWrite("change", path, {PURGE_AT: None}) for path in marked])

    def finish(self, times: dict[str, Any]) -> None:
        """Set the purge time of messages of deleted sessions. If that fails, they stay until retention purges them."""
        for number in self._newly_deleted:
            place = self._placing.cache.sessions.get(number)
            if place is not None:
                with suppress(WriteConflict, KeepsaidError):
                    self._mark(place, {PURGE_AT: self.purge_times[number]}, times.get(self._names.session(place.document)))

    def _mark(self, place: SessionLocation, fields: Fields, time: Any) -> None:
        session = self._names.session(place.document)
        for page in self._gateway.pages(self._names.messages(place.document), KEY, only=[KEY]):
            # Each batch requires that the session has not changed: a restored session must not be marked.
            guard = DocumentWrite("change", session, fields, time)
            time = self._gateway.commit([guard, *(DocumentWrite("change", one.path, fields) for one in page)])[0]
