"""Copies of everything: the same in every backend, gone on with wherever they were stopped, and never over other things."""

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
from cli.shell import answer, call, refused, started, wait_for
from redis_servers import redis_server
from rich_store import OWNERS, Careful, fill, opened, seen

import recollect
from recollect.copier import LEFT_BEHIND, Copier
from recollect.errors import Conflict
from recollect.ports import NO_FILTERS, Settled, Storage
from recollect.storage.elsewhere import open_elsewhere
from recollect.storage.memory import MemoryStorage
from recollect.storage.mirror.memory import MemoryLedger
from recollect.storage.mirror.seal import SealedLedger
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.sqlite import Source, SqliteStorage
from recollect.testing import HandClock
from recollect.types import Access, Artifact, Scope

WRITING = """
create_session update_session append mark plant erase sweep create_pool grant settle begin_generation drop_generation claim
settle_task release begin_notes settle_notes keep_artifacts discard_artifacts keep_receipts drop_receipts keep_key drop_key
keep_blobs drop_blobs
""".split()


def file(path: Path) -> SqliteStorage:
    return SqliteStorage(Source(path, durable=False))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("copy") / "rich.db"
    with closing(file(path)) as storage:
        fill(storage, HandClock())
    return path


@pytest.fixture
def rich(filled: Path, tmp_path: Path) -> Iterator[SqliteStorage]:
    (tmp_path / "rich.db").write_bytes(filled.read_bytes())
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


def test_everything_arrives_everywhere(rich: SqliteStorage, tmp_path: Path, clock: HandClock) -> None:
    wanted = seen(rich, clock)
    stores: list[Storage] = [rich, MirrorStorage(MemoryLedger()), file(tmp_path / "other.db"), MemoryStorage()]
    for source, target in pairwise(stores):
        same_after_copy(source, target, wanted, clock)
    for storage in stores[1:]:
        storage.close()


def same_after_copy(source: Storage, target: Storage, wanted: Any, clock: HandClock) -> None:
    report = Copier(source, target, clock=clock).copy()
    assert report.is_whole, (report.waiting, report.differences)
    assert report.source_hash == report.target_hash
    assert (report.sessions, report.receipts, report.blobs, report.copied_sessions) == (18, 6, 304, 18)
    assert report.made > 50
    assert report.passages > 100
    embedder = Careful()
    got = seen(target, clock, embedder=embedder)
    assert {text[:14] for text in embedder.embedded} == {"Waiting number"}
    for owner, told in wanted.items():
        assert got[owner] == told, owner
    assert source.keys() == target.keys()  # type: ignore[attr-defined]


def test_to_a_server_and_back(rich: SqliteStorage, clock: HandClock) -> None:
    wanted = seen(rich, clock)
    with servers.postgres_storage() as server:
        same_after_copy(rich, server, wanted, clock)
        same_after_copy(server, MemoryStorage(), wanted, clock)


def test_from_one_server_to_another_where_it_is_encrypted(rich: SqliteStorage, clock: HandClock) -> None:
    wanted = seen(rich, clock)
    with (
        redis_server() as redis,
        servers.postgres_schema() as url,
        closing(open_elsewhere(redis.url, None, None, 10)) as first,
        closing(open_elsewhere(url, bytes(range(32)), None, 10)) as second,
    ):
        same_after_copy(rich, first, wanted, clock)
        same_after_copy(first, second, wanted, clock)


@pytest.mark.parametrize("make", [MemoryStorage, lambda: MirrorStorage(MemoryLedger())], ids=["memory", "mirror"])
def test_what_was_done_is_not_done_again(rich: SqliteStorage, clock: HandClock, make: Callable[[], Storage]) -> None:
    with closing(make()) as target:
        Copier(rich, target, clock=clock).copy()
        done: list[Any] = []
        for storage in (rich, target):
            embedder = Careful()
            memory = opened(storage, clock, embedder)
            memory.maintain()
            facts = sorted(fact.text for fact in memory.facts(owner="ann", history=True))
            done.append((embedder.embedded, facts, len(memory.summaries(owner="ann"))))
        assert done[0] == done[1]
        waiting = [f"Waiting number {number}: same words." for number in range(3) for _ in range(2)]
        assert [text for text in done[0][0] if text != "How many dimensions?"] == waiting
        assert Copier(rich, target, clock=clock).compare().missing == 0


