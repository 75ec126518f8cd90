"""Puts our store in the place of LangGraph's SQLite stores."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from langgraph.store import sqlite
from langgraph.store.base import BaseStore, Op, Result
from langgraph.store.sqlite import aio

import keepsaid
from keepsaid.adapters.langgraph.store import KeepsaidStore


@contextmanager
def _open_memory() -> Iterator[keepsaid.Memory]:
    """A store in a file of its own: theirs may be in one that their test has made for SQLite."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        keepsaid.open(Path(folder) / "items.db", embedder="off") as memory,
    ):
        yield memory


class Store(KeepsaidStore):
    """Ours, made as theirs is made."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str, **settings: Any) -> Iterator[KeepsaidStore]:
        with _open_memory() as memory:
            store = cls(memory, owner="ann", **settings)
            yield store
            store.stop_ttl_sweeper()

    def setup(self) -> None:
        """Ours needs none."""


class AsyncStore(BaseStore):
    """Ours, made as their async one is made. There, sweeping is awaited."""

    supports_ttl = True

    def __init__(self, store: KeepsaidStore) -> None:
        self.store = store
        self.index_config = store.index_config
        self.ttl_config = store.ttl_config
        self.embeddings = store.embeddings

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str, **settings: Any) -> AsyncIterator[AsyncStore]:
        with _open_memory() as memory:
            store = cls(KeepsaidStore(memory, owner="ann", **settings))
            yield store
            await store.stop_ttl_sweeper()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self.store.batch(ops)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self.store.abatch(ops)

    async def setup(self) -> None:
        """Ours needs none."""

    async def sweep_ttl(self) -> int:
        return self.store.sweep_ttl()

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> asyncio.Future[None]:
        return asyncio.wrap_future(self.store.start_ttl_sweeper(sweep_interval_minutes))

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        return self.store.stop_ttl_sweeper(timeout)


sqlite.SqliteStore = Store
sqlite.AsyncSqliteStore = aio.AsyncSqliteStore = AsyncStore
