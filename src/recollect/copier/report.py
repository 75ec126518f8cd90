"""What a copy tells at its end."""

from __future__ import annotations

from dataclasses import dataclass

LEFT_BEHIND = (
    "marks of what was erased: it could be imported into the target again, and what followed it follows the one before",
    "the history of changes and the revisions of sessions: followers read the target from the start",
    "numbers of messages: they are counted anew, in the same order",
    "who made a pool's session, where its maker was erased: it counts as an admin's",
    "who kept a blob in a pool: it counts as an admin's",
    "that the first clean-up was rehearsed: the target's first one only reports",
    "temporary sessions: they live in the program that made them",
)
"""What no storage can be given by another."""


@dataclass(frozen=True, slots=True)
class CopyReport:
    """How the target stands to the source."""

    owners: int
    """Owners and pools."""
    sessions: int
    """Conversations of the source, and its documents."""
    messages: int
    made: int
    """Facts, summaries, labels and notes on tools."""
    receipts: int
    passages: int
    """Pieces of messages that have a vector."""
    blobs: int
    """What programs keep beside conversations."""
    agree: int
    """Sessions that are the same in the target: fields, messages, branches and receipts."""
    missing: int
    """Sessions that are not in the target, or not wholly."""
    waiting: tuple[str, ...]
    """What else is not in the target yet."""
    differences: tuple[str, ...]
    """What the target has otherwise; a copy does not touch it."""
    source_hash: str
    target_hash: str
    copied_sessions: int = 0
    copied_messages: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all that the source has is in the target, as it is in the source."""
        return not (self.missing or self.waiting or self.differences)
