"""Vectors and the progress of note-taking: what was done in the source need not be done in the target again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from recollect.copier.derived import Compared
from recollect.copier.references import batches, ids
from recollect.copier.whole import Pair, Whole, place
from recollect.errors import Conflict, NotFound
from recollect.kit import LEASE
from recollect.notes import LINE
from recollect.ports import NO_FILTERS, Passage, Settled, Task
from recollect.types import Microseconds, Scope

HOLDER = "recollect copy"
"""Always the same: a copy that was killed left its lease to the next one."""
AT_ONCE = 200
NOTES = "the progress of notes"


def begin_complete(pair: Pair) -> None:
    """Begins the generations that covered everything: in a store without messages they do so at once, and may serve."""
    for generation in pair.source.generations():
        if generation.complete:
            pair.target.begin_generation(generation.name, generation.dimensions)


def begin_rest(pair: Pair) -> None:
    """Begins the generations that did not, once there are messages that they do not cover; and the line of notes."""
    for generation in pair.source.generations():
        pair.target.begin_generation(generation.name, generation.dimensions)
    pair.target.begin_notes(LINE)


def carry(pair: Pair, scope: Scope, now: Microseconds) -> None:
    """Settles in the target what was settled in the source, with the same vectors."""
    for generation in pair.source.generations():
        _carry(pair, scope, generation.name, now)
    if not scope.shelf:
        _carry(pair, scope, LINE, now)


def _carry(pair: Pair, scope: Scope, line: str, now: Microseconds) -> None:
    done, limit = pair.source.done(scope, line), AT_ONCE
    while done and (task := pair.target.claim(line, HOLDER, now, now + LEASE, limit, scope)):
        known = pair.source.known(scope, [seen.message.id for seen in task.messages])
        numbers = [known[seen.message.id].number if seen.message.id in known else 0 for seen in task.messages]
        ready = list(takewhile(lambda number: 0 < number <= done, numbers))
        if len(ready) == len(numbers):
            _settle(pair, scope, task, ready, now)
            limit = AT_ONCE
        elif ready:
            limit = len(ready)  # the same messages again, without those that wait in the source, too
        else:
            pair.target.release(task)
            return


def _settle(pair: Pair, scope: Scope, task: Task, numbers: list[int], now: Microseconds) -> None:
    if task.generation == LINE:
        settled = pair.target.settle_notes(task, Settled(), now)
    else:
        there = {number: seen.number for number, seen in zip(numbers, task.messages, strict=True)}
        found = pair.source.passages(scope, task.generation, numbers)
        moved = [passage._replace(number=there[passage.number]) for passage in found]
        settled = pair.target.settle_task(task, moved, now)
    if not settled:
        raise Conflict(f"{place(scope)}: somebody else is working on the target; stop it, and run the copy again")


# -- comparing


def compared(pair: Pair, scope: Scope) -> Iterator[tuple[str, Compared]]:
    """How vectors and notes stand, by what to call them."""
    for generation in pair.source.generations():
        done = pair.source.done(scope, generation.name)
        yield f"vectors of {generation.name}", _compared(pair, scope, generation.name, done) if done else Compared(0)
    if not scope.shelf:
        yield NOTES, _compared_notes(pair, scope)


def _compared_notes(pair: Pair, scope: Scope) -> Compared:
    if not pair.source.done(scope, LINE):
        return Compared(0)
    return Compared(0, _unnoted(pair.source, scope) < _unnoted(pair.target, scope))


def _unnoted(storage: Whole, scope: Scope) -> int:
    try:
        done = storage.done(scope, LINE)
        return sum(number > done for number in storage.numbers(scope, NO_FILTERS))
    except NotFound:
        return 0


def _compared(pair: Pair, scope: Scope, generation: str, done: int) -> Compared:
    total, missing, other = 0, 0, 0
    numbers = [number for number in pair.source.numbers(scope, NO_FILTERS) if number <= done]
    for some in batches(numbers):
        mine = _passages(pair.source, scope, generation, ids(pair.source, scope, some))
        theirs = _passages(pair.target, scope, generation, _numbers(pair.target, scope, list(mine)))
        total += sum(map(len, mine.values()))
        missing += sum(not theirs.get(id) for id in mine)
        other += sum(bool(theirs.get(id)) and theirs[id] != passages for id, passages in mine.items())
    return Compared(total, missing > 0, f"vectors of {generation} are others for {other} messages" if other else "")


def _numbers(storage: Whole, scope: Scope, names: list[str]) -> dict[int, str]:
    try:
        return {known.number: id for id, known in storage.known(scope, names).items() if known.number}
    except NotFound:
        return {}


def _passages(storage: Whole, scope: Scope, generation: str, names: dict[int, str]) -> dict[str, list[Passage]]:
    """The passages of messages by id, as if all messages had the same number."""
    found: dict[str, list[Passage]] = {}
    for passage in storage.passages(scope, generation, list(names)) if names else ():
        found.setdefault(names[passage.number], []).append(passage._replace(number=0))
    return found
