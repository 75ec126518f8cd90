"""What the reference lets go of when messages go: artifacts that rest on them, summaries that cover them, and texts in
receipts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from recollect.ports import StoredReceipt
from recollect.storage.memory_space import Node, Space, Talk, path_to
from recollect.types import Artifact

SUMMARIES_KEPT = 8


def forget_node(space: Space, node: Node) -> None:
    """Removes the artifacts that rest on a message, and the summaries whose path runs through it. Call it before it goes."""
    resting = [one for one in space.artifacts.values() if node.number in {source.number for source in one.sources}]
    covering = [
        one for one in space.artifacts.values() if one.kind == "summary" and (_covers(space, one, node) or one in resting)
    ]
    remove(space, [*resting, *covering])
    space.interrupt_notes()


def _covers(space: Space, summary: Artifact, node: Node) -> bool:
    talk = space.talks.get(summary.session or "")
    end = node_at(space, talk, summary.upto) if talk else None
    return end is None or node in path_to(end)


def node_at(space: Space, talk: Talk, seq: int) -> Node | None:
    """The message of a seq in a session's tree."""
    tree = [node for node in space.nodes.values() if node.home is talk] + path_to(talk.origin)
    return next((node for node in tree if node.message.seq == seq), None)


def forget_lost(space: Space) -> None:
    """Removes the artifacts that rest on a message which is gone."""
    alive = {node.number for node in space.nodes.values()}
    lost = [one for one in space.artifacts.values() if any(source.number not in alive for source in one.sources)]
    remove(space, lost)
    space.interrupt_notes()


def forget_question(space: Space, node: Node) -> None:
    """Takes out of receipts what was asked with a message, and what was made of it afterwards."""
    message = node.message
    talks = [node.home, *(talk for talk in space.talks.values() if node in path_to(talk.origin))]
    sessions = {talk.session.id for talk in talks}
    for receipt in [one for one in space.receipts.values() if one.session in sessions]:
        follows = receipt.leaf == message.parent and message.author in (None, receipt.author)
        made_for = follows or receipt.question == message.text
        after = made_for or receipt.leaf >= message.seq
        space.receipts[receipt.id] = replace(
            receipt,
            question=None if made_for else receipt.question,
            rewritten=None if after else receipt.rewritten,
        )


def forget_session(space: Space, session: str) -> None:
    """Removes a session's artifacts and receipts."""
    space.artifacts = {id: one for id, one in space.artifacts.items() if one.session != session}
    space.receipts = {id: one for id, one in space.receipts.items() if one.session != session}


def detach_facts(space: Space, talk: Talk) -> set[str]:
    """Takes the facts on the active path of an expired session away from it; returns their ids. Messages with an author are
    those of a pool: what rests on them must be found when the author is erased."""
    path = {node.number for node in path_to(talk.leaf) if node.message.author is None}
    kept = {
        one.id: replace(one, session=None if one.session == talk.session.id else one.session)
        for one in space.artifacts.values()
        if one.kind == "fact" and one.sources and path.issuperset(source.number for source in one.sources)
    }
    space.artifacts |= kept
    return set(kept)


def drop_lost_sources(space: Space, facts: Iterable[str]) -> None:
    """Lets these facts stand without the messages that are gone."""
    alive = {node.number for node in space.nodes.values()}
    for id in facts:
        fact = space.artifacts[id]
        space.artifacts[id] = replace(fact, sources=tuple(one for one in fact.sources if one.number in alive))


def remove(space: Space, going: Iterable[Artifact]) -> int:
    """Removes artifacts. Titles and tags that a label gave go with it; a session's summary is its newest one left."""
    removed = 0
    for artifact in going:
        if space.artifacts.pop(artifact.id, None) is None:
            continue
        removed += 1
        talk = space.talks.get(artifact.session or "")
        if talk and artifact.kind == "summary":
            follow(space, talk)
        elif talk and artifact.kind == "label":
            _unlabel(talk, artifact)
    return removed


def _unlabel(talk: Talk, label: Artifact) -> None:
    if talk.session.title == label.text:
        talk.session = talk.session._replace(title=None)
    if talk.session.tags and list(talk.session.tags) == list(label.data.get("tags", ())):
        talk.session = talk.session._replace(tags=())


def summaries(space: Space, session: str) -> list[Artifact]:
    """A session's summaries, the newest first."""
    own = [one for one in space.artifacts.values() if one.kind == "summary" and one.session == session]
    return sorted(own, key=lambda one: -one.upto)


def follow(space: Space, talk: Talk) -> None:
    """The session's own summary is its newest one."""
    newest = next(iter(summaries(space, talk.session.id)), None)
    talk.session = talk.session._replace(
        summary=newest.text if newest else None, summarized=newest.created if newest else None
    )


def prune(space: Space, session: str) -> None:
    """Lets go of a session's old summaries that no receipt names."""
    named = {_summary_of(receipt) for receipt in space.receipts.values()}
    made = summaries(space, session)
    old_ones = [one for pinned in (False, True) for one in [one for one in made if one.pinned == pinned][SUMMARIES_KEPT:]]
    for old in old_ones:
        if old.id not in named:
            del space.artifacts[old.id]


def _summary_of(receipt: StoredReceipt) -> str:
    named = receipt.data.get("summary")
    return named if isinstance(named, str) else ""
