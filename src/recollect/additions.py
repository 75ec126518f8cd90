"""Messages of many conversations saved together: one trip to the disk for all, and each is done or refused by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from recollect.engine.hygiene import clean_name
from recollect.errors import RecollectError
from recollect.kit import Kit
from recollect.ports import Append, Batches, Storage
from recollect.types import Addition, Message, Scope

Outcome = Message | RecollectError


def add_each(kit: Kit, home: Callable[[Scope], Storage], additions: Iterable[Addition]) -> list[Outcome]:
    """Saves each in its home, those of one home together; what became of each, in their order."""
    outcomes: dict[int, Outcome] = {}
    waiting: dict[int, list[tuple[int, Append]]] = {}
    homes: dict[int, Storage] = {}
    for place, addition in enumerate(additions):
        try:
            storage, append = _ready(kit, home, addition)
        except RecollectError as error:
            outcomes[place] = error
            continue
        homes[id(storage)] = storage
        waiting.setdefault(id(storage), []).append((place, append))
    for name, storage in homes.items():
        saved = _saved(storage, [append for _, append in waiting[name]])
        outcomes |= {place: one for (place, _), one in zip(waiting[name], saved, strict=True)}
    return [outcomes[place] for place in sorted(outcomes)]


def _ready(kit: Kit, home: Callable[[Scope], Storage], addition: Addition) -> tuple[Storage, Append]:
    pool = None if addition.pool is None else clean_name(addition.pool, "pool")
    scope = Scope(clean_name(addition.owner, "owner"), clean_name(addition.session, "session id"), pool)
    storage = home(scope)
    messages, now = kit.intake(storage, addition.session, (addition.draft,))
    return storage, Append(scope, messages, now)


def _saved(storage: Storage, appends: list[Append]) -> list[Outcome]:
    if isinstance(storage, Batches):
        return [one if isinstance(one, RecollectError) else one[0] for one in storage.append_each(appends)]
    return [_alone(storage, append) for append in appends]


def _alone(storage: Storage, append: Append) -> Outcome:
    try:
        return storage.append(*append)[0]
    except RecollectError as error:
        return error
