"""What happened, in one order: new messages by their numbers, and between them everything else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from recollect.types import Change, Mark


class Entry(NamedTuple):
    """Something that happened. `messages` is the number of the owner's newest message then; `change` counts all but new
    messages, and is 0 for those."""

    messages: int
    change: int
    what: Change


def cannot_go_on(since: Mark, last: Mark) -> bool:
    """Whether a follower has read what there is not: of an owner who was erased, or of a store that is newer than this.

    >>> cannot_go_on(Mark(3, 1, 7), Mark(4, 1, 7)), cannot_go_on(Mark(3, 1, 7), Mark(2, 1, 7))
    (False, True)
    """
    return since.life not in (0, last.life) or since.messages > last.messages or since.changes > last.changes


def merged(entries: Iterable[Entry], since: Mark, last: Mark, limit: int) -> tuple[list[Change], Mark]:
    """The first so many changes behind a mark, each with the mark behind itself, and the mark behind them all. There must
    be one more entry of either sort than the limit, if there are more.

    >>> tea, name = Entry(2, 0, Change("message", message_id="tea")), Entry(2, 5, Change("session", "s1"))
    >>> changes, reached = merged([name, tea], Mark(1, 4, 7), Mark(2, 5, 7), 9)
    >>> [change.mark for change in changes], reached
    ([Mark(messages=2, changes=4, life=7), Mark(messages=2, changes=5, life=7)], Mark(messages=2, changes=5, life=7))
    """
    ordered = sorted(entries, key=lambda entry: entry[:2])
    mark = since._replace(life=last.life)
    made: list[Change] = []
    for entry in ordered[:limit]:
        # In this order neither number ever falls, so whoever has seen one entry has seen all that count less.
        mark = Mark(max(mark.messages, entry.messages), max(mark.changes, entry.change), last.life)
        made.append(replace(entry.what, mark=mark))
    return made, mark if len(ordered) > limit else last
