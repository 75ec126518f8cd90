"""The conversations of an owner by LlamaIndex's keys, and which of their messages Memory has put away.

A key is a session's id. LlamaIndex's `Memory` archives messages that its short-term memory has no more room for; that is
noted in the session's drawer, and nothing else knows of it: the conversation is whole through every other door.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recollect.adapters.common import paired
from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.errors import NotFound, RevisionConflict
from recollect.memory import Memory
from recollect.types import Draft, Message

ARCHIVED = "llama_index/archived"
"""The blob that notes what is archived."""

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Archived:
    """Which messages are archived: those up to a `seq`, and some more by their ids.

    >>> Archived.parse(Archived(7, ("m9",)).packed) == Archived(7, ("m9",))
    True
    """

    upto: int = 0
    also: tuple[str, ...] = ()

    def has(self, message: Message) -> bool:
        """Whether a message is archived."""
        return message.seq <= self.upto or message.id in self.also

    @property
    def packed(self) -> bytes:
        """As it is kept."""
        return json.dumps({"upto": self.upto, "also": self.also}).encode()

    @classmethod
    def parse(cls, packed: bytes) -> Archived:
        """What was kept."""
        found = json.loads(packed)
        return cls(found["upto"], tuple(found["also"]))


@dataclass(frozen=True)
class Talks:
    """The conversations of an owner, or of a pool that he may use."""

    memory: Memory
    owner: str
    pool: str | None = None

    def keys(self) -> list[str]:
        """The ids of all conversations."""
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = self.memory.sessions(owner=self.owner, pool=self.pool, limit=AT_ONCE, cursor=cursor)
            found += [session.id for session in page]
            if (cursor := page.next) is None:
                return found

    def messages(self, key: str, archived: bool | None = None) -> list[Message]:
        """A conversation in order, as a model takes it: all of it, what is archived of it, or what is not."""
        return self._of_status(key, paired(self._every(key)), archived)

    def _every(self, key: str) -> list[Message]:
        """All that is kept: also a tool's result whose call was erased, and the like, which no model takes."""
        try:
            return self._chat(key).messages()
        except NotFound:
            return []

    def _of_status(self, key: str, messages: list[Message], archived: bool | None) -> list[Message]:
        if archived is None or not messages:
            return messages
        noted = self._noted(key)[0]
        return [message for message in messages if noted.has(message) is archived]

    def add(self, key: str, drafts: Sequence[Draft], *, archived: bool = False) -> None:
        """Adds messages, all or none; makes the conversation if there is none yet."""
        try:
            added = self._chat(key, create=True).add_many(drafts)
        except NotFound:
            # Somebody erased it in between: now it is made anew, or tells why it cannot be.
            added = self._chat(key, create=True).add_many(drafts)
        if archived:
            ids = tuple(message.id for message in added)
            self._note(key, lambda noted: replace(noted, also=noted.also + ids))

    def set(self, key: str, drafts: Sequence[Draft], *, archived: bool = False) -> None:
        """Makes these the conversation. What begins as it did goes on from there; what was said otherwise stays restorable,
        as after `Chat.clear`."""
        chat = self._chat(key, create=True)
        before = paired(chat.messages())
        same = _common(before, drafts)
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
        self._note(key, lambda noted: Archived(also=ids))

    def erase(self, key: str) -> list[Message] | None:
        """Erases a conversation for good, and returns what it was; None if there was none."""
        try:
            found = self._chat(key).messages()
            self.memory.erase(owner=self.owner, session=key, pool=self.pool)
        except NotFound:
            return None
        return found

    def erase_some(self, key: str, archived: bool) -> None:
        """Erases what is archived of a conversation, or what is not."""
        for message in self._of_status(key, self._every(key), archived):
            self._erase(key, message)

    def erase_oldest(self, key: str, count: int) -> list[Message]:
        """Erases the oldest messages that are not archived, and returns them."""
        erased: list[Message] = []
        while wanted := self.messages(key, archived=False)[: max(count - len(erased), 0)]:
            erased += [message for message in wanted if self._erase(key, message)]
        return erased

    def erase_one(self, key: str, place: int, archived: bool | None = None) -> Message | None:
        """Erases the message at a place for good, and returns it; None if there is none."""
        while True:
            found = self.messages(key, archived)
            if not -len(found) <= place < len(found):
                return None
            if self._erase(key, found[place]):
                return found[place]

    def _erase(self, key: str, message: Message) -> bool:
        """Erases a message; False if somebody else was quicker."""
        try:
            self._chat(key).erase(message.id)
        except NotFound:
            if any(one.id == message.id for one in self._every(key)):
                raise  # it is still there, so it is we who may not
            return False
        return True

    def archive_oldest(self, key: str, count: int) -> list[Message]:
        """Archives the oldest messages that are not, and returns them."""
        taken: list[Message] = []

        def change(noted: Archived) -> Archived:
            taken[:] = [message for message in self.messages(key) if not noted.has(message)][: max(count, 0)]
            return replace(noted, upto=max([noted.upto, *(message.seq for message in taken)]))

        self._note(key, change)
        return taken

    def _note(self, key: str, change: Callable[[Archived], Archived]) -> None:
        """Changes what is archived. If somebody else does at the same time, neither is lost."""
        while True:
            noted, revision = self._noted(key)
            changed = change(noted)
            if changed == noted:
                return
            try:
                self._drawer(key).put({ARCHIVED: changed.packed}, expected={ARCHIVED: revision})
            except RevisionConflict:
                continue
            return

    def _noted(self, key: str) -> tuple[Archived, int]:
        blob = self._drawer(key).get(ARCHIVED).get(ARCHIVED)
        return (Archived(), 0) if blob is None else (Archived.parse(blob.content), blob.revision)

    def _drawer(self, key: str) -> Drawer:
        return self.memory.drawer(owner=self.owner, session=key, pool=self.pool)

    def _chat(self, key: str, **how: Any) -> Chat:
        return self.memory.chat(owner=self.owner, session=key, pool=self.pool, **how)


def _common(before: Iterable[Message], drafts: Sequence[Draft]) -> int:
    """How many messages both begin with."""
    same = 0
    for message, draft in zip(before, drafts, strict=False):
        if not _says(message, draft):
            break
        same += 1
    return same


def _says(message: Message, draft: Draft) -> bool:
    return (
        message.role.value == draft.role
        and message.content == (draft.content or "")
        and message.tool_calls == draft.tool_calls
        and (message.tool_call_id, message.name) == (draft.tool_call_id, draft.name)
        and dict(message.metadata) == dict(draft.metadata or {})
    )
