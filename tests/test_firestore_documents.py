"""Firestore specifics: document layout, limits, purge by TTL, adoption of an app's documents, and failures."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from firestore_server import firestore_server
from proxy import Proxy

from keepsaid import errors
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.storage.firestore.adopt import AppConversationReader
from keepsaid.storage.firestore.errors import WriteConflict
from keepsaid.storage.firestore.gateway import DocumentWrite, FirestoreGateway
from keepsaid.storage.firestore.ledger import FirestoreLedger
from keepsaid.storage.firestore.options import parse_url
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.replica.ledger import BEGINNING, LedgerPoint, LedgerRow
from keepsaid.storage.replica.memory_ledger import MemoryLedger
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.testing import ManualClock, lifecycles_match
from keepsaid.testing.ledger_conformance import commit_rows, load_point

numbers = count()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with firestore_server() as server:
        yield server


@pytest.fixture
def url(server: str) -> str:
    return f"firestore://tests/?emulator={server}&prefix=f{next(numbers)}_&patience=2"


@pytest.fixture
def memory(url: str, clock: ManualClock) -> Iterator[Memory]:
    with memory_at(url, clock) as memory:
        yield memory


@pytest.fixture
def documents(url: str) -> Iterator[FirestoreGateway]:
    with closing(FirestoreGateway(parse_url(url))) as gateway:
        yield gateway


@pytest.fixture
def prefix(url: str) -> str:
    return parse_url(url).prefix


@pytest.fixture
def ledger(url: str) -> Iterator[FirestoreLedger]:
    with closing(FirestoreLedger.open(url)) as ledger:
        yield ledger


def memory_at(url: str, clock: ManualClock) -> Memory:
    return Memory(ReplicaStorage(FirestoreLedger.open(url)), MemoryStorage(), counter_for("o200k_base"), clock=clock)


def get(documents: FirestoreGateway, path: str) -> dict:
    found = documents.get([path])
    return found[path].fields if path in found else {}


def write(documents: FirestoreGateway, **written: dict) -> None:
    documents.commit([DocumentWrite("put", path, fields) for path, fields in written.items()])


# -- documents


def test_conversations_are_stored_as_app_readable_documents(memory, documents, prefix, clock):
    chat = memory.chat(owner="ann", session="trip", create=True, title="Lisbon")
    chat.add("user", "My sister moved to Lisbon.", id="m1")
    session = get(documents, f"{prefix}chat_sessions/trip")
    assert (session["user_id"], session["title"], session["status"]) == ("ann", "Lisbon", "active")
    assert (session["message_count"], session["created_at"]) == (1, clock())
    message = get(documents, f"{prefix}chat_sessions/trip/messages/m1")
    assert (message["role"], message["content"], message["timestamp"]) == ("user", "My sister moved to Lisbon.", clock())
    kept = {path.fields["table"] for path in documents.select(f"{prefix}keepsaid_units/o:ann/rows")}
    assert {"owners", "branches"} <= kept
    assert not kept & {"sessions", "messages"}


def test_message_text_is_stored_once(memory, documents, prefix):
    memory.chat(owner="ann", session="s1", create=True).add("user", "Only once in the whole database", id="m1")
    everything = [
        *documents.select(f"{prefix}keepsaid_units/o:ann/rows"),
        *documents.select(f"{prefix}chat_sessions"),
        *documents.select(f"{prefix}chat_sessions/s1/messages"),
    ]
    assert str([one.fields for one in everything]).count("Only once") == 1


def test_two_owners_may_use_the_same_session_id(memory, documents, prefix, url, clock):
    for owner in ("ann", "bob"):
        memory.chat(owner=owner, session="first", create=True).add("user", f"I am {owner}.", id="m1")
    assert get(documents, f"{prefix}chat_sessions/first")["user_id"] == "ann"
    assert get(documents, f"{prefix}chat_sessions/~o%3Abob:first:1")["user_id"] == "bob"
    with memory_at(url, clock) as other:
        for owner in ("ann", "bob"):
            assert [one.text for one in other.chat(owner=owner, session="first").messages()] == [f"I am {owner}."]


@pytest.mark.parametrize("id", ["a/b", "..", "__x__", "~a", "x" * 512, "東" * 512, "a b\nc"])
def test_any_owner_session_and_message_id_can_be_stored(memory, url, clock, id):
    memory.chat(owner=id, session=id, create=True).add("user", "Hello", id=id)
    with memory_at(url, clock) as other:
        assert other.chat(owner=id, session=id).messages()[0].id == id


def test_pool_and_shelf_sessions_are_not_listed_under_a_user(memory, documents, prefix):
    team = memory.create_pool("team", owner="ann")
    memory.chat(owner="ann", pool=team, session="plan", create=True).add("user", "We meet on Monday.")
    memory.ingest("cities.md", content="Lisbon is in Portugal.", owner="ann")
    shown = documents.select(f"{prefix}chat_sessions")
    assert [(one.fields["user_id"], one.fields["pool"]) for one in shown] == [(None, team)]


def test_erase_deletes_documents(memory, documents, prefix):
    chat = memory.chat(owner="ann", session="s1", create=True)
    for number in range(40):
        chat.add("user", f"Secret {number}", id=f"m{number}")
    chat.erase("m7")
    assert not get(documents, f"{prefix}chat_sessions/s1/messages/m7")
    memory.erase(owner="ann")
    assert not documents.select(f"{prefix}chat_sessions")
    assert not documents.select(f"{prefix}chat_sessions/s1/messages")
    assert "Secret" not in str([one.fields for one in documents.select(f"{prefix}keepsaid_units/o:ann/rows")])


# -- the same as a ledger in memory, whatever happens


class Twins:
    """A Firestore ledger that is compared with the one in memory when it is closed, and forgets now and then what it knows,
    as a new process does."""

    def __init__(self, url: str, chance: float) -> None:
        self.one, self.other = FirestoreLedger.open(url), MemoryLedger()
        self._url, self._chance, self._random = url, chance, random.Random(1)
        self._followed: dict[str, tuple[LedgerPoint, dict]] = {}

    def __getattr__(self, name):
        return getattr(self.one, name)

    def commit(self, unit, after, rows, note, token):
        if self._random.random() < self._chance:
            self.one._caches.forget(unit)
        kept = self.one.commit(unit, after, rows, note, token)
        assert self.other.commit(unit, after, rows, note, token) == kept
        if self._random.random() < 0.2:
            self._follow(self.one, unit)
        return kept

    def _follow(self, ledger, unit):
        since, had = self._followed.get(unit, (BEGINNING, {}))
        delta = ledger.load(unit, since)
        had = {} if delta.whole else had
        had = {**had, **{(row.table, row.key): row.columns for row in delta.rows}}
        had = {name: columns for name, columns in had.items() if columns is not None}
        assert had == everything(self.other, unit)
        self._followed[unit] = delta.header.point, had

    def close(self):
        with closing(FirestoreLedger.open(self._url)) as fresh:
            for unit, header in self.other.list_partitions():
                assert fresh.headers([unit]) == [header]
                assert everything(fresh, unit) == everything(self.other, unit)
                self._follow(fresh, unit)
        self.one.close()


def everything(ledger, unit):
    rows = ledger.load(unit, BEGINNING).rows
    assert len({(row.table, row.key) for row in rows}) == len(rows)
    return {(row.table, row.key): dict(row.columns) for row in rows}


@pytest.mark.parametrize(("examples", "steps"), [(2, 10), pytest.param(100, 40, marks=pytest.mark.long)])
@pytest.mark.parametrize("chance", [0.0, 0.5])
def test_firestore_ledger_matches_memory_ledger(server, examples, steps, chance):
    def storage():
        return ReplicaStorage(Twins(f"firestore://tests/?emulator={server}&prefix=w{next(numbers)}_", chance))

    lifecycles_match(storage, examples=examples, steps=steps)


def test_firestore_ledger_matches_memory_ledger_over_long_use(server, clock):
    """Covers forks of purged messages, branches, privacy and erase, each with and without the ledger's cache."""
    for chance in (0.0, 1.0):
        ledger = Twins(f"firestore://tests/?emulator={server}&prefix=w{next(numbers)}_", chance)
        with Memory(ReplicaStorage(ledger), MemoryStorage(), counter_for("o200k_base"), clock=clock) as memory:
            chat = memory.chat(owner="ann", session="one", create=True)
            for number in range(5):
                chat.add("user", f"Number {number}", id=f"m{number}")
            chat.edit("m2", "Number two", id="m2b")
            fork = chat.fork("m1", session="fork")
            fork.add("user", "Elsewhere", id="f1")
            chat.keep_private("m3")
            chat.keep_private("m3", False)
            chat.delete()
            clock.advance(days=31)
            fork.archive()
            fork.unarchive()
            memory.retention(dry_run=False)
            memory.chat(owner="ann", session="one", create=True).add("user", "Anew", id="n1")
            assert [one.id for one in fork.messages()] == ["m0", "m1", "f1"]
            fork.erase("m1")
            fork.erase()


