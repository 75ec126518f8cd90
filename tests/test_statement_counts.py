"""How many SQL statements a search and a prompt run on SQLite, after another program has written."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import keepsaid
from keepsaid.storage.sqlite import storage
from keepsaid.storage.sqlite.connection import source
from keepsaid.testing import HashEmbedder

MAX_FOR_SEARCH, MAX_BY_WORDS, MAX_FOR_PROMPT = 25, 14, 51
"""The aims are 8 for a search and 14 for a prompt."""


class CountingConnection:
    """A connection that counts the statements which are run on it."""

    def __init__(self, db, counts: list[str]) -> None:
        self._db, self._counts = db, counts

    def execute(self, statements, bindings=None):
        self._counts.append(statements)
        return self._db.execute(statements, bindings)

    def __getattr__(self, name):
        return getattr(self._db, name)


@pytest.fixture
def statements(monkeypatch) -> list[str]:
    """The statements of reading connections, from here on."""
    counts: list[str] = []
    # Once a second, a read looks for an erase that another process could not finish: not while we count.
    monkeypatch.setattr(storage, "PENDING_CHECK_INTERVAL", 3600)
    monkeypatch.setattr(
        storage, "connect_for_reading", lambda of: CountingConnection(source.connect_for_reading(of), counts)
    )
    return counts


@contextmanager
def open_filled_store(path: Path) -> Iterator[keepsaid.Memory]:
    """A store with 200 conversations of four messages, to which another program has just written."""
    with keepsaid.open(path, embedder=HashEmbedder(), background=False, durable=False) as memory:
        for number in range(200):
            memory.chat(owner="ann").add_many(
                {"role": "user" if n % 2 == 0 else "assistant", "content": f"The train {number} to Porto leaves at {n}."}
                for n in range(4)
            )
        memory.maintain()
        memory.search("a train to Lisbon", owner="ann")
        memory.chat(owner="ann").context("Which train?", budget=4000)
        with keepsaid.open(path, embedder="off", background=False, durable=False) as other:
            other.chat(owner="ann").add("user", "I like the night train.")
        yield memory


@pytest.mark.parametrize(("mode", "limit"), [("full", MAX_FOR_SEARCH), ("words", MAX_BY_WORDS)])
def test_search_runs_few_statements(tmp_path, statements, mode, limit):
    with open_filled_store(tmp_path / "chat.db") as memory:
        statements.clear()
        hits = memory.search("which train leaves for Porto?", owner="ann", mode=mode)
        assert len(hits) == 10
        assert 5 < len(statements) <= limit, "\n".join(statements)


def test_prompt_runs_few_statements(tmp_path, statements):
    with open_filled_store(tmp_path / "chat.db") as memory:
        chat = memory.chat(owner="ann")
        statements.clear()
        assert "Porto" in chat.context("Pick a train for me to Porto.", budget=4000).messages[-1]["content"]
        assert 5 < len(statements) <= MAX_FOR_PROMPT, "\n".join(statements)
