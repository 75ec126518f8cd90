"""A storage over any ledger: every verb is the mirror's, asked of the one unit that the scope acts on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.ports import (
    ANYTHING,
    LEAF,
    NO_FILTERS,
    Anchor,
    Append,
    ArtifactQuery,
    Counted,
    Coverage,
    Expected,
    Found,
    Generation,
    Key,
    Known,
    Passage,
    Planted,
    Seen,
    Settled,
    Snapshot,
    StoredReceipt,
    Sweep,
    Task,
    Tree,
    VectorDelta,
    VectorMark,
)
from recollect.reports import Diagnosis, EraseReceipt, Usage
from recollect.storage.mirror import notes, units
from recollect.storage.mirror.across import Across
from recollect.storage.mirror.ledger import Header, Ledger
from recollect.storage.mirror.mirror import Mirror
from recollect.storage.mirror.mirrors import KEPT, Mirrors
from recollect.types import (
    Access,
    Artifact,
    Blob,
    Branch,
    Change,
    Filters,
    Grant,
    Mark,
    Message,
    Microseconds,
    Scope,
    Session,
    SessionQuery,
    Status,
    Window,
)

Result = TypeVar("Result")


class MirrorStorage:
    """Keeps conversations in a ledger, and finds them in mirrors of it.

    A read asks the ledger for the unit's revision and brings the mirror there first. A write is computed on the mirror and
    kept by the ledger, unless somebody else was quicker: then it is computed again. What goes across owners is in `Across`.
    """

    def __init__(self, ledger: Ledger, folder: Path | None = None, key: str | bytes | None = None, kept: int = KEPT) -> None:
        self._ledger = ledger
        self._mirrors = Mirrors(ledger, folder, key, kept)
        self._across = Across(ledger, self._mirrors)
        self._commits = 0
        self._moment = threading.local()
        self._mirrors.listen(self._count_commit)

    def _count_commit(self) -> None:
        self._commits += 1

    @property
    def largest_message(self) -> int:
        return self._ledger.largest_message

    def warnings(self) -> Sequence[str]:
        """What whoever runs the place should know."""
        return self._ledger.warnings()

    def _read(self, scope: Scope, verb: Callable[[Mirror], Result]) -> Result:
        return self._read_unit(units.of(scope), verb)

    def _read_unit(self, unit: str, verb: Callable[[Mirror], Result]) -> Result:
        with self._mirrors.lend(unit) as mirror:
            mirror.catch_up(self._header_of_moment(unit))
            return verb(mirror)

    def _header_of_moment(self, unit: str) -> Header | None:
        headers: dict[str, Header | None] = getattr(self._moment, "headers", {})
        if unit in headers and headers[unit] is None:
            wanted = [one for one, header in headers.items() if header is None]
            headers.update(zip(wanted, self._ledger.headers(wanted), strict=True))
        return headers.get(unit)

    @contextmanager
    def moment(self, scope: Scope) -> Generator[None]:
        """The first read of this thread asks for the headers of the scope's unit and of the store's together, once for all.
        Nothing is asked before: a place that does not answer fails a read, which its reader may do without."""
        outer: dict[str, Header | None] = getattr(self._moment, "headers", {})
        self._moment.headers = {units.of(scope): None, units.STORE: None} | outer
        try:
            yield
        finally:
            self._moment.headers = outer

    def _write(self, scope: Scope, verb: Callable[[Mirror], Result]) -> Result:
        return self._write_unit(units.of(scope), verb)

    def _write_unit(self, unit: str, verb: Callable[[Mirror], Result]) -> Result:
        with self._mirrors.lend(unit) as mirror:
            return verb(mirror)

    # -- sessions

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        return self._write(scope, lambda mirror: mirror.create_session(scope, session, fork))

    def get_session(self, scope: Scope) -> Session:
        return self._read(scope, lambda mirror: mirror.get_session(scope))

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        return self._read(scope, lambda mirror: mirror.list_sessions(scope, query))

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: Expected = ANYTHING
    ) -> Session:
        return self._write(scope, lambda mirror: mirror.update_session(scope, changes, now, expected))

    # -- messages

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: Anchor = LEAF,
        expected: Expected = ANYTHING,
    ) -> list[Message]:
        return self._write(scope, lambda mirror: mirror.append(scope, messages, now, anchor, expected))

    def append_each(self, appends: Sequence[Append]) -> list[list[Message] | RecollectError]:
        made: dict[int, list[Message] | RecollectError] = {}
        by_unit: dict[str, list[int]] = {}
        for place, append in enumerate(appends):
            by_unit.setdefault(units.of(append.scope), []).append(place)
        for unit, places in by_unit.items():
            some = [appends[place] for place in places]
            made.update(zip(places, self._append_some(unit, some), strict=True))
        return [made[place] for place in range(len(appends))]

    def _append_some(self, unit: str, appends: list[Append]) -> list[list[Message] | RecollectError]:
        try:
            return self._write_unit(unit, lambda mirror: mirror.append_each(appends))
        except RecollectError as error:
            return [error for _ in appends]

    def read(self, scope: Scope, window: Window) -> list[Message]:
        return self._read(scope, lambda mirror: mirror.read(scope, window))

    def get_message(self, scope: Scope, message: str) -> Message:
        return self._read(scope, lambda mirror: mirror.get_message(scope, message))

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[Seen]:
        return self._read(scope, lambda mirror: mirror.fetch(scope, numbers))

    def mark(
        self,
        scope: Scope,
        message: str,
        now: Microseconds,
        *,
        importance: float | None = None,
        pinned: bool | None = None,
        private: bool | None = None,
    ) -> Message:
        return self._write(
            scope,
            lambda mirror: mirror.mark(scope, message, now, importance=importance, pinned=pinned, private=private),
        )

    def branches(self, scope: Scope) -> list[Branch]:
        return self._read(scope, lambda mirror: mirror.branches(scope))

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> Tree:
        return self._read(scope, lambda mirror: mirror.tree(scope, after, limit))

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, Known]:
        return self._read(scope, lambda mirror: mirror.known(scope, ids))

    def plant(
        self, scope: Scope, messages: Sequence[Planted], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        self._write(scope, lambda mirror: mirror.plant(scope, messages, leaf, now, updated))

    def find(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Found:
        return self._read(scope, lambda mirror: mirror.find(scope, terms, filters, limit))

    def look(self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: Filters = NO_FILTERS) -> list[Seen]:
        return self._read(scope, lambda mirror: mirror.look(scope, numbers, around, filters))

    def numbers(self, scope: Scope, filters: Filters) -> list[int]:
        return self._read(scope, lambda mirror: mirror.numbers(scope, filters))

    # -- vectors

    def begin_generation(self, name: str, dimensions: int) -> Generation:
        if dimensions < 1:
            raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
        return self._across.begin_generation(name, dimensions)

    def generations(self) -> list[Generation]:
        return self._read_unit(units.STORE, lambda store: store.generations())

    def drop_generation(self, name: str) -> int:
        return self._across.drop_generation(name)

    def coverage(self, name: str) -> Coverage:
        return self._across.coverage(name)

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> Task | None:
        return self._across.claim(generation, holder, now, until, limit, scope)

    def settle_task(self, task: Task, passages: Sequence[Passage], now: Microseconds) -> bool:
        settled = self._write(task.scope, lambda mirror: mirror.settle_task(task, passages, now))
        if settled:
            self._across.complete_if_done(task.generation)
        return settled

    def release(self, task: Task) -> None:
        self._write(task.scope, lambda mirror: mirror.release(task))

    def waiting(self, scope: Scope, generation: str) -> int:
        def count(mirror: Mirror) -> int:
            self._across.begin_here(mirror, generation)
            return mirror.waiting(scope, generation)

        return self._read(scope, count)

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        return self._read(scope, lambda mirror: mirror.vectors(scope, generation, since))

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[Passage]:
        return self._read(scope, lambda mirror: mirror.passages(scope, generation, numbers))

    # -- blobs

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        self._write(scope, lambda mirror: mirror.keep_blobs(scope, contents, expected))

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        return self._read(scope, lambda mirror: mirror.blobs(scope, names))

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        return self._read(scope, lambda mirror: mirror.list_blobs(scope, prefix, after, limit, backwards=backwards))

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        return self._write(scope, lambda mirror: mirror.drop_blobs(scope, prefix))

    def blob_sessions(self, scope: Scope) -> list[str]:
        return self._read(scope, lambda mirror: mirror.blob_sessions(scope))

    # -- artifacts and receipts

    def begin_notes(self, line: str) -> None:
        self._read_unit(units.STORE, lambda store: store.begin_notes(line))

    def unnoted(self, line: str) -> int:
        return self._across.unnoted(line)

    def settle_notes(self, task: Task, settled: Settled, now: Microseconds) -> bool:
        return self._write(task.scope, lambda mirror: mirror.settle_notes(task, settled, now))

    def snapshot(self, scope: Scope, window: Window) -> Snapshot:
        return self._read(scope, lambda mirror: mirror.snapshot(scope, window))

    def keep_artifacts(self, scope: Scope, settled: Settled, now: Microseconds) -> None:
        self._write(scope, lambda mirror: mirror.keep_artifacts(scope, settled, now))

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        return self._read(scope, lambda mirror: mirror.artifacts(scope, query))

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        return self._write(scope, lambda mirror: mirror.discard_artifacts(scope, ids))

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        self._write(scope, lambda mirror: mirror.keep_receipts(scope, receipts))

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        return self._read(scope, lambda mirror: mirror.receipt(scope, id))

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        return self._read(scope, lambda mirror: mirror.receipts(scope, before=before, limit=limit))

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        return self._across.drop_receipts(before, limit)

    # -- erase and retention

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        if scope.session is None and scope.pool is None and not scope.shelf:
            return self._across.erase_owner(scope, now)
        return self._read(scope, lambda mirror: mirror.erase(scope, message, now))

    def sweep(
        self,
        before: Mapping[Status, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool = False,
    ) -> Sweep:
        return self._across.sweep(before, now, after=after, limit=limit, dry_run=dry_run, keep_facts=keep_facts)

    # -- pools

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        self._write_unit(units.of_pool(pool), lambda mirror: mirror.create_pool(pool, name, owner, now))
        self._write_unit(units.of_owner(owner), lambda mirror: mirror.join(pool))

    def grant(self, pool: str, by: str, owner: str, access: Access | None, now: Microseconds) -> None:
        self._write_unit(units.of_pool(pool), lambda mirror: mirror.grant(pool, by, owner, access, now))
        if access is None:
            self._write_unit(units.of_owner(owner), lambda mirror: mirror.leave(pool))
        else:
            self._write_unit(units.of_owner(owner), lambda mirror: mirror.join(pool))

    def grants(self, owner: str, pool: str | None = None) -> list[Grant]:
        if pool is not None:
            return self._read_unit(units.of_pool(pool), lambda mirror: mirror.grants(owner, pool))
        known = self._read_unit(units.of_owner(owner), lambda mirror: mirror.pools())
        return [grant for one in known for grant in self._own_grants(owner, one)]

    def _own_grants(self, owner: str, pool: str) -> list[Grant]:
        try:
            return [grant for grant in self.grants(owner, pool) if grant.owner == owner]
        except NotFound:
            return []  # it is gone, or was taken away by somebody who did not get to tell

    # -- changes

    def last_mark(self, scope: Scope) -> Mark:
        return self._read(scope, lambda mirror: mirror.last_mark(scope))

    def changes(self, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
        return self._read(scope, lambda mirror: mirror.changes(scope, since, limit))

    def last_marks(self, scopes: Sequence[Scope]) -> list[Mark | None]:
        headers = self._ledger.headers([units.of(scope) for scope in scopes])
        return [
            notes.mark(header.note, scope) if scope.pool is None else self._mark_in_pool(scope)
            for scope, header in zip(scopes, headers, strict=True)
        ]

    def _mark_in_pool(self, scope: Scope) -> Mark | None:
        try:
            return self.last_mark(scope)
        except NotFound:
            return None

    def stamp(self) -> object:
        return self._commits, self._ledger.stamp()

    def on_commit(self, call: Callable[[], None]) -> None:
        self._mirrors.listen(call)
        self._ledger.on_news(call)

    # -- upkeep

    def settle(self, key: str, value: str) -> str:
        return self._read_unit(units.STORE, lambda store: store.settle(key, value))

    def maintain(self) -> None:
        self._mirrors.maintain()

    def check(self, *, repair: bool = False) -> Diagnosis:
        return self._across.check(repair=repair)

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
        if scope is None:
            return self._across.figures(since, until, step)
        return self._read(scope, lambda mirror: mirror.figures(scope, since, until, step))

    def usage(self, scope: Scope) -> Usage:
        return self._read(scope, lambda mirror: mirror.usage(scope))

    def keep_key(self, key: Key) -> None:
        self._write_unit(units.STORE, lambda store: store.keep_key(key))

    def key(self, id: str) -> Key | None:
        return self._read_unit(units.STORE, lambda store: store.key(id))

    def keys(self) -> list[Key]:
        return self._read_unit(units.STORE, lambda store: store.keys())

    def drop_key(self, id: str) -> bool:
        return self._write_unit(units.STORE, lambda store: store.drop_key(id))

    # -- everything, for a copy

    def everyone(self) -> Iterator[Scope]:
        return self._across.everyone()

    def setting(self, key: str) -> str | None:
        return self._read_unit(units.STORE, lambda store: store.setting(key))

    def makers(self, scope: Scope) -> dict[str, str]:
        return self._read(scope, lambda mirror: mirror.makers(scope))

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        return self._read(scope, lambda mirror: mirror.all_receipts(scope))

    def done(self, scope: Scope, line: str) -> int:
        return self._read(scope, lambda mirror: mirror.done(scope, line))

    def close(self) -> None:
        self._mirrors.close()
        self._ledger.close()
