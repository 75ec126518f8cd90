"""The change feed of the in-memory storage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keepsaid.errors import NotFound
from keepsaid.storage import change_feed
from keepsaid.storage.inmemory.state import MemoryState
from keepsaid.types import ChangePosition, MemoryChange, Scope, SessionStatus


class MemoryChangeFeed(MemoryState):
    """The part of the in-memory storage that reports changes."""

    def last_position(self, scope: Scope) -> ChangePosition:
        with self._lock:
            return self._space(scope).last

    def changes(self, scope: Scope, since: ChangePosition, limit: int) -> tuple[list[MemoryChange], ChangePosition]:
        with self._lock:
            space = self._space(scope)
            if change_feed.is_reset_needed(since, space.last):
                return [MemoryChange("reset", position=space.last)], space.last
            entries = [
                change_feed.ChangeFeedEntry(n.number, 0, MemoryChange("message", n.home.session.id, n.message.id, n.message))
                for n in space.nodes.values()
                if n.number > since.messages and not n.home.purged and n.home.session.status != SessionStatus.DELETED
            ]
            for number, change, kind, session, message in space.log:
                if change > since.changes:
                    entries.append(change_feed.ChangeFeedEntry(number, change, MemoryChange(kind, session, message)))
            return change_feed.merge_changes(entries, since, space.last, limit)

    def last_positions(self, scopes: Sequence[Scope]) -> list[ChangePosition | None]:
        with self._lock:
            return [self._last_position(scope) for scope in scopes]

    def _last_position(self, scope: Scope) -> ChangePosition | None:
        try:
            return self._space(scope).last
        except NotFound:
            return None

    def stamp(self) -> object:
        return self._commits

    def on_commit(self, call: Callable[[], None]) -> None:
        self._listeners.add(call)
