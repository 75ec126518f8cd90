"""The report of a copy."""

from __future__ import annotations

from dataclasses import dataclass

NOT_COPIED = (
    "records of erased messages: they could be imported into the target again, and their followers follow the one before",
    "the history of changes and the revisions of sessions: followers read the target from the start",
    "numbers of messages: they are assigned again, in the same order",
    "the creator of a pool's session, if the creator was erased: an admin counts as its creator",
    "the author of a blob in a pool: an admin counts as its author",
    "that the first retention run was a dry run: the target's first one only reports",
    "temporary sessions: they exist only in the process that created them",
)
"""What cannot be copied from one storage to another."""


@dataclass(frozen=True, slots=True)
class CopyReport:
    """How the target compares to the source."""

    owners: int
    """Owners and pools."""
    sessions: int
    """Conversations of the source, and its documents."""
    messages: int
    artifacts: int
    """Facts, summaries, labels and tool notes."""
    receipts: int
    passages: int
    """Parts of messages that have a vector."""
    blobs: int
    """Bytes that programs store besides conversations."""
    agree: int
    """Sessions that are the same in the target: fields, messages, branches and receipts."""
    missing: int
    """Sessions that are not in the target, or not completely."""
    missing_items: tuple[str, ...]
    """What else is not in the target yet."""
    differences: tuple[str, ...]
    """What differs in the target; a copy does not change it."""
    source_hash: str
    target_hash: str
    copied_sessions: int = 0
    copied_messages: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether everything in the source is in the target, and equal."""
        return not (self.missing or self.missing_items or self.differences)
