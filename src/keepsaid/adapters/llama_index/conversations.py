"""The conversations of an owner by LlamaIndex's keys, and which of their messages are archived.

A key is a session id. LlamaIndex's `Memory` archives messages that no longer fit its short-term memory. This is recorded in
the session's blob store only: other adapters see the whole conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keepsaid.adapters.common import drop_unpaired_messages
from keepsaid.errors import NotFound, RevisionConflict
from keepsaid.memory import Memory
from keepsaid.memory.blobs import BlobStore
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, MessageDraft

ARCHIVED_BLOB = "llama_index/archived"
"""Blob with the archived messages."""

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class ArchivedMessages:
    """The archived messages: those up to a `seq`, and others by id.

    >>> ArchivedMessages.from_json(ArchivedMessages(7, ("m9",)).to_json()) == ArchivedMessages(7, ("m9",))
    True
    """

    up_to: int = 0
    ids: tuple[str, ...] = ()

    def contains(self, message: Message) -> bool:
        """Whether a message is archived."""
        return message.seq <= self.up_to or message.id in self.ids

    def to_json(self) -> bytes:
        """Return the value as JSON bytes."""
        return json.dumps({"upto": self.up_to, "also": self.ids}).encode()

    @classmethod
    def from_json(cls, packed: bytes) -> ArchivedMessages:
        """Parse JSON bytes."""
        found = json.loads(packed)
        return cls(found["upto"], tuple(found["also"]))


@dataclass(frozen=True)
class OwnerConversations:
    """The conversations of an owner, or of a pool that the owner may use."""

    memory: Memory
    owner: str
    pool: str | None = None

    def keys(self) -> list[str]:
        """Return the ids of all conversations."""
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = self.memory.sessions(owner=self.owner, pool=self.pool, limit=AT_ONCE, cursor=cursor)
            found += [session.id for session in page]
            if (cursor := page.next) is None:
                return found

    def messages(self, key: str, archived: bool | None = None) -> list[Message]:
        """Return a conversation in order, in a form that models accept: all messages, the archived ones, or the others."""
        return self._filter_archived(key, drop_unpaired_messages(self._all_messages(key)), archived)

    def _all_messages(self, key: str) -> list[Message]:
        """Return all stored messages, including tool results whose call was erased, which models do not accept."""
        try:
            return self._chat(key).messages()
        except NotFound:
            return []

    def _filter_archived(self, key: str, messages: list[Message], archived: bool | None) -> list[Message]:
        if archived is None or not messages:
            return messages
        noted = self._load_archived(key)[0]
        return [message for message in messages if noted.contains(message) is archived]

    def add(self, key: str, drafts: Sequence[MessageDraft], *, archived: bool = False) -> None:
        """Add messages, all or none; create the conversation if it does not exist."""
        try:
            added = self._chat(key, create=True).add_many(drafts)
        except NotFound:
            # It was erased concurrently: create it again, or raise why that is not possible.
            added = self._chat(key, create=True).add_many(drafts)
        if archived:
            ids = tuple(message.id for message in added)
            self._update_archived(key, lambda noted: replace(noted, ids=noted.ids + ids))

    def set(self, key: str, drafts: Sequence[MessageDraft], *, archived: bool = False) -> None:
        """Replace the conversation. A common beginning is kept; the replaced rest can be restored, as after `Chat.clear`."""
        chat = self._chat(key, create=True)
        before = drop_unpaired_messages(chat.messages())
        same = _common_length(before, drafts)
        if same == len(before):
            chat.add_many(drafts[same:])
        elif same == 0:
            chat.clear()
            chat.add_many(drafts)
        elif same == len(drafts):
            chat.switch(before[same - 1].id)
        else:
            chat.add_many(drafts[same:], after=before[same - 1].id)
        ids = tuple(message.id for message in chat.messages()) if archived else ()
        self._update_archived(key, lambda noted: ArchivedMessages(ids=ids))

    def erase(self, key: str) -> list[Message] | None:
        """Erase a conversation permanently, and return its messages; None if there was none."""
        try:
            found = self._chat(key).messages()
            self.memory.erase(owner=self.owner, session=key, pool=self.pool)
        except NotFound:
            return None
        return found

    def erase_some(self, key: str, archived: bool) -> None:
        """Erase the archived messages of a conversation, or the others."""
        for message in self._filter_archived(key, self._all_messages(key), archived):
            self._erase(key, message)

    def erase_oldest(self, key: str, count: int) -> list[Message]:
        """Erase the oldest messages that are not archived, and return them."""
        erased: list[Message] = []
        while wanted := self.messages(key, archived=False)[: max(count - len(erased), 0)]:
            erased += [message for message in wanted if self._erase(key, message)]
        return erased

    def erase_one(self, key: str, place: int, archived: bool | None = None) -> Message | None:
        """Erase the message at an index permanently, and return it; None if there is none."""
        while True:
            found = self.messages(key, archived)
            if not -len(found) <= place < len(found):
                return None
            if self._erase(key, found[place]):
                return found[place]

    def _erase(self, key: str, message: Message) -> bool:
        """Erase a message; return False if it was erased concurrently."""
        try:
            self._chat(key).erase(message.id)
        except NotFound:
            if any(one.id == message.id for one in self._all_messages(key)):
                raise  # it still exists, so the owner may not erase it
            return False
        return True

    def archive_oldest(self, key: str, count: int) -> list[Message]:
        """Archive the oldest messages that are not archived, and return them."""
        taken: list[Message] = []

        def change(noted: ArchivedMessages) -> ArchivedMessages:
            taken[:] = [message for message in self.messages(key) if not noted.contains(message)][: max(count, 0)]
            return replace(noted, up_to=max([noted.up_to, *(message.seq for message in taken)]))

        self._update_archived(key, change)
        return taken

    def _update_archived(self, key: str, change: Callable[[ArchivedMessages], ArchivedMessages]) -> None:
        """Change the archived messages; concurrent changes are not lost."""
        while True:
            noted, revision = self._load_archived(key)
            changed = change(noted)
            if changed == noted:
                return
            try:
                self._blob_store(key).put({ARCHIVED_BLOB: changed.to_json()}, expected={ARCHIVED_BLOB: revision})
            except RevisionConflict:
                continue
            return

    def _load_archived(self, key: str) -> tuple[ArchivedMessages, int]:
        blob = self._blob_store(key).get(ARCHIVED_BLOB).get(ARCHIVED_BLOB)
        return (ArchivedMessages(), 0) if blob is None else (ArchivedMessages.from_json(blob.content), blob.revision)

    def _blob_store(self, key: str) -> BlobStore:
        return self.memory.blobs(owner=self.owner, session=key, pool=self.pool)

    def _chat(self, key: str, **how: Any) -> Chat:
        return self.memory.chat(owner=self.owner, session=key, pool=self.pool, **how)


def _common_length(before: Iterable[Message], drafts: Sequence[MessageDraft]) -> int:
    """Return the number of messages at the beginning that both have in common."""
    same = 0
    for message, draft in zip(before, drafts, strict=False):
        if not _has_same_content(message, draft):
            break
        same += 1
    return same


def _has_same_content(message: Message, draft: MessageDraft) -> bool:
    return (
        message.role.value == draft.role
        and message.content == (draft.content or "")
        and message.tool_calls == draft.tool_calls
        and (message.tool_call_id, message.name) == (draft.tool_call_id, draft.name)
        and dict(message.metadata) == dict(draft.metadata or {})
    )
