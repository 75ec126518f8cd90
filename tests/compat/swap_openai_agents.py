"""Puts `KeepsaidSession` in the place of the OpenAI Agents SDK's `SQLiteSession`, and of the list that the tests of its
runner have for a session.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import agents
import agents.extensions.memory.encrypt_session  # before the swap: what it does for SQLite alone, it does not do for ours
import agents.memory
import agents.memory.sqlite_session

import keepsaid
from keepsaid.adapters.openai_agents import KeepsaidSession

stores: dict[str, keepsaid.Memory] = {}
numbers = itertools.count()
folder = tempfile.TemporaryDirectory(prefix="stores-")


def store(name: str) -> keepsaid.Memory:
    """A store for a file of theirs, which is another one in every test; what they keep in memory only is one of its own."""
    number = next(numbers)
    key = f"memory {number}" if name == ":memory:" else name
    if key not in stores:
        place = "memory://" if name == ":memory:" else Path(folder.name) / f"{number}.db"
        stores[key] = keepsaid.open(place, embedder="off", background=False)
    return stores[key]


class Swapped(KeepsaidSession):
    """Made as their SQLite sessions are."""

    def __init__(self, session_id: str, db_path: str | Path = ":memory:", session_settings: Any = None) -> None:
        super().__init__(store(str(db_path)), owner="tests", session=session_id, session_settings=session_settings)

    def close(self) -> None:
        """Theirs has one. Ours is closed with its memory, by whoever opened it."""


class SwappedList(KeepsaidSession):
    """Made as the list in their tests is, which they look into."""

    _ignore_ids_for_matching = False

    def __init__(self, session_id: str = "test", history: list[Any] | None = None) -> None:
        KeepsaidSession.__init__(self, store(":memory:"), owner="tests", session=session_id)
        self._add(list(history or ()))

    @property
    def saved_items(self) -> list[Any]:
        return self._read(None)

    _items = saved_items


def pytest_configure() -> None:
    for module in (agents, agents.memory, agents.memory.sqlite_session):
        module.SQLiteSession = Swapped
    from tests.utils import simple_session  # theirs: pytest runs in the folder that has them

    # Other classes of theirs are made of that list, and a protocol cannot be taken from under them: so the class stays,
    # and everything in it is ours.
    for name, value in {**vars(KeepsaidSession), **vars(SwappedList)}.items():
        if not name.startswith("__") or name == "__init__":
            setattr(simple_session.SimpleListSession, name, value)


def pytest_runtest_teardown() -> None:
    while stores:
        stores.popitem()[1].close()


def pytest_unconfigure() -> None:
    folder.cleanup()
