"""The door for Pydantic AI: its conversations kept by Recollect, and our prompts for its agents.

    store = RecollectConversationStore(memory, owner="u1")
    agent = Agent(model, capabilities=[RecollectHistory(memory, owner="u1", budget=8_000)])
    conversation = await store.load("trip") or Conversation(conversation_id="trip")
    await store.save(await agent.run("Where does my sister live?", conversation=conversation))

A conversation is a session, whose messages other doors read and write; its drawer has what a conversation carries besides.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from recollect.adapters.common import missing

try:
    from pydantic_ai.conversation_store import (
        ConversationConflict,
        ConversationEntry,
        ConversationRecord,
        ConversationStore,
    )
    from pydantic_ai.tools import DeferredToolRequests
    from pydantic_ai.usage import RunUsage
except ImportError:
    raise missing("Pydantic AI", "pydantic-ai") from None

from anyio.to_thread import run_sync
from pydantic import TypeAdapter

from recollect.adapters.pydantic_ai_history import RecollectHistory
from recollect.adapters.pydantic_ai_messages import DOOR, drafts_of, entries_of, entry_of
from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.errors import Conflict, NotFound, RecollectError
from recollect.memory import Memory
from recollect.types import Blob, Message

__all__ = ["RecollectConversationStore", "RecollectHistory"]

RECORD = f"{DOOR}/record"
FORK = f"{DOOR}/fork/"
"""Names in the drawer of a conversation: what it carries besides its messages, and which others continue it."""

USAGE = TypeAdapter(RunUsage)
REQUESTS = TypeAdapter(DeferredToolRequests)
AT_ONCE = 100


class EntryName(str):
    """The name of an entry that knows which conversation it is in: the framework asks for it by its name alone."""

    def __new__(cls, name: str, session: str = "") -> EntryName:
        return super().__new__(cls, name)

    def __init__(self, name: str, session: str = "") -> None:
        self.session = session


class _State(NamedTuple):
    """A conversation as it stands, and what its drawer says of it."""

    chat: Chat
    record: ConversationRecord
    blob: Blob | None


class RecollectConversationStore(ConversationStore):
    """Pydantic AI's conversations of one owner (or pool): each is a session, which any other door reads, too.

    A session that another door wrote, or went on with, is loaded like any other; its revision is another then. What is
    deleted is erased for good; where forks continue it, retention does so, and what they share stays with them.
    """

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        memory.drawer(owner=owner, pool=pool)  # says at once if there is something wrong with the owner
        self._memory = memory
        self._owner = owner
        self._pool = pool

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        state = await run_sync(self._state, conversation_id)
        return None if state is None else state.record

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        return await run_sync(self._records, scope, limit)

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        await run_sync(self._write, record, new_entries, expected_revision)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        await run_sync(self._delete, conversation_id, expected_revision)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        return (await run_sync(self._history, entry_id, 1))[-1]

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        return [] if head_id is None or limit == 0 else await run_sync(self._history, head_id, limit)

    # -- reading

    def _chat(self, session: str, create: bool = False) -> Chat:
        return self._memory.chat(owner=self._owner, session=session, pool=self._pool, create=create)

    def _drawer(self, session: str) -> Drawer:
        return self._memory.drawer(owner=self._owner, session=session, pool=self._pool)

    def _sessions(self) -> Iterator[str]:
        cursor = None
        while True:
            page = self._memory.sessions(owner=self._owner, pool=self._pool, limit=AT_ONCE, cursor=cursor)
            yield from (session.id for session in page)
            cursor = page.next
            if cursor is None:
                return

    def _state(self, session: str) -> _State | None:
        try:
            chat = self._chat(session)
            blob = self._drawer(session).get(RECORD).get(RECORD)
            last = [message.id for message in chat.messages(last=1)]
            left = [branch.leaf for branch in chat.branches() if branch.leaf is not None and not branch.active]
        except NotFound:
            return None
        carried: dict[str, Any] = {} if blob is None else json.loads(blob.content)
        record = _record(chat, last[0] if last else None, carried)
        record.branches = [EntryName(leaf, session) for leaf in left]
        return _State(chat, record, blob)

    def _records(self, scope: str | None, limit: int | None) -> list[ConversationRecord]:
        states = (self._state(session) for session in self._sessions())
        records = [state.record for state in states if state is not None and scope in (None, state.record.scope)]
        return sorted(records, key=lambda record: record.updated_at, reverse=True)[:limit]

    def _history(self, head: str, limit: int | None) -> list[ConversationEntry]:
        chat = self._chat(head.session if isinstance(head, EntryName) else self._session_of(head))
        entries = _entries(chat, chat.messages() if limit is None else _newest(chat, limit + 1))
        if not entries or entries[-1].id != head:
            entries = _entries(chat, self._path(chat, head))
        return entries if limit is None else entries[-limit:]

    def _session_of(self, entry: str) -> str:
        """Where an entry is that somebody knows by its name alone: it is looked for in one conversation after another."""
        for session in self._sessions():
            with suppress(NotFound):
                return self._chat(session).message(entry).session
        raise NotFound(f"there is no entry {entry!r}")

    def _path(self, chat: Chat, leaf: str) -> list[Message]:
        """The messages up to one that is on another branch: an export tells how they follow each other."""
        kept = io.StringIO()
        self._memory.export(kept, owner=self._owner, session=chat.id, pool=self._pool)
        (told,) = json.loads(kept.getvalue())["sessions"]
        parents: dict[str, str | None] = {node["id"]: node["parent"] for node in told["messages"]}
        path: list[Message] = []
        at: str | None = leaf
        while at is not None:
            path.append(chat.message(at))
            at = parents.get(at)
        return path[::-1]

    # -- writing

    def _write(self, record: ConversationRecord, entries: Sequence[ConversationEntry], expected: str | None) -> None:
        """Claims the next revision in the drawer, and then goes on with the conversation: who comes second has a conflict
        before he has said anything. Where a conversation ends is asked of the conversation, so that none is ever broken."""
        state = self._state(record.conversation_id)
        if (None if state is None else state.record.revision) != expected:
            raise ConversationConflict(record.conversation_id)
        start = entries[0].parent_id if entries else record.head_id
        drafts = [draft for entry in entries for draft in drafts_of(entry.message, entry.id)]
        chat = self._begun(record, start) if state is None else state.chat
        here = start if state is None else state.record.head_id
        if start is not None and start != here:
            _there(chat, start)
        claim, before = _carried(record), None if state is None else state.blob
        self._put(record.conversation_id, claim, before)
        try:
            if start is None and here is not None:
                chat.clear()
            if drafts:
                chat.add_many(drafts, after=None if start in (None, here) else start)
            elif start is not None and start != here:
                chat.switch(start)
        except RecollectError:
            self._take_back(record.conversation_id, claim, before)
            raise

    def _begun(self, record: ConversationRecord, start: str | None) -> Chat:
        """A new conversation, or one that begins as another does."""
        if start is None:
            return self._chat(record.conversation_id, create=True)
        try:
            source = self._chat(record.forked_from or self._session_of(start))
            fork = source.fork(start, session=record.conversation_id)
        except (Conflict, NotFound) as error:
            raise ConversationConflict(record.conversation_id) from error
        self._drawer(source.id).put({FORK + sha256(fork.id.encode()).hexdigest(): fork.id.encode()})
        return fork

    def _put(self, session: str, content: bytes | None, before: Blob | None) -> None:
        try:
            self._drawer(session).put({RECORD: content}, expected={RECORD: 0 if before is None else before.revision})
        except Conflict as error:
            raise ConversationConflict(session) from error

    def _take_back(self, session: str, claim: bytes, before: Blob | None) -> None:
        """Puts back what was there before a claim that came to nothing, unless somebody else has gone on."""
        with suppress(RecollectError, ConversationConflict):
            now = self._drawer(session).get(RECORD).get(RECORD)
            if now is not None and now.content == claim:
                self._put(session, None if before is None else before.content, now)

    def _delete(self, session: str, expected: str) -> None:
        state = self._state(session)
        if state is None or state.record.revision != expected:
            raise ConversationConflict(session)
        self._put(session, None, state.blob)
        forks = [blob.content.decode() for blob in self._drawer(session).list(FORK, limit=10_000)]
        if any(self._state(fork) is not None for fork in forks):
            state.chat.delete()
        else:
            state.chat.erase()


def _there(chat: Chat, entry: str) -> None:
    """That an entry is there to go on from."""
    try:
        chat.message(entry)
    except NotFound as error:
        raise ConversationConflict(chat.id) from error


def _record(chat: Chat, leaf: str | None, carried: Mapping[str, Any]) -> ConversationRecord:
    """What a conversation carries. If it has gone on by another door since, its revision is another one."""
    as_left = bool(carried) and carried["leaf"] == leaf
    requests = carried.get("deferred_tool_requests") if as_left else None
    return ConversationRecord(
        conversation_id=chat.id,
        head_id=None if leaf is None else EntryName(leaf, chat.id),
        usage=USAGE.validate_python(carried.get("usage", {})),
        deferred_tool_requests=None if requests is None else REQUESTS.validate_json(json.dumps(requests)),
        scope=carried.get("scope"),
        forked_from=carried.get("forked_from"),
        forked_at=carried.get("forked_at"),
        revision=carried["revision"] if as_left else f"{carried.get('revision', '')}+{leaf or ''}",
        updated_at=datetime.fromisoformat(carried["updated_at"]) if as_left else chat.info().updated_at,
    )


def _carried(record: ConversationRecord) -> bytes:
    requests = record.deferred_tool_requests
    fields = {
        "revision": record.revision,
        "leaf": record.head_id,
        "usage": USAGE.dump_python(record.usage, mode="json"),
        "deferred_tool_requests": None if requests is None else REQUESTS.dump_python(requests, mode="json"),
        "scope": record.scope,
        "forked_from": record.forked_from,
        "forked_at": record.forked_at,
        "updated_at": record.updated_at.isoformat(),
    }
    return json.dumps(fields).encode()


def _entries(chat: Chat, messages: Sequence[Message]) -> list[ConversationEntry]:
    entries: list[ConversationEntry] = []
    parent = None
    for name, message in entries_of(messages):
        entry = EntryName(name, chat.id)
        entries.append(ConversationEntry(id=entry, parent_id=parent, message=message))
        parent = entry
    return entries


def _newest(chat: Chat, entries: int) -> list[Message]:
    """The messages of at least so many of the last entries: an entry can be several of them."""
    count = entries
    while True:
        count *= 2
        found = chat.messages(last=count)
        if len(found) < count or len({entry_of(message) for message in found}) >= entries:
            return found
