"""The door for Pydantic AI: its conversations kept by Recollect, and our prompts for its agents.

    store = RecollectConversationStore(memory, owner="u1")
    agent = Agent(model, capabilities=[RecollectHistory(memory, owner="u1", budget=8_000)])
    conversation = await store.load("trip") or Conversation(conversation_id="trip")
    await store.save(await agent.run("Where does my sister live?", conversation=conversation))

A conversation is a session, whose messages other doors read and write; its drawer has what a conversation carries besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from recollect.adapters.common import missing

try:
    from pydantic_ai.conversation_store import (
        ConversationConflict,
        ConversationEntry,
        ConversationRecord,
        ConversationStore,
    )
except ImportError:
    raise missing("Pydantic AI", "pydantic-ai") from None

from anyio.to_thread import run_sync

from recollect.adapters.pydantic_ai_history import RecollectHistory
from recollect.adapters.pydantic_ai_messages import drafts_of, entries_of, entry_of
from recollect.adapters.pydantic_ai_records import FORK, GONE, RECORD, EntryName, Note, record_of
from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.engine.branching import upwards
from recollect.errors import Conflict, IllegalMove, NotFound, RecollectError, RevisionConflict, StorageError
from recollect.memory import Memory
from recollect.ports import ALL, LEAF, ROOT, Anchor, Expected
from recollect.types import Blob, Draft, Message, Session

__all__ = ["RecollectConversationStore", "RecollectHistory"]

AT_ONCE = 100


class _State(NamedTuple):
    """A session, where it ends, and what it is as a conversation: none, before anything was said or saved in it."""

    chat: Chat
    info: Session
    leaf: str | None
    record: ConversationRecord | None
    note: Note

    @property
    def revision(self) -> str | None:
        return None if self.record is None else self.record.revision

    def follows(self, revision: str) -> bool:
        """Whether somebody has gone on from that revision."""
        return revision in self.note.base.get("past", ())


class RecollectConversationStore(ConversationStore):
    """Pydantic AI's conversations of one owner (or pool): each is a session, which any other door reads, too.

    A session that another door wrote, or went on with, is loaded like any other; its revision is another then. What is
    deleted is erased for good; where a fork shows something of it, retention does so, and what they share stays with it.
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
            # The session first of all: who goes on from it is refused if anything has happened since.
            info, branches = chat.info(), chat.branches()
            note = Note.of(self._drawer(session).get(RECORD))
        except NotFound:
            return None
        ends = [branch.leaf for branch in branches if branch.leaf is not None]
        told = [name for name in ends if not note.since or _tells(chat, name, note.since)]
        end = next(branch.leaf for branch in branches if branch.active)
        leaf = end if end in told else None
        note = note.at(leaf, lambda message: _tells(chat, message, note.since))
        if not note.base and info.head <= note.since:
            return _State(chat, info, end, None, note)
        record = record_of(note.last, info, leaf)
        record.branches = [EntryName(name, session) for name in told if name != end]
        return _State(chat, info, end, record, note)

    def _records(self, scope: str | None, limit: int | None) -> list[ConversationRecord]:
        states = (self._state(session) for session in self._sessions())
        records = [state.record for state in states if state is not None and state.record is not None]
        chosen = [record for record in records if scope in (None, record.scope)]
        return sorted(chosen, key=lambda record: record.updated_at, reverse=True)[:limit]

    def _history(self, head: str, limit: int | None) -> list[ConversationEntry]:
        chat = self._chat(head.session if isinstance(head, EntryName) else self._session_of(head))
        if [message.id for message in chat.messages(last=1)] != [head]:
            messages = _path(chat, head)
        else:
            messages = chat.messages() if limit is None else _newest(chat, limit + 1)
        entries = _entries(chat, messages)
        return entries if limit is None else entries[-limit:]

    def _session_of(self, entry: str) -> str:
        """Where an entry is that somebody knows by its name alone: it is looked for in one conversation after another."""
        for session in self._sessions():
            with suppress(NotFound):
                return self._chat(session).message(entry).session
        raise NotFound(f"there is no entry {entry!r}")

    # -- writing

    def _write(self, record: ConversationRecord, entries: Sequence[ConversationEntry], expected: str | None) -> None:
        """Claims what the conversation will carry, and then says what is new in one step, if nothing has happened since. The
        claim counts when that is said: until then, and if it never is, what counted before does."""
        name = record.conversation_id
        start = entries[0].parent_id if entries else record.head_id
        drafts = [draft for entry in entries for draft in drafts_of(entry.message, entry.id)]
        state = self._state(name)
        if state is None and expected is None and start is None:
            state = self._made(name)
        if (None if state is None else state.revision) != expected:
            raise ConversationConflict(name)
        note = Note.of(self._drawer(name).get(RECORD, GONE)).anew() if state is None else state.note
        claim = note.packed(record, expected, bool(drafts))
        self._put(name, {RECORD: claim}, note.blob)
        try:
            if expected is None and start is not None:
                self._fork(record, start).add_many(drafts)
            else:
                self._say(record, self._restored(name, note) if state is None else state, drafts, start)
        except StorageError:
            raise  # it may have been said all the same: then the claim counts
        except (RecollectError, ConversationConflict):
            self._take_back(name, claim, note.blob)
            raise

    def _made(self, session: str) -> _State | None:
        """A new session, or one that somebody else has just made; None if it is deleted."""
        try:
            self._chat(session, create=True)
        except NotFound:
            return None
        return self._state(session)

    def _restored(self, session: str, note: Note) -> _State | None:
        """A deleted session, to be begun anew; None if somebody else does so. What was said in it stays on branches of its
        own, for those who share it."""
        try:
            self._memory.restore(owner=self._owner, session=session, pool=self._pool)
        except IllegalMove:
            return None
        state = self._state(session)
        return None if state is not None and 0 < note.since < state.info.head else state

    def _say(self, record: ConversationRecord, state: _State | None, drafts: Sequence[Draft], start: str | None) -> None:
        """Goes on from an entry, all or nothing, if the conversation is still what it was. Also who has nothing to say moves
        the session: so of two who save at the same time, the second is refused."""
        known = () if state is None else (state.revision, record.revision)
        while state is not None and state.revision in known:
            place = ROOT if start is None else Anchor("after", start)
            anchor = LEAF if drafts and start == state.leaf else place
            seen = Expected(state.info.revision, state.info.head)
            try:
                state.chat._append(drafts, anchor, seen)  # pyright: ignore[reportPrivateUsage]  # nobody else says it so
                return
            except RevisionConflict:
                state = self._state(record.conversation_id)  # it may only have a new title
            except NotFound as error:
                raise ConversationConflict(record.conversation_id) from error
            if state is not None and state.follows(record.revision):
                return  # where nothing is said, a claim can be seen before this, and somebody was quick
        raise ConversationConflict(record.conversation_id)

    def _fork(self, record: ConversationRecord, start: str) -> Chat:
        """A session that begins as another does. All whose messages it will show are told before: a mark too many does no
        harm, but without one they would be erased under it."""
        name = record.conversation_id
        try:
            source = self._chat(record.forked_from or self._session_of(start))
            for home in {message.session for message in _path(source, start)} - {""}:
                self._drawer(home).put({_mark(name): name.encode()})
            return source.fork(start, session=name)
        except (Conflict, NotFound) as error:
            raise ConversationConflict(name) from error

    def _put(self, session: str, contents: Mapping[str, bytes | None], before: Blob | None) -> None:
        """Changes the note of a conversation, and what else its drawer has."""
        try:
            self._drawer(session).put(contents, expected={RECORD: 0 if before is None else before.revision})
        except Conflict as error:
            raise ConversationConflict(session) from error

    def _take_back(self, session: str, claim: bytes, before: Blob | None) -> None:
        """Puts back what was there before a claim that came to nothing, unless somebody else has gone on."""
        with suppress(RecollectError, ConversationConflict):
            now = self._drawer(session).get(RECORD).get(RECORD)
            if now is not None and now.content == claim:
                self._put(session, {RECORD: None if before is None else before.content}, now)

    # -- deleting

    def _delete(self, session: str, expected: str) -> None:
        state = self._state(session)
        if state is None or state.revision != expected:
            raise ConversationConflict(session)
        homes = _homes(state.chat) - {session, ""}
        self._put(session, {GONE: str(state.info.head).encode()}, state.note.blob)
        if self._erase(session):
            for home in homes:
                self._drawer(home).put({_mark(session): None})
            return
        state.chat.delete()
        with suppress(ConversationConflict):  # somebody has begun a new one already
            self._put(session, {RECORD: None}, state.note.blob)

    def _erase(self, session: str) -> bool:
        """Removes a conversation for good, unless another one shows something of it: what is erased is gone from all."""
        marks = self._drawer(session).list(FORK, limit=ALL)
        if any(self._shows(mark.content.decode(), session) for mark in marks):
            return False
        try:
            self._memory.erase(owner=self._owner, session=session, pool=self._pool)
        except NotFound:
            return False  # only an admin of a pool may
        return True

    def _shows(self, fork: str, session: str) -> bool:
        """Whether a conversation shows something of another. If it was deleted, but not by this store, it may come back."""
        try:
            return session in _homes(self._chat(fork))
        except NotFound:
            return RECORD in self._drawer(fork).get(RECORD)


def _tells(chat: Chat, message: str, since: int) -> bool:
    """Whether a conversation has a message, and not one of the same name that was deleted."""
    try:
        return chat.message(message).seq > since
    except NotFound:
        return False


def _tree(chat: Chat) -> list[Message]:
    """All messages, on whatever branch, each with the session where it is at home."""
    return chat._tree()[0]  # pyright: ignore[reportPrivateUsage]  # an export tells it, too, but takes much longer


def _homes(chat: Chat) -> set[str]:
    """The sessions whose messages a conversation shows: its own, and those that it was forked from."""
    return {message.session for message in _tree(chat)}


def _path(chat: Chat, leaf: str) -> list[Message]:
    """The messages up to one, on whatever branch."""
    return list(upwards(_tree(chat), chat.message(leaf).seq))[::-1]


def _mark(fork: str) -> str:
    return FORK + sha256(fork.encode()).hexdigest()


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
