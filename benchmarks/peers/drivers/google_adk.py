"""Google ADK: `DatabaseSessionService` for conversations, `SqliteMemoryService` to search them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from google.adk.events import Event
from google.adk.memory import SqliteMemoryService
from google.adk.sessions import DatabaseSessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai.types import Content, Part

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import LAST, OWNER, SESSION, SYSTEM, AsyncCaller, make_wal_file

APP = "app"


class ServiceDriver:
    """A session that stays open. What is searched is added to the memory service when it ends, so not while saving."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._async = AsyncCaller()
        self._sessions = DatabaseSessionService(f"sqlite+aiosqlite:///{make_wal_file(folder / 'sessions.db')}")
        self._memory = SqliteMemoryService(folder / "memory.db")
        self._session = self._async.run(self._sessions.create_session(app_name=APP, user_id=OWNER, session_id=SESSION))

    def save(self, messages: Sequence[PeerMessage]) -> None:
        self._async.run(self._append(messages))

    async def _append(self, messages: Sequence[PeerMessage]) -> None:
        for message in messages:
            role = "user" if message.role == "user" else "model"
            event = Event(author=message.role, content=Content(role=role, parts=[Part(text=message.text)]))
            await self._sessions.append_event(self._session, event)

    def add_sessions(self, titles: Sequence[str]) -> None:
        for number, title in enumerate(titles):
            call = self._sessions.create_session(
                app_name=APP, user_id=OWNER, session_id=f"s{number}", state={"title": title}
            )
            self._async.run(call)

    def prepare(self) -> None:
        """Add the conversation to what is searched."""
        self._async.run(self._memory.add_session_to_memory(self._session))

    def last(self, count: int) -> list[str]:
        return [event.content.parts[0].text for event in self._events(count)]

    def _events(self, count: int) -> list[Any]:
        found = self._async.run(
            self._sessions.get_session(
                app_name=APP, user_id=OWNER, session_id=SESSION, config=GetSessionConfig(num_recent_events=count)
            )
        )
        assert found is not None
        return found.events

    def newest_sessions(self, count: int) -> list[str]:
        """Return the end of the list: it comes whole, the oldest first."""
        found = self._async.run(self._sessions.list_sessions(app_name=APP, user_id=OWNER))
        return [session.id for session in found.sessions[-count:]]

    def search(self, query: str) -> list[str]:
        found = self._async.run(self._memory.search_memory(app_name=APP, user_id=OWNER, query=query))
        return [memory.content.parts[0].text for memory in found.memories]

    def prompt(self, question: str) -> list[Content]:
        """Return what `PreloadMemoryTool` and the newest events give a model."""
        memories = "\n".join(self.search(question))
        return [
            Content(role="user", parts=[Part(text=f"{SYSTEM}\n<PAST_CONVERSATIONS>\n{memories}\n</PAST_CONVERSATIONS>")]),
            *(event.content for event in self._events(LAST)),
            Content(role="user", parts=[Part(text=question)]),
        ]

    def close(self) -> None:
        self._async.run(self._memory.close())
        self._async.run(self._sessions.close())
        self._async.close()
