"""Changes of a memory, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from keepsaid.types.messages import Message


class ChangePosition(NamedTuple):
    """A position in an owner's changes: the number of the last message and of the last other change.

    `life` differs between an owner that was erased and the same owner created again.

    >>> ChangePosition(3, 1) == ChangePosition(3, 1)
    True
    """

    messages: int = 0
    changes: int = 0
    life: int = 0

    @property
    def revision(self) -> int:
        """A number that grows with every change of the owner.

        >>> ChangePosition(3, 1).revision
        4
        """
        return self.messages + self.changes

    @property
    def text(self) -> str:
        """The position as text, to store it elsewhere.

        >>> ChangePosition(3, 1, 42).text
        '3.1.42'
        """
        return f"{self.messages}.{self.changes}.{self.life}"

    @classmethod
    def parse(cls, text: str) -> ChangePosition:
        """The position that a text stands for; `InvalidInput` if it is none.

        >>> ChangePosition.parse(ChangePosition(3, 1, 42).text) == ChangePosition(3, 1, 42)
        True
        """
        from keepsaid.errors import InvalidInput

        parts = str(text).split(".")
        # Only numbers that fit a database's integers.
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
            raise InvalidInput(f"not a position: {str(text)[:40]!r}")
        return cls(*map(int, parts))


BEGINNING = ChangePosition()
"""The position before all changes."""

ChangeKind = Literal["message", "session", "marked", "erased", "reset"]


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """A change in an owner's memory: `message` (a new one), `session` (created, edited, moved), `marked` (pin or
    importance), `erased`, or `reset` (too many changes were missed: read everything again).

    `mark` is the position after this change: `Memory.watch(after=…)` continues from there.

    >>> MemoryChange("erased", session="s1").kind
    'erased'
    """

    kind: ChangeKind
    session: str | None = None
    message_id: str | None = None
    message: Message | None = None
    position: ChangePosition = BEGINNING
