"""Statistics of the in-memory storage, computed from all its data."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict

from keepsaid.ports import StorageFigures
from keepsaid.storage.inmemory.partition import MemoryPartition, path_to
from keepsaid.storage.time_steps import TimeStepCounter, TimeStepRange
from keepsaid.types import Message, Microseconds, SessionStatus
from keepsaid.types.reports import StorageUsage


def count_figures(spaces: Iterable[tuple[MemoryPartition, MemoryPartition]], span: TimeStepRange) -> StorageFigures:
    """Return the figures of some spaces, each given with its documents."""
    steps = TimeStepCounter(span)
    totals: dict[str, int] = defaultdict(int)
    for space, documents in spaces:
        _add_sessions(space, steps, totals)
        for node in space.nodes.values():
            message = node.message
            size = len(message.text.encode("utf-8", "surrogatepass"))
            totals["size"] += size
            steps.add_at(message.created, messages=1, tokens=message.tokens, bytes=size)
        _add_summaries(space, steps)
        for receipt in space.receipts.values():
            data = receipt.data
            steps.add_prompt(receipt.created, data.get("ms"), data.get("tokens"), data.get("reused"))
        totals["facts"] += sum(one.kind == "fact" and one.is_current for one in space.artifacts.values())
        totals["documents"] += sum(
            d.session.status is SessionStatus.ACTIVE and not d.purged for d in documents.sessions.values()
        )
    return StorageFigures(
        totals["owners"], totals["active"], totals["archived"], totals["deleted"], totals["messages"], totals["tokens"],
        totals["facts"], totals["documents"], totals["size"], steps.build_steps(),
    )  # fmt: skip


def measure_usage(space: MemoryPartition, documents: MemoryPartition) -> StorageUsage:
    """Return the usage of one space and its documents."""
    messages = [node.message for node in space.nodes.values()]
    pieces = [node.message for node in documents.nodes.values()]
    sessions = sum(not record.purged for record in space.sessions.values())
    return StorageUsage(sessions, len(messages), sum(map(_size, messages + pieces)))


def _size(message: Message) -> int:
    """Return the size of a message's text and of its other fields as JSON."""
    more = [asdict(part) for part in message.parts], [asdict(call) for call in message.tool_calls]
    fields = [json.dumps(one) for one in (message.metadata, *more) if one]
    return len(message.text.encode("utf-8", "surrogatepass")) + sum(map(len, fields))


def _add_sessions(space: MemoryPartition, steps: TimeStepCounter, totals: dict[str, int]) -> None:
    records = [record for record in space.sessions.values() if not record.purged]
    totals["owners"] += bool(records)
    for record in records:
        totals[record.session.status.value] += 1
        if record.session.status is not SessionStatus.DELETED:
            path = path_to(record.leaf)
            totals["messages"] += len(path)
            totals["tokens"] += sum(node.message.tokens for node in path)
            steps.add_at(record.session.created, sessions=1)


def _add_summaries(space: MemoryPartition, steps: TimeStepCounter) -> None:
    by_session: dict[str | None, list[tuple[Microseconds, int]]] = defaultdict(list)
    for artifact in space.artifacts.values():
        if artifact.kind == "summary":
            by_session[artifact.session].append((artifact.created, artifact.data.get("nth", 1)))
    for made in by_session.values():
        steps.add_summaries(made)
