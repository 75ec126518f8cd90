"""The Firestore ledger: units as documents, each commit one atomic write of all that it changes.

    chat_sessions/{session}                    a session, readable
    chat_sessions/{session}/messages/{message} a message, readable
    recollect_units/{unit}                     a unit's header
    recollect_units/{unit}/rows/{table:key}    every other row
    recollect_units/{unit}/log/{revision}      what a commit changed, and its token

No transaction is needed to commit: the write names the state that it was computed from. The log document of the next
revision must not be there, and the header must not have been written since it was last seen. So a commit is one round trip,
nobody holds a lock, and one that is sent twice is kept once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recollect.errors import StoreUnavailable
from recollect.storage.firestore.address import Address, parse
from recollect.storage.firestore.atlas import Atlas, Atlases
from recollect.storage.firestore.commits import Commit, header_of, point_of
from recollect.storage.firestore.documents import LARGEST_DOCUMENT, OVERHEAD, check_sizes
from recollect.storage.firestore.faults import Clash
from recollect.storage.firestore.gateway import Gateway
from recollect.storage.firestore.loading import Loading
from recollect.storage.firestore.news import News
from recollect.storage.firestore.places import names_at
from recollect.storage.firestore.placing import Placing
from recollect.storage.firestore.purge import Purge
from recollect.storage.mirror.ledger import Delta, Header, Point, Row


class FirestoreLedger:
    """Keeps units in a Firestore database."""

    largest_message = LARGEST_DOCUMENT - OVERHEAD

    def __init__(self, address: Address) -> None:
        self._address = address
        self._names = names_at(address)
        self._gateway = Gateway(address)
        self._atlases = Atlases()
        self._news = News(self._gateway, self._names.units)
        self._commits = 0

    @classmethod
    def open(cls, url: str, environment: Mapping[str, str] = os.environ) -> FirestoreLedger:
        """The ledger that a URL names."""
        return cls(parse(url, environment))

    def headers(self, units: Sequence[str]) -> list[Header]:
        """The header of each unit."""
        paths = [self._names.unit(unit) for unit in units]
        found = self._gateway.get(paths)
        return [header_of(found[path].fields if path in found else None) for path in paths]

    def load(self, unit: str, since: Point) -> Delta:
        """The rows that changed behind a point, or all."""
        known = self._atlases.of(unit)
        loading = Loading(self._gateway, self._names, unit, known)
        delta = loading.since(since)
        self._atlases.keep(unit, loading.atlas, known)
        return delta

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        """Makes the next point of `after`, if the unit is there."""
        reached, end = Point(after.revision + 1, token), time.monotonic() + self._address.patience
        atlas = known = self._atlases.of(unit)
        while True:
            if atlas.point != after:
                atlas = self._look(unit)
            if atlas.point != after:
                return self._was_kept(unit, reached)
            try:
                self._atlases.keep(unit, self._send(unit, atlas, reached, rows, note), known)
                self._commits += 1
                return True
            except Clash as clash:
                self._atlases.forget(unit)
                if self._was_kept(unit, reached):
                    return True
                if time.monotonic() > end:
                    raise StoreUnavailable(
                        f"Firestore's documents kept changing while {unit} was written ({clash})"
                    ) from clash
                atlas = self._look(unit)

    def _look(self, unit: str) -> Atlas:
        path = self._names.unit(unit)
        found = self._gateway.get([path]).get(path)
        return Atlas(point_of(found.fields), found.time, complete=False) if found else Atlas()

    def _was_kept(self, unit: str, reached: Point) -> bool:
        path = self._names.change(unit, reached.revision)
        found = self._gateway.get([path]).get(path)
        return found is not None and point_of(found.fields) == reached

    def _send(self, unit: str, atlas: Atlas, reached: Point, rows: Sequence[Row], note: Mapping[str, Any]) -> Atlas:
        placing = Placing(self._gateway, self._names, unit, atlas, reached, rows)
        purge = Purge(self._gateway, self._names, unit, self._address.ttl_days, rows, placing)
        writes = Commit(self._names, unit, atlas, placing, purge).writes(rows, note, self._address.log)
        check_sizes(writes)
        purge.prepare()
        times = self._gateway.commit(writes)
        purge.finish({write.path: when for write, when in zip(writes, times, strict=True)})
        placing.atlas.time = times[1]
        return placing.atlas

    def units(self) -> Iterator[tuple[str, Header]]:
        """Every unit with its header."""
        for page in self._gateway.pages(self._names.units, "place"):
            for found in page:
                yield found.fields["unit"], header_of(found.fields)

    def stamp(self) -> object:
        """What this process has committed, and what was committed last."""
        return self._commits, self._news.stamp()

    def warnings(self) -> Sequence[str]:
        """That an emulator keeps nothing."""
        if self._address.emulator:
            return (f"the Firestore emulator at {self._address.emulator} keeps everything in memory only",)
        return ()

    def on_news(self, call: Callable[[], None]) -> None:
        """Calls after commits, also of other processes."""
        self._news.listen(call)

    def close(self) -> None:
        """Gives back connections; safe to call twice."""
        self._news.close()
        self._gateway.close()
