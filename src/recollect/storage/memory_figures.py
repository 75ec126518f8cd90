"""The reference's figures: looks at everything there is."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict

from recollect.ports import Counted
from recollect.reports import Usage
from recollect.storage.memory_space import Space, path_to
from recollect.storage.steps import Span, Steps
from recollect.types import Message, Microseconds, Status


def counted(spaces: Iterable[tuple[Space, Space]], span: Span) -> Counted:
    """The figures of some spaces, each with its shelf."""
    steps = Steps(span)
    totals: dict[str, int] = defaultdict(int)
    for space, shelf in spaces:
        _add_sessions(space, steps, totals)
        for node in space.nodes.values():
            message = node.message
            size = len(message.text.encode("utf-8", "surrogatepass"))
            totals["size"] += size
            steps.add_at(message.created, messages=1, tokens=message.tokens, bytes=size)
        _add_summaries(space, steps)
        for receipt in space.receipts.values():
            told = receipt.data
            steps.add_prompt(receipt.created, told.get("ms"), told.get("tokens"), told.get("reused"))
        totals["facts"] += sum(one.kind == "fact" and one.is_current for one in space.artifacts.values())
        totals["documents"] += sum(one.session.status is Status.ACTIVE and not one.purged for one in shelf.talks.values())
    return Counted(
        totals["owners"], totals["active"], totals["archived"], totals["deleted"], totals["messages"], totals["tokens"],
        totals["facts"], totals["documents"], totals["size"], steps.made(),
    )  # fmt: skip


def usage(space: Space, shelf: Space) -> Usage:
    """What one space and its shelf have."""
    kept = [node.message for node in space.nodes.values()]
    pieces = [node.message for node in shelf.nodes.values()]
    sessions = sum(not talk.purged for talk in space.talks.values())
    return Usage(sessions, len(kept), sum(map(_size, kept + pieces)))


def _size(message: Message) -> int:
    """The text and what goes with it, as it would be written."""
    more = [asdict(part) for part in message.parts], [asdict(call) for call in message.tool_calls]
    beside = [json.dumps(one) for one in (message.metadata, *more) if one]
    return len(message.text.encode("utf-8", "surrogatepass")) + sum(map(len, beside))


def _add_sessions(space: Space, steps: Steps, totals: dict[str, int]) -> None:
    talks = [talk for talk in space.talks.values() if not talk.purged]
    totals["owners"] += bool(talks)
    for talk in talks:
        totals[talk.session.status.value] += 1
        if talk.session.status is not Status.DELETED:
            path = path_to(talk.leaf)
            totals["messages"] += len(path)
            totals["tokens"] += sum(node.message.tokens for node in path)
            steps.add_at(talk.session.created, sessions=1)


def _add_summaries(space: Space, steps: Steps) -> None:
    by_session: dict[str | None, list[tuple[Microseconds, int]]] = defaultdict(list)
    for artifact in space.artifacts.values():
        if artifact.kind == "summary":
            by_session[artifact.session].append((artifact.created, artifact.data.get("nth", 1)))
    for made in by_session.values():
        steps.add_summaries(made)
