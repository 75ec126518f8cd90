"""Copies of whole stores: equal in every backend, resumed after any interruption, and refused over conflicting data."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
import servers
from cli.shell import answer, assert_refused, call, start_command, wait_for
from redis_servers import redis_server
from rich_store import OWNERS, Careful, fill, open_memory, read_everything

import keepsaid
from keepsaid.errors import Conflict
from keepsaid.ports import NO_FILTERS, ArtifactChanges, Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.remote import open_remote
from keepsaid.storage.replica.encryption import EncryptedLedger
from keepsaid.storage.replica.memory_ledger import MemoryLedger
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing import ManualClock
from keepsaid.transfer.copy import NOT_COPIED, StoreCopier
from keepsaid.types import Artifact, PoolAccess, Scope

WRITING = """
create_session update_session append mark plant erase sweep create_pool grant settle begin_generation drop_generation claim
settle_task release begin_notes settle_notes keep_artifacts discard_artifacts keep_receipts drop_receipts keep_key drop_key
keep_blobs drop_blobs
""".split()


def file(path: Path) -> SqliteStorage:
    return SqliteStorage(SqliteSource(path, durable=False))


@pytest.fixture(scope="module")
def filled_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("copy") / "rich.db"
    with closing(file(path)) as storage:
        fill(storage, ManualClock())
    return path


@pytest.fixture
def rich(filled_store: Path, tmp_path: Path) -> Iterator[SqliteStorage]:
    (tmp_path / "rich.db").write_bytes(filled_store.read_bytes())
    with closing(file(tmp_path / "rich.db")) as storage:
        yield storage


class Spy:
    """A storage that counts what is written to it, and dies before it writes too much."""

    def __init__(self, storage: Storage, most: int) -> None:
        self._storage = storage
        self._most = most
        self.written = 0
        self.largest_message = storage.largest_message

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._storage, name)
        if name not in WRITING:
            return verb

        def counted(*arguments: Any, **options: Any) -> Any:
            if self.written >= self._most:
                raise Killed
            self.written += 1
            return verb(*arguments, **options)

        return counted


class Killed(BaseException):
    """Nothing of ours stands in its way."""


# -- everything


def test_copy_between_local_backends_keeps_all_data(rich: SqliteStorage, tmp_path: Path, clock: ManualClock) -> None:
    wanted = read_everything(rich, clock)
    stores: list[Storage] = [rich, ReplicaStorage(MemoryLedger()), file(tmp_path / "other.db"), MemoryStorage()]
    for source, target in pairwise(stores):
        same_after_copy(source, target, wanted, clock)
    for storage in stores[1:]:
        storage.close()


def same_after_copy(source: Storage, target: Storage, wanted: Any, clock: ManualClock) -> None:
    report = StoreCopier(source, target, clock=clock).copy()
    assert report.is_whole, (report.missing_items, report.differences)
    assert report.source_hash == report.target_hash
    assert (report.sessions, report.receipts, report.blobs, report.copied_sessions) == (18, 6, 304, 18)
    assert report.artifacts > 50
    assert report.passages > 100
    embedder = Careful()
    got = read_everything(target, clock, embedder=embedder)
    assert {text[:14] for text in embedder.embedded} == {"Waiting number"}
    for owner, told in wanted.items():
        assert got[owner] == told, owner
    assert source.keys() == target.keys()  # type: ignore[attr-defined]


def test_copy_to_postgres_and_back_keeps_all_data(rich: SqliteStorage, clock: ManualClock) -> None:
    wanted = read_everything(rich, clock)
    with servers.postgres_storage() as server:
        same_after_copy(rich, server, wanted, clock)
        same_after_copy(server, MemoryStorage(), wanted, clock)


def test_copy_from_redis_to_encrypted_postgres_keeps_all_data(rich: SqliteStorage, clock: ManualClock) -> None:
    wanted = read_everything(rich, clock)
    with (
        redis_server() as redis,
        servers.postgres_schema() as url,
        closing(open_remote(redis.url, None, None, 10)) as first,
        closing(open_remote(url, bytes(range(32)), None, 10)) as second,
    ):
        same_after_copy(rich, first, wanted, clock)
        same_after_copy(first, second, wanted, clock)


@pytest.mark.parametrize("make", [MemoryStorage, lambda: ReplicaStorage(MemoryLedger())], ids=["memory", "replica"])
def test_maintain_on_copy_does_only_pending_work(
    rich: SqliteStorage, clock: ManualClock, make: Callable[[], Storage]
) -> None:
    with closing(make()) as target:
        StoreCopier(rich, target, clock=clock).copy()
        done: list[Any] = []
        for storage in (rich, target):
            embedder = Careful()
            memory = open_memory(storage, clock, embedder)
            memory.maintain()
            facts = sorted(fact.text for fact in memory.facts(owner="ann", history=True))
            done.append((embedder.embedded, facts, len(memory.summaries(owner="ann"))))
        assert done[0] == done[1]
        waiting = [f"Waiting number {number}: same words." for number in range(3) for _ in range(2)]
        assert [text for text in done[0][0] if text != "How many dimensions?"] == waiting
        assert StoreCopier(rich, target, clock=clock).compare().missing == 0


def test_copy_does_not_write_to_source(rich: SqliteStorage, clock: ManualClock) -> None:
    source = Spy(rich, 0)
    stamp = rich.stamp()
    assert StoreCopier(source, MemoryStorage(), clock=clock).copy().is_whole  # type: ignore[arg-type]
    assert (source.written, rich.stamp()) == (0, stamp)


def test_copy_keeps_pool_session_creators_and_grants(rich: SqliteStorage, clock: ManualClock) -> None:
    target = MemoryStorage()
    StoreCopier(rich, target, clock=clock).copy()
    (pool,) = (scope for scope in target.everyone() if scope.pool is not None)
    assert target.makers(pool) == rich.makers(pool) == {"plans": "carol"}
    authors = [message.author for message in target.tree(pool.of("plans")).messages]
    assert authors == ["carol", "bob", "dave", "ann", "bob"]
    assert {one.owner: one.access for one in target.grants("ann", pool.pool)} == {
        "ann": PoolAccess.ADMIN,
        "bob": PoolAccess.WRITE,
        "dave": PoolAccess.READ,
    }
    assert {one.author for one in target.all_receipts(pool.of("plans"))} == {"bob", "carol"}
    assert target.erase(Scope("carol"), None, 0).messages == 1


def test_copy_keeps_save_order_of_messages(rich: SqliteStorage, clock: ManualClock) -> None:
    target = MemoryStorage()
    StoreCopier(rich, target, clock=clock).copy()

    def by_number(storage: Storage) -> list[str]:
        scope = Scope("ann")
        return [seen.message.id for seen in storage.fetch(scope, storage.numbers(scope, NO_FILTERS))]

    saved, copied = by_number(rich), by_number(target)
    assert (saved.index("shown"), copied.index("shown")) == (
        saved.index("behind shown") + 1,
        copied.index("behind shown") - 1,
    )
    saved.remove("shown")
    copied.remove("shown")
    assert copied == saved


def test_second_copy_transfers_later_changes_of_source(rich: SqliteStorage, clock: ManualClock) -> None:
    target = MemoryStorage()
    StoreCopier(rich, target, clock=clock).copy()
    memory = open_memory(rich, clock, Careful())
    clock.advance(hours=2)
    trip = memory.chat(owner="ann", session="trip")
    trip.add("user", "I live in Braga now.")
    trip.rename("Portugal")
    memory.chat(owner="ann", session="work").unarchive()
    memory.chat(owner="eve", session="new", create=True).add("user", "I am new.")
    memory.maintain()
    report = StoreCopier(rich, target, clock=clock).copy()
    assert report.is_whole, (report.missing_items, report.differences)
    assert report.copied_messages == 2
    assert read_everything(target, clock, owners=(*OWNERS, "eve")) == read_everything(rich, clock, owners=(*OWNERS, "eve"))


def test_copy_of_one_owner_transfers_only_that_owner(rich: SqliteStorage, clock: ManualClock) -> None:
    target = MemoryStorage()
    report = StoreCopier(rich, target, owner="bob", clock=clock).copy()
    assert report.is_whole
    assert (report.owners, report.sessions, report.messages) == (1, 1, 1)
    assert list(target.everyone()) == [Scope("bob")]
    assert target.keys() == []
    assert StoreCopier(rich, target, clock=clock).copy().is_whole


# -- stopped and gone on with


def test_copy_resumes_after_interruption_at_any_write(rich: SqliteStorage, clock: ManualClock) -> None:
    whole = MemoryStorage()
    StoreCopier(rich, whole, clock=clock).copy()
    wanted = read_everything(whole, clock)
    for most in count(1, 7):
        target = MemoryStorage()
        with suppress(Killed):
            StoreCopier(rich, Spy(target, most), clock=clock).copy()  # type: ignore[arg-type]
            break
        report = StoreCopier(rich, target, clock=clock).copy()
        assert report.is_whole, (most, report.missing_items, report.differences)
        if most % 3 == 0:
            assert read_everything(target, clock) == wanted, most
    assert most > 50


def test_copy_grants_former_pool_member_access_for_single_calls(rich: SqliteStorage, clock: ManualClock) -> None:
    """At any point of the copy, a former member has access only for the one call that adds their data."""
    ((pool, admin),) = {(scope.pool, scope.owner) for scope in rich.everyone() if scope.pool is not None}
    members = {grant.owner for grant in rich.grants(admin, pool)}
    target = MemoryStorage()
    let_in: list[bool] = []

    class Watched(Spy):
        def __getattr__(self, name: str) -> Any:
            if name in WRITING:
                known = {grant.owner for grant in target.grants(admin)}
                there = {grant.owner for grant in target.grants(admin, pool)} if known else set[str]()
                let_in.append(not there <= members)
            return super().__getattr__(name)

    StoreCopier(rich, Watched(target, 10**6), clock=clock).copy()  # type: ignore[arg-type]
    assert any(let_in)
    longest = max(len(run) for run in "".join("x" if one else " " for one in let_in).split())
    assert longest <= 2  # the call itself, and the one that takes the grant back
    assert {grant.owner for grant in target.grants(admin, pool)} == members


def test_repeatedly_interrupted_copy_completes(rich: SqliteStorage, clock: ManualClock) -> None:
    """Each attempt may write 40 times and continues where the previous one stopped."""
    with closing(ReplicaStorage(MemoryLedger())) as target:
        tries = 0
        while True:
            tries += 1
            try:
                report = StoreCopier(rich, Spy(target, 40), clock=clock).copy()  # type: ignore[arg-type]
                break
            except Killed:
                assert tries < 20
        assert report.is_whole
        assert tries > 2
        assert read_everything(target, clock) == read_everything(rich, clock)


def test_copy_command_resumes_after_process_is_killed(tmp_path: Path, clock: ManualClock) -> None:
    source, target = tmp_path / "long.db", tmp_path / "copy.db"
    with closing(file(source)) as storage:
        memory = open_memory(storage, clock, Careful())
        for owner in ("ann", "bob"):
            for session in range(20):
                chat = memory.chat(owner=owner, session=f"s{session}", create=True)
                chat.add_many([{"role": "user", "content": f"{owner} {session} says {number}"} for number in range(60)])
        memory.maintain()
        wanted = read_everything(storage, clock, owners=("ann", "bob"))
    for reached in ("count(*) > 300 FROM messages", "count(*) > 1800 FROM messages", "count(*) > 100 FROM vectors"):
        process = start_command("copy", str(source), str(target))
        wait_for(lambda reached=reached: _is_so(target, reached))  # type: ignore[misc]
        process.kill()
        process.communicate()
        assert process.returncode == -9
        assert call(None, "copy", str(source), str(target), "--verify").exit_code == 1
    done = answer(call(None, "copy", str(source), str(target), "--json"))
    assert (done["is_whole"], done["agree"], done["messages"]) == (True, 40, 2400)
    assert done["copied_messages"] < 700
    with closing(file(target)) as storage:
        assert read_everything(storage, clock, owners=("ann", "bob")) == wanted
        assert not storage.check().findings


def _is_so(path: Path, question: str) -> bool:
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return bool(db.execute(f"SELECT {question}").fetchone()[0])
    return False


# -- refused


def _other_message(target: Storage, clock: ManualClock) -> None:
    open_memory(target, clock, Careful()).chat(owner="ann", session="trip").add("user", "Only here.")


def _other_session(target: Storage, clock: ManualClock) -> None:
    open_memory(target, clock, Careful()).chat(owner="bob", session="mine", create=True)


def _other_note(target: Storage, clock: ManualClock) -> None:
    target.keep_artifacts(Scope("ann"), ArtifactChanges([Artifact("x1", "fact", "Only here", 2, 0, data={})]), 0)  # type: ignore[attr-defined]


def _other_pin(target: Storage, clock: ManualClock) -> None:
    chat = open_memory(target, clock, Careful()).chat(owner="ann", session="trip")
    chat.pin(chat.messages()[0].id)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_other_message, "session 'trip' of 'ann': message"),
        (_other_session, "session 'mine' of 'bob': only the target has it"),
        (_other_note, "the memory of 'ann': only the target has the note 'x1'"),
        (_other_pin, "differs in the target"),
    ],
)
def test_copy_refuses_target_with_conflicting_data(
    rich: SqliteStorage, clock: ManualClock, change: Callable[[Storage, ManualClock], None], words: str
) -> None:
    target = MemoryStorage()
    StoreCopier(rich, target, clock=clock).copy()
    change(target, clock)
    stamp = target.stamp()
    with pytest.raises(Conflict, match=words):
        StoreCopier(rich, target, clock=clock).copy()
    report = StoreCopier(rich, target, clock=clock).compare()
    assert any(words in difference for difference in report.differences)
    assert not report.is_whole
    assert target.stamp() == stamp


def test_copy_refuses_other_tokenizer_pool_or_key(rich: SqliteStorage, clock: ManualClock) -> None:
    target = MemoryStorage()
    target.settle("tokenizer", "another")
    with pytest.raises(Conflict, match="how tokens are counted"):
        StoreCopier(rich, target, clock=clock).copy()
    target = MemoryStorage()
    (pool,) = (scope.pool for scope in rich.everyone() if scope.pool is not None)
    target.create_pool(pool, "Others", "ann", 0)
    with pytest.raises(Conflict, match="a different pool with this id"):
        StoreCopier(rich, target, clock=clock).copy()
    target = MemoryStorage()
    target.create_pool(pool, "The team", "mallory", 0)
    with pytest.raises(Conflict, match="'ann' is not a member"):
        StoreCopier(rich, target, clock=clock).copy()
    target = MemoryStorage()
    target.keep_key(rich.keys()[0]._replace(digest="another"))
    with pytest.raises(Conflict, match="key 'k2' differs in the target"):
        StoreCopier(rich, target, clock=clock).copy()


def test_copy_refuses_session_erased_in_target(rich: SqliteStorage, clock: ManualClock) -> None:
    target = MemoryStorage()
    StoreCopier(rich, target, clock=clock).copy()
    target.erase(Scope("bob", "trip"), None, 0)
    with pytest.raises(Conflict, match=r"session 'trip' of 'bob'.*erased"):
        StoreCopier(rich, target, clock=clock).copy()


# -- the command


def test_copy_command_copies_verifies_and_reports(rich: SqliteStorage, tmp_path: Path) -> None:
    source, target = tmp_path / "rich.db", tmp_path / "new.db"
    dry_run = call(None, "copy", str(source), str(target), "--dry-run")
    assert dry_run.exit_code == 0, dry_run.output
    assert "Still missing: 18 sessions." in dry_run.stdout
    assert not target.exists()
    assert_refused(call(None, "copy", str(source), str(target), "--verify"), f"no store at {target}")
    done = call(None, "copy", f"sqlite:///{source}", str(target))
    assert done.exit_code == 0, done.output
    assert "Copied 18 sessions, 159 messages; the target has 3 owners, 18 sessions, " in done.stdout
    assert "Verified: 18 sessions agree, hash " in done.stdout
    assert all(words in done.stdout for words in NOT_COPIED)
    again = answer(call(None, "copy", str(source), str(target), "--json"))
    assert (again["copied_sessions"], again["is_whole"], again["source_hash"]) == (0, True, again["target_hash"])
    assert call(None, "copy", str(source), str(target), "--verify").exit_code == 0


def test_copy_command_refuses_invalid_source_or_target(rich: SqliteStorage, tmp_path: Path, clock: ManualClock) -> None:
    source, target = tmp_path / "rich.db", tmp_path / "new.db"
    assert_refused(call(None, "copy", str(source), f"sqlite:///{source}"), "the same store")
    assert_refused(call(None, "copy", str(tmp_path / "none.db"), str(target)), "no store at")
    assert_refused(call(None, "copy", str(source), "memory://"), "memory://")
    assert not (tmp_path / "none.db").exists()
    with closing(file(target)) as storage:
        _other_session(storage, clock)
    assert_refused(
        call(None, "copy", str(source), str(target)), "session 'mine' of 'bob': only the target has it", "empty store"
    )
    differing = call(None, "copy", str(source), str(target), "--dry-run", "--json")
    assert differing.exit_code == 1
    assert json.loads(differing.stdout)["differences"] == ["session 'mine' of 'bob': only the target has it"]


def test_copy_command_copies_encrypted_stores(rich: SqliteStorage, tmp_path: Path) -> None:
    keys = tmp_path / "one.key", tmp_path / "two.key"
    for key in keys:
        key.write_text(key.name)
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    assert call(None, "copy", str(tmp_path / "rich.db"), str(one), "--target-key-file", str(keys[0])).exit_code == 0
    done = call(
        None, "copy", str(one), str(two), "--key-file", str(keys[0]), "--target-key-file", str(keys[1]), "--owner", "bob"
    )
    assert done.exit_code == 0, done.output
    assert b"SQLite format 3" not in one.read_bytes()[:16] + two.read_bytes()[:16]
    assert_refused(call(None, "copy", str(one), str(two)), "key")
    with keepsaid.open(two, key_file=str(keys[1]), background=False, embedder="off") as memory:
        assert [session.id for session in memory.sessions(owner="bob")] == ["trip"]


# -- the directory


@pytest.fixture(params=["memory", "sqlite", "replica", "sealed", "postgres"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "postgres":
        with servers.postgres_storage() as storage:
            yield storage
        return
    makers: dict[str, Callable[[], Storage]] = {
        "memory": MemoryStorage,
        "sqlite": lambda: file(tmp_path / "directory.db"),
        "replica": lambda: ReplicaStorage(MemoryLedger()),
        "sealed": lambda: ReplicaStorage(EncryptedLedger(MemoryLedger(), "a key")),
    }
    with closing(makers[request.param]()) as storage:
        yield storage


def test_directory_lists_all_owners_and_pools(directory: Any, clock: ManualClock) -> None:
    memory = open_memory(directory, clock, Careful())
    assert list(directory.everyone()) == []
    memory.chat(owner="ann", session="s1", create=True).add("user", "Hello")
    memory.ingest("only.md", content="Only documents.", owner="zoe")
    pool = memory.create_pool("Team", owner="bob")
    memory.grant(pool, to="ann", by="bob", access="write")
    memory.chat(owner="ann", pool=pool, session="p1", create=True).add("user", "In the pool")
    assert sorted(directory.everyone(), key=str) == sorted([Scope("ann"), Scope("zoe"), Scope("bob", None, pool)], key=str)
    assert directory.makers(Scope("bob", None, pool)) == {"p1": "ann"}
    with pytest.raises(keepsaid.NotFound):
        directory.makers(Scope("ann", None, pool))
    memory.erase(owner="zoe")
    assert Scope("zoe") not in set(directory.everyone())


def test_directory_reports_settings_progress_and_receipts(directory: Any, clock: ManualClock) -> None:
    assert directory.setting("tokenizer") is None
    memory = open_memory(directory, clock, Careful())
    assert directory.setting("tokenizer") == memory.tokenizer
    chat = memory.chat(owner="ann", session="s1", create=True)
    chat.add("user", "Hello")
    name = Careful().name
    assert directory.done(Scope("ann"), name) == directory.done(Scope("nobody"), name) == 0
    memory.maintain()
    chat.add("user", "Later")
    assert directory.done(Scope("ann"), name) == directory.done(Scope("ann"), "notes:1") == 1
    assert directory.done(Scope("ann", documents=True), name) == 0
    receipt = chat.context("Where?", budget=500).receipt_id
    memory.receipts(owner="ann")
    chat.delete()
    assert memory.receipts(owner="ann") == []
    (kept,) = directory.all_receipts(Scope("ann", "s1"))
    assert (kept.session, kept.author, bool(receipt)) == ("s1", "ann", True)
