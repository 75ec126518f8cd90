"""What was made of messages, and what turns were given: carried over with the numbers that messages have in the target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from recollect.copier import fingerprint
from recollect.copier.pools import Pools
from recollect.copier.references import References, batches, ids, translated
from recollect.copier.whole import Pair, Whole
from recollect.errors import NotFound
from recollect.ports import ALL, ArtifactQuery, Settled, StoredReceipt
from recollect.types import Artifact, ArtifactKind, Microseconds, Scope, Source

KINDS: tuple[ArtifactKind, ...] = ("fact", "tool", "label", "summary")


class Compared(NamedTuple):
    """What came of comparing things that hang on messages."""

    total: int
    behind: bool = False
    """Whether some are still to come."""
    wrong: str = ""
    """What the target has that the source has not."""


# -- artifacts


def artifacts_of(storage: Whole, scope: Scope) -> list[Artifact]:
    """All artifacts of a memory, in the order in which they can be kept. A summary says what it was made of, also where
    that is gone: then it stands by itself."""
    try:
        found = [one for kind in KINDS for one in reversed(storage.artifacts(scope, ArtifactQuery(kind, limit=ALL)))]
    except NotFound:
        return []
    known = {one.id for one in found}
    return [_by_itself(one) if one.data.get("previous", one.id) not in known else one for one in found]


def _by_itself(summary: Artifact) -> Artifact:
    return replace(summary, data={name: value for name, value in summary.data.items() if name != "previous"})


def compared_artifacts(pair: Pair, scope: Scope) -> Compared:
    """How the artifacts of a memory stand."""
    here, there = _fingerprints(pair.source, scope), _fingerprints(pair.target, scope)
    if extra := there.keys() - here.keys():
        return Compared(len(here), wrong=f"only the target has the note {min(extra)!r}")
    return Compared(len(here), here != there)


def _fingerprints(storage: Whole, scope: Scope) -> dict[str, bytes]:
    found = artifacts_of(storage, scope)
    names = ids(storage, scope, {source.number for one in found for source in one.sources})
    return {one.id: fingerprint.artifact(one, names) for one in found}


def carry_artifacts(pair: Pair, scope: Scope, now: Microseconds) -> None:
    """Keeps in the target those that it has not, or has otherwise."""
    here, there = _fingerprints(pair.source, scope), _fingerprints(pair.target, scope)
    wanted = [one for one in artifacts_of(pair.source, scope) if here.get(one.id) != there.get(one.id)]
    for some in batches(wanted):
        known = pair.target.known(scope, [one.id for one in some])
        numbers = translated(pair, scope, {source.number for one in some for source in one.sources})
        kept = [_moved(one, numbers) for one in some if one.id not in known and _is_there(one, numbers)]
        pair.target.keep_artifacts(scope, Settled(kept), now)


def _is_there(artifact: Artifact, numbers: Mapping[int, int]) -> bool:
    return all(source.number in numbers for source in artifact.sources)


def _moved(artifact: Artifact, numbers: Mapping[int, int]) -> Artifact:
    return replace(artifact, sources=tuple(Source(numbers[at], start, end) for at, start, end in artifact.sources))


# -- receipts


def compared_receipts(pair: Pair, scope: Scope, *, is_there: bool) -> Compared:
    """How the receipts of a session stand."""
    here = pair.source.all_receipts(scope)
    there = pair.target.all_receipts(scope) if is_there else []
    if not there:
        return Compared(len(here), bool(here))
    mine, theirs = _receipt_prints(pair, pair.source, scope, here), _receipt_prints(pair, pair.target, scope, there)
    if extra := theirs.keys() - mine.keys():
        return Compared(len(here), wrong=f"only the target has the receipt {min(extra)!r}")
    return Compared(len(here), mine != theirs)


def _receipt_prints(pair: Pair, storage: Whole, scope: Scope, receipts: Iterable[StoredReceipt]) -> dict[str, bytes]:
    some = list(receipts)
    references = References(pair, scope._replace(session=None))
    names = {where: ids(storage, where, numbers) for where, numbers in references.of(some).items()}
    return {
        one.id: fingerprint.receipt(one, references.renamed(one, lambda where, number: names[where].get(number)))
        for one in some
    }


def carry_receipts(pair: Pair, pools: Pools, scope: Scope) -> None:
    """Keeps the receipts of a session in the target, each for whom it was given to."""
    here = pair.source.all_receipts(scope)
    if not here:
        return
    mine = _receipt_prints(pair, pair.source, scope, here)
    theirs = _receipt_prints(pair, pair.target, scope, pair.target.all_receipts(scope))
    wanted = [one for one in here if theirs.get(one.id) != mine[one.id]]
    references = References(pair, scope._replace(session=None))
    numbers = {where: translated(pair, where, some) for where, some in references.of(wanted).items()}
    for some in batches(wanted):
        for author in dict.fromkeys(one.author for one in some):
            moved = [replace(one, data=references.moved(one, numbers)) for one in some if one.author == author]
            pair.target.keep_receipts(pools.reading(scope, author), moved)
