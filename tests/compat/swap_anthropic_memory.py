"""Puts our memory tools in place of the Anthropic SDK's own, which keep files on a disk.

Their tests look at a folder to see what was kept, and put files there to be read. So each tool here has a folder beside it:
files that a test put there go into the blob store before a command, and its blobs are written there after it. What a
command does, it does to the drawer alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from anthropic.lib.tools import _beta_builtin_memory_tool as theirs
from anyio import Path as AsyncPath

import keepsaid
from keepsaid.adapters.anthropic_memory import AsyncKeepsaidMemoryTool, KeepsaidMemoryTool


class Window:
    """A folder and a drawer with the same files."""

    def __init__(self, base_path: str) -> None:
        self.memory = keepsaid.open("memory://", embedder="off")
        self.drawer = self.memory.blobs(owner="claude")
        self.base = Path(base_path)
        (self.base / "memories").mkdir(parents=True, exist_ok=True)

    def look(self) -> None:
        """Takes what was put into the folder."""
        files = (path for path in (self.base / "memories").rglob("*") if path.is_file())
        self.drawer.put({str(path.relative_to(self.base)): path.read_bytes() for path in files})

    def show(self) -> None:
        """Writes what is in the drawer, and nothing else, into the folder."""
        shutil.rmtree(self.base / "memories")
        (self.base / "memories").mkdir()
        for blob in self.drawer.list(limit=10_000):
            path = self.base / blob.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(blob.content)


class LocalTool(KeepsaidMemoryTool):
    def __init__(self, base_path: str = "./memory") -> None:
        self.window = Window(base_path)
        super().__init__(self.window.memory, owner="claude")
        self.base_path = Path(base_path)
        self.memory_root = self.base_path / "memories"


class AsyncLocalTool(AsyncKeepsaidMemoryTool):
    def __init__(self, base_path: str = "./memory") -> None:
        self.window = Window(base_path)
        super().__init__(self.window.memory, owner="claude")
        self.base_path = AsyncPath(base_path)
        self.memory_root = self.base_path / "memories"


def beside_a_folder(name: str) -> None:
    verb, async_verb = getattr(KeepsaidMemoryTool, name), getattr(AsyncKeepsaidMemoryTool, name)

    def run(self: Any, *command: Any) -> Any:
        self.window.look()
        try:
            return verb(self, *command)
        finally:
            self.window.show()

    async def run_async(self: Any, *command: Any) -> Any:
        self.window.look()
        try:
            return await async_verb(self, *command)
        finally:
            self.window.show()

    setattr(LocalTool, name, run)
    setattr(AsyncLocalTool, name, run_async)


for command in ("view", "create", "str_replace", "insert", "delete", "rename", "clear_all_memory"):
    beside_a_folder(command)

theirs.BetaLocalFilesystemMemoryTool = LocalTool  # type: ignore[misc,assignment]
theirs.BetaAsyncLocalFilesystemMemoryTool = AsyncLocalTool  # type: ignore[misc,assignment]
