"""Puts our checkpointer in the place of LangGraph's SQLite savers."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from langgraph.checkpoint import sqlite
from langgraph.checkpoint.sqlite import aio

import keepsaid
from keepsaid.adapters.langgraph.checkpointer import KeepsaidSaver


@contextmanager
def _open_memory() -> Iterator[keepsaid.Memory]:
    """A store in a file of its own, as those of SQLite would be in the memory of the process."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        keepsaid.open(Path(folder) / "state.db", embedder="off") as memory,
    ):
        yield memory


class Saver(KeepsaidSaver):
    """Ours, made as theirs is made."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str) -> Iterator[KeepsaidSaver]:
        with _open_memory() as memory:
            yield cls(memory, owner="ann")


class AsyncSaver(KeepsaidSaver):
    """Ours, made as their async one is made."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str) -> AsyncIterator[KeepsaidSaver]:
        with _open_memory() as memory:
            yield cls(memory, owner="ann")


sqlite.SqliteSaver = Saver
aio.AsyncSqliteSaver = AsyncSaver
