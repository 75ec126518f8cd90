"""Where the verbatim part of a prompt begins, chosen so that it rarely moves.

A window that slides with every turn changes the head of the prompt every time, and a provider's cache never hits. So the
start stays where it is until the part after it reaches the full size, then moves on to leave only half of it.

No state is kept for that. The start lies on a grid over the tokens of the whole conversation, whose step is the distance
between the two sizes. So every process finds the same start, also after a restart.
"""

from __future__ import annotations

LOW_WATER = 0.5
"""Share of the room that is still filled after a compaction."""


def find_window_start(total: int, room: int) -> int:
    """Return after how many tokens of a conversation of `total` tokens its verbatim part begins, given room for `room`
    tokens.

    >>> [find_window_start(total, 1000) for total in (900, 1000, 1001, 1500, 1501)]
    [0, 0, 500, 500, 1000]
    """
    if total <= room:
        return 0
    mesh = max(1, room - int(room * LOW_WATER))
    return -(-(total - room) // mesh) * mesh


def advance_window_start(start: int, room: int) -> int:
    """Return the next point on the grid, for when what comes after `start` takes more tokens than expected.

    >>> advance_window_start(0, 1000)
    500
    """
    return start + max(1, room - int(room * LOW_WATER))
