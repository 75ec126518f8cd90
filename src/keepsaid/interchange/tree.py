"""The tree of a conversation: convert messages in the order of an export to nodes that follow their parents."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from keepsaid.interchange.conversation import ConversationNode, ImportTally
from keepsaid.interchange.values import name_of
from keepsaid.types import MessageDraft

REPEATED = "repeated messages"
ORPHANED = "messages whose parent is missing, put at the beginning"
CIRCULAR = "messages that follow themselves, put at the beginning"
RENAMED = "message ids that were used twice"
_NO_TIME = datetime.min.replace(tzinfo=UTC)


class RawMessage(NamedTuple):
    """A message of an export. It becomes one message per draft: none if it is left out, several if it calls tools. `parent`
    is the id of the message it follows, or None."""

    id: str
    parent: str | None
    drafts: tuple[MessageDraft, ...]


class ConversationTree(NamedTuple):
    """Nodes, each after its parent, and the id of the current one."""

    nodes: list[ConversationNode]
    leaf: str | None


def chain_messages(raws: Iterable[RawMessage]) -> list[RawMessage]:
    """Make each message follow the one before it.

    >>> [raw.parent for raw in chain_messages([RawMessage("a", None, ()), RawMessage("b", None, ())])]
    [None, 'a']
    """
    chain: list[RawMessage] = []
    for raw in raws:
        chain.append(raw._replace(parent=chain[-1].id if chain else None))
    return chain


def build_tree(raws: Sequence[RawMessage], leaf: str | None, start: datetime | None, tally: ImportTally) -> ConversationTree:
    """Build the nodes in order of time, as far as it is known. A message without a time gets its parent's, else `start`.

    The children of a message that is left out follow the nearest one before it that is kept. No message of a broken export
    is lost: one whose parent is missing, or is itself, follows nothing.

    >>> question, hidden = RawMessage("q", None, (MessageDraft("user", "Hi"),)), RawMessage("h", "q", ())
    >>> answer = RawMessage("a", "h", (MessageDraft("assistant", "Hello"),))
    >>> tree = build_tree([answer, hidden, question], "a", None, ImportTally())
    >>> [(node.id, node.parent) for node in tree.nodes], tree.leaf
    ([('q', None), ('a', 'q')], 'a')
    """
    known = _deduplicate(raws, tally)
    order = _order(known, start, tally)
    nodes: list[ConversationNode] = []
    ends: dict[str, str | None] = {}
    taken = dict.fromkeys(known, 1)
    for raw, parent, created_at in order:
        above = ends[parent] if parent is not None else None
        for place, draft in enumerate(raw.drafts):
            id = raw.id if place == 0 else _reserve_id(f"{raw.id}:{place + 1}", taken, tally)
            nodes.append(ConversationNode(id, above, draft if draft.created_at else replace(draft, created_at=created_at)))
            above = id
        ends[raw.id] = above
    stands = ends.get(leaf) if leaf is not None else None
    return ConversationTree(nodes, stands or _newest(nodes))


def _newest(nodes: Sequence[ConversationNode]) -> str | None:
    """The newest node without followers."""
    followed = {node.parent for node in nodes}
    last = [(node.draft.created_at or _NO_TIME, place) for place, node in enumerate(nodes) if node.id not in followed]
    return nodes[max(last)[1]].id if last else None


def _deduplicate(raws: Iterable[RawMessage], tally: ImportTally) -> dict[str, RawMessage]:
    """Messages by id. An exact repetition is skipped; a different message with the same id gets a new id."""
    known: dict[str, RawMessage] = {}
    taken: dict[str, int] = {}
    for raw in raws:
        if known.get(raw.id) == raw and raw.drafts:
            tally.skip(REPEATED)
            continue
        id = _reserve_id(raw.id, taken, tally)
        if id != raw.id and raw.drafts:
            tally.repair(RENAMED)
        known[id] = raw._replace(id=id)
    return known


def _reserve_id(id: str, taken: dict[str, int], tally: ImportTally) -> str:
    """Reserve and return an unused id, derived from `id` if that is taken. `taken` records the last suffix tried for each
    id, because a file may use the same id for all its messages."""
    own = free = name_of(id, tally) or "message"
    number = taken.get(own, 1)
    while free in taken:
        number += 1
        free = name_of(f"{id}~{number}", tally) or "message"
    if free != own:
        taken[own] = number
    taken[free] = 1
    return free


def _order(
    known: Mapping[str, RawMessage], start: datetime | None, tally: ImportTally
) -> list[tuple[RawMessage, str | None, datetime | None]]:
    """Every message with its parent and its time, oldest first, and each after its parent."""
    children: dict[str | None, list[str]] = {}
    places = {id: place for place, id in enumerate(known)}
    for id, raw in known.items():
        parent = raw.parent if raw.parent in known else None
        if parent is None and raw.parent is not None and raw.drafts:
            tally.repair(ORPHANED)
        children.setdefault(parent, []).append(id)
    order: list[tuple[RawMessage, str | None, datetime | None]] = []
    visited: set[str] = set()
    # A cycle has no first message; the one that the export contains first becomes the root.
    for root in [None, *known]:
        if root in visited:
            continue
        ready: list[tuple[datetime, int, str, str | None, datetime | None]] = []
        beginnings = children.get(None, []) if root is None else [root]
        if root is not None:
            tally.repair(CIRCULAR)
        _push(ready, beginnings, None, start, known, places)
        while ready:
            _, _, id, parent, created_at = heapq.heappop(ready)
            if id in visited:
                continue
            visited.add(id)
            order.append((known[id], parent, created_at))
            _push(ready, children.get(id, []), id, created_at, known, places)
    return order


def _push(
    ready: list[tuple[datetime, int, str, str | None, datetime | None]],
    ids: Iterable[str],
    parent: str | None,
    inherited: datetime | None,
    known: Mapping[str, RawMessage],
    places: Mapping[str, int],
) -> None:
    for id in ids:
        drafts = known[id].drafts
        created_at = (drafts[0].created_at if drafts else None) or inherited
        heapq.heappush(ready, (created_at or _NO_TIME, places[id], id, parent, created_at))
