"""What an import does with what it reads: only what is new comes in, with its branches, times and order.

An import may be repeated, and goes on where it was interrupted: messages are known by their ids. What was erased here before
stays erased, and what followed it moves up. An id that another conversation has taken becomes a new one, always the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TypeVar

from recollect.engine.hygiene import LONGEST_NAME, clean_name, clean_tags, clean_text
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.interchange.nouns import CLEARED, Conversation, Item, Made, Node, Shelved, Tally
from recollect.kit import Kit
from recollect.ports import ArtifactQuery, Artifacts, Known, Planted, Settled, Storage
from recollect.reports import ImportReport
from recollect.types import Artifact, Message, Scope, Session, Source, microseconds

Thing = TypeVar("Thing")

AT_ONCE = 500
"""Messages in one transaction."""


class Importer:
    """Takes conversations, documents and what was made of messages into one owner's (or pool's) memory, and counts them."""

    def __init__(self, kit: Kit, storage: Storage, scope: Scope, tally: Tally, *, dry_run: bool = False) -> None:
        self._kit = kit
        self._storage = storage
        self._scope = scope
        self._tally = tally
        self._dry_run = dry_run
        self._begun: set[str] = set()
        self.conversations = self.messages = self.already_there = self.documents = self.facts = 0

    def report(self, format: str) -> ImportReport:
        """What came in so far."""
        tally = self._tally
        return ImportReport(
            format, self.conversations, self.messages, self.already_there, self.documents, self.facts,
            dict(tally.skipped), dict(tally.mended), tuple(tally.warnings),
        )  # fmt: skip

    def take_all(self, items: Iterable[Item]) -> None:
        """Takes everything, one after the other."""
        made: list[Made] = []
        for item in items:
            if isinstance(item, Made):
                made.append(item)
                if len(made) == AT_ONCE:
                    self._take_made(made)
                    made = []
            else:
                self._take_talk(item)
        self._take_made(made)

    # -- conversations

    def _take_talk(self, item: Conversation | Shelved) -> None:
        talk = item.conversation if isinstance(item, Shelved) else item
        scope = self._scope._replace(shelf=isinstance(item, Shelved))
        try:
            scope = scope.of(clean_name(talk.id, "session id"))
            growth = _Growth(self._kit, self._storage, scope, self._tally, self._dry_run)
            nodes = iter(talk.nodes)
            first, lost = growth.not_erased(nodes)
            new = self._begin(scope, talk, first, lost)
        except InvalidInput as error:
            self._tally.skip("conversations that cannot be kept")
            self._tally.warnings.append(f"conversation {talk.id!r}: {error}")
            return
        if new is None:
            return
        if isinstance(item, Shelved):
            self.documents += new
        else:
            self.conversations += new
        added = self._grow(growth, chain(first, nodes), talk, new)
        self.already_there += growth.already_there
        if not scope.shelf:
            self.messages += added

    def _begin(self, scope: Scope, talk: Conversation, first: list[Node], lost: bool) -> bool | None:
        """Makes the session, unless it is there: that keeps its title, tags and status. Of one whose messages were all
        erased here, not even the title comes back (None)."""
        try:
            self._storage.get_session(scope)
            return False
        except NotFound:
            session = self._session(scope, talk, first)
        origin = self._origin(scope, talk)
        if not first and (lost or (talk.fork is not None and origin is None)):
            return None
        if not self._dry_run:
            try:
                self._storage.create_session(scope, session, origin)
            except Conflict:
                return False  # somebody else made it just now
        self._begun.add(session.id)
        return True

    def _session(self, scope: Scope, talk: Conversation, first: list[Node]) -> Session:
        now = self._kit.now()
        moments = [talk.created_at, *(node.draft.created_at for node in first)]
        created = next((microseconds(moment) for moment in moments if moment is not None), now)
        updated = created if talk.updated_at is None else microseconds(talk.updated_at)
        title = None if talk.title is None else clean_text(talk.title, "title")
        return Session(
            scope.session or "", scope.owner, title, created, updated, now, talk.status, 0, 0, talk.pinned, 1, 0,
            talk.system_prompt, None, None, clean_tags(talk.tags), talk.metadata, scope.pool,
        )  # fmt: skip

    def _origin(self, scope: Scope, talk: Conversation) -> tuple[str, str] | None:
        """The message that a fork begins behind, if it is here."""
        if talk.fork is None:
            return None
        session, message = talk.fork
        try:
            known = self._storage.known(scope.of(session), [message]).get(message)
        except NotFound:
            known = None
        if known is None or known.where != "here":
            self._tally.mend("forks whose beginning is not here")
            return None
        return talk.fork

    def _grow(self, growth: _Growth, nodes: Iterable[Node], talk: Conversation, new: bool) -> int:
        """Adds what is new, batch by batch; the last one also says where the conversation stands. Returns how many."""
        added, updated, waiting = 0, 0, list[Planted]()
        for batch in _batches(nodes):
            if waiting and not self._dry_run:
                self._storage.plant(growth.scope, waiting, waiting[-1].message.id, self._kit.now())
            waiting = growth.prepare(batch)
            added += len(waiting)
            if not new or talk.updated_at is None:
                updated = max([updated, *(one.message.created for one in waiting)])
        if (new or added) and not self._dry_run:
            self._storage.plant(growth.scope, waiting, growth.end(talk.leaf, waiting), self._kit.now(), updated)
        return added

    # -- what was made of messages

    def _take_made(self, made: list[Made]) -> None:
        storage = self._storage
        if not made or not isinstance(storage, Artifacts):
            return
        ids = {rest.message for one in made for rest in one.rests} | {one.artifact.id for one in made}
        known = storage.known(self._scope, sorted(ids))
        numbers = {id: one.number for id, one in known.items() if one.number}
        here = [one for one in made if not _is(known, one.artifact.id, "erased")]
        self._tally.skip("notes that were erased here", len(made) - len(here))
        kept = [artifact for one in here if (artifact := self._artifact(storage, one, numbers))]
        self.facts += sum(artifact.kind == "fact" for artifact in kept)
        if kept and not self._dry_run:
            storage.keep_artifacts(self._scope, Settled(kept), self._kit.now())

    def _artifact(self, storage: Artifacts, made: Made, numbers: dict[str, int]) -> Artifact | None:
        one = made.artifact
        if storage.artifacts(self._scope, ArtifactQuery(one.kind, ids=(one.id,))):
            return None
        if any(rest.message not in numbers for rest in made.rests) and not self._dry_run:
            self._tally.skip("notes on messages that are not here")
            return None
        if one.kind in ("summary", "label") and one.session not in self._begun:
            # It tells where in the conversation it ends, and that has gone on here.
            return None
        rests = tuple(Source(numbers.get(rest.message, 0), rest.start, rest.end) for rest in made.rests)
        return replace(one, tokens=self._kit.counter.count(clean_text(one.text)), sources=rests)


@dataclass(slots=True)
class _Growth:
    """How one conversation grows by what is read of it."""

    kit: Kit
    storage: Storage
    scope: Scope
    tally: Tally
    dry_run: bool
    already_there: int = 0
    left_out: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """For what did not come in, the id of the one before it: what follows it follows that one."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    last: str | None = None

    def not_erased(self, nodes: Iterator[Node]) -> tuple[list[Node], bool]:
        """The first messages of which not all were erased here, and whether any were before them."""
        everywhere = self.scope._replace(session=None)
        lost = False
        while batch := list(islice(nodes, AT_ONCE)):
            known = self.storage.known(everywhere, [node.id for node in batch])
            if not all(_is(known, node.id, "erased") for node in batch):
                return batch, lost
            lost = True
            self._leave_out(batch)
        return [], lost

    def _leave_out(self, erased: list[Node]) -> None:
        self.tally.skip("messages that were erased here", len(erased))
        self.left_out |= {node.id: node.parent for node in erased}

    def prepare(self, nodes: list[Node]) -> list[Planted]:
        """What of these is to be planted."""
        known = self._known([node.id for node in nodes])
        taken = {node.id: self._other_id(node.id) for node in nodes if _is(known, node.id, "elsewhere")}
        self.renamed |= taken
        known = self._known(taken.values()) | {id: one for id, one in known.items() if id not in taken}
        prepared: dict[str, Planted] = {}
        for node in nodes:
            id, parent = self.renamed.get(node.id, node.id), self._parent(node.parent)
            if id in prepared:
                self.tally.skip("messages that come twice")
            elif _is(known, id, "here"):
                self.already_there += 1
                self.last = id
            elif _is(known, id, "erased"):
                self._leave_out([node])
            elif (message := self._message(node, id)) is None:
                self.left_out[node.id] = node.parent
            else:
                prepared[id] = Planted(message, parent)
                self.last = id
        return self._with_parents(prepared)

    def end(self, leaf: str | None, coming: list[Planted]) -> str | None:
        """Where the conversation stands, once all of it is here."""
        if leaf == CLEARED:
            return None
        stand = self.last if leaf is None else self._parent(leaf)
        if stand is None or any(one.message.id == stand for one in coming) or _is(self._known([stand]), stand, "here"):
            return stand
        self.tally.mend("conversations whose last message is missing")
        return self.last

    def _known(self, ids: Iterable[str]) -> dict[str, Known]:
        try:
            return self.storage.known(self.scope, list(ids))
        except NotFound:
            return {}  # a dry run makes no session

    def _other_id(self, id: str) -> str:
        longer = f"{self.scope.session}:{id}"
        return longer if len(longer) <= LONGEST_NAME else hashlib.sha256(longer.encode()).hexdigest()

    def _parent(self, id: str | None) -> str | None:
        while id in self.left_out:
            id = self.left_out[id]
        return None if id is None else self.renamed.get(id, id)

    def _message(self, node: Node, id: str) -> Message | None:
        try:
            messages, _ = self.kit.intake(self.storage, self.scope.session or "", [replace(node.draft, id=id)])
        except InvalidInput as error:
            self.tally.skip("messages that cannot be kept")
            self.tally.warnings.append(f"message {node.id!r} of conversation {self.scope.session!r}: {error}")
            return None
        return messages[0]._replace(seq=node.seq)

    def _with_parents(self, prepared: dict[str, Planted]) -> list[Planted]:
        """Those whose predecessor is nowhere begin anew."""
        if self.dry_run:
            return list(prepared.values())
        outside = {one.parent for one in prepared.values() if one.parent is not None and one.parent not in prepared}
        here = {id for id, known in self._known(sorted(outside)).items() if known.where == "here"}
        lost = outside - here
        if not lost:
            return list(prepared.values())
        self.tally.mend("messages whose predecessor is missing", sum(one.parent in lost for one in prepared.values()))
        return [one._replace(parent=None) if one.parent in lost else one for one in prepared.values()]


def _is(known: dict[str, Known], id: str, where: str) -> bool:
    return id in known and known[id].where == where


def _batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    rest = iter(things)
    while batch := list(islice(rest, AT_ONCE)):
        yield batch