def test_the_source_is_only_read(rich: SqliteStorage, clock: HandClock) -> None:
    source = Spy(rich, 0)
    stamp = rich.stamp()
    assert Copier(source, MemoryStorage(), clock=clock).copy().is_whole  # type: ignore[arg-type]
    assert (source.written, rich.stamp()) == (0, stamp)


def test_makers_and_grants_are_those_of_the_source(rich: SqliteStorage, clock: HandClock) -> None:
    target = MemoryStorage()
    Copier(rich, target, clock=clock).copy()
    (pool,) = (scope for scope in target.everyone() if scope.pool is not None)
    assert target.makers(pool) == rich.makers(pool) == {"plans": "carol"}
    authors = [message.author for message in target.tree(pool.of("plans")).messages]
    assert authors == ["carol", "bob", "dave", "ann", "bob"]
    assert {one.owner: one.access for one in target.grants("ann", pool.pool)} == {
        "ann": Access.ADMIN,
        "bob": Access.WRITE,
        "dave": Access.READ,
    }
    assert {one.author for one in target.all_receipts(pool.of("plans"))} == {"bob", "carol"}
    assert target.erase(Scope("carol"), None, 0).messages == 1


def test_messages_keep_the_order_in_which_they_were_saved(rich: SqliteStorage, clock: HandClock) -> None:
    target = MemoryStorage()
    Copier(rich, target, clock=clock).copy()

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


def test_a_source_that_went_on_is_followed(rich: SqliteStorage, clock: HandClock) -> None:
    target = MemoryStorage()
    Copier(rich, target, clock=clock).copy()
    memory = opened(rich, clock, Careful())
    clock.turn(hours=2)
    trip = memory.chat(owner="ann", session="trip")
    trip.add("user", "I live in Braga now.")
    trip.rename("Portugal")
    memory.chat(owner="ann", session="work").unarchive()
    memory.chat(owner="eve", session="new", create=True).add("user", "I am new.")
    memory.maintain()
    report = Copier(rich, target, clock=clock).copy()
    assert report.is_whole, (report.waiting, report.differences)
    assert report.copied_messages == 2
    assert seen(target, clock, owners=(*OWNERS, "eve")) == seen(rich, clock, owners=(*OWNERS, "eve"))


def test_one_owner_alone(rich: SqliteStorage, clock: HandClock) -> None:
    target = MemoryStorage()
    report = Copier(rich, target, owner="bob", clock=clock).copy()
    assert report.is_whole
    assert (report.owners, report.sessions, report.messages) == (1, 1, 1)
    assert list(target.everyone()) == [Scope("bob")]
    assert target.keys() == []
    assert Copier(rich, target, clock=clock).copy().is_whole


# -- stopped and gone on with


def test_wherever_it_is_stopped_it_goes_on(rich: SqliteStorage, clock: HandClock) -> None:
    whole = MemoryStorage()
    Copier(rich, whole, clock=clock).copy()
    wanted = seen(whole, clock)
    for most in count(1, 7):
        target = MemoryStorage()
        with suppress(Killed):
            Copier(rich, Spy(target, most), clock=clock).copy()  # type: ignore[arg-type]
            break
        report = Copier(rich, target, clock=clock).copy()
        assert report.is_whole, (most, report.waiting, report.differences)
        if most % 3 == 0:
            assert seen(target, clock) == wanted, most
    assert most > 50


def test_stopped_again_and_again(rich: SqliteStorage, clock: HandClock) -> None:
    """Each try may write a little more; none begins anew."""
    with closing(MirrorStorage(MemoryLedger())) as target:
        tries = 0
        while True:
            tries += 1
            try:
                report = Copier(rich, Spy(target, 40), clock=clock).copy()  # type: ignore[arg-type]
                break
            except Killed:
                assert tries < 20
        assert report.is_whole
        assert tries > 2
        assert seen(target, clock) == seen(rich, clock)


