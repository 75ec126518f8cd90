"""Merge an imported conversation into the stored one: which messages are new, with which id, after which message."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from keepsaid.engine.messages.validation import MAX_NAME_LENGTH
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.interchange.conversation import CLEARED, ConversationNode, ImportTally
from keepsaid.ports import KnownMessageId, PlacedMessage, Storage
from keepsaid.types import Message, Scope

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

BATCH_SIZE = 500
"""Messages in one transaction."""


@dataclass(slots=True)
class ConversationMerge:
    """Prepares the messages of one conversation, batch by batch."""

    services: ServiceContainer
    storage: Storage
    scope: Scope
    tally: ImportTally
    dry_run: bool
    current_leaf: str | None = None
    """The current leaf of the stored conversation, if it exists."""
    already_there: int = 0
    left_out: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """For each message that was not imported, the id of the one before it, which its followers get as parent."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """New ids for messages whose ids another conversation already uses."""
    last: str | None = None
    top: int = 0
    """The highest `seq` that was read."""
    has_local_messages: bool = False
    """Whether the stored conversation's leaf is a message that the import does not contain."""

    def begin(self) -> None:
        """Read the leaf of the stored conversation, if it exists."""
        try:
            self.current_leaf = self.storage.tree(self.scope, limit=0).leaf
        except NotFound:
            return
        self.has_local_messages = self.current_leaf is not None

    def skip_erased(self, nodes: Iterator[ConversationNode]) -> tuple[list[ConversationNode], bool]:
        """Skip batches whose messages were all erased here; return the first other batch, and whether any was skipped."""
        everywhere = self.scope._replace(session=None)
        lost = False
        while batch := list(islice(nodes, BATCH_SIZE)):
            known = self.storage.known(everywhere, [node.id for node in batch])
            if not all(is_known_as(known, node.id, "erased") for node in batch):
                return batch, lost
            lost = True
            self._leave_out(batch)
        return [], lost

    def prepare(self, nodes: list[ConversationNode]) -> list[PlacedMessage]:
        """Return the messages to insert for these nodes."""
        known = self._known([node.id for node in nodes])
        taken = {node.id: self._other_id(node.id) for node in nodes if is_known_as(known, node.id, "other_session")}
        self.renamed |= taken
        known = self._known(taken.values()) | {id: one for id, one in known.items() if id not in taken}
        prepared: dict[str, PlacedMessage] = {}
        for node in nodes:
            self.top = max(self.top, node.seq)
            id, parent = self.renamed.get(node.id, node.id), self.resolve_id(node.parent)
            self.has_local_messages = self.has_local_messages and id != self.current_leaf
            if id in prepared:
                self.tally.skip("messages that come twice")
            elif is_known_as(known, id, "same_session"):
                self.already_there += 1
                self.last = id
            elif is_known_as(known, id, "erased"):
                self._leave_out([node])
            elif (message := self._message(node, id)) is None:
                self.left_out[node.id] = node.parent
            else:
                prepared[id] = PlacedMessage(message, parent)
                self.last = id
        return self._with_parents(prepared)

    def resolve_conflicts(self, prepared: list[PlacedMessage]) -> list[PlacedMessage]:
        """Return prepared messages without those that another program has stored in this conversation meanwhile, and with
        new ids for those whose ids it has used in another one."""
        known = self._known([one.message.id for one in prepared])
        taken = {one.message.id for one in prepared if is_known_as(known, one.message.id, "other_session")}
        self.renamed |= {id: self._other_id(id) for id in taken}
        left = [one for one in prepared if not is_known_as(known, one.message.id, "same_session")]
        self.already_there += len(prepared) - len(left)
        self.last = self._current_id(self.last)
        return [
            PlacedMessage(
                one.message._replace(id=self.renamed.get(one.message.id, one.message.id)), self._current_id(one.parent)
            )
            for one in left
        ]

    def _current_id(self, id: str | None) -> str | None:
        return None if id is None else self.renamed.get(id, id)

    def end(self, leaf: str | None, coming: list[PlacedMessage]) -> str | None:
        """Return the leaf of the merged conversation. If it has newer messages here, its leaf stays, and the imported
        messages are another branch."""
        if self.has_local_messages:
            self.tally.repair("conversations with newer messages here, whose current position was kept")
            return self.current_leaf
        if leaf == CLEARED:
            return None
        stand = self.last if leaf is None else self.resolve_id(leaf)
        if (
            stand is None
            or any(one.message.id == stand for one in coming)
            or is_known_as(self._known([stand]), stand, "same_session")
        ):
            return stand
        self.tally.repair("conversations whose last message is missing")
        return self.last

    def resolve_id(self, id: str | None) -> str | None:
        """The stored id of a message; for one that was left out, that of the nearest message before it."""
        found = self._before(id)
        return None if found is None else self.renamed.get(found, found)

    def _before(self, id: str | None) -> str | None:
        """The message itself, or the nearest one before it that was not left out. The result is cached, because the chain
        may be long. Parents in a file may also form a cycle."""
        passed: dict[str, None] = {}
        while id is not None and id in self.left_out and id not in passed:
            passed[id] = None
            id = self.left_out[id]
        found = None if id in passed else id
        for one in passed:
            self.left_out[one] = found
        return found

    def _leave_out(self, erased: list[ConversationNode]) -> None:
        self.tally.skip("messages that were erased here", len(erased))
        self.left_out |= {node.id: node.parent for node in erased}

    def _known(self, ids: Iterable[str]) -> dict[str, KnownMessageId]:
        try:
            return self.storage.known(self.scope, list(ids))
        except NotFound:
            return {}  # a dry run creates no session

    def _other_id(self, id: str) -> str:
        longer = f"{self.scope.session}:{id}"
        return longer if len(longer) <= MAX_NAME_LENGTH else hashlib.sha256(longer.encode()).hexdigest()

    def _message(self, node: ConversationNode, id: str) -> Message | None:
        try:
            messages, _ = self.services.prepare_messages(self.scope.session or "", [replace(node.draft, id=id)])
        except InvalidInput as error:
            self.tally.skip("messages that cannot be kept")
            self.tally.warnings.append(f"message {node.id!r} of conversation {self.scope.session!r}: {error}")
            return None
        return messages[0]._replace(seq=node.seq)

    def _with_parents(self, prepared: dict[str, PlacedMessage]) -> list[PlacedMessage]:
        """Remove parents that do not exist; these messages start a new path."""
        if self.dry_run:
            return list(prepared.values())
        outside = {one.parent for one in prepared.values() if one.parent is not None and one.parent not in prepared}
        here = {id for id, known in self._known(sorted(outside)).items() if known.where == "same_session"}
        lost = outside - here
        if not lost:
            return list(prepared.values())
        self.tally.repair("messages whose predecessor is missing", sum(one.parent in lost for one in prepared.values()))
        return [one._replace(parent=None) if one.parent in lost else one for one in prepared.values()]


def is_known_as(
    known: dict[str, KnownMessageId], id: str, where: Literal["same_session", "other_session", "erased"]
) -> bool:
    """Whether an id is known with this status."""
    return id in known and known[id].where == where
