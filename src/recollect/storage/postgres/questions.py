"""The verbs that only read, by name: as values they can be asked alone or together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from recollect.ports import Call, Snapshot
from recollect.storage.postgres import artifacts, search, sessions, sieve, sight, snapshot, spaces, vectors, work
from recollect.storage.postgres import messages as said
from recollect.storage.postgres.foresight import Question
from recollect.storage.postgres.reading import Reading
from recollect.storage.postgres.spaces import whose
from recollect.types import Scope, Window

Make = Callable[..., Reading[Any]]


def _in_space(make: Make) -> Make:
    """The same reading for whoever has a scope."""

    def made(scope: Scope, *rest: Any) -> Reading[Any]:
        return make(whose(scope), *rest)

    return made


def _snapshot(scope: Scope, window: Window) -> Reading[Snapshot]:
    return snapshot.snapshot(whose(scope), scope, window)


_READINGS: dict[str, Make] = {
    "get_session": sessions.get,
    "list_sessions": sessions.listed,
    "read": said.read,
    "last_mark": spaces.last_mark,
    "snapshot": _snapshot,
    "find": _in_space(search.find),
    "look": _in_space(sight.look),
    "numbers": _in_space(sieve.numbers),
    "waiting": _in_space(work.waiting),
    "passages": _in_space(vectors.passages),
    "artifacts": _in_space(artifacts.read),
    "generations": vectors.listed,
}


def question(call: Call) -> Question | None:
    """What a call asks, if it can be asked together with others."""
    make = _READINGS.get(call.verb)
    if make is None:
        return None
    scope = next((one for one in call.arguments if isinstance(one, Scope)), None)
    return Question(scope, make(*call.arguments))


def plain(call: Call) -> Call:
    """A call whose lists are tuples, so that two of the same are one."""
    return Call(call.verb, tuple(tuple(cast("list[Any]", one)) if isinstance(one, list) else one for one in call.arguments))
