"""A real server in a process of its own, and a way to talk to it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

SETTINGS = {"KEEPSAID_LLM": "off", "KEEPSAID_EMBEDDER": "off", "KEEPSAID_SERVER_LOG": "off"}


class Server:
    """A server that runs: `url`, `process`, and a client for it."""

    def __init__(self, store: Path | str, *arguments: str, **settings: str) -> None:
        self.store = store
        environment = {key: value for key, value in os.environ.items() if not key.startswith("KEEPSAID_")}
        command = [sys.executable, "-m", "keepsaid", "--db", str(store), "serve", "--port", "0", *arguments]
        self.process = subprocess.Popen(
            command, env=environment | SETTINGS | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        found = re.search(r"http://\S+", first)
        if found is None:
            assert self.process.stderr is not None
            raise AssertionError(f"the server did not start: {first}{self.process.stderr.read()}")
        self.url = found[0]

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """A client, with a key if it is given one."""
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ends it, and tells its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        code = self.process.wait(30)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return code


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers, which end with the test."""
    running: list[Server] = []

    def start(*arguments: str, store: Path | str = tmp_path / "chat.db", **settings: str) -> Server:
        running.append(Server(store, *arguments, **settings))
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a file."""
    running = Server(tmp_path_factory.mktemp("server") / "chat.db")
    yield running
    running.stop()


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """A client of the file's server."""
    with server.client() as client:
        yield client


def events(response: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """The events of an answer that was streamed."""
    import json

    found: list[tuple[str, dict[str, Any]]] = []
    name = ""
    for line in response.text.splitlines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            found.append((name, json.loads(line.removeprefix("data: "))))
    return found
