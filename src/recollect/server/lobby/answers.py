"""The answers to requests with an Idempotency-Key: those that were given, and those that are being made."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

KEPT_FOR = 24 * 3600
MOST_KEPT = 2_000

Name = tuple[str, str, str]
"""Whose request it was, its path, and its key."""


class Answer(NamedTuple):
    """An answer that was given, and a fingerprint of the request it was given to."""

    fingerprint: str
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Making(NamedTuple):
    """An answer that somebody is making."""

    fingerprint: str


class Claim(NamedTuple):
    """The right to make an answer, and to keep it as long as nobody has taken the claim away."""

    number: int


@dataclass(slots=True)
class _Entry:
    claim: int
    worker: int
    at: float
    found: Answer | Making


class Answers:
    """Answers by the names of their requests, the last ones of a day.

    >>> answers, name = Answers(), ("ann", "/v1/facts", "key-1")
    >>> claim = answers.claim(name, "f1", worker=0)
    >>> answers.claim(name, "f1", worker=1)
    Making(fingerprint='f1')
    >>> answers.keep(name, claim.number, Answer("f1", 201, [], b"{}"))
    >>> answers.claim(name, "f1", worker=1).status
    201
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[Name, _Entry] = OrderedDict()
        self._numbers = count(1)

    def claim(self, name: Name, fingerprint: str, worker: int) -> Claim | Making | Answer:
        """The answer to a request, if it was sent before; otherwise the claim to make it."""
        known = self._entries.get(name)
        if known is not None and known.at > time.monotonic() - KEPT_FOR:
            return known.found
        number = next(self._numbers)
        self._entries[name] = _Entry(number, worker, time.monotonic(), Making(fingerprint))
        while len(self._entries) > MOST_KEPT:
            self._entries.popitem(last=False)
        return Claim(number)

    def keep(self, name: Name, claim: int, answer: Answer) -> None:
        """Keeps an answer, unless something of its owner was erased while it was made."""
        entry = self._entries.get(name)
        if entry is not None and entry.claim == claim:
            entry.found = answer

    def drop(self, name: Name, claim: int) -> None:
        """Gives a claim back: whoever asks again may try again."""
        entry = self._entries.get(name)
        if entry is not None and entry.claim == claim:
            del self._entries[name]

    def forget(self, owner: str) -> None:
        """Forgets the answers of an owner: something of his was erased."""
        self._entries = OrderedDict((name, entry) for name, entry in self._entries.items() if name[0] != owner)

    def gone(self, worker: int) -> None:
        """Takes back the claims of a process that is no more. The ids of what it made are known to the store."""
        self._entries = OrderedDict(
            (name, entry)
            for name, entry in self._entries.items()
            if entry.worker != worker or isinstance(entry.found, Answer)
        )
