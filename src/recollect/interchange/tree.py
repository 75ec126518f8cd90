"""The tree of a conversation: messages in the order of an export become nodes that follow their parents."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from recollect.interchange.nouns import Node, Tally
from recollect.interchange.values import name_of
from recollect.types import Draft

REPEATED = "repeated messages"
ORPHANED = "messages whose parent is missing, put at the beginning"
CIRCULAR = "messages that follow themselves, put at the beginning"
RENAMED = "message ids that were used twice"
_NO_TIME = datetime.min.replace(tzinfo=UTC)


class Raw(NamedTuple):
    """A message of an export. It becomes as many messages as it has drafts: none if it is passed over, several if it calls
    tools. `parent` is the id of the one it follows, None for one that follows nothing."""

    id: str
    parent: str | None
    drafts: tuple[Draft, ...]


class Tree(NamedTuple):
    """Nodes, none before its parent, and the one that the conversation stands at."""

    nodes: list[Node]
    leaf: str | None


def chained(raws: Iterable[Raw]) -> list[Raw]:
    """The same messages, each following the one before it.

    >>> [raw.parent for raw in chained([Raw("a", None, ()), Raw("b", None, ())])]
    [None, 'a']
    """
    chain: list[Raw] = []
    for raw in raws:
        chain.append(raw._replace(parent=chain[-1].id if chain else None))
    return chain


def grow(raws: Sequence[Raw], leaf: str | None, start: datetime | None, tally: Tally) -> Tree:
    """Nodes in the order they were said, as far as it is known. What has no time takes its parent's, else `start`.

    A message that is passed over leaves its children to the nearest one that is kept. Nothing is lost where the export is
    broken: a message whose parent is not there, or is itself, follows nothing.

    >>> question, hidden = Raw("q", None, (Draft("user", "Hi"),)), Raw("h", "q", ())
    >>> tree = grow([Raw("a", "h", (Draft("assistant", "Hello"),)), hidden, question], "a", None, Tally())
    >>> [(node.id, node.parent) for node in tree.nodes], tree.leaf
    ([('q', None), ('a', 'q')], 'a')
    """
    known = _distinct(raws, tally)
    order = _order(known, start, tally)
    nodes: list[Node] = []
    ends: dict[str, str | None] = {}
    taken = set(known)
    for raw, parent, said in order:
        above = ends[parent] if parent is not None else None
        for place, draft in enumerate(raw.drafts):
            id = raw.id if place == 0 else _free(f"{raw.id}:{place + 1}", taken, tally)
            taken.add(id)
            nodes.append(Node(id, above, draft if draft.created_at else replace(draft, created_at=said)))
            above = id
        ends[raw.id] = above
    stands = ends.get(leaf) if leaf is not None else None
    return Tree(nodes, stands or _newest(nodes))


def _newest(nodes: Sequence[Node]) -> str | None:
    """The last of those that nothing follows."""
    followed = {node.parent for node in nodes}
    last = [(node.draft.created_at or _NO_TIME, place) for place, node in enumerate(nodes) if node.id not in followed]
    return nodes[max(last)[1]].id if last else None


def _distinct(raws: Iterable[Raw], tally: Tally) -> dict[str, Raw]:
    """Messages by their ids. One that is there twice is one; another one of the same id gets an id of its own."""
    known: dict[str, Raw] = {}
    taken: set[str] = set()
    for raw in raws:
        if known.get(raw.id) == raw and raw.drafts:
            tally.skip(REPEATED)
            continue
        id = _free(raw.id, taken, tally)
        if id != raw.id and raw.drafts:
            tally.mend(RENAMED)
        taken.add(id)
        known[id] = raw._replace(id=id)
    return known


def _free(id: str, taken: set[str], tally: Tally) -> str:
    """An id that no other message has, made of one that should be free and need not be."""
    free, number = name_of(id, tally) or "message", 2
    while free in taken:
        free, number = name_of(f"{id}~{number}", tally) or "message", number + 1
    return free


def _order(known: Mapping[str, Raw], start: datetime | None, tally: Tally) -> list[tuple[Raw, str | None, datetime | None]]:
    """Every message with its parent and its time, oldest first, and none before its parent."""
    children: dict[str | None, list[str]] = {}
    places = {id: place for place, id in enumerate(known)}
    for id, raw in known.items():
        parent = raw.parent if raw.parent in known else None
        if parent is None and raw.parent is not None and raw.drafts:
            tally.mend(ORPHANED)
        children.setdefault(parent, []).append(id)
    order: list[tuple[Raw, str | None, datetime | None]] = []
    visited: set[str] = set()
    # In a circle, nobody is first; whoever the export names first is made so.
    for root in [None, *known]:
        if root in visited:
            continue
        ready: list[tuple[datetime, int, str, str | None, datetime | None]] = []
        beginnings = children.get(None, []) if root is None else [root]
        if root is not None:
            tally.mend(CIRCULAR)
        _push(ready, beginnings, None, start, known, places)
        while ready:
            _, _, id, parent, said = heapq.heappop(ready)
            if id in visited:
                continue
            visited.add(id)
            order.append((known[id], parent, said))
            _push(ready, children.get(id, []), id, said, known, places)
    return order


def _push(
    ready: list[tuple[datetime, int, str, str | None, datetime | None]],
    ids: Iterable[str],
    parent: str | None,
    inherited: datetime | None,
    known: Mapping[str, Raw],
    places: Mapping[str, int],
) -> None:
    for id in ids:
        drafts = known[id].drafts
        said = (drafts[0].created_at if drafts else None) or inherited
        heapq.heappush(ready, (said or _NO_TIME, places[id], id, parent, said))
