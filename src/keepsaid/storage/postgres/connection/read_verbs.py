"""The read-only verbs by name, as values that can run alone or together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from keepsaid.ports import ReadCall, SessionSnapshot
from keepsaid.storage.postgres import artifacts, partitions, sessions, snapshot, work_queue
from keepsaid.storage.postgres import messages as message_queries
from keepsaid.storage.postgres.connection.prefetch import ReadRequest
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation
from keepsaid.storage.postgres.partitions import partition_key
from keepsaid.storage.postgres.search import search_filters, vectors, visibility, word_search
from keepsaid.types import ReadWindow, Scope

ReadFactory = Callable[..., PostgresReadOperation[Any]]


def _in_space(make: ReadFactory) -> ReadFactory:
    """Wrap a factory that takes a partition so that it takes a scope."""

    def made(scope: Scope, *rest: Any) -> PostgresReadOperation[Any]:
        return make(partition_key(scope), *rest)

    return made


def _snapshot(scope: Scope, window: ReadWindow) -> PostgresReadOperation[SessionSnapshot]:
    return snapshot.snapshot(partition_key(scope), scope, window)


_READS_BY_VERB: dict[str, ReadFactory] = {
    "get_session": sessions.get,
    "titles": sessions.read_titles,
    "list_sessions": sessions.list_sessions,
    "read": message_queries.read,
    "last_position": partitions.last_position,
    "snapshot": _snapshot,
    "find": _in_space(word_search.find),
    "look": _in_space(visibility.look),
    "numbers": _in_space(search_filters.numbers),
    "waiting": _in_space(work_queue.count_waiting),
    "passages": _in_space(vectors.load_passages),
    "artifacts": _in_space(artifacts.read),
    "generations": vectors.list_generations,
}


def find_read_request(call: ReadCall) -> ReadRequest | None:
    """The read request of a call; None if it cannot be combined with others."""
    make = _READS_BY_VERB.get(call.verb)
    if make is None:
        return None
    scope = next((one for one in call.arguments if isinstance(one, Scope)), None)
    return ReadRequest(scope, make(*call.arguments))


def normalize_call(call: ReadCall) -> ReadCall:
    """Convert a call's lists to tuples, so that equal calls compare and hash as equal."""
    return ReadCall(
        call.verb, tuple(tuple(cast("list[Any]", one)) if isinstance(one, list) else one for one in call.arguments)
    )
