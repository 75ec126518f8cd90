"""A crowd: several clients that save messages as fast as they are answered, and know what they were promised."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import httpx

PATIENCE = 20.0


@dataclass
class Talker:
    """One client in a session of its own. Its messages are numbered; each has an Idempotency-Key of its own."""

    number: int
    url: str
    promised: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The messages that were acknowledged, by number."""
    asked: int = 0
    """The number of the last message that was sent, acknowledged or not."""
    refused: list[int] = field(default_factory=list)
    """The statuses of answers that were neither a promise nor a broken line."""
    line: httpx.Client | None = None

    @property
    def session(self) -> str:
        return f"talk-{self.number}"

    def text(self, number: int) -> str:
        return f"Message {number} of talker {self.number}: the train to Lisbon leaves at {number % 24}."

    def say(self, http: httpx.Client, number: int) -> httpx.Response:
        """Saves a message; the same number again is the same request again."""
        return http.post(
            f"/v1/sessions/{self.session}/messages",
            json={"role": "user", "content": self.text(number)},
            headers={"Idempotency-Key": f"key-{number}"},
        )

    def connect(self) -> None:
        """Comes to a server, and stays with it."""
        self.line = httpx.Client(base_url=self.url, timeout=PATIENCE)
        assert self.line.get("/healthz").status_code == 200

    def talk(self) -> None:
        """Goes on until the line breaks or the server will not have any more."""
        with closing(self.line or httpx.Client(base_url=self.url, timeout=PATIENCE)) as http:
            while True:
                self.asked += 1
                try:
                    answer = self.say(http, self.asked)
                except httpx.TransportError:
                    return
                if answer.status_code != 201:
                    self.refused.append(answer.status_code)
                    return
                self.promised[self.asked] = answer.json()


class Crowd:
    """Clients in threads. Those of a second crowd begin with another number, so that each is in a session of its own."""

    def __init__(self, url: str, size: int, first: int = 0) -> None:
        self.talkers = [Talker(number, url) for number in range(first, first + size)]
        self._threads = [threading.Thread(target=talker.talk) for talker in self.talkers]
        with httpx.Client(base_url=url, timeout=PATIENCE) as http:
            for talker in self.talkers:
                assert http.post("/v1/sessions", json={"id": talker.session}).status_code == 201

    @property
    def promised(self) -> int:
        return sum(len(talker.promised) for talker in self.talkers)

    def connect(self) -> None:
        """Connect every client before any of them sends a message."""
        for talker in self.talkers:
            talker.connect()

    def begin(self, until: int) -> None:
        """Begins to talk, and returns when so many messages are acknowledged in all."""
        for thread in self._threads:
            thread.start()
        end = time.monotonic() + PATIENCE
        while self.promised < until:
            assert time.monotonic() < end, f"only {self.promised} were acknowledged"
            time.sleep(0.005)

    def end(self) -> None:
        """Waits until everybody is silent."""
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "somebody still waits for an answer"


def list_messages(http: httpx.Client, session: str) -> list[dict[str, Any]]:
    """All messages of a session, in order."""
    found: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 500}
    while True:
        page = http.get(f"/v1/sessions/{session}/messages", params=query).raise_for_status().json()
        found += page["items"]
        if page["next"] is None:
            return found
        query["cursor"] = page["next"]
