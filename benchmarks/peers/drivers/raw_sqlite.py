"""The reference of `bench store`: hand-written tables with the necessary indexes, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import OWNER
from benchmarks.store.bare_sqlite import RawMessages, RawSessions


class RawDriver:
    """One table of messages, one of sessions."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._messages = RawMessages(folder / "messages.db", durable=True)
        self._sessions = RawSessions(folder / "sessions.db")

    def save(self, messages: Sequence[PeerMessage]) -> None:
        texts = [message.text for message in messages]
        if len(texts) == 1:
            self._messages.append(texts)
        else:
            self._messages.append_batch(texts)

    def add_sessions(self, titles: Sequence[str]) -> None:
        self._sessions.fill([OWNER] * len(titles), titles)

    def last(self, count: int) -> list[str]:
        return [str(row[4]) for row in self._messages.last(count)]

    def newest_sessions(self, count: int) -> list[str]:
        return [str(row[2]) for row in self._sessions.newest(OWNER, count)]

    def close(self) -> None:
        self._messages.close()
        self._sessions.close()
