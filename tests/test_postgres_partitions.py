"""Tables that are cut into partitions: whatever a user does, the server looks into his partition, and into no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
import servers

from recollect.memory import Memory
from recollect.ports import Storage
from recollect.storage.memory import MemoryStorage
from recollect.storage.postgres import PostgresStorage, source_of
from recollect.storage.postgres.database import EVERYONE, Rows
from recollect.storage.postgres.schema import LARGE_TABLES, UNIT_TABLES
from recollect.storage.postgres.transactions import Statement, Transaction
from recollect.testing import ArtifactConformance, IndexConformance, StorageConformance
from recollect.testing.conformance import COUNTER
from recollect.types import Draft

_PART = re.compile(rf"(?:Scan|Insert|Update|Delete)[^\n]* on (?:{'|'.join(LARGE_TABLES)})_(\d+)\b([^\n]*)")
OWNERS = tuple(f"u{number}" for number in range(12))


def parts(plan: str) -> set[str]:
    """The partitions that a statement looked into, by its plan with what really happened."""
    return {part for part, happened in _PART.findall(plan) if "never executed" not in happened}


def test_a_plan_that_looks_into_two_is_noticed() -> None:
    assert parts("->  Index Scan using x on messages_1 m_2  (cost=1) (actual rows=0.00 loops=1)") == {"1"}
    assert parts("->  Index Scan using x on messages_1 m_2  (cost=1) (never executed)") == set()
    assert parts("->  Seq Scan on vectors_0 v (cost=1)\n  ->  Update on postings_2 (cost=1)") == {"0", "2"}
    assert parts("->  Seq Scan on sessions_2 (cost=1)") == set()


@contextmanager
def overheard(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[PostgresStorage, list[str]]]:
    """A store whose server tells what it did for every statement of a user's verb, those inside of functions, too."""
    plans: list[str] = []
    send = Transaction._send  # pyright: ignore[reportPrivateUsage]

    def listening(self: Transaction, statements: list[Statement]) -> list[Rows]:
        def heard(notice: psycopg.errors.Diagnostic) -> None:
            said = notice.message_primary or ""
            if "plan:" in said and self.unit != EVERYONE:
                plans.append(said)

        connection = self._connection  # pyright: ignore[reportPrivateUsage]
        connection.add_notice_handler(heard)
        try:
            return send(self, statements)
        finally:
            connection.remove_notice_handler(heard)

    monkeypatch.setattr(Transaction, "_send", listening)
    with servers.explained_postgres(partitions=4) as url:
        analyzed = f"{url}&options=-c%20auto_explain.log_analyze%3Don%20-c%20auto_explain.log_timing%3Doff"
        with closing(PostgresStorage(source_of(analyzed))) as storage:
            yield storage, plans


def live(memory: Memory, owner: str) -> None:
    """What a user does in a life, more or less."""
    chat = memory.chat(owner=owner, session="s1", create=True)
    chat.add_many([Draft("user", f"My sister {number} lives in Lisbon.") for number in range(520)])
    asked = chat.add("user", "Where does she live?")
    chat.edit(asked.id, "Where do they live?")
    memory.remember("Has many sisters.", owner=owner)
    assert chat.messages(last=20)
    assert memory.search("sister in Lisbon", owner=owner)
    assert chat.context("Who lives in Lisbon?", budget=1000).messages
    chat.fork()
    assert chat.erase(asked.id).verified


def test_each_owner_stays_in_his_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    with overheard(monkeypatch) as (storage, plans):
        memory = Memory(storage, MemoryStorage(), COUNTER)
        used: dict[str, set[str]] = {}
        for owner in OWNERS:
            plans.clear()
            live(memory, owner)
            assert len(plans) > 50
            used[owner] = {part for plan in plans for part in parts(plan)}
        homes = storage.store.ask_all(
            lambda db: db.last("SELECT unit, right(tableoid::regclass::text, 1) FROM messages GROUP BY 1, 2").fetchall()
        )
    assert used == {unit.removeprefix("o:"): {part} for unit, part in homes}
    assert {part for _, part in homes} == {"0", "1", "2", "3"}


_WITHOUT_UNIT = """
SELECT i.relname FROM pg_index AS x JOIN pg_class AS t ON t.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid
JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
WHERE t.relnamespace = current_schema()::regnamespace AND t.relname = ANY (%s) AND x.indisunique AND a.attname <> 'unit'"""


def test_the_guide_to_shards_names_what_must_be_done() -> None:
    """An engine that shards takes only keys that begin with the column it shards by."""
    with servers.postgres_storage() as storage:
        unfit = storage.store.ask(lambda db: db.last(_WITHOUT_UNIT, (list(UNIT_TABLES),)).fetchall())
    guide = (Path(__file__).parent.parent / "docs" / "scaling.md").read_text()
    listed = [name for some in re.findall(r"'\{([\w,\s]+)\}'::regclass", guide) for name in re.findall(r"\w+", some)]
    assert {"spaces", *listed} >= set(UNIT_TABLES)
    assert [f"DROP INDEX {name};" in guide for (name,) in unfit] == [True]


@pytest.mark.long
class TestWhatIsLookedInto(StorageConformance):
    """No statement of the suite looks into two partitions."""

    @pytest.fixture
    def storage(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
        with overheard(monkeypatch) as (storage, plans):
            yield storage
        assert plans
        assert [plan for plan in plans if len(parts(plan)) > 1] == []


@pytest.mark.long
class TestWhatIsLookedIntoForVectors(IndexConformance):
    storage = TestWhatIsLookedInto.storage


@pytest.mark.long
class TestWhatIsLookedIntoForArtifacts(ArtifactConformance):
    storage = TestWhatIsLookedInto.storage