def test_killed_and_run_again(tmp_path: Path, clock: HandClock) -> None:
    source, target = tmp_path / "long.db", tmp_path / "copy.db"
    with closing(file(source)) as storage:
        memory = opened(storage, clock, Careful())
        for owner in ("ann", "bob"):
            for session in range(20):
                chat = memory.chat(owner=owner, session=f"s{session}", create=True)
                chat.add_many([{"role": "user", "content": f"{owner} {session} says {number}"} for number in range(60)])
        memory.maintain()
        wanted = seen(storage, clock, owners=("ann", "bob"))
    for reached in ("count(*) > 300 FROM messages", "count(*) > 1800 FROM messages", "count(*) > 100 FROM vectors"):
        process = started("copy", str(source), str(target))
        wait_for(lambda reached=reached: _is_so(target, reached))  # type: ignore[misc]
        process.kill()
        process.communicate()
        assert process.returncode == -9
        assert call(None, "copy", str(source), str(target), "--verify").exit_code == 1
    done = answer(call(None, "copy", str(source), str(target), "--json"))
    assert (done["is_whole"], done["agree"], done["messages"]) == (True, 40, 2400)
    assert done["copied_messages"] < 700
    with closing(file(target)) as storage:
        assert seen(storage, clock, owners=("ann", "bob")) == wanted
        assert not storage.check().findings


def _is_so(path: Path, question: str) -> bool:
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return bool(db.execute(f"SELECT {question}").fetchone()[0])
    return False


# -- refused


def _other_message(target: Storage, clock: HandClock) -> None:
    opened(target, clock, Careful()).chat(owner="ann", session="trip").add("user", "Only here.")


def _other_session(target: Storage, clock: HandClock) -> None:
    opened(target, clock, Careful()).chat(owner="bob", session="mine", create=True)


def _other_note(target: Storage, clock: HandClock) -> None:
    target.keep_artifacts(Scope("ann"), Settled([Artifact("x1", "fact", "Only here", 2, 0, data={})]), 0)  # type: ignore[attr-defined]


def _other_pin(target: Storage, clock: HandClock) -> None:
    chat = opened(target, clock, Careful()).chat(owner="ann", session="trip")
    chat.pin(chat.messages()[0].id)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_other_message, "session 'trip' of 'ann': message"),
        (_other_session, "session 'mine' of 'bob': only the target has it"),
        (_other_note, "the memory of 'ann': only the target has the note 'x1'"),
        (_other_pin, "is another in the target"),
    ],
)
def test_a_target_with_other_things_is_not_touched(
    rich: SqliteStorage, clock: HandClock, change: Callable[[Storage, HandClock], None], words: str
) -> None:
    target = MemoryStorage()
    Copier(rich, target, clock=clock).copy()
    change(target, clock)
    stamp = target.stamp()
    with pytest.raises(Conflict, match=words):
        Copier(rich, target, clock=clock).copy()
    report = Copier(rich, target, clock=clock).compare()
    assert any(words in difference for difference in report.differences)
    assert not report.is_whole
    assert target.stamp() == stamp


def test_another_tokenizer_another_pool_another_key(rich: SqliteStorage, clock: HandClock) -> None:
    target = MemoryStorage()
    target.settle("tokenizer", "another")
    with pytest.raises(Conflict, match="how tokens are counted"):
        Copier(rich, target, clock=clock).copy()
    target = MemoryStorage()
    (pool,) = (scope.pool for scope in rich.everyone() if scope.pool is not None)
    target.create_pool(pool, "Others", "ann", 0)
    with pytest.raises(Conflict, match="another pool of this name"):
        Copier(rich, target, clock=clock).copy()
    target = MemoryStorage()
    target.create_pool(pool, "The team", "mallory", 0)
    with pytest.raises(Conflict, match="'ann' is no member of it"):
        Copier(rich, target, clock=clock).copy()
    target = MemoryStorage()
    target.keep_key(rich.keys()[0]._replace(digest="another"))
    with pytest.raises(Conflict, match="key 'k2' is another in the target"):
        Copier(rich, target, clock=clock).copy()


def test_what_the_target_erased_does_not_come_back(rich: SqliteStorage, clock: HandClock) -> None:
    target = MemoryStorage()
    Copier(rich, target, clock=clock).copy()
    target.erase(Scope("bob", "trip"), None, 0)
    with pytest.raises(Conflict, match=r"session 'trip' of 'bob'.*erased"):
        Copier(rich, target, clock=clock).copy()


# -- the command


