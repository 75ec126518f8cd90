"""Partitioned PostgreSQL tables: every operation of an owner touches only that owner's partition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
import servers

from keepsaid.memory import Memory
from keepsaid.ports import Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.storage.postgres.connection.database import ALL_PARTITIONS, PostgresResult
from keepsaid.storage.postgres.connection.transactions import PostgresTransaction, Statement
from keepsaid.storage.postgres.schema.tables import LARGE_TABLES, UNIT_TABLES
from keepsaid.testing import ArtifactConformance, IndexConformance, StorageConformance
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import MessageDraft

_PART = re.compile(rf"(?:Scan|Insert|Update|Delete)[^\n]* on (?:{'|'.join(LARGE_TABLES)})_(\d+)\b([^\n]*)")
OWNERS = tuple(f"u{number}" for number in range(12))


def parts(plan: str) -> set[str]:
    """The partitions that a statement looked into, by its plan with what really happened."""
    return {part for part, happened in _PART.findall(plan) if "never executed" not in happened}


def test_parts_lists_partitions_that_a_plan_touches() -> None:
    assert parts("->  Index Scan using x on messages_1 m_2  (cost=1) (actual rows=0.00 loops=1)") == {"1"}
    assert parts("->  Index Scan using x on messages_1 m_2  (cost=1) (never executed)") == set()
    assert parts("->  Seq Scan on vectors_0 v (cost=1)\n  ->  Update on postings_2 (cost=1)") == {"0", "2"}
    assert parts("->  Seq Scan on sessions_2 (cost=1)") == set()


@contextmanager
def overheard(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[PostgresStorage, list[str]]]:
    """A store whose server tells what it did for every statement of a user's verb, those inside of functions, too."""
    plans: list[str] = []
    send = PostgresTransaction._send  # pyright: ignore[reportPrivateUsage]

    def listening(self: PostgresTransaction, statements: list[Statement]) -> list[PostgresResult]:
        def heard(notice: psycopg.errors.Diagnostic) -> None:
            said = notice.message_primary or ""
            if "plan:" in said and self.unit != ALL_PARTITIONS:
                plans.append(said)

        connection = self._connection  # pyright: ignore[reportPrivateUsage]
        connection.add_notice_handler(heard)
        try:
            return send(self, statements)
        finally:
            connection.remove_notice_handler(heard)

    monkeypatch.setattr(PostgresTransaction, "_send", listening)
    with servers.postgres_with_plans(partitions=4) as url:
        analyzed = f"{url}&options=-c%20auto_explain.log_analyze%3Don%20-c%20auto_explain.log_timing%3Doff"
        with closing(PostgresStorage(parse_source_url(analyzed))) as storage:
            yield storage, plans


def live(memory: Memory, owner: str) -> None:
    """What a user does in a life, more or less."""
    chat = memory.chat(owner=owner, session="s1", create=True)
    chat.add_many([MessageDraft("user", f"My sister {number} lives in Lisbon.") for number in range(520)])
    asked = chat.add("user", "Where does she live?")
    chat.edit(asked.id, "Where do they live?")
    memory.remember("Has many sisters.", owner=owner)
    assert chat.messages(last=20)
    assert memory.search("sister in Lisbon", owner=owner)
    assert chat.context("Who lives in Lisbon?", budget=1000).messages
    chat.fork()
    assert chat.erase(asked.id).verified


def test_owner_operations_touch_only_own_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    with overheard(monkeypatch) as (storage, plans):
        memory = Memory(storage, MemoryStorage(), COUNTER)
        used: dict[str, set[str]] = {}
        for owner in OWNERS:
            plans.clear()
            live(memory, owner)
            assert len(plans) > 50
            used[owner] = {part for plan in plans for part in parts(plan)}
        homes = storage.store.read_all_partitions(
            lambda db: db.last("SELECT unit, right(tableoid::regclass::text, 1) FROM messages GROUP BY 1, 2").fetchall()
        )
    assert used == {unit.removeprefix("o:"): {part} for unit, part in homes}
    assert {part for _, part in homes} == {"0", "1", "2", "3"}


_WITHOUT_UNIT = """
SELECT i.relname FROM pg_index AS x JOIN pg_class AS t ON t.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid
JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
WHERE t.relnamespace = current_schema()::regnamespace AND t.relname = ANY (%s) AND x.indisunique AND a.attname <> 'unit'"""


def test_scaling_guide_lists_tables_and_indexes_to_change() -> None:
    """A sharding engine accepts only keys that begin with the sharding column."""
    with servers.postgres_storage() as storage:
        unfit = storage.store.ask(lambda db: db.last(_WITHOUT_UNIT, (list(UNIT_TABLES),)).fetchall())
    guide = (Path(__file__).parent.parent / "docs" / "scaling.md").read_text()
    listed = [name for some in re.findall(r"'\{([\w,\s]+)\}'::regclass", guide) for name in re.findall(r"\w+", some)]
    assert {"spaces", *listed} >= set(UNIT_TABLES)
    assert [f"DROP INDEX {name};" in guide for (name,) in unfit] == [True]


@pytest.mark.long
class TestStorageStatementsUseOnePartition(StorageConformance):
    """No statement of the conformance suite touches two partitions."""

    @pytest.fixture
    def storage(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
        with overheard(monkeypatch) as (storage, plans):
            yield storage
        assert plans
        assert [plan for plan in plans if len(parts(plan)) > 1] == []


@pytest.mark.long
class TestIndexStatementsUseOnePartition(IndexConformance):
    storage = TestStorageStatementsUseOnePartition.storage


@pytest.mark.long
class TestArtifactStatementsUseOnePartition(ArtifactConformance):
    storage = TestStorageStatementsUseOnePartition.storage
