"""Assistants that speak MCP with ours, by a real client: in this process, to a process of their own, and over HTTP."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

KEEPSAID = [sys.executable, "-m", "keepsaid"]
MODES = ("legacy", "auto")
"""With the handshake that clients had until 2025, and without one."""


def environment(**settings: str) -> dict[str, str]:
    """That of a process of its own, without settings of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KEEPSAID_")}
    return {**kept, "KEEPSAID_EMBEDDER": "off", "KEEPSAID_LLM": "off", **settings}


async def call_tool(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, as data."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def call_refused_tool(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that does not do what it was asked."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    assert result.structured_content is None
    (content,) = result.content
    words = content.text
    assert "Traceback" not in words
    assert "\n" not in words
    return words


def server_parameters(store: Path, *arguments: str, **settings: str) -> StdioServerParameters:
    """How an assistant starts ours."""
    command, *before = KEEPSAID
    args = [*before, "--db", str(store), "mcp", *arguments]
    return StdioServerParameters(command=command, args=args, env=environment(**settings))


@asynccontextmanager
async def connect_client(url: str, token: str | None = None, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of a server."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


class Served:
    """`keepsaid mcp --http` in a process of its own, as long as it is needed."""

    def __init__(self, store: Path, *arguments: str, at: str = "127.0.0.1:0", **settings: str) -> None:
        command = [*KEEPSAID, "--db", str(store), "mcp", "--http", at, *arguments]
        self.process = subprocess.Popen(
            command, env=environment(**settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        found = re.search(r"http://\S+", first)
        if found is None:
            raise AssertionError(f"the server did not start: {first}{self.process.communicate(timeout=30)}")
        self.url = found[0]

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ends it, and tells its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        self.process.communicate(timeout=30)
        return self.process.returncode

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