# -- points


def test_load_returns_all_rows_for_point_older_than_log(server):
    url = f"firestore://tests/?emulator={server}&prefix=f{next(numbers)}_&log=3"
    with closing(FirestoreLedger.open(url)) as ledger:
        points = [BEGINNING]
        for number in range(10):
            points.append(commit_rows(ledger, "o:ann", points[-1], LedgerRow("tags", str(number), {"n": number})))
        assert not ledger.load("o:ann", points[8]).whole
        assert ledger.load("o:ann", points[2]).whole
        assert len(ledger.load("o:ann", points[2]).rows) == 10
        assert not ledger.commit("o:ann", points[2], [], {}, points[3].token)


def test_load_returns_all_rows_after_oversized_commit(ledger, monkeypatch):
    monkeypatch.setattr("keepsaid.storage.firestore.commits.MAX_LOG_BYTES", 1000)
    first = commit_rows(ledger, "o:ann", BEGINNING, LedgerRow("tags", "first", {"n": 0}))
    commit_rows(ledger, "o:ann", first, *(LedgerRow("tags", str(number), {"n": number}) for number in range(100)))
    delta = ledger.load("o:ann", first)
    assert delta.whole
    assert len(delta.rows) == 101


def kept_in(documents: FirestoreGateway, prefix: str) -> dict[str, dict]:
    """Every document of a store, by its path."""
    first = [*documents.select(f"{prefix}keepsaid_units"), *documents.select(f"{prefix}chat_sessions")]
    below = [documents.select(f"{one.path}/{name}") for one in first for name in ("rows", "log", "messages")]
    return {one.path: one.fields for one in [*first, *(one for some in below for one in some)]}


