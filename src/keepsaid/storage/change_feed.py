"""One ordered feed of all changes: new messages by number, with the other changes between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from keepsaid.types import ChangePosition, MemoryChange


class ChangeFeedEntry(NamedTuple):
    """An entry of the feed. `messages` is the number of the owner's newest message at that time. `change` counts all
    changes except new messages, for which it is 0."""

    messages: int
    change: int
    event: MemoryChange


def is_reset_needed(since: ChangePosition, last: ChangePosition) -> bool:
    """Whether a follower's position does not exist here: its owner was erased, or it comes from a newer copy of the store.

    >>> (is_reset_needed(ChangePosition(3, 1, 7), ChangePosition(4, 1, 7)),
    ...  is_reset_needed(ChangePosition(3, 1, 7), ChangePosition(2, 1, 7)))
    (False, True)
    """
    return since.life not in (0, last.life) or since.messages > last.messages or since.changes > last.changes


def merge_changes(
    entries: Iterable[ChangeFeedEntry], since: ChangePosition, last: ChangePosition, limit: int
) -> tuple[list[MemoryChange], ChangePosition]:
    """Return the first `limit` changes after a position, each with the position after it, and the position after all of
    them. If there are more than `limit` entries of a kind, pass at least one more than `limit`.

    >>> tea = ChangeFeedEntry(2, 0, MemoryChange("message", message_id="tea"))
    >>> name = ChangeFeedEntry(2, 5, MemoryChange("session", "s1"))
    >>> changes, reached = merge_changes([name, tea], ChangePosition(1, 4, 7), ChangePosition(2, 5, 7), 9)
    >>> [tuple(change.position) for change in changes], reached
    ([(2, 4, 7), (2, 5, 7)], ChangePosition(messages=2, changes=5, life=7))
    """
    ordered = sorted(entries, key=lambda entry: entry[:2])
    position = since._replace(life=last.life)
    made: list[MemoryChange] = []
    for entry in ordered[:limit]:
        # In this order neither number ever decreases, so a follower who has read an entry has read all with lower numbers.
        position = ChangePosition(max(position.messages, entry.messages), max(position.changes, entry.change), last.life)
        made.append(replace(entry.event, position=position))
    return made, position if len(ordered) > limit else last
