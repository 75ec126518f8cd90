"""Bulk add: messages of many conversations saved in one transaction per storage, each accepted or refused on its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from keepsaid.engine.messages.validation import clean_name
from keepsaid.errors import KeepsaidError
from keepsaid.ports import AppendRequest, Storage
from keepsaid.types import Message, MessageAddition, Scope

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

AddResult = Message | KeepsaidError


def add_each(find_home: Callable[[Scope], ServiceContainer], additions: Iterable[MessageAddition]) -> list[AddResult]:
    """Save each message in its storage, those of one storage together. Return the results in the order of the additions."""
    outcomes: dict[int, AddResult] = {}
    waiting: dict[int, list[tuple[int, AppendRequest]]] = {}
    homes: dict[int, Storage] = {}
    for place, addition in enumerate(additions):
        try:
            storage, append = _prepare_append(find_home, addition)
        except KeepsaidError as error:
            outcomes[place] = error
            continue
        homes[id(storage)] = storage
        waiting.setdefault(id(storage), []).append((place, append))
    for name, storage in homes.items():
        saved = _save_appends(storage, [append for _, append in waiting[name]])
        outcomes |= {place: one for (place, _), one in zip(waiting[name], saved, strict=True)}
    return [outcomes[place] for place in sorted(outcomes)]


def _prepare_append(
    find_home: Callable[[Scope], ServiceContainer], addition: MessageAddition
) -> tuple[Storage, AppendRequest]:
    pool = None if addition.pool is None else clean_name(addition.pool, "pool")
    scope = Scope(clean_name(addition.owner, "owner"), clean_name(addition.session, "session id"), pool)
    services = find_home(scope)
    messages, now = services.prepare_messages(addition.session, (addition.draft,))
    return services.storage, AppendRequest(scope, messages, now)


def _save_appends(storage: Storage, appends: list[AppendRequest]) -> list[AddResult]:
    append_each = storage.capabilities.append_each
    if append_each is not None:
        return [one if isinstance(one, KeepsaidError) else one[0] for one in append_each(appends)]
    return [_save_append(storage, append) for append in appends]


def _save_append(storage: Storage, append: AppendRequest) -> AddResult:
    try:
        return storage.append(*append)[0]
    except KeepsaidError as error:
        return error
