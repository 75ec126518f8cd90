"""LangGraph: the checkpointer `SqliteSaver` for a conversation, and the store `SqliteStore` for long-term memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import HITS, OWNER, SESSION, SYSTEM, TOKENS, make_wal_file
from benchmarks.peers.drivers.langchain import to_langchain, trim


class SaverDriver:
    """A graph of one node. Each message is one update of the state, the least that saves anything: a turn of a graph writes
    more checkpoints."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._connection = sqlite3.connect(make_wal_file(folder / "chat.db"), check_same_thread=False)
        builder = StateGraph(MessagesState)
        builder.add_node("model", lambda state: {"messages": []})
        builder.add_edge(START, "model")
        self._graph = builder.compile(checkpointer=SqliteSaver(self._connection))
        self._config: Any = {"configurable": {"thread_id": SESSION}}

    def save(self, messages: Sequence[PeerMessage]) -> None:
        self._graph.update_state(self._config, {"messages": to_langchain(messages)}, as_node="model")

    def _messages(self) -> list[BaseMessage]:
        return self._graph.get_state(self._config).values["messages"]

    def last(self, count: int) -> list[str]:
        return [str(message.content) for message in self._messages()[-count:]]

    def newest_fitting(self, tokens: int) -> list[str]:
        return [str(message.content) for message in trim(self._messages(), tokens)]

    def prompt(self, question: str) -> list[BaseMessage]:
        return trim([SystemMessage(SYSTEM), *self._messages(), HumanMessage(question)], TOKENS)

    def close(self) -> None:
        self._connection.close()


class StoreDriver:
    """Messages and sessions as items; messages have vectors."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._connection = _connect(make_wal_file(folder / "store.db"))
        self._store = SqliteStore(self._connection, index={"dims": vectors.dimensions, "embed": vectors.vectors})
        self._store.setup()
        self._messages, self._sessions = ("messages", OWNER), ("sessions", OWNER)

    def save(self, messages: Sequence[PeerMessage]) -> None:
        self._store.batch(
            [PutOp(self._messages, one.id, {"text": one.text, "role": one.role}, index=["text"]) for one in messages]
        )

    def add_sessions(self, titles: Sequence[str]) -> None:
        for number, title in enumerate(titles):
            self._store.put(self._sessions, str(number), {"title": title}, index=False)

    def newest_sessions(self, count: int) -> list[str]:
        return [item.value["title"] for item in self._store.search(self._sessions, limit=count)]

    def search(self, query: str) -> list[str]:
        return [item.value["text"] for item in self._store.search(self._messages, query=query, limit=HITS)]

    def prompt(self, question: str) -> list[BaseMessage]:
        memories = "\n".join(self.search(question))
        return [SystemMessage(f"{SYSTEM}\n## Memories of the user\n{memories}"), HumanMessage(question)]

    def close(self) -> None:
        self._connection.close()


def _connect(path: Path) -> Any:
    """Connect as the store itself does, with an SQLite that loads extensions: that of many Pythons does not."""
    driver = sqlite3 if hasattr(sqlite3.Connection, "enable_load_extension") else import_module("pysqlite3")
    return driver.connect(str(path), check_same_thread=False, isolation_level=None)
