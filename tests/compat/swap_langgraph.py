"""Puts our checkpointer in the place of LangGraph's SQLite savers."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from langgraph.checkpoint import sqlite
from langgraph.checkpoint.sqlite import aio

import recollect
from recollect.adapters.langgraph_checkpointer import RecollectSaver


@contextmanager
def _opened() -> Iterator[recollect.Memory]:
    """A store in a file of its own, as those of SQLite would be in the memory of the process."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        recollect.open(Path(folder) / "state.db", embedder="off") as memory,
    ):
        yield memory


class Saver(RecollectSaver):
    """Ours, made as theirs is made."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str) -> Iterator[RecollectSaver]:
        with _opened() as memory:
            yield cls(memory, owner="ann")


class AsyncSaver(RecollectSaver):
    """Ours, made as their async one is made."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str) -> AsyncIterator[RecollectSaver]:
        with _opened() as memory:
            yield cls(memory, owner="ann")


sqlite.SqliteSaver = Saver
aio.AsyncSqliteSaver = AsyncSaver
