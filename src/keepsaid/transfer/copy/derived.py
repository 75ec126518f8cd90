"""Copy artifacts and receipts, with their message numbers translated to those of the target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from keepsaid.errors import NotFound
from keepsaid.ports import NO_LIMIT, ArtifactChanges, ArtifactQuery, Storage, StoredReceipt
from keepsaid.transfer.copy import fingerprint
from keepsaid.transfer.copy.pools import PoolCopier
from keepsaid.transfer.copy.references import ReceiptReferences, find_message_ids, split_into_batches, translate_numbers
from keepsaid.transfer.copy.storage_pair import StoragePair
from keepsaid.types import Artifact, ArtifactKind, ArtifactSource, Microseconds, Scope

KINDS: tuple[ArtifactKind, ...] = ("fact", "tool", "label", "summary")


class DerivedComparison(NamedTuple):
    """The result of comparing data derived from messages."""

    total: int
    is_incomplete: bool = False
    """Whether some are not copied yet."""
    wrong: str = ""
    """What the target has that the source does not have; empty if nothing."""


# -- artifacts


def list_artifacts(storage: Storage, scope: Scope) -> list[Artifact]:
    """All artifacts of a memory, in the order in which they can be stored. A summary's reference to a previous one that is
    gone is removed."""
    try:
        found = [one for kind in KINDS for one in reversed(storage.artifacts(scope, ArtifactQuery(kind, limit=NO_LIMIT)))]
    except NotFound:
        return []
    known = {one.id for one in found}
    return [_without_previous(one) if one.data.get("previous", one.id) not in known else one for one in found]


def _without_previous(summary: Artifact) -> Artifact:
    return replace(summary, data={name: value for name, value in summary.data.items() if name != "previous"})


def compare_artifacts(pair: StoragePair, scope: Scope) -> DerivedComparison:
    """Compare the artifacts of a memory."""
    here, there = _fingerprints(pair.source, scope), _fingerprints(pair.target, scope)
    if extra := there.keys() - here.keys():
        return DerivedComparison(len(here), wrong=f"only the target has the note {min(extra)!r}")
    return DerivedComparison(len(here), here != there)


def _fingerprints(storage: Storage, scope: Scope) -> dict[str, bytes]:
    found = list_artifacts(storage, scope)
    names = find_message_ids(storage, scope, {source.number for one in found for source in one.sources})
    return {one.id: fingerprint.hash_artifact(one, names) for one in found}


def copy_artifacts(pair: StoragePair, scope: Scope, now: Microseconds) -> None:
    """Copy the artifacts that are missing or different in the target."""
    here, there = _fingerprints(pair.source, scope), _fingerprints(pair.target, scope)
    wanted = [one for one in list_artifacts(pair.source, scope) if here.get(one.id) != there.get(one.id)]
    for some in split_into_batches(wanted):
        known = pair.target.known(scope, [one.id for one in some])
        numbers = translate_numbers(pair, scope, {source.number for one in some for source in one.sources})
        kept = [_with_numbers(one, numbers) for one in some if one.id not in known and _has_sources(one, numbers)]
        pair.target.keep_artifacts(scope, ArtifactChanges(kept), now)


def _has_sources(artifact: Artifact, numbers: Mapping[int, int]) -> bool:
    return all(source.number in numbers for source in artifact.sources)


def _with_numbers(artifact: Artifact, numbers: Mapping[int, int]) -> Artifact:
    return replace(artifact, sources=tuple(ArtifactSource(numbers[at], start, end) for at, start, end in artifact.sources))


# -- receipts


def compare_receipts(pair: StoragePair, scope: Scope, *, is_there: bool) -> DerivedComparison:
    """Compare the receipts of a session."""
    here = pair.source.all_receipts(scope)
    there = pair.target.all_receipts(scope) if is_there else []
    if not there:
        return DerivedComparison(len(here), bool(here))
    mine, theirs = (
        _receipt_fingerprints(pair, pair.source, scope, here),
        _receipt_fingerprints(pair, pair.target, scope, there),
    )
    if extra := theirs.keys() - mine.keys():
        return DerivedComparison(len(here), wrong=f"only the target has the receipt {min(extra)!r}")
    return DerivedComparison(len(here), mine != theirs)


def _receipt_fingerprints(
    pair: StoragePair, storage: Storage, scope: Scope, receipts: Iterable[StoredReceipt]
) -> dict[str, bytes]:
    some = list(receipts)
    references = ReceiptReferences(pair, scope._replace(session=None))
    names = {where: find_message_ids(storage, where, numbers) for where, numbers in references.of(some).items()}
    return {
        one.id: fingerprint.hash_receipt(
            one, references.replace_numbers(one, lambda where, number: names[where].get(number))
        )
        for one in some
    }


def copy_receipts(pair: StoragePair, pools: PoolCopier, scope: Scope) -> None:
    """Copy the receipts of a session, each as its author."""
    here = pair.source.all_receipts(scope)
    if not here:
        return
    mine = _receipt_fingerprints(pair, pair.source, scope, here)
    theirs = _receipt_fingerprints(pair, pair.target, scope, pair.target.all_receipts(scope))
    wanted = [one for one in here if theirs.get(one.id) != mine[one.id]]
    references = ReceiptReferences(pair, scope._replace(session=None))
    numbers = {where: translate_numbers(pair, where, some) for where, some in references.of(wanted).items()}
    for some in split_into_batches(wanted):
        for author in dict.fromkeys(one.author for one in some):
            moved = [replace(one, data=references.translate_data(one, numbers)) for one in some if one.author == author]
            with pools.reader_scope(scope, author) as whose:
                pair.target.keep_receipts(whose, moved)
