"""Checks of vectors in SQLite: every kind of damage is found, and repaired by embedding missing messages again."""

import pytest

import keepsaid
from keepsaid.index.local import LocalIndex
from keepsaid.ports import VectorMark
from keepsaid.storage.sqlite.search import vectors
from keepsaid.testing.index_conformance import GENERATION, embed_question, embed_waiting
from keepsaid.types import Scope

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
def embedded_store(store):
    """Twelve messages with vectors, one of them without text."""
    store.chat(owner="u1").add_many([{"role": "user", "content": f"tea {n}" if n != 3 else " "} for n in range(12)])
    embed_waiting(store._services.storage)
    return store


@pytest.mark.parametrize("what", DAMAGE)
def test_check_finds_and_repairs_vector_damage(embedded_store, what):
    storage, index = embedded_store._services.storage, LocalIndex(embedded_store._services.storage)
    assert embedded_store.check().healthy
    assert len(index.search(Scope("u1"), GENERATION, embed_question("tea"), 99)) == 12
    storage._writer.run(lambda db: db.execute(DAMAGE[what]))
    assert "vectors" in {finding.kind for finding in embedded_store.check().findings}
    assert embedded_store.check(repair=True).healthy
    assert embedded_store.check().findings == ()
    embed_waiting(storage)
    left = 11 if what == "a message went without its vectors" else 12
    assert storage.coverage(GENERATION)[:3] == (left, left, left)
    found = index.search(Scope("u1"), GENERATION, embed_question("tea"), 99)
    assert sorted(near.number for near in found) == list(range(1, left + 1))
    assert embedded_store.check().findings == ()


def test_backup_contains_the_vectors(embedded_store, tmp_path):
    embedded_store.backup(tmp_path / "copy.db")
    with keepsaid.open(tmp_path / "copy.db") as copy:
        assert copy._services.storage.coverage(GENERATION).passages == 12
        assert copy.check().healthy


def test_append_does_not_write_vector_tables(embedded_store):
    storage = embedded_store._services.storage
    count = "SELECT (SELECT count(*) FROM vectors), (SELECT group_concat(owner || ':' || upto) FROM work)"
    before = storage._readers.run(lambda db: db.execute(count).fetchall())
    embedded_store.chat(owner="u1").add("user", "more tea")
    embedded_store.chat(owner="u9").add("user", "more tea")
    assert storage._readers.run(lambda db: db.execute(count).fetchall()) == before
    assert (storage.waiting(Scope("u1"), GENERATION), storage.waiting(Scope("u9"), GENERATION)) == (1, 1)


def test_claims_rotate_between_owners(store):
    """An owner who writes all the time does not keep the messages of others waiting."""
    storage = store._services.storage
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


def test_drop_generation_removes_vectors_in_batches(embedded_store, monkeypatch):
    monkeypatch.setattr("keepsaid.storage.sqlite.search.vectors.DROP_BATCH_SIZE", 5)
    storage = embedded_store._services.storage
    assert storage.drop_generation(GENERATION) == 12
    assert storage.generations() == []
    for table in ("vectors", "token_vectors", "work"):
        assert storage._readers.run(lambda db, table=table: db.execute(f"SELECT count(*) FROM {table}").fetchall()) == [(0,)]
    assert embedded_store.check().healthy


def test_vectors_are_read_in_portions(embedded_store, monkeypatch):
    """All vectors of a large owner at once would take gigabytes as Python objects."""
    monkeypatch.setattr(vectors, "PORTION", 5)
    storage = embedded_store._services.storage
    first = storage.vectors(Scope("u1"), GENERATION, VectorMark())
    assert (first.fresh, first.numbers, first.more) == (True, [1, 2, 3, 4, 5], True)
    second = storage.vectors(Scope("u1"), GENERATION, first.mark)
    assert (second.fresh, second.numbers, second.more) == (False, [6, 7, 8, 9, 10], True)
    last = storage.vectors(Scope("u1"), GENERATION, second.mark)
    assert (last.fresh, last.numbers, last.more) == (False, [11, 12], False)
    chat = embedded_store.chat(owner="u1", session=embedded_store.sessions(owner="u1")[0].id)
    chat.erase(chat.messages(last=1)[0].id)
    assert storage.vectors(Scope("u1"), GENERATION, second.mark).fresh
    assert len(LocalIndex(storage).search(Scope("u1"), GENERATION, embed_question("tea"), 99)) == 11
