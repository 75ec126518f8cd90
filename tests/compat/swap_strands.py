"""Puts our repository in place of the one that Strands' tests bring, and ours behind its `FileSessionManager`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import strands.session
import strands.session.file_session_manager as theirs
from strands.session.repository_session_manager import RepositorySessionManager

import keepsaid
from keepsaid.adapters.strands import KeepsaidSessionRepository

FIXTURE = "tests.fixtures.mock_session_repository"


class Repository(KeepsaidSessionRepository):
    """In memory, as theirs is."""

    def __init__(self) -> None:
        super().__init__(keepsaid.open("memory://", embedder="off"), owner="tester")


class FileManager(RepositorySessionManager, KeepsaidSessionRepository):
    """In a file of the folder that a test names. As theirs, it is the repository itself."""

    def __init__(self, session_id: str, storage_dir: str | None = None, **more: Any) -> None:
        self.storage_dir = str(storage_dir or ".")
        Path(self.storage_dir).mkdir(parents=True, exist_ok=True)
        memory = keepsaid.open(Path(self.storage_dir) / "chat.db", embedder="off", background=False)
        KeepsaidSessionRepository.__init__(self, memory, owner="tester")
        RepositorySessionManager.__init__(self, session_id=session_id, session_repository=self)


theirs.FileSessionManager = FileManager  # type: ignore[misc,assignment]
strands.session.FileSessionManager = FileManager  # type: ignore[misc,assignment]


def pytest_sessionstart() -> None:
    """Their fixtures can be imported from here on, and no test has been yet."""
    importlib.import_module(FIXTURE).MockedSessionRepository = Repository
