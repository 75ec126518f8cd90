"""Facts about a user, and their changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from keepsaid.types.time import Microseconds, to_datetime

FactKind = Literal["instruction", "constraint", "identity", "person", "preference", "possession", "project", "event"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A short statement about a user, with its time and the messages it was made from (none if written by hand).

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     fact = memory.remember("Allergic to nuts", owner="u1", pinned=True)
    >>> fact.text, fact.is_current, fact.messages
    ('Allergic to nuts', True, ())
    """

    id: str
    text: str
    kind: FactKind
    subject: str
    confidence: float
    valid_from: Microseconds
    valid_to: Microseconds | None = None
    pinned: bool = False
    session: str | None = None
    messages: tuple[str, ...] = ()
    hidden: bool = False
    """Whether the user hid it from prompts."""

    @property
    def is_current(self) -> bool:
        """Whether no newer fact replaced it."""
        return self.valid_to is None

    @property
    def since(self) -> datetime:
        """When it became true."""
        return to_datetime(self.valid_from)

    @property
    def until(self) -> datetime | None:
        """When it ended; None while it is true."""
        return None if self.valid_to is None else to_datetime(self.valid_to)


FactChangeKind = Literal["edited", "pinned", "hidden", "ended"]


@dataclass(frozen=True, slots=True)
class FactChange:
    """A change that a user made to a fact. `before` and `after` are texts for an edited or ended fact (None once erased),
    and booleans for a pin or for hiding. `undone` says that the change was undone.

    >>> import keepsaid
    >>> with keepsaid.open("memory://") as memory:
    ...     fact = memory.remember("Likes tea", owner="u1")
    ...     _ = memory.pin_fact(fact.id, owner="u1")
    ...     [change] = memory.fact_history(owner="u1", fact=fact.id)
    >>> change.what, change.before, change.after, change.undone
    ('pinned', False, True, False)
    """

    id: str
    fact: str
    what: FactChangeKind
    at: Microseconds
    before: str | bool | None
    after: str | bool | None
    undone: bool = False

    @property
    def changed_at(self) -> datetime:
        """When the change was made."""
        return to_datetime(self.at)
