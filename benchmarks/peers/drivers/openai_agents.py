"""OpenAI Agents SDK: `SQLiteSession`. It has no notion of tokens, of searching, or of a list of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents import SQLiteSession

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import LAST, SESSION, SYSTEM, AsyncCaller


class SessionDriver:
    """One session in a file."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._async = AsyncCaller()
        self._session = SQLiteSession(SESSION, folder / "chat.db")

    def save(self, messages: Sequence[PeerMessage]) -> None:
        items: list[Any] = [{"role": message.role, "content": message.text} for message in messages]
        self._async.run(self._session.add_items(items))

    def last(self, count: int) -> list[str]:
        found: list[Any] = self._async.run(self._session.get_items(limit=count))
        return [item["content"] for item in found]

    def prompt(self, question: str) -> list[Any]:
        """Return what a run sends with `SessionSettings(limit=20)`."""
        found = self._async.run(self._session.get_items(limit=LAST))
        return [{"role": "system", "content": SYSTEM}, *found, {"role": "user", "content": question}]

    def close(self) -> None:
        self._session.close()
        self._async.close()
