"""For the tests of OpenAI's own client: before each of them, what they ask for is there, on a server that is real.

Their fixtures are a conversation `conv_123` with an item `msg_abc`, and an item `after` that a page begins after. A
conversation that a test has deleted is restored. An item that one has deleted is gone for good, and its id never given
again: then the next test gets a server with a new store, at the same address.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

API = os.environ.get("TEST_API_BASE_URL", "")
CONVERSATION = "conv_123"
ITEMS = [
    {"id": "after", "role": "user", "content": "Where does my sister live?"},
    {"id": "msg_abc", "role": "assistant", "content": "In Lisbon."},
]


class Server:
    """`keepsaid serve` with a store of its own."""

    def __init__(self, store: Path) -> None:
        port = str(urlsplit(API).port)
        command = [sys.executable, "-m", "keepsaid", "--db", str(store), "serve", "--port", port]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline().startswith("Keepsaid is at ")
        assert post("/sessions", {"id": CONVERSATION}) == 201
        assert post(f"/sessions/{CONVERSATION}/messages/batch", {"messages": ITEMS}) == 201

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()


class Place:
    """Where there is always such a server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stores = 0
        self.server = self._new()

    def _new(self) -> Server:
        self._stores += 1
        return Server(self._folder / f"{self._stores}.db")

    def prepare(self) -> None:
        if get(f"/conversations/{CONVERSATION}") != 200:
            assert post(f"/sessions/{CONVERSATION}/restore", {}) == 200
        if get(f"/conversations/{CONVERSATION}/items/msg_abc") != 200:
            self.server.stop()
            self.server = self._new()


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("stores"))
    yield place
    place.server.stop()


@pytest.fixture(autouse=True)
def _fixtures_are_there(place: Place) -> None:
    place.prepare()


def get(path: str) -> int:
    return _status(urllib.request.Request(API + path))


def post(path: str, body: object) -> int:
    return _status(urllib.request.Request(API + path, json.dumps(body).encode(), {"Content-Type": "application/json"}))


def _status(request: urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