def test_the_command_copies_verifies_and_tells(rich: SqliteStorage, tmp_path: Path) -> None:
    source, target = tmp_path / "rich.db", tmp_path / "new.db"
    rehearsal = call(None, "copy", str(source), str(target), "--dry-run")
    assert rehearsal.exit_code == 0, rehearsal.output
    assert "Still to come: 18 sessions." in rehearsal.stdout
    assert not target.exists()
    refused(call(None, "copy", str(source), str(target), "--verify"), f"no store at {target}")
    done = call(None, "copy", f"sqlite:///{source}", str(target))
    assert done.exit_code == 0, done.output
    assert "Copied 18 sessions, 159 messages; the target has 3 owners, 18 sessions, " in done.stdout
    assert "Verified: 18 sessions agree, hash " in done.stdout
    assert all(words in done.stdout for words in LEFT_BEHIND)
    again = answer(call(None, "copy", str(source), str(target), "--json"))
    assert (again["copied_sessions"], again["is_whole"], again["source_hash"]) == (0, True, again["target_hash"])
    assert call(None, "copy", str(source), str(target), "--verify").exit_code == 0


def test_the_command_refuses(rich: SqliteStorage, tmp_path: Path, clock: HandClock) -> None:
    source, target = tmp_path / "rich.db", tmp_path / "new.db"
    refused(call(None, "copy", str(source), f"sqlite:///{source}"), "the same store")
    refused(call(None, "copy", str(tmp_path / "none.db"), str(target)), "no store at")
    refused(call(None, "copy", str(source), "memory://"), "memory://")
    assert not (tmp_path / "none.db").exists()
    with closing(file(target)) as storage:
        _other_session(storage, clock)
    refused(call(None, "copy", str(source), str(target)), "session 'mine' of 'bob': only the target has it", "empty store")
    differing = call(None, "copy", str(source), str(target), "--dry-run", "--json")
    assert differing.exit_code == 1
    assert json.loads(differing.stdout)["differences"] == ["session 'mine' of 'bob': only the target has it"]


def test_the_command_copies_encrypted_stores(rich: SqliteStorage, tmp_path: Path) -> None:
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
    refused(call(None, "copy", str(one), str(two)), "key")
    with recollect.open(two, key_file=str(keys[1]), background=False, embedder="off") as memory:
        assert [session.id for session in memory.sessions(owner="bob")] == ["trip"]


# -- the directory


@pytest.fixture(params=["memory", "sqlite", "mirror", "sealed", "postgres"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "postgres":
        with servers.postgres_storage() as storage:
            yield storage
        return
    makers: dict[str, Callable[[], Storage]] = {
        "memory": MemoryStorage,
        "sqlite": lambda: file(tmp_path / "directory.db"),
        "mirror": lambda: MirrorStorage(MemoryLedger()),
        "sealed": lambda: MirrorStorage(SealedLedger(MemoryLedger(), "a key")),
    }
    with closing(makers[request.param]()) as storage:
        yield storage


def test_a_directory_tells_of_everybody(directory: Any, clock: HandClock) -> None:
    memory = opened(directory, clock, Careful())
    assert list(directory.everyone()) == []
    memory.chat(owner="ann", session="s1", create=True).add("user", "Hello")
    memory.ingest("only.md", content="Only documents.", owner="zoe")
    pool = memory.create_pool("Team", owner="bob")
    memory.grant(pool, to="ann", by="bob", access="write")
    memory.chat(owner="ann", pool=pool, session="p1", create=True).add("user", "In the pool")
    assert sorted(directory.everyone(), key=str) == sorted([Scope("ann"), Scope("zoe"), Scope("bob", None, pool)], key=str)
    assert directory.makers(Scope("bob", None, pool)) == {"p1": "ann"}
    with pytest.raises(recollect.NotFound):
        directory.makers(Scope("ann", None, pool))
    memory.erase(owner="zoe")
    assert Scope("zoe") not in set(directory.everyone())


def test_a_directory_tells_what_is_done(directory: Any, clock: HandClock) -> None:
    assert directory.setting("tokenizer") is None
    memory = opened(directory, clock, Careful())
    assert directory.setting("tokenizer") == memory.tokenizer
    chat = memory.chat(owner="ann", session="s1", create=True)
    chat.add("user", "Hello")
    name = Careful().name
    assert directory.done(Scope("ann"), name) == directory.done(Scope("nobody"), name) == 0
    memory.maintain()
    chat.add("user", "Later")
    assert directory.done(Scope("ann"), name) == directory.done(Scope("ann"), "notes:1") == 1
    assert directory.done(Scope("ann", shelf=True), name) == 0
    receipt = chat.context("Where?", budget=500).receipt_id
    memory.receipts(owner="ann")
    chat.delete()
    assert memory.receipts(owner="ann") == []
    (kept,) = directory.all_receipts(Scope("ann", "s1"))
    assert (kept.session, kept.author, bool(receipt)) == ("s1", "ann", True)
