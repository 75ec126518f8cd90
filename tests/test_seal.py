"""Sealed ledgers: what goes to the place cannot be read there, nor moved about, nor opened once its key is gone."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from click.testing import CliRunner
from redis_servers import redis_server

import recollect
from recollect.cli import main
from recollect.errors import StoreCorrupt, WrongKey
from recollect.memory import Memory
from recollect.storage.memory import MemoryStorage
from recollect.storage.mirror.ledger import BEGINNING, Row
from recollect.storage.mirror.memory import MemoryLedger, MemoryPlace
from recollect.storage.mirror.seal import SealedLedger
from recollect.storage.mirror.storage import MirrorStorage
from recollect.testing import ArtifactConformance, IndexConformance, LedgerConformance, StorageConformance
from recollect.tokens import counter_for

KEY = bytes(range(32))
SECRETS = ("Lisbon", "sister", "Holiday", "nurse")


class TestSealedLedger(LedgerConformance):
    @pytest.fixture
    def place(self) -> MemoryPlace:
        return MemoryPlace()

    @pytest.fixture
    def ledger(self, place: MemoryPlace) -> SealedLedger:
        return SealedLedger(MemoryLedger(place), KEY)

    @pytest.fixture
    def second(self, place: MemoryPlace) -> SealedLedger:
        return SealedLedger(MemoryLedger(place), KEY)


class TestSealedStorage(StorageConformance):
    @pytest.fixture
    def storage(self) -> Iterator[MirrorStorage]:
        with closing(MirrorStorage(SealedLedger(MemoryLedger(), KEY))) as storage:
            yield storage


class TestSealedVectors(IndexConformance):
    storage = TestSealedStorage.storage


class TestSealedArtifacts(ArtifactConformance):
    storage = TestSealedStorage.storage


@pytest.fixture
def place() -> MemoryPlace:
    return MemoryPlace()


def opened(place: MemoryPlace, key: bytes = KEY) -> Memory:
    storage = MirrorStorage(SealedLedger(MemoryLedger(place), key))
    return Memory(storage, MemoryStorage(), counter_for("o200k_base"))


def told(place: MemoryPlace) -> str:
    """Everything that whoever has the place can read."""
    return repr([(unit, MemoryLedger(place).load(unit, BEGINNING)) for unit, _ in MemoryLedger(place).units()])


def say(place: MemoryPlace, owner: str = "ann") -> None:
    with opened(place) as memory:
        chat = memory.chat(owner=owner, title="Holiday")
        chat.add("user", "My sister lives in Lisbon. I work as a nurse.")
        memory.maintain()
        assert memory.search("sister", owner=owner)


def test_nothing_that_was_said_can_be_read_in_the_place(place):
    say(place)
    assert "messages" in told(place)
    assert not [word for word in SECRETS if word in told(place)]


def test_another_key_opens_nothing(place):
    say(place)
    with opened(place, bytes(32)) as memory, pytest.raises(WrongKey):
        memory.sessions(owner="ann")


def test_a_place_that_is_not_sealed_is_not_taken_for_one(place):
    ledger = MemoryLedger(place)
    assert ledger.commit("o:ann", BEGINNING, [Row("meta", "x", {"key": "x", "value": "y"})], {}, "token")
    with pytest.raises(WrongKey, match="not encrypted"):
        SealedLedger(ledger, KEY).load("o:ann", BEGINNING)


def test_what_was_moved_does_not_open(place):
    """Whoever can write to the place can throw rows away, but not pass one off as another."""
    say(place)
    ledger = MemoryLedger(place)
    rows = ledger.load("o:ann", BEGINNING).rows
    (message,) = [row for row in rows if row.table == "messages"]
    (session,) = [row for row in rows if row.table == "sessions"]
    forged = session._replace(columns={**session.columns, "title": message.columns["text"]})
    header = ledger.headers(["o:ann"])[0]
    assert ledger.commit("o:ann", header.point, [forged], header.note, "forged")
    with opened(place) as memory, pytest.raises(StoreCorrupt, match="does not open"):
        memory.sessions(owner="ann")


def test_who_is_erased_has_no_key_any_more(place):
    say(place)
    before = MemoryLedger(place).load("o:ann", BEGINNING)
    sealed = [row for row in before.rows if row.table == "messages"]
    with opened(place) as memory:
        memory.erase(owner="ann")
        ledger = SealedLedger(MemoryLedger(place), KEY)
        ledger.headers(["o:ann"])
        assert not [row for row in ledger.load("o:ann", BEGINNING).rows if row.table == "messages"]
        header = MemoryLedger(place).headers(["o:ann"])[0]
        # A copy of his old rows, put back without the old header, opens for nobody.
        assert MemoryLedger(place).commit("o:ann", header.point, sealed, header.note, "restored")
        with pytest.raises(StoreCorrupt):
            SealedLedger(MemoryLedger(place), KEY).load("o:ann", BEGINNING)


def test_the_master_key_can_be_changed(place):
    say(place)
    say(place, "bob")
    new = bytes(reversed(KEY))
    assert SealedLedger(MemoryLedger(place), KEY).rotate(new) == 3
    assert SealedLedger(MemoryLedger(place), KEY).rotate(new) == 0, "one that was cut short goes on"
    with opened(place, new) as memory:
        assert memory.search("sister", owner="bob")
    with opened(place) as memory, pytest.raises(WrongKey):
        memory.sessions(owner="ann")


def test_the_command_line_changes_the_key_of_a_store_on_a_server(tmp_path):
    with redis_server() as server:
        old, new = tmp_path / "old.key", tmp_path / "new.key"
        old.write_bytes(KEY)
        new.write_bytes(bytes(reversed(KEY)))
        with recollect.open(server.url, key_file=str(old), embedder="off") as memory:
            memory.chat(owner="ann").add("user", "My sister lives in Lisbon.")
        done = CliRunner().invoke(main, ["--db", server.url, "--key-file", str(old), "rekey", str(new)])
        assert done.exit_code == 0, done.output
        assert "2 keys" in done.output
        with recollect.open(server.url, key_file=str(new), embedder="off") as memory:
            assert memory.search("sister", owner="ann")
        for key in ({"key_file": str(old)}, {}):
            with pytest.raises(WrongKey), recollect.open(server.url, embedder="off", **key) as memory:
                memory.sessions(owner="ann")


def test_a_key_that_was_thrown_away_does_not_come_back(place):
    """Others may still be reading the old header while somebody is erased."""
    say(place)
    ledger = SealedLedger(MemoryLedger(place), KEY)
    with Memory(MirrorStorage(ledger), MemoryStorage(), counter_for("o200k_base")) as memory:
        memory.sessions(owner="ann")
        (old,) = MemoryLedger(place).headers(["o:ann"])
        memory.erase(owner="ann")
        ledger._learn("o:ann", old)
        memory.chat(owner="ann").add("user", "Here I am again.")
    (now,) = MemoryLedger(place).headers(["o:ann"])
    assert now.note["seal"] != old.note["seal"]
    with opened(place) as memory:
        assert memory.search("again", owner="ann")


def test_a_process_with_the_old_master_key_makes_no_new_owner(place):
    say(place)
    new = bytes(reversed(KEY))
    with opened(place) as memory:
        memory.sessions(owner="ann")
        SealedLedger(MemoryLedger(place), KEY).rotate(new)
        with pytest.raises(WrongKey, match="open it again with the new one"):
            memory.chat(owner="cid").add("user", "Hello")
    assert "o:cid" not in place.units
    with opened(place, new) as memory:
        memory.chat(owner="cid").add("user", "Hello")
        assert memory.check().healthy


class Late(MemoryLedger):
    """Somebody makes a unit just after the units were listed."""

    def units(self):
        listed = super().units()
        if "o:late" not in self._place.units:
            other = SealedLedger(MemoryLedger(self._place), KEY)
            other._refuse_old_master = lambda: None  # it had looked before
            assert other.commit("o:late", BEGINNING, [Row("meta", "x", {"key": "x", "value": "y"})], {}, "token")
        return listed


def test_a_unit_that_was_on_its_way_gets_the_new_master_key_too(place):
    say(place)
    new = bytes(reversed(KEY))
    assert SealedLedger(Late(place), KEY).rotate(new) == 3
    (row,) = SealedLedger(MemoryLedger(place), new).load("o:late", BEGINNING).rows
    assert row.columns == {"key": "x", "value": "y"}


def test_a_check_up_tells_of_rows_that_were_changed_in_the_place(place):
    """Unseen by a mirror, which is at the same point."""
    with opened(place) as memory:
        memory.chat(owner="ann", title="Holiday").add("user", "My sister lives in Lisbon.")
        assert memory.check().healthy
        rows = place.units["o:ann"].rows
        (name,) = [name for name in rows if name[0] == "messages"]
        rows[name] = {**rows[name], "text": b"x" * 60}
        (finding,) = memory.check().findings
        assert (finding.kind, finding.repaired) == ("mirror", False)
        assert "does not open" in finding.detail
        memory._storage._mirrors._open["o:ann"]._writer._db.execute("UPDATE sessions SET messages = 7")
        before = place.units["o:ann"].point
        assert not memory.check(repair=True).healthy
        assert place.units["o:ann"].point == before, "what cannot be compared is no ground for changing anything there"


def test_mirrors_of_the_old_key_are_not_filled_before_they_are_needed(tmp_path, place):
    def at(key: bytes) -> Memory:
        storage = MirrorStorage(SealedLedger(MemoryLedger(place), key), tmp_path, key)
        return Memory(storage, MemoryStorage(), counter_for("o200k_base"))

    with at(KEY) as memory:
        memory.chat(owner="ann").add("user", "My sister lives in Lisbon.")
    new = bytes(reversed(KEY))
    SealedLedger(MemoryLedger(place), KEY).rotate(new)
    with at(new) as memory:
        assert "o:ann" not in memory._storage._mirrors._open
        assert memory.search("sister", owner="ann")
