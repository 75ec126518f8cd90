"""Where the verbatim part of a prompt begins, such that it rarely moves.

A window that slides with every turn changes the head of the prompt with every turn, and a provider's cache never hits. So
the beginning stands still until the part behind it reaches the high-water mark, then moves on to leave the low-water mark.

Nothing is kept for that: the beginning lies on a grid over the tokens of the whole conversation, whose mesh is the distance
of the two marks. So every process, also after a restart, finds the same one.
"""

from __future__ import annotations

LOW_WATER = 0.5
"""The share of the room that is left filled after a compaction."""


def beginning(total: int, room: int) -> int:
    """Behind how many tokens of a conversation of `total` its verbatim part begins, given room for so many.

    >>> [beginning(total, 1000) for total in (900, 1000, 1001, 1500, 1501)]
    [0, 0, 500, 500, 1000]
    """
    if total <= room:
        return 0
    mesh = max(1, room - int(room * LOW_WATER))
    return -(-(total - room) // mesh) * mesh


def next_beginning(start: int, room: int) -> int:
    """The next place on the grid, for when what is behind `start` costs more than was thought.

    >>> next_beginning(0, 1000)
    500
    """
    return start + max(1, room - int(room * LOW_WATER))
