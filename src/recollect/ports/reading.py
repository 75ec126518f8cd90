"""How far-off storages are asked: once for a moment, and for several things together."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol, runtime_checkable

from recollect.ports.storage import Storage
from recollect.types import Scope


@runtime_checkable
class Moments(Protocol):
    """A storage that asks elsewhere, before it answers, whether anything is new."""

    def moment(self, scope: Scope) -> AbstractContextManager[None]:
        """While it lasts, what this thread reads in the scope may be as it was at the beginning: it is asked once."""
        ...


def moment(storage: Storage, scope: Scope) -> AbstractContextManager[None]:
    """Some reads of one thread that belong together."""
    return storage.moment(scope) if isinstance(storage, Moments) else nullcontext()


class Call(NamedTuple):
    """A read that will be wanted: a verb of the storage (or `search` of its own index), and its arguments."""

    verb: str
    arguments: tuple[Any, ...]


@runtime_checkable
class Foreseeing(Protocol):
    """A storage that is far away: what will be asked soon can go along with the next question."""

    def foresee(self, *calls: Call) -> None:
        """In a moment of this thread: these reads will be wanted, with the very same arguments. Each is asked for together
        with the next one that is, and its answer kept until somebody wants it or the moment ends."""
        ...


def soon(storage: Storage, verb: str, *arguments: Any) -> None:
    """Tells a storage what will be asked of it next but one, if it wants to know."""
    if isinstance(storage, Foreseeing):
        storage.foresee(Call(verb, arguments))
