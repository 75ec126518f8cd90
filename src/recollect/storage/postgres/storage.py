"""The storage itself: every verb is a function of a transaction, or a question that is asked in one exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from recollect.engine import terms
from recollect.errors import InvalidInput, RecollectError, StoreCorrupt
from recollect.ports import (
    ANYTHING,
    LEAF,
    NO_FILTERS,
    Anchor,
    Append,
    ArtifactQuery,
    Call,
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
from recollect.storage.audience import Audience
from recollect.storage.postgres import (
    artifacts,
    blobs,
    branches,
    directory,
    doctor,
    erasure,
    feed,
    figures,
    graphs,
    keyring,
    retention,
    sessions,
    spaces,
    transplant,
    upkeep,
    vectors,
    work,
)
from recollect.storage.postgres import messages as said
from recollect.storage.postgres import receipts as given
from recollect.storage.postgres.connection import Source, connect
from recollect.storage.postgres.database import Database
from recollect.storage.postgres.faults import SeenBefore, Uncertain, speaking_plainly
from recollect.storage.postgres.foresight import Foresight, Question
from recollect.storage.postgres.herald import Herald
from recollect.storage.postgres.index import PgvectorIndex
from recollect.storage.postgres.listener import Listener
from recollect.storage.postgres.migrations import open_store
from recollect.storage.postgres.questions import plain, question
from recollect.storage.postgres.reading import Reading
from recollect.storage.postgres.rows import LEVEL_NUMBER
from recollect.storage.postgres.spaces import Space
from recollect.storage.postgres.transactions import Store
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


class PostgresStorage:
    """Keeps conversations in a schema of a PostgreSQL database."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, source: Source) -> None:
        self._source = source
        db = connect(source)
        try:
            with speaking_plainly():
                opened = open_store(db, source)
        finally:
            db.close()
        self.store = Store(source, opened.extensions, opened.secret, opened.role)
        self._audience = Audience()
        self._commits = 0
        self.store.listen(self._count_commit)
        self._foresight = Foresight(self.store)
        self.store.listen(self._foresight.forget)
        self._index = PgvectorIndex(self.store, self._foresight)
        self._listener = Listener(source, self._audience.tell)
        self._herald = Herald(source)
        self.store.listen(self._herald.tell)
        self._work = work.Work(self.store)
        self._graphs = graphs.Graphs(self.store)
        self._usages = figures.Usages()
        try:
            if self.settle("terms", terms.VERSION) != terms.VERSION:
                self.store.change_all(lambda db: upkeep.renew_keywords(db, terms.VERSION))
        except BaseException:
            self.close()
            raise

    def _ask(self, scope: Scope, reading: Reading[Result]) -> Result:
        return self.store.read(spaces.whose(scope), spaces.member(scope), reading.run)

    def _answer(self, verb: str, *arguments: Any) -> Any:
        """The answer to a read that others may go along with."""
        call = plain(Call(verb, arguments))
        asked = question(call)
        assert asked is not None
        return self._foresight.ask(call, asked, lambda: self._alone(asked))

    def _alone(self, asked: Question) -> Any:
        return self.store.ask(asked.reading.run) if asked.scope is None else self._ask(asked.scope, asked.reading)

    def moment(self, scope: Scope) -> AbstractContextManager[None]:
        """While it lasts, this thread may be answered from what came along with other answers."""
        return self._foresight.moment()

    def foresee(self, *calls: Call) -> None:
        """Reads that will be wanted in this moment."""
        for call in map(plain, calls):
            if call.verb == "search":
                self._index.foresee(*call.arguments)
            elif (asked := question(call)) is not None:
                self._foresight.want(call, asked)

    def _read(self, scope: Scope, job: Callable[[Database, Space], Result]) -> Result:
        space = spaces.whose(scope)
        return self.store.read(space, spaces.member(scope), lambda db: job(db, space))

    def _change(self, scope: Scope, need: Access, job: Callable[[Database, Space], Result]) -> Result:
        space = spaces.whose(scope)
        return self.store.change(space, spaces.member(scope), LEVEL_NUMBER[need], lambda db: job(db, space))

    # -- sessions

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        return self._change(scope, Access.WRITE, lambda db, space: sessions.create(db, space, scope, session, fork))

    def get_session(self, scope: Scope) -> Session:
        return self._answer("get_session", scope)

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        return self._answer("list_sessions", scope, query)

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: Expected = ANYTHING
    ) -> Session:
        return self._change(scope, Access.WRITE, lambda db, space: sessions.update(db, space, scope, changes, now, expected))

    # -- messages

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: Anchor = LEAF,
        expected: Expected = ANYTHING,
    ) -> list[Message]:
        values = said.append_values(self.store.secret, scope, messages, now, anchor, expected)
        try:
            ((answer,),) = self.store.call((said.APPEND, values), changes=True)
        except SeenBefore:
            return self._append_carefully(scope, messages, now, anchor, expected, again=False)
        except Uncertain:
            return self._append_carefully(scope, messages, now, anchor, expected, again=True)
        return said.placed(scope, messages, answer)

    def _append_carefully(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: Anchor,
        expected: Expected,
        *,
        again: bool,
    ) -> list[Message]:
        try:
            return self._change(
                scope,
                Access.WRITE,
                lambda db, space: said.append_carefully(db, scope, messages, now, anchor, expected, again),
            )
        except SeenBefore:
            raise StoreCorrupt("the session's counters are wrong; `recollect doctor --repair` mends them") from None

    def append_each(self, appends: Sequence[Append]) -> list[list[Message] | RecollectError]:
        """All in one transaction. If one fails, or nobody knows, whose fault it is shows when each is tried alone."""
        again = False
        if len(appends) > 1:
            try:
                return self._append_together(appends)
            except Uncertain:
                again = True
            except RecollectError:
                pass
        return [self._append_alone(append, again) for append in appends]

    def _append_together(self, appends: Sequence[Append]) -> list[list[Message] | RecollectError]:
        # In one order for everybody, so that two batches do not wait for each other.
        order = sorted(range(len(appends)), key=lambda place: spaces.whose(appends[place].scope))
        calls = [
            (said.APPEND, said.append_values(self.store.secret, *appends[place], LEAF, ANYTHING)) for place in order
        ]  # fmt: skip
        answers = dict(zip(order, self.store.call(*calls, changes=True), strict=True))
        return [said.placed(scope, messages, answers[place][0]) for place, (scope, messages, _) in enumerate(appends)]

    def _append_alone(self, append: Append, again: bool) -> list[Message] | RecollectError:
        try:
            return self._append_carefully(*append, LEAF, ANYTHING, again=True) if again else self.append(*append)
        except RecollectError as error:
            return error

    def read(self, scope: Scope, window: Window) -> list[Message]:
        call = Call("read", (scope, window))
        asked = said.read(scope, window)
        # The function enters the unit by itself: alone, nothing else need be sent.
        return self._foresight.ask(
            call, Question(scope, asked), lambda: asked.made(self.store.call(*asked.statements, changes=False))
        )  # fmt: skip

    def get_message(self, scope: Scope, message: str) -> Message:
        return self._read(scope, lambda db, space: said.get(db, space, scope, message))

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[Seen]:
        return self._read(scope, lambda db, space: said.fetch(db, space, numbers))

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
        return self._change(
            scope, Access.WRITE, lambda db, space: said.mark(db, space, scope, message, importance, pinned, private)
        )

    def branches(self, scope: Scope) -> list[Branch]:
        return self._read(scope, lambda db, space: branches.listed(db, space, scope.session))

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> Tree:
        return self._read(scope, lambda db, space: transplant.tree(db, space, scope, after, limit))

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, Known]:
        return self._read(scope, lambda db, space: transplant.known(db, space, scope, ids))

    def plant(
        self, scope: Scope, messages: Sequence[Planted], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        self._change(scope, Access.WRITE, lambda db, space: transplant.plant(db, space, scope, messages, leaf, now, updated))

    def find(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Found:
        return self._answer("find", scope, terms, filters, limit)

    def look(self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: Filters = NO_FILTERS) -> list[Seen]:
        return self._answer("look", scope, numbers, around, filters)

    def numbers(self, scope: Scope, filters: Filters) -> list[int]:
        return self._answer("numbers", scope, filters)

    # -- vectors

    def begin_generation(self, name: str, dimensions: int) -> Generation:
        if dimensions < 1:
            raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
        known = {generation.name: generation for generation in self.generations()}.get(name)
        if known is not None and known.dimensions == dimensions:
            return known
        return self.store.change_all(lambda db: vectors.begin(db, name, dimensions))

    def generations(self) -> list[Generation]:
        return self._answer("generations")

    def drop_generation(self, name: str) -> int:
        return self.store.change_all(lambda db: vectors.drop(db, name))

    def coverage(self, name: str) -> Coverage:
        return self.store.ask_all(vectors.coverage(name).run)

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> Task | None:
        return self._work.claim(generation, holder, now, until, limit, scope)

    def settle_task(self, task: Task, passages: Sequence[Passage], now: Microseconds) -> bool:
        return self._work.settle(task, passages)

    def release(self, task: Task) -> None:
        self._work.release(task)

    def waiting(self, scope: Scope, generation: str) -> int:
        return self._answer("waiting", scope, generation)

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        return self._ask(scope, vectors.since(spaces.whose(scope), generation, since))

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[Passage]:
        return self._answer("passages", scope, generation, numbers)

    def index(self) -> PgvectorIndex:
        """An index that searches where the vectors are, and holds nothing in this process."""
        return self._index

    # -- blobs

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        self._change(scope, Access.WRITE, lambda db, space: erasure.keep_blobs(db, space, scope, contents, expected))

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        return self._ask(scope, blobs.read(scope, names))

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        return self._ask(scope, blobs.listed(scope, prefix, after, limit, backwards))

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        return self._change(scope, Access.WRITE, lambda db, space: erasure.drop_blobs(db, space, scope, prefix))

    def blob_sessions(self, scope: Scope) -> list[str]:
        return self._ask(scope, blobs.sessions(scope))

    # -- artifacts and receipts

    def begin_notes(self, line: str) -> None:
        self._work.begin_notes(line)

    def unnoted(self, line: str) -> int:
        return self.store.ask_all(work.unnoted(line).run)

    def settle_notes(self, task: Task, settled: Settled, now: Microseconds) -> bool:
        return self._work.settle_notes(task, settled)

    def snapshot(self, scope: Scope, window: Window) -> Snapshot:
        return self._answer("snapshot", scope, window)

    def keep_artifacts(self, scope: Scope, settled: Settled, now: Microseconds) -> None:
        self._change(scope, Access.WRITE, lambda db, space: artifacts.keep(db, space, settled))

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        return self._answer("artifacts", scope, query)

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        return self._change(scope, Access.WRITE, lambda db, space: erasure.discard(db, space, ids)).derived

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        self._change(scope, Access.READ, lambda db, space: given.keep(db, space, scope, receipts))

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        return self._ask(scope, given.one(scope, id))

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        return self._ask(scope, given.listed(scope, before, limit))

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        if not self.store.ask_all(given.any_older(before).run):
            return 0
        return self.store.change_all(lambda db: given.drop_older(db, before, limit))

    # -- erase and retention

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """What PostgreSQL still has of it (dead rows until it vacuums, its log, backups) is not ours: `erasure.py`."""
        if scope.session is None:
            tally = self._change(scope, Access.ADMIN, lambda db, space: erasure.erase_all(db, scope))
            self._graphs.look_soon()
            verified = self.store.ask_all(lambda db: erasure.verify(db, tally))
        else:
            need = Access.WRITE if message else Access.ADMIN
            tally = self._change(scope, need, lambda db, space: erasure.erase(db, space, scope, message))
            verified = self._read(scope, lambda db, space: erasure.verify(db, tally))
        return EraseReceipt(tally.sessions, tally.messages, tally.derived, verified, "")

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
        if dry_run:
            return self.store.ask_all(lambda db: retention.sweep(db, before, now, after, limit, True, keep_facts))
        return self.store.change_all(lambda db: retention.sweep(db, before, now, after, limit, False, keep_facts))

    # -- pools

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        space = Space(spaces.pool_unit(pool), 0)
        self.store.change(space, None, 0, lambda db: spaces.create_pool(db, pool, name, owner))

    def grant(self, pool: str, by: str, owner: str, access: Access | None, now: Microseconds) -> None:
        leaving = by == owner and access is None
        need = Access.READ if leaving else Access.ADMIN
        self._change(Scope(by, None, pool), need, lambda db, space: spaces.grant(db, pool, owner, access))

    def grants(self, owner: str, pool: str | None = None) -> list[Grant]:
        return self._read(Scope(owner, None, pool), lambda db, space: spaces.grants(db, owner, pool))

    # -- changes

    def last_mark(self, scope: Scope) -> Mark:
        return self._answer("last_mark", scope)

    def changes(self, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
        return self._read(scope, lambda db, space: feed.changes(db, space, since, limit))

    def last_marks(self, scopes: Sequence[Scope]) -> list[Mark | None]:
        return self.store.ask_all(lambda db: feed.last_marks(db, scopes))

    def stamp(self) -> object:
        """This process counts its own commits, and hears of others'. Where it cannot hear, it asks."""
        heard = self._listener.heard()
        return (self._commits, heard) if heard is not None else (self._commits, self.store.ask(upkeep.moment().run))

    def on_commit(self, call: Callable[[], None]) -> None:
        """Others' commits are told, too, once they are listened to."""
        self._audience.add(call)

    def _count_commit(self) -> None:
        self._commits += 1
        self._audience.tell()

    # -- upkeep

    def settle(self, key: str, value: str) -> str:
        kept = self.store.ask(upkeep.setting(key).run)
        return self.store.keep(lambda db: upkeep.settle(db, key, value)) if kept is None else kept

    def maintain(self) -> None:
        """Has the tables vacuumed that something was erased from, and large spaces given their graphs, if this user may."""
        if self.store.ask(upkeep.setting(erasure.TOUCHED).run) is not None:
            self.store.outside(f"VACUUM {', '.join(erasure.SPACE_TABLES)}")
            self.store.keep(lambda db: upkeep.forget(db, erasure.TOUCHED))
        self._graphs.keep_up()

    def check(self, *, repair: bool = False) -> Diagnosis:
        if repair:
            return self.store.change_all(lambda db: doctor.check(db, True))
        return self.store.ask_all(lambda db: doctor.check(db, False))

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
        if scope is None:
            return self.store.ask_all(figures.counted(None, since, until, step).run)
        return self._ask(scope, figures.counted(spaces.whose(scope), since, until, step))

    def usage(self, scope: Scope) -> Usage:
        return self._ask(scope, self._usages.of(spaces.whose(scope)))

    def keep_key(self, key: Key) -> None:
        self.store.keep(lambda db: keyring.keep(db, key))

    def key(self, id: str) -> Key | None:
        return self.store.ask(keyring.find(id).run)

    def keys(self) -> list[Key]:
        return self.store.ask(keyring.listed().run)

    def drop_key(self, id: str) -> bool:
        return self.store.keep(lambda db: keyring.drop(db, id))

    # -- everything, for a copy

    def everyone(self) -> Iterator[Scope]:
        return iter(self.store.ask_all(directory.everyone().run))

    def setting(self, key: str) -> str | None:
        return self.store.ask(upkeep.setting(key).run)

    def makers(self, scope: Scope) -> dict[str, str]:
        return self._ask_as_admin(scope, directory.makers(scope))

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        return self._ask_as_admin(scope, directory.all_receipts(scope))

    def done(self, scope: Scope, line: str) -> int:
        return self._ask_as_admin(scope, directory.done(scope, line))

    def _ask_as_admin(self, scope: Scope, reading: Reading[Result]) -> Result:
        return self.store.read(spaces.whose(scope), spaces.member(scope), reading.run, spaces.ADMIN)

    def close(self) -> None:
        self._herald.close()
        self._listener.close()
        self.store.close()
