"""How one conversation grows by what an import reads of it: which messages are new, under which id, behind which one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from recollect.engine.hygiene import LONGEST_NAME
from recollect.errors import InvalidInput, NotFound
from recollect.interchange.nouns import CLEARED, Node, Tally
from recollect.kit import Kit
from recollect.ports import Known, Planted, Storage
from recollect.types import Message, Scope

AT_ONCE = 500
"""Messages in one transaction."""


@dataclass(slots=True)
class Growth:
    """Prepares the messages of one conversation, batch by batch."""

    kit: Kit
    storage: Storage
    scope: Scope
    tally: Tally
    dry_run: bool
    stands_at: str | None = None
    """Where the conversation stands here, if it was here before."""
    already_there: int = 0
    left_out: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """For what did not come in, the id of the one before it: what follows it follows that one."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """New ids, for those that another conversation has taken."""
    last: str | None = None
    top: int = 0
    """The highest `seq` that was read."""
    went_on_here: bool = False
    """Whether the conversation stands at something that the import does not know."""

    def begin(self) -> None:
        """Looks where the conversation stands, if it is here."""
        try:
            self.stands_at = self.storage.tree(self.scope, limit=0).leaf
        except NotFound:
            return
        self.went_on_here = self.stands_at is not None

    def not_erased(self, nodes: Iterator[Node]) -> tuple[list[Node], bool]:
        """The first messages of which not all were erased here, and whether any were before them."""
        everywhere = self.scope._replace(session=None)
        lost = False
        while batch := list(islice(nodes, AT_ONCE)):
            known = self.storage.known(everywhere, [node.id for node in batch])
            if not all(stands(known, node.id, "erased") for node in batch):
                return batch, lost
            lost = True
            self._leave_out(batch)
        return [], lost

    def prepare(self, nodes: list[Node]) -> list[Planted]:
        """What of these is to be planted."""
        known = self._known([node.id for node in nodes])
        taken = {node.id: self._other_id(node.id) for node in nodes if stands(known, node.id, "elsewhere")}
        self.renamed |= taken
        known = self._known(taken.values()) | {id: one for id, one in known.items() if id not in taken}
        prepared: dict[str, Planted] = {}
        for node in nodes:
            self.top = max(self.top, node.seq)
            id, parent = self.renamed.get(node.id, node.id), self.now_called(node.parent)
            self.went_on_here = self.went_on_here and id != self.stands_at
            if id in prepared:
                self.tally.skip("messages that come twice")
            elif stands(known, id, "here"):
                self.already_there += 1
                self.last = id
            elif stands(known, id, "erased"):
                self._leave_out([node])
            elif (message := self._message(node, id)) is None:
                self.left_out[node.id] = node.parent
            else:
                prepared[id] = Planted(message, parent)
                self.last = id
        return self._with_parents(prepared)

    def end(self, leaf: str | None, coming: list[Planted]) -> str | None:
        """Where the conversation stands, once all of it is here. One that went on here stays where it is: what came is a
        branch beside it."""
        if self.went_on_here:
            self.tally.mend("conversations that went on here, and stand where they stood")
            return self.stands_at
        if leaf == CLEARED:
            return None
        stand = self.last if leaf is None else self.now_called(leaf)
        if stand is None or any(one.message.id == stand for one in coming) or stands(self._known([stand]), stand, "here"):
            return stand
        self.tally.mend("conversations whose last message is missing")
        return self.last

    def now_called(self, id: str | None) -> str | None:
        """The id that a message has here; of one that was left out, that of the nearest before it."""
        while id in self.left_out:
            id = self.left_out[id]
        return None if id is None else self.renamed.get(id, id)

    def _leave_out(self, erased: list[Node]) -> None:
        self.tally.skip("messages that were erased here", len(erased))
        self.left_out |= {node.id: node.parent for node in erased}

    def _known(self, ids: Iterable[str]) -> dict[str, Known]:
        try:
            return self.storage.known(self.scope, list(ids))
        except NotFound:
            return {}  # a dry run makes no session

    def _other_id(self, id: str) -> str:
        longer = f"{self.scope.session}:{id}"
        return longer if len(longer) <= LONGEST_NAME else hashlib.sha256(longer.encode()).hexdigest()

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


def stands(known: dict[str, Known], id: str, where: str) -> bool:
    """Whether an id is known, and in this way."""
    return id in known and known[id].where == where
