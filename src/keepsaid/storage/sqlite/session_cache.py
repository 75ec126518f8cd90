"""What several reads of one read session need: each is looked up once."""

from __future__ import annotations

from typing import Any

from keepsaid.storage.sqlite import partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.search import search_filters
from keepsaid.storage.sqlite.search.visibility import MessageVisibility
from keepsaid.types import Scope, SearchFilters

SessionValues = dict[Any, Any]
"""The values of a read session, valid for its transaction."""


def find_partition(db: SqliteConnection, scope: Scope, known: SessionValues | None) -> int:
    """Return the number of the scope's partition. Without a read session (`known`) it is always looked up."""
    if known is None:
        return partitions.find_partition(db, scope)
    key = scope._replace(session=None)
    if key not in known:
        known[key] = partitions.find_partition(db, scope)
    return known[key]


def find_visibility(
    db: SqliteConnection, owner: int, filters: SearchFilters, known: SessionValues | None, *, expired: bool = False
) -> MessageVisibility:
    """Return which messages the filters show. It remembers the branches that it has looked up."""
    key = owner, filters.sessions, filters.tags, expired
    if known is not None and key in known:
        return known[key]
    visibility = MessageVisibility(db, search_filters.find_allowed_sessions(db, owner, filters), expired=expired)
    if known is not None:
        known[key] = visibility
    return visibility
