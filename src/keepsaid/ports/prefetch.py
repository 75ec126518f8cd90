"""Reads that belong together: from a store on a server, one exchange answers several of them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from keepsaid.types import Scope

if TYPE_CHECKING:
    from keepsaid.ports.storage import Storage


class ReadCall(NamedTuple):
    """A read that will be wanted: a verb of the storage (or `search` of its own index), and its arguments."""

    verb: str
    arguments: tuple[Any, ...]


def read_session(storage: Storage, scope: Scope) -> AbstractContextManager[None]:
    """Some reads of this thread that belong together."""
    begin = storage.capabilities.read_session
    return nullcontext() if begin is None else begin(scope)


def pause_reads(storage: Storage) -> None:
    """End what a read session of this thread holds, before waiting for something slow such as a language model."""
    pause = storage.capabilities.pause_reads
    if pause is not None:
        pause()


def deferred_sync(storage: Storage) -> AbstractContextManager[None]:
    """Commits of this thread that need not be on disk before the end of the block."""
    begin = storage.capabilities.deferred_sync
    return nullcontext() if begin is None else begin()


def prefetch(storage: Storage, verb: str, *arguments: Any) -> None:
    """Announce a read that will be wanted after the next one, to a storage that can send both in one exchange."""
    prefetch = storage.capabilities.prefetch
    if prefetch is not None:
        prefetch(ReadCall(verb, arguments))
