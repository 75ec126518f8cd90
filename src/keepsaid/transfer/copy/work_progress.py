"""Copy vectors and the progress of note-taking, so that the target does not repeat work done in the source."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from keepsaid.errors import Conflict, NotFound
from keepsaid.ports import NO_FILTERS, ArtifactChanges, EmbeddedPassage, Storage, WorkLease
from keepsaid.services.background.worker import LEASE_MICROSECONDS
from keepsaid.services.facts.extraction_job import EXTRACTION_LINE
from keepsaid.transfer.copy.derived import DerivedComparison
from keepsaid.transfer.copy.references import find_message_ids, split_into_batches
from keepsaid.transfer.copy.storage_pair import StoragePair, describe_scope
from keepsaid.types import Microseconds, Scope

HOLDER = "keepsaid copy"
"""The holder of leases. It is always the same, so a copy can take over the lease of one that was killed."""
CLAIM_SIZE = 200
NOTES_LABEL = "the progress of notes"


def begin_complete_generations(pair: StoragePair) -> None:
    """Begin the complete generations of the source: in an empty target they are complete at once, and can be searched."""
    for generation in pair.source.generations():
        if generation.complete:
            pair.target.begin_generation(generation.name, generation.dimensions)


def begin_other_generations(pair: StoragePair) -> None:
    """Begin the other generations, after the messages that they do not cover were copied; and the notes queue."""
    for generation in pair.source.generations():
        pair.target.begin_generation(generation.name, generation.dimensions)
    pair.target.begin_notes(EXTRACTION_LINE)


def copy_progress(pair: StoragePair, scope: Scope, now: Microseconds) -> None:
    """Settle in the target the work that is done in the source, with the same vectors."""
    for generation in pair.source.generations():
        _copy_line(pair, scope, generation.name, now)
    if not scope.documents:
        _copy_line(pair, scope, EXTRACTION_LINE, now)


def _copy_line(pair: StoragePair, scope: Scope, line: str, now: Microseconds) -> None:
    done, limit = pair.source.done(scope, line), CLAIM_SIZE
    while done and (task := pair.target.claim(line, HOLDER, now, now + LEASE_MICROSECONDS, limit, scope)):
        known = pair.source.known(scope, [seen.message.id for seen in task.messages])
        numbers = [known[seen.message.id].number if seen.message.id in known else 0 for seen in task.messages]
        ready = list(takewhile(lambda number: 0 < number <= done, numbers))
        if len(ready) == len(numbers):
            _settle_task(pair, scope, task, ready, now)
            limit = CLAIM_SIZE
        elif ready:
            limit = len(ready)  # claim again, without the messages that also wait in the source
        else:
            pair.target.release(task)
            return


def _settle_task(pair: StoragePair, scope: Scope, task: WorkLease, numbers: list[int], now: Microseconds) -> None:
    if task.generation == EXTRACTION_LINE:
        settled = pair.target.settle_notes(task, ArtifactChanges(), now)
    else:
        there = {number: seen.number for number, seen in zip(numbers, task.messages, strict=True)}
        found = pair.source.passages(scope, task.generation, numbers)
        moved = [passage._replace(number=there[passage.number]) for passage in found]
        settled = pair.target.settle_task(task, moved, now)
    if not settled:
        raise Conflict(f"{describe_scope(scope)}: another process is working on the target; stop it, and run the copy again")


# -- comparing


def compare_progress(pair: StoragePair, scope: Scope) -> Iterator[tuple[str, DerivedComparison]]:
    """Compare vectors and notes; yield a label with each result."""
    for generation in pair.source.generations():
        done = pair.source.done(scope, generation.name)
        yield (
            f"vectors of {generation.name}",
            _compare_vectors(pair, scope, generation.name, done) if done else DerivedComparison(0),
        )
    if not scope.documents:
        yield NOTES_LABEL, _compare_notes(pair, scope)


def _compare_notes(pair: StoragePair, scope: Scope) -> DerivedComparison:
    if not pair.source.done(scope, EXTRACTION_LINE):
        return DerivedComparison(0)
    return DerivedComparison(0, _count_unnoted(pair.source, scope) < _count_unnoted(pair.target, scope))


def _count_unnoted(storage: Storage, scope: Scope) -> int:
    try:
        done = storage.done(scope, EXTRACTION_LINE)
        return sum(number > done for number in storage.numbers(scope, NO_FILTERS))
    except NotFound:
        return 0


def _compare_vectors(pair: StoragePair, scope: Scope, generation: str, done: int) -> DerivedComparison:
    total, missing, other = 0, 0, 0
    numbers = [number for number in pair.source.numbers(scope, NO_FILTERS) if number <= done]
    for some in split_into_batches(numbers):
        mine = _passages(pair.source, scope, generation, find_message_ids(pair.source, scope, some))
        theirs = _passages(pair.target, scope, generation, _numbers(pair.target, scope, list(mine)))
        total += sum(map(len, mine.values()))
        missing += sum(not theirs.get(id) for id in mine)
        other += sum(bool(theirs.get(id)) and theirs[id] != passages for id, passages in mine.items())
    return DerivedComparison(total, missing > 0, f"vectors of {generation} differ for {other} messages" if other else "")


def _numbers(storage: Storage, scope: Scope, names: list[str]) -> dict[int, str]:
    try:
        return {known.number: id for id, known in storage.known(scope, names).items() if known.number}
    except NotFound:
        return {}


def _passages(storage: Storage, scope: Scope, generation: str, names: dict[int, str]) -> dict[str, list[EmbeddedPassage]]:
    """The passages by message id, with message numbers set to 0 for the comparison."""
    found: dict[str, list[EmbeddedPassage]] = {}
    for passage in storage.passages(scope, generation, list(names)) if names else ():
        found.setdefault(names[passage.number], []).append(passage._replace(number=0))
    return found
