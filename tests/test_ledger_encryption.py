"""Encrypted ledgers: stored rows cannot be read, moved to other rows, or decrypted after their key is erased."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from click.testing import CliRunner
from redis_servers import redis_server

import keepsaid
from keepsaid.cli import main
from keepsaid.errors import StoreCorrupt, WrongKey
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.replica.encryption import EncryptedLedger
from keepsaid.storage.replica.ledger import BEGINNING, LedgerRow
from keepsaid.storage.replica.memory_ledger import MemoryLedger, MemoryLedgerServer
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.testing import ArtifactConformance, IndexConformance, LedgerConformance, StorageConformance

KEY = bytes(range(32))
SECRETS = ("Lisbon", "sister", "Holiday", "nurse")


class TestSealedLedger(LedgerConformance):
    @pytest.fixture
    def place(self) -> MemoryLedgerServer:
        return MemoryLedgerServer()

    @pytest.fixture
    def ledger(self, place: MemoryLedgerServer) -> EncryptedLedger:
        return EncryptedLedger(MemoryLedger(place), KEY)

    @pytest.fixture
    def second(self, place: MemoryLedgerServer) -> EncryptedLedger:
        return EncryptedLedger(MemoryLedger(place), KEY)


class TestSealedStorage(StorageConformance):
    @pytest.fixture
    def storage(self) -> Iterator[ReplicaStorage]:
        with closing(ReplicaStorage(EncryptedLedger(MemoryLedger(), KEY))) as storage:
            yield storage


class TestSealedVectors(IndexConformance):
    storage = TestSealedStorage.storage


class TestSealedArtifacts(ArtifactConformance):
    storage = TestSealedStorage.storage


@pytest.fixture
def place() -> MemoryLedgerServer:
    return MemoryLedgerServer()


def open_memory(place: MemoryLedgerServer, key: bytes = KEY) -> Memory:
    storage = ReplicaStorage(EncryptedLedger(MemoryLedger(place), key))
    return Memory(storage, MemoryStorage(), counter_for("o200k_base"))


def dump_ledger(place: MemoryLedgerServer) -> str:
    """Everything that whoever has the place can read."""
    return repr([(unit, MemoryLedger(place).load(unit, BEGINNING)) for unit, _ in MemoryLedger(place).list_partitions()])


def say(place: MemoryLedgerServer, owner: str = "ann") -> None:
    with open_memory(place) as memory:
        chat = memory.chat(owner=owner, title="Holiday")
        chat.add("user", "My sister lives in Lisbon. I work as a nurse.")
        memory.maintain()
        assert memory.search("sister", owner=owner)


def test_encrypted_ledger_contains_no_plain_text(place):
    say(place)
    assert "messages" in dump_ledger(place)
    assert not [word for word in SECRETS if word in dump_ledger(place)]


def test_wrong_key_is_refused(place):
    say(place)
    with open_memory(place, bytes(32)) as memory, pytest.raises(WrongKey):
        memory.sessions(owner="ann")


def test_unencrypted_ledger_is_refused(place):
    ledger = MemoryLedger(place)
    assert ledger.commit("o:ann", BEGINNING, [LedgerRow("meta", "x", {"key": "x", "value": "y"})], {}, "token")
    with pytest.raises(WrongKey, match="not encrypted"):
        EncryptedLedger(ledger, KEY).load("o:ann", BEGINNING)


def test_value_moved_to_another_row_cannot_be_decrypted(place):
    """Write access to the ledger allows deleting rows, but not presenting one value as another."""
    say(place)
    ledger = MemoryLedger(place)
    rows = ledger.load("o:ann", BEGINNING).rows
    (message,) = [row for row in rows if row.table == "messages"]
    (session,) = [row for row in rows if row.table == "sessions"]
    forged = session._replace(columns={**session.columns, "title": message.columns["text"]})
    header = ledger.headers(["o:ann"])[0]
    assert ledger.commit("o:ann", header.point, [forged], header.note, "forged")
    with open_memory(place) as memory, pytest.raises(StoreCorrupt, match="cannot be decrypted"):
        memory.sessions(owner="ann")


def test_rows_of_erased_owner_cannot_be_decrypted(place):
    say(place)
    before = MemoryLedger(place).load("o:ann", BEGINNING)
    sealed = [row for row in before.rows if row.table == "messages"]
    with open_memory(place) as memory:
        memory.erase(owner="ann")
        ledger = EncryptedLedger(MemoryLedger(place), KEY)
        ledger.headers(["o:ann"])
        assert not [row for row in ledger.load("o:ann", BEGINNING).rows if row.table == "messages"]
        header = MemoryLedger(place).headers(["o:ann"])[0]
        # A copy of their old rows, restored without the old header, cannot be opened.
        assert MemoryLedger(place).commit("o:ann", header.point, sealed, header.note, "restored")
        with pytest.raises(StoreCorrupt):
            EncryptedLedger(MemoryLedger(place), KEY).load("o:ann", BEGINNING)


def test_rotate_changes_the_master_key(place):
    say(place)
    say(place, "bob")
    new = bytes(reversed(KEY))
    assert EncryptedLedger(MemoryLedger(place), KEY).rotate(new) == 3
    assert EncryptedLedger(MemoryLedger(place), KEY).rotate(new) == 0, "one that was cut short goes on"
    with open_memory(place, new) as memory:
        assert memory.search("sister", owner="bob")
    with open_memory(place) as memory, pytest.raises(WrongKey):
        memory.sessions(owner="ann")


def test_rekey_command_changes_key_of_redis_store(tmp_path):
    with redis_server() as server:
        old, new = tmp_path / "old.key", tmp_path / "new.key"
        old.write_bytes(KEY)
        new.write_bytes(bytes(reversed(KEY)))
        with keepsaid.open(server.url, key_file=str(old), embedder="off") as memory:
            memory.chat(owner="ann").add("user", "My sister lives in Lisbon.")
        done = CliRunner().invoke(main, ["--db", server.url, "--key-file", str(old), "rekey", str(new)])
        assert done.exit_code == 0, done.output
        assert "2 keys" in done.output
        with keepsaid.open(server.url, key_file=str(new), embedder="off") as memory:
            assert memory.search("sister", owner="ann")
        for key in ({"key_file": str(old)}, {}):
            with pytest.raises(WrongKey), keepsaid.open(server.url, embedder="off", **key) as memory:
                memory.sessions(owner="ann")


def test_erased_owner_who_returns_gets_a_new_key(place):
    """A process may still hold the old header while the owner is erased."""
    say(place)
    ledger = EncryptedLedger(MemoryLedger(place), KEY)
    with Memory(ReplicaStorage(ledger), MemoryStorage(), counter_for("o200k_base")) as memory:
        memory.sessions(owner="ann")
        (old,) = MemoryLedger(place).headers(["o:ann"])
        memory.erase(owner="ann")
        ledger._read_key("o:ann", old)
        memory.chat(owner="ann").add("user", "Here I am again.")
    (now,) = MemoryLedger(place).headers(["o:ann"])
    assert now.note["seal"] != old.note["seal"]
    with open_memory(place) as memory:
        assert memory.search("again", owner="ann")


def test_old_master_key_cannot_create_an_owner(place):
    say(place)
    new = bytes(reversed(KEY))
    with open_memory(place) as memory:
        memory.sessions(owner="ann")
        EncryptedLedger(MemoryLedger(place), KEY).rotate(new)
        with pytest.raises(WrongKey, match="open it again with the new one"):
            memory.chat(owner="cid").add("user", "Hello")
    assert "o:cid" not in place.partitions
    with open_memory(place, new) as memory:
        memory.chat(owner="cid").add("user", "Hello")
        assert memory.check().healthy


class Late(MemoryLedger):
    """Another process creates a partition just after the partitions were listed."""

    def list_partitions(self):
        listed = super().list_partitions()
        if "o:late" not in self._place.partitions:
            other = EncryptedLedger(MemoryLedger(self._place), KEY)
            other._check_master_key = lambda: None  # it had looked before
            assert other.commit("o:late", BEGINNING, [LedgerRow("meta", "x", {"key": "x", "value": "y"})], {}, "token")
        return listed


def test_rotate_includes_unit_created_during_rotation(place):
    say(place)
    new = bytes(reversed(KEY))
    assert EncryptedLedger(Late(place), KEY).rotate(new) == 3
    (row,) = EncryptedLedger(MemoryLedger(place), new).load("o:late", BEGINNING).rows
    assert row.columns == {"key": "x", "value": "y"}


def test_check_reports_rows_changed_in_the_ledger(place):
    """A replica does not see the change, because the position of the ledger is the same."""
    with open_memory(place) as memory:
        memory.chat(owner="ann", title="Holiday").add("user", "My sister lives in Lisbon.")
        assert memory.check().healthy
        rows = place.partitions["o:ann"].rows
        (name,) = [name for name in rows if name[0] == "messages"]
        rows[name] = {**rows[name], "text": b"x" * 60}
        (finding,) = memory.check().findings
        assert (finding.kind, finding.repaired) == ("replica", False)
        assert "cannot be decrypted" in finding.detail
        memory._services.storage._replicas._open["o:ann"]._writer._db.execute("UPDATE sessions SET messages = 7")
        before = place.partitions["o:ann"].point
        assert not memory.check(repair=True).healthy
        assert place.partitions["o:ann"].point == before, "what cannot be compared is no ground for changing anything there"


def test_replica_is_filled_on_first_use_after_rotation(tmp_path, place):
    def at(key: bytes) -> Memory:
        storage = ReplicaStorage(EncryptedLedger(MemoryLedger(place), key), tmp_path, key)
        return Memory(storage, MemoryStorage(), counter_for("o200k_base"))

    with at(KEY) as memory:
        memory.chat(owner="ann").add("user", "My sister lives in Lisbon.")
    new = bytes(reversed(KEY))
    EncryptedLedger(MemoryLedger(place), KEY).rotate(new)
    with at(new) as memory:
        assert "o:ann" not in memory._services.storage._replicas._open
        assert memory.search("sister", owner="ann")
