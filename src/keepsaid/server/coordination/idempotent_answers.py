"""The answers to requests with an Idempotency-Key: given ones, and those still being processed."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from keepsaid.server.erasure_check import OwnerPosition

KEPT_SECONDS = 24 * 3600
MAX_ANSWERS = 2_000

RequestName = tuple[str, str, str]
"""The owner of a request, its path, and its key."""


class StoredAnswer(NamedTuple):
    """An answer that was given, and the fingerprint of its request."""

    fingerprint: str
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    position: OwnerPosition | None = None
    """The owner's position before the request: if they have erased something since, the answer is not sent again."""


class PendingAnswer(NamedTuple):
    """A request that is still being processed."""

    fingerprint: str


class AnswerClaim(NamedTuple):
    """The right to answer a request, and to keep the answer while the claim is valid."""

    number: int


@dataclass(slots=True)
class _AnswerEntry:
    claim: int
    worker: int
    at: float
    found: StoredAnswer | PendingAnswer


class IdempotentAnswers:
    """The answers of the last day, by the names of their requests.

    >>> answers, name = IdempotentAnswers(), ("ann", "/v1/facts", "key-1")
    >>> claim = answers.claim(name, "f1", worker=0)
    >>> answers.claim(name, "f1", worker=1)
    PendingAnswer(fingerprint='f1')
    >>> answers.keep(name, claim.number, StoredAnswer("f1", 201, [], b"{}"))
    >>> answers.claim(name, "f1", worker=1).status
    201
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[RequestName, _AnswerEntry] = OrderedDict()
        self._numbers = count(1)

    def claim(self, name: RequestName, fingerprint: str, worker: int) -> AnswerClaim | PendingAnswer | StoredAnswer:
        """Return the answer to a request that was sent before, otherwise the claim to answer it."""
        known = self._entries.get(name)
        if known is not None and known.at > time.monotonic() - KEPT_SECONDS:
            return known.found
        number = next(self._numbers)
        self._entries[name] = _AnswerEntry(number, worker, time.monotonic(), PendingAnswer(fingerprint))
        while len(self._entries) > MAX_ANSWERS:
            self._entries.popitem(last=False)
        return AnswerClaim(number)

    def keep(self, name: RequestName, claim: int, answer: StoredAnswer) -> None:
        """Keep an answer, unless some data of its owner was erased in the meantime."""
        entry = self._entries.get(name)
        if entry is not None and entry.claim == claim:
            entry.found = answer

    def drop(self, name: RequestName, claim: int) -> None:
        """Drop a claim, so that the request can be sent again."""
        entry = self._entries.get(name)
        if entry is not None and entry.claim == claim:
            del self._entries[name]

    def forget_answer(self, name: RequestName) -> None:
        """Forget one answer: another program has erased data in it."""
        self._entries.pop(name, None)

    def forget_owner(self, owner: str) -> None:
        """Forget the answers of an owner: some of their data was erased."""
        self._entries = OrderedDict((name, entry) for name, entry in self._entries.items() if name[0] != owner)

    def remove_worker(self, worker: int) -> None:
        """Drop the claims of an ended process. The store recognizes the ids of what it created."""
        self._entries = OrderedDict(
            (name, entry)
            for name, entry in self._entries.items()
            if entry.worker != worker or isinstance(entry.found, StoredAnswer)
        )
