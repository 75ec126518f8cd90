"""Cascading deletes of the in-memory storage: artifacts derived from deleted messages, summaries that cover them, and texts
in receipts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from keepsaid.ports import StoredReceipt
from keepsaid.storage.inmemory.partition import MemoryPartition, MessageNode, SessionRecord, path_to
from keepsaid.types import Artifact

SUMMARIES_KEPT = 8


def remove_message_artifacts(space: MemoryPartition, node: MessageNode) -> None:
    """Delete the artifacts derived from a message, and the summaries that cover it. Call it before the message is
    deleted."""
    resting = [one for one in space.artifacts.values() if node.number in {source.number for source in one.sources}]
    covering = [
        one for one in space.artifacts.values() if one.kind == "summary" and (_covers(space, one, node) or one in resting)
    ]
    remove_artifacts(space, [*resting, *covering])
    space.release_note_leases()


def _covers(space: MemoryPartition, summary: Artifact, node: MessageNode) -> bool:
    record = space.sessions.get(summary.session or "")
    end = find_node(space, record, summary.upto) if record else None
    return end is None or node in path_to(end)


def find_node(space: MemoryPartition, record: SessionRecord, seq: int) -> MessageNode | None:
    """Return the message with a seq in a session's tree, or None."""
    tree = [node for node in space.nodes.values() if node.home is record] + path_to(record.origin)
    return next((node for node in tree if node.message.seq == seq), None)


def remove_orphaned_artifacts(space: MemoryPartition) -> None:
    """Delete the artifacts with a source message that no longer exists."""
    alive = {node.number for node in space.nodes.values()}
    lost = [one for one in space.artifacts.values() if any(source.number not in alive for source in one.sources)]
    remove_artifacts(space, lost)
    space.release_note_leases()


def redact_receipts(space: MemoryPartition, node: MessageNode) -> None:
    """Remove a message's text from receipts: the question itself, and rewritten questions of later receipts."""
    message = node.message
    records = [node.home, *(record for record in space.sessions.values() if node in path_to(record.origin))]
    sessions = {record.session.id for record in records}
    for receipt in [one for one in space.receipts.values() if one.session in sessions]:
        follows = receipt.leaf == message.parent and message.author in (None, receipt.author)
        made_for = follows or receipt.question == message.text
        after = made_for or receipt.leaf >= message.seq
        space.receipts[receipt.id] = replace(
            receipt,
            question=None if made_for else receipt.question,
            rewritten=None if after else receipt.rewritten,
        )


def remove_session_artifacts(space: MemoryPartition, session: str) -> None:
    """Delete a session's artifacts and receipts."""
    space.artifacts = {id: one for id, one in space.artifacts.items() if one.session != session}
    space.receipts = {id: one for id, one in space.receipts.items() if one.session != session}


def detach_facts(space: MemoryPartition, record: SessionRecord) -> set[str]:
    """Detach the facts on the active path of an expired session from it. Return their ids. Facts from messages with an
    author (those of a pool) are not detached: they must be found when the author is erased."""
    path = {node.number for node in path_to(record.leaf) if node.message.author is None}
    kept = {
        one.id: replace(one, session=None if one.session == record.session.id else one.session)
        for one in space.artifacts.values()
        if one.kind == "fact" and one.sources and path.issuperset(source.number for source in one.sources)
    }
    space.artifacts |= kept
    return set(kept)


def drop_missing_sources(space: MemoryPartition, facts: Iterable[str]) -> None:
    """Remove the sources that no longer exist from these facts."""
    alive = {node.number for node in space.nodes.values()}
    for id in facts:
        fact = space.artifacts[id]
        space.artifacts[id] = replace(fact, sources=tuple(one for one in fact.sources if one.number in alive))


def remove_artifacts(space: MemoryPartition, going: Iterable[Artifact]) -> int:
    """Delete artifacts. The title and tags that a label gave are removed with it, and the session's summary becomes the
    newest one that is left."""
    removed = 0
    for artifact in going:
        if space.artifacts.pop(artifact.id, None) is None:
            continue
        removed += 1
        record = space.sessions.get(artifact.session or "")
        if record and artifact.kind == "summary":
            update_session_summary(space, record)
        elif record and artifact.kind == "label":
            _unlabel(record, artifact)
    return removed


def _unlabel(record: SessionRecord, label: Artifact) -> None:
    if record.session.title == label.text:
        record.session = record.session._replace(title=None)
    if record.session.tags and list(record.session.tags) == list(label.data.get("tags", ())):
        record.session = record.session._replace(tags=())


def list_summaries(space: MemoryPartition, session: str) -> list[Artifact]:
    """Return a session's summaries, newest first."""
    own = [one for one in space.artifacts.values() if one.kind == "summary" and one.session == session]
    return sorted(own, key=lambda one: -one.upto)


def update_session_summary(space: MemoryPartition, record: SessionRecord) -> None:
    """Set the session's own summary to its newest one."""
    newest = next(iter(list_summaries(space, record.session.id)), None)
    record.session = record.session._replace(
        summary=newest.text if newest else None, summarized=newest.created if newest else None
    )


def prune_summaries(space: MemoryPartition, session: str) -> None:
    """Delete a session's old summaries that no receipt refers to."""
    named = {_summary_of(receipt) for receipt in space.receipts.values()}
    made = list_summaries(space, session)
    old_ones = [one for pinned in (False, True) for one in [one for one in made if one.pinned == pinned][SUMMARIES_KEPT:]]
    for old in old_ones:
        if old.id not in named:
            del space.artifacts[old.id]


def _summary_of(receipt: StoredReceipt) -> str:
    named = receipt.data.get("summary")
    return named if isinstance(named, str) else ""