@pytest.fixture
def punctual(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions on the time of a document, which the service looks at and the emulator does not."""
    original = FirestoreGateway.commit

    def commit(self, writes):
        expected = {write.path: write.time for write in writes if write.time is not None}
        there = {path: found.time for path, found in self.get(expected).items()}
        if there != expected:
            raise WriteConflict("a document was written meanwhile")
        return original(self, writes)

    monkeypatch.setattr(FirestoreGateway, "commit", commit)


@pytest.mark.usefixtures("punctual")
@pytest.mark.parametrize("reads_first", [True, False], ids=["reads", "writes"])
@pytest.mark.parametrize("others_say", range(4))
def test_replicas_agree_with_firestore_after_restored_backup(url, clock, documents, prefix, others_say, reads_first):
    """The database is restored to an older state, then grows to less than, as much as, and more than before."""
    with memory_at(url, clock) as one, memory_at(url, clock) as other, memory_at(url, clock) as newcomer:
        chat = one.chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        others = other.chat(owner="ann", session="s")
        backup = kept_in(documents, prefix)
        chat.add("user", "lost")
        one.chat(owner="ann", session="lost", create=True).add("user", "also lost")
        for path in kept_in(documents, prefix).keys() - backup.keys():
            documents.commit([DocumentWrite("delete", path, {})])
        write(documents, **backup)
        expected = ["kept", *(f"new {number}" for number in range(others_say))]
        for text in expected[1:]:
            others.add("user", text)
        if reads_first:
            assert [message.text for message in chat.messages()] == expected
        chat.add("user", "last")
        for memory in (one, other, newcomer):
            assert [session.id for session in memory.sessions(owner="ann").items] == ["s"]
            told = memory.chat(owner="ann", session="s").messages()
            assert [message.text for message in told] == [*expected, "last"]


# -- limits


def test_writes_beyond_firestore_limits_are_rejected_whole(memory, ledger):
    chat = memory.chat(owner="ann", session="s1", create=True)
    largest = FirestoreLedger.largest_message
    chat.add("user", "x" * largest, id="m1")
    with pytest.raises(errors.MessageTooLarge):
        chat.add("user", "x" * (largest + 1), id="m2")
    assert [one.id for one in chat.messages()] == ["m1"]
    with pytest.raises(errors.MessageTooLarge, match="1 MiB"):
        ledger.commit("o:bob", BEGINNING, [LedgerRow("systems", "1", {"text": "x" * (1 << 20)})], {}, "t")
    with pytest.raises(errors.MessageTooLarge, match="10 MiB at once"):
        ledger.commit(
            "o:bob", BEGINNING, [LedgerRow("systems", str(n), {"text": "x" * 900_000}) for n in range(12)], {}, "t"
        )
    assert load_point(ledger, "o:bob") == BEGINNING


# -- the purge by TTL


def marks(documents, prefix, session):
    found = documents.select(f"{prefix}chat_sessions/{session}/messages")
    return {
        get(documents, f"{prefix}chat_sessions/{session}").get("purge_at"),
        *(one.fields.get("purge_at") for one in found),
    }


def test_delete_sets_ttl_purge_date_and_restore_clears_it(memory, documents, prefix, clock):
    chat = memory.chat(owner="ann", session="s1", create=True)
    chat.add_many([{"role": "user", "content": f"Number {number}"} for number in range(3)])
    assert marks(documents, prefix, "s1") == {None}
    chat.delete()
    assert marks(documents, prefix, "s1") == {clock() + timedelta(days=400)}
    chat.restore()
    assert marks(documents, prefix, "s1") == {None}


def test_deleted_session_with_fork_gets_no_ttl_purge_date(memory, documents, prefix):
    chat = memory.chat(owner="ann", session="s1", create=True)
    message = chat.add("user", "Hello")
    chat.fork(message.id, session="s2")
    chat.delete()
    assert marks(documents, prefix, "s1") == {None}


def test_branching_from_deleted_session_clears_ttl_purge_date(documents, prefix, ledger):
    def session(number, **columns):
        return LedgerRow("sessions", str(number), {"no": number, "owner": 1, "id": f"s{number}", "touched": 0, **columns})

    def branch(number, session, base=None):
        return LedgerRow("branches", str(number), {"no": number, "session": session, "base": base})

    begun = [LedgerRow("owners", "1", {"kind": 0}), session(1, status=0), branch(1, 1)]
    said = LedgerRow("messages", "7", {"id": "m1", "branch": 1, "role": 1, "text": "Hello", "created": 0})
    after = commit_rows(ledger, "o:ann", BEGINNING, *begun, said)
    after = commit_rows(ledger, "o:ann", after, session(1, status=2))
    assert marks(documents, prefix, "s1") == {datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=400)}
    commit_rows(ledger, "o:ann", after, session(2, status=0), branch(2, 2, base=1))
    assert marks(documents, prefix, "s1") == {None}


# -- what goes wrong


@pytest.fixture
def wire(server: str) -> Iterator[Proxy]:
    proxy = Proxy(int(server.rpartition(":")[2]))
    yield proxy
    proxy.refuse()


@pytest.fixture
def far(wire: Proxy) -> Iterator[FirestoreLedger]:
    url = f"firestore://tests/?emulator=127.0.0.1:{wire.port}&prefix=f{next(numbers)}_&patience=8&timeout=2"
    with closing(FirestoreLedger.open(url)) as ledger:
        yield ledger


def test_commit_with_lost_response_is_applied_once(far, wire):
    first = commit_rows(far, "o:ann", BEGINNING, LedgerRow("tags", "1", {"n": 1}))
    wire.lose_answer_to(b"second-token")
    assert far.commit("o:ann", first, [LedgerRow("tags", "1", {"n": 2})], {}, "second-token") is True
    assert wire.lost == 1
    assert load_point(far, "o:ann") == LedgerPoint(2, "second-token")


def test_ledger_reconnects_after_connection_is_cut(far, wire):
    after = BEGINNING
    for number in range(5):
        wire.cut()
        after = commit_rows(far, "o:ann", after, LedgerRow("tags", "1", {"n": number}))
    assert load_point(far, "o:ann") == after


def test_commit_waits_for_slow_response(far, wire):
    wire.delay = 0.5
    commit_rows(far, "o:ann", BEGINNING)


def test_unreachable_service_raises_store_unavailable(wire):
    wire.refuse()
    url = f"firestore://tests/?emulator=127.0.0.1:{wire.port}&patience=0.5&timeout=0.3"
    with closing(FirestoreLedger.open(url)) as ledger:
        for use in (
            lambda: ledger.headers(["o:a"]),
            lambda: ledger.load("o:a", BEGINNING),
            lambda: list(ledger.list_partitions()),
        ):
            with pytest.raises(errors.StoreUnavailable, match="cannot be reached"):
                use()
        with pytest.raises(errors.StoreUnavailable):
            ledger.commit("o:a", BEGINNING, [], {}, "t")
    wire.allow()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("ServiceUnavailable", errors.StoreUnavailable),
        ("DeadlineExceeded", errors.StoreUnavailable),
        ("Aborted", errors.StoreUnavailable),
        ("ResourceExhausted", errors.StoreFull),
        ("PermissionDenied", errors.ConfigError),
        ("Unauthenticated", errors.ConfigError),
        ("NotFound", errors.ConfigError),
        ("InvalidArgument", errors.MessageTooLarge),
        ("OutOfRange", errors.StorageError),
    ],
)
def test_google_errors_are_translated(url, monkeypatch, theirs, ours):
    from google.api_core import exceptions

    def fail(self, paths):
        raise getattr(exceptions, theirs)("it failed")

    monkeypatch.setattr(FirestoreGateway, "_get", fail)
    short = url.replace("patience=2", "patience=0.1")
    with closing(FirestoreLedger.open(short)) as ledger, pytest.raises(ours, match="it failed"):
        ledger.headers(["o:ann"])


def test_transient_commit_errors_are_retried(url, monkeypatch):
    from google.api_core import exceptions

    problems = [exceptions.Aborted("contention"), exceptions.ServiceUnavailable("away")]
    original = FirestoreGateway._commit

    def fail_at_first(self, batch):
        if problems:
            raise problems.pop()
        return original(self, batch)

    monkeypatch.setattr(FirestoreGateway, "_commit", fail_at_first)
    with closing(FirestoreLedger.open(url)) as ledger:
        commit_rows(ledger, "o:ann", BEGINNING, LedgerRow("tags", "1", {"n": 1}))
    assert not problems


def test_missing_credentials_or_project_raises_config_error(monkeypatch, tmp_path):
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "FIRESTORE_EMULATOR_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    for url in ("firestore://", "firestore://my-project"):
        with pytest.raises(errors.ConfigError, match=r"credentials|project"):
            FirestoreLedger.open(url, {})


def test_missing_package_error_names_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.cloud.firestore", None)
    with pytest.raises(errors.MissingExtra, match=r"keepsaid\[firestore\]"):
        FirestoreLedger.open("firestore://my-project")


@pytest.mark.parametrize(
    "url",
    [
        "firestore://p/path",
        "firestore://p/?prefix=a/b",
        "firestore://p/?sessions=",
        "firestore://p/?patience=soon",
        "firestore://p/?log=0",
        "firestore://p/?owner_field=a.b",
        "firestore://p/?unknown=1",
    ],
)
def test_invalid_url_is_rejected(url):
    with pytest.raises(errors.ConfigError):
        parse_url(url)


def test_google_client_is_not_imported_before_use():
    code = "import sys, keepsaid.storage.firestore.ledger, keepsaid.cli.store.firestore; print('google' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


# -- an app's own documents

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def app(documents, prefix):
    """Two users' conversations as an app may have kept them."""
    trip = {"user_id": "ann", "title": "Trip", "createdAt": MONDAY, "colour": "blue", "status": "active"}
    write(
        documents,
        **{
            f"{prefix}chat_sessions/trip": trip,
            f"{prefix}chat_sessions/trip/messages/b": {
                "role": "ai", "content": "Lovely!", "timestamp": MONDAY + timedelta(minutes=1), "score": 0.5,
            },
            f"{prefix}chat_sessions/trip/messages/a": {
                "role": "human", "content": "My sister moved to Lisbon.", "timestamp": MONDAY,
            },
            f"{prefix}chat_sessions/gone": {"user_id": "ann", "status": "deleted"},
            f"{prefix}chat_sessions/gone/messages/x": {"role": "human", "content": "Forget it."},
            f"{prefix}chat_sessions/old": {"user_id": "ann", "status": "archived"},
            f"{prefix}chat_sessions/old/messages/l": {
                "type": "human", "data": {"content": "From LangChain."}, "created_at": MONDAY.isoformat(),
            },
            f"{prefix}chat_sessions/other": {"user_id": "bob"},
            f"{prefix}chat_sessions/other/messages/o": {"role": "user", "content": "I am Bob."},
        },
    )  # fmt: skip
    return trip


def import_documents(url, memory, tmp_path, owner="ann", **options):
    file = tmp_path / "conversations.jsonl"
    with closing(AppConversationReader(parse_url(url))) as app:
        file.write_text("\n".join(app.conversations(owner)))
    return memory.import_(file, owner=owner, format="chat-jsonl", **options)


def test_adopt_keeps_app_documents_in_place(app, memory, documents, prefix, url, clock, tmp_path):
    before = get(documents, f"{prefix}chat_sessions/trip/messages/b")
    report = import_documents(url, memory, tmp_path)
    assert (report.conversations, report.messages, report.warnings) == (2, 3, ())
    session = get(documents, f"{prefix}chat_sessions/trip")
    assert {name: session[name] for name in app} == app
    assert session["keepsaid_unit"] == "o:ann"
    message = get(documents, f"{prefix}chat_sessions/trip/messages/b")
    assert {name: message[name] for name in before} == before
    assert len(documents.select(f"{prefix}chat_sessions/trip/messages")) == 2
    with memory_at(url, clock) as other:
        chat = other.chat(owner="ann", session="trip")
        assert [(one.id, one.role, one.text) for one in chat.messages()] == [
            ("a", "user", "My sister moved to Lisbon."),
            ("b", "assistant", "Lovely!"),
        ]
        assert chat.messages()[0].created_at == MONDAY
        assert other.search("Lisbon sister", owner="ann")[0].message.id == "a"
        chat.add("user", "And I follow her.", id="c")
        chat.pin("b")
    message = get(documents, f"{prefix}chat_sessions/trip/messages/b")
    assert {name: message[name] for name in before} == before
    assert get(documents, f"{prefix}chat_sessions/trip/messages/c")["content"] == "And I follow her."


def test_repeated_adopt_adds_only_new_app_messages(app, memory, documents, prefix, url, tmp_path):
    import_documents(url, memory, tmp_path)
    report = import_documents(url, memory, tmp_path)
    assert (report.conversations, report.messages, report.already_there) == (0, 0, 3)
    later = {"role": "human", "content": "By the app.", "timestamp": MONDAY + timedelta(hours=1)}
    write(documents, **{f"{prefix}chat_sessions/trip/messages/later": later})
    report = import_documents(url, memory, tmp_path)
    assert (report.conversations, report.messages) == (0, 1)
    assert [one.id for one in memory.chat(owner="ann", session="trip").messages()] == ["a", "b", "later"]


def test_adopt_dry_run_changes_nothing(app, memory, documents, prefix, url, tmp_path):
    report = import_documents(url, memory, tmp_path, dry_run=True)
    assert report.messages == 3
    assert get(documents, f"{prefix}chat_sessions/trip") == app


def test_session_id_used_by_app_document_gets_separate_document(app, memory, documents, prefix):
    before = get(documents, f"{prefix}chat_sessions/other")
    memory.chat(owner="ann", session="other", create=True).add("user", "I am Ann.", id="o")
    assert get(documents, f"{prefix}chat_sessions/other") == before
    assert get(documents, f"{prefix}chat_sessions/other/messages/o")["content"] == "I am Bob."
    assert get(documents, f"{prefix}chat_sessions/~o%3Aann:other:1/messages/o")["content"] == "I am Ann."


def test_erase_deletes_adopted_documents(app, memory, documents, prefix, url, tmp_path):
    import_documents(url, memory, tmp_path)
    memory.erase(owner="ann")
    assert not get(documents, f"{prefix}chat_sessions/trip")
    assert not documents.select(f"{prefix}chat_sessions/trip/messages")
    assert get(documents, f"{prefix}chat_sessions/other")


def test_app_reader_lists_owners_and_conversations(app, url):
    with closing(AppConversationReader(parse_url(url))) as reading:
        assert reading.owners() == ["ann", "bob"]
        lines = [json.loads(line) for line in reading.conversations("ann")]
        assert (len(lines), reading.deleted_count, reading.archived_ids) == (2, 1, ["old"])
