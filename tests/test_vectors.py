"""The check-up of vectors in SQLite: every kind of damage is found, and mended by embedding again what is missing."""

import pytest

import recollect
from recollect.index.local import LocalIndex
from recollect.testing.index_conformance import GENERATION, drain, question
from recollect.types import Scope

ONE = "generation = (SELECT no FROM generations WHERE dimensions > 0) AND rid = (1 << 32) + 5"
DAMAGE = {
    "a message went without its vectors": "DELETE FROM messages WHERE rid = (1 << 32) + 12",
    "a vector went": f"DELETE FROM vectors WHERE {ONE}",
    "a vector is cut": f"UPDATE vectors SET vector = x'00' WHERE {ONE}",
    "token vectors went": f"DELETE FROM token_vectors WHERE no = (SELECT tokens FROM vectors WHERE {ONE})",
    "token vectors are left over": "INSERT INTO token_vectors (width, rows) VALUES (16, x'00')",
    "a generation went": "DELETE FROM generations",
    "work of nobody": "INSERT INTO work VALUES (1, 99, 5, NULL, NULL)",
    "work counts too far": "UPDATE work SET upto = 500",
}


@pytest.fixture
def embedded(store):
    """Twelve messages with vectors, one of them without text."""
    store.chat(owner="u1").add_many([{"role": "user", "content": f"tea {n}" if n != 3 else " "} for n in range(12)])
    drain(store._storage)
    return store


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_found_and_mended(embedded, what):
    storage, index = embedded._storage, LocalIndex(embedded._storage)
    assert embedded.check().healthy
    assert len(index.search(Scope("u1"), GENERATION, question("tea"), 99)) == 12
    storage._writer.run(lambda db: db.execute(DAMAGE[what]))
    assert "vectors" in {finding.kind for finding in embedded.check().findings}
    assert embedded.check(repair=True).healthy
    assert embedded.check().findings == ()
    drain(storage)
    left = 11 if what == "a message went without its vectors" else 12
    assert storage.coverage(GENERATION)[:3] == (left, left, left)
    found = index.search(Scope("u1"), GENERATION, question("tea"), 99)
    assert sorted(near.number for near in found) == list(range(1, left + 1))
    assert embedded.check().findings == ()


def test_a_backup_has_the_vectors(embedded, tmp_path):
    embedded.backup(tmp_path / "copy.db")
    with recollect.open(tmp_path / "copy.db") as copy:
        assert copy._storage.coverage(GENERATION).passages == 12
        assert copy.check().healthy


def test_appends_write_nothing_about_vectors(embedded):
    storage = embedded._storage
    count = "SELECT (SELECT count(*) FROM vectors), (SELECT group_concat(owner || ':' || upto) FROM work)"
    before = storage._readers.run(lambda db: db.execute(count).fetchall())
    embedded.chat(owner="u1").add("user", "more tea")
    embedded.chat(owner="u9").add("user", "more tea")
    assert storage._readers.run(lambda db: db.execute(count).fetchall()) == before
    assert (storage.waiting(Scope("u1"), GENERATION), storage.waiting(Scope("u9"), GENERATION)) == (1, 1)


def test_workers_go_round(store):
    """Nobody waits for ever behind somebody who writes all the time."""
    storage = store._storage
    chats = {owner: store.chat(owner=owner) for owner in ("a", "b", "c")}
    for chat in chats.values():
        chat.add("user", "tea")
    storage.begin_generation(GENERATION, 64)
    given = []
    for _ in range(6):
        chats["a"].add("user", "more tea")
        task = storage.claim(GENERATION, "w1", 0, 1, 1)
        storage.settle_task(task, [], 0)
        given.append(task.space)
    assert set(given) == {1, 2, 3}
    assert sorted(given[:3]) == [1, 2, 3]


def test_a_dropped_generation_goes_in_steps(embedded, monkeypatch):
    monkeypatch.setattr("recollect.storage.sqlite.vectors.DROPPED_AT_ONCE", 5)
    storage = embedded._storage
    assert storage.drop_generation(GENERATION) == 12
    assert storage.generations() == []
    for table in ("vectors", "token_vectors", "work"):
        assert storage._readers.run(lambda db, table=table: db.execute(f"SELECT count(*) FROM {table}").fetchall()) == [(0,)]
    assert embedded.check().healthy
