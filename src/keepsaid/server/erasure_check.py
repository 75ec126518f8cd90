"""Check in the store whether any process has erased data of an owner since an answer was given."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple, cast

from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.types import ChangePosition, Scope

CHANGES_AT_ONCE = 1_000
"""Changes read at a time."""
MAX_LOOKED_UP_IDS = 500
"""The most ids of an answer that are looked up."""
ID_FIELDS = frozenset(("id", "message", "message_id", "session", "receipt_id"))
"""Fields of an answer that may hold the id of erasable data."""

Run = Callable[..., Awaitable[Any]]


class OwnerPosition(NamedTuple):
    """The change positions of an owner (or of the pool that was written to) and of their documents."""

    owner: str
    pool: str | None
    own: ChangePosition
    documents: ChangePosition


class ErasureCheck:
    """Reads positions, and checks for erasures after one."""

    def __init__(self, memory: Memory, run: Run) -> None:
        self._storage = memory._services.storage  # pyright: ignore[reportPrivateUsage]  # the library has no verb for tombstones
        self._run = run

    async def position(self, owner: str, pool: str | None) -> OwnerPosition | None:
        """Return the position of an owner; None if it is unknown, such as for a pool that they may not read."""
        return await self._run(self._position, owner, pool)

    async def has_erased(self, since: OwnerPosition, body: bytes) -> bool:
        """Whether anything was erased since a position, or an id in the answer is of erased data."""
        return await self._run(self._has_erased, since, body)

    def _position(self, owner: str, pool: str | None) -> OwnerPosition | None:
        try:
            own, documents = (self._storage.last_position(Scope(owner, None, pool, which)) for which in (False, True))
        except NotFound:
            return None
        return OwnerPosition(owner, pool, own, documents)

    def _has_erased(self, since: OwnerPosition, body: bytes) -> bool:
        now = self._position(since.owner, since.pool)
        if now is None:
            return True
        own, documents = Scope(since.owner, None, since.pool), Scope(since.owner, None, since.pool, True)
        if self._has_erasure(own, since.own, now.own) or self._has_erasure(documents, since.documents, now.documents):
            return True
        ids = list(dict.fromkeys(_ids(body)))[:MAX_LOOKED_UP_IDS]
        # A forgotten fact leaves no change, but its id is recorded as erased.
        try:
            return any(known.where == "erased" for known in self._storage.known(own, ids).values()) if ids else False
        except NotFound:
            return True

    def _has_erasure(self, scope: Scope, since: ChangePosition, now: ChangePosition) -> bool:
        if since.life not in (0, now.life):
            return True
        if since == now:
            return False
        # New messages erase nothing, so only the other changes are read.
        mark = since._replace(messages=now.messages)
        while mark.changes < now.changes:
            changes, after = self._storage.changes(scope, mark, CHANGES_AT_ONCE)
            if any(change.kind in ("erased", "reset") for change in changes):
                return True
            if after.changes <= mark.changes:
                break
            mark = after
        return since.changes > now.changes


def _ids(body: bytes) -> Iterator[str]:
    """Yield the ids in a JSON document."""
    try:
        waiting: list[Any] = [json.loads(body)]
    except ValueError:
        return
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            fields = cast(dict[str, Any], one)
            yield from (value for name, value in fields.items() if name in ID_FIELDS and isinstance(value, str))
            waiting += fields.values()
        elif isinstance(one, list):
            waiting += cast(list[Any], one)
