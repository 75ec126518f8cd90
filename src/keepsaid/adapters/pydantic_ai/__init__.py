"""The adapter for Pydantic AI: a conversation store, and Keepsaid's prompts for its agents.

    store = KeepsaidConversationStore(memory, owner="u1")
    agent = Agent(model, capabilities=[KeepsaidHistory(memory, owner="u1", budget=8_000)])
    conversation = await store.load("trip") or Conversation(conversation_id="trip")
    await store.save(await agent.run("Where does my sister live?", conversation=conversation))

A conversation is a session whose messages other adapters can read and write; its blob store has its other data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from keepsaid.adapters.common import missing_extra

try:
    from pydantic_ai.conversation_store import (
        ConversationConflict,
        ConversationEntry,
        ConversationRecord,
        ConversationStore,
    )
except ImportError:
    raise missing_extra("Pydantic AI", "pydantic-ai") from None

from anyio.to_thread import run_sync

from keepsaid.adapters.pydantic_ai.history import KeepsaidHistory
from keepsaid.adapters.pydantic_ai.messages import drafts_of, entries_of, entry_of
from keepsaid.adapters.pydantic_ai.records import DELETED, FORK, RECORD, ConversationClaims, LocatedEntryId, build_record
from keepsaid.engine.messages.branching import walk_to_root
from keepsaid.errors import Conflict, InvalidTransition, KeepsaidError, NotFound, RevisionConflict, StorageError
from keepsaid.memory import Memory
from keepsaid.memory.blobs import BlobStore
from keepsaid.memory.chat import Chat
from keepsaid.ports import AT_LEAF, AT_ROOT, NO_LIMIT, AppendPosition, ExpectedRevision
from keepsaid.types import Blob, Message, MessageDraft, Session

__all__ = ["KeepsaidConversationStore", "KeepsaidHistory"]

AT_ONCE = 100


class _ConversationState(NamedTuple):
    """A session, its last message, and its conversation record: None before anything was saved in it."""

    chat: Chat
    info: Session
    leaf: str | None
    record: ConversationRecord | None
    note: ConversationClaims

    @property
    def revision(self) -> str | None:
        return None if self.record is None else self.record.revision

    def follows(self, revision: str) -> bool:
        """Whether this state was saved on top of that revision."""
        return revision in self.note.base.get("past", ())


class KeepsaidConversationStore(ConversationStore):
    """The Pydantic AI conversations of one owner (or pool). Each is a session that other adapters can read too.

    A session that another adapter wrote or continued can be loaded like any other; it then has a different revision.
    Deleting erases permanently. If a fork has messages of a deleted conversation, retention erases it later, and shared
    messages stay with the fork.
    """

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        memory.blobs(owner=owner, pool=pool)  # raises now if the owner is invalid
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

    def _blob_store(self, session: str) -> BlobStore:
        return self._memory.blobs(owner=self._owner, session=session, pool=self._pool)

    def _sessions(self) -> Iterator[str]:
        cursor = None
        while True:
            page = self._memory.sessions(owner=self._owner, pool=self._pool, limit=AT_ONCE, cursor=cursor)
            yield from (session.id for session in page)
            cursor = page.next
            if cursor is None:
                return

    def _state(self, session: str) -> _ConversationState | None:
        try:
            chat = self._chat(session)
            # Read the session first: a write based on it is refused if anything has changed since.
            info, branches = chat.info(), chat.branches()
            note = ConversationClaims.from_blobs(self._blob_store(session).get(RECORD))
        except NotFound:
            return None
        ends = [branch.leaf for branch in branches if branch.leaf is not None]
        valid_ends = [name for name in ends if not note.since or _has_message(chat, name, note.since)]
        end = next(branch.leaf for branch in branches if branch.active)
        leaf = end if end in valid_ends else None
        note = note.resolve(leaf, lambda message: _has_message(chat, message, note.since))
        if not note.base and info.head <= note.since:
            return _ConversationState(chat, info, end, None, note)
        record = build_record(note.current, info, leaf)
        record.branches = [LocatedEntryId(name, session) for name in valid_ends if name != end]
        return _ConversationState(chat, info, end, record, note)

    def _records(self, scope: str | None, limit: int | None) -> list[ConversationRecord]:
        states = (self._state(session) for session in self._sessions())
        records = [state.record for state in states if state is not None and state.record is not None]
        chosen = [record for record in records if scope in (None, record.scope)]
        return sorted(chosen, key=lambda record: record.updated_at, reverse=True)[:limit]

    def _history(self, head: str, limit: int | None) -> list[ConversationEntry]:
        chat = self._chat(head.session if isinstance(head, LocatedEntryId) else self._session_of(head))
        if [message.id for message in chat.messages(last=1)] != [head]:
            messages = _path(chat, head)
        else:
            messages = chat.messages() if limit is None else _newest_messages(chat, limit + 1)
        entries = _entries(chat, messages)
        return entries if limit is None else entries[-limit:]

    def _session_of(self, entry: str) -> str:
        """Return the session of an entry id without a known conversation, by searching all conversations."""
        for session in self._sessions():
            with suppress(NotFound):
                return self._chat(session).message(entry).session
        raise NotFound(f"there is no entry {entry!r}")

    # -- writing

    def _write(self, record: ConversationRecord, entries: Sequence[ConversationEntry], expected: str | None) -> None:
        """Write a claim with the conversation's new data, and then add the new messages in one step if nothing has changed
        since.

        The claim takes effect when the messages are added. Until then, or if that never happens, the previous one applies.
        """
        name = record.conversation_id
        start = entries[0].parent_id if entries else record.head_id
        drafts = [draft for entry in entries for draft in drafts_of(entry.message, entry.id)]
        state = self._state(name)
        if state is None and expected is None and start is None:
            state = self._create_session(name)
        if (None if state is None else state.revision) != expected:
            raise ConversationConflict(name)
        note = (
            ConversationClaims.from_blobs(self._blob_store(name).get(RECORD, DELETED)).without_empty_claims()
            if state is None
            else state.note
        )
        claim = note.with_claim(record, expected, bool(drafts))
        self._put(name, {RECORD: claim}, note.blob)
        try:
            if expected is None and start is not None:
                self._fork(record, start).add_many(drafts)
            else:
                self._add_messages(record, self._restore(name, note) if state is None else state, drafts, start)
        except StorageError:
            raise  # the messages may have been saved nonetheless: then the claim applies
        except (KeepsaidError, ConversationConflict):
            self._undo_claim(name, claim, note.blob)
            raise

    def _create_session(self, session: str) -> _ConversationState | None:
        """Create a session, or return one that was created concurrently; None if it is deleted."""
        try:
            self._chat(session, create=True)
        except NotFound:
            return None
        return self._state(session)

    def _restore(self, session: str, note: ConversationClaims) -> _ConversationState | None:
        """Restore a deleted session to start it again; None if that happened concurrently. Its old messages stay on branches
        of their own, for forks that share them."""
        try:
            self._memory.restore(owner=self._owner, session=session, pool=self._pool)
        except InvalidTransition:
            return None
        state = self._state(session)
        return None if state is not None and 0 < note.since < state.info.head else state

    def _add_messages(
        self, record: ConversationRecord, state: _ConversationState | None, drafts: Sequence[MessageDraft], start: str | None
    ) -> None:
        """Add messages after an entry, all or none, if the conversation has not changed. Saving no messages also changes the
        session, so that the second of two concurrent saves is refused."""
        known = () if state is None else (state.revision, record.revision)
        while state is not None and state.revision in known:
            place = AT_ROOT if start is None else AppendPosition("after", start)
            anchor = AT_LEAF if drafts and start == state.leaf else place
            seen = ExpectedRevision(state.info.revision, state.info.head)
            try:
                state.chat._append(drafts, anchor, seen)  # pyright: ignore[reportPrivateUsage]  # only this adapter needs the expected revision
                return
            except RevisionConflict:
                state = self._state(record.conversation_id)  # it may only have a new title
            except NotFound as error:
                raise ConversationConflict(record.conversation_id) from error
            if state is not None and state.follows(record.revision):
                return  # a claim without messages applies at once, and another process has already continued from it
        raise ConversationConflict(record.conversation_id)

    def _fork(self, record: ConversationRecord, start: str) -> Chat:
        """Create a session as a fork of another. All sessions whose messages it shares are marked first: an unneeded mark is
        harmless, but without it, shared messages could be erased."""
        name = record.conversation_id
        try:
            source = self._chat(record.forked_from or self._session_of(start))
            for home in {message.session for message in _path(source, start)} - {""}:
                self._blob_store(home).put({_fork_mark(name): name.encode()})
            return source.fork(start, session=name)
        except (Conflict, NotFound) as error:
            raise ConversationConflict(name) from error

    def _put(self, session: str, contents: Mapping[str, bytes | None], before: Blob | None) -> None:
        """Change the claims and other blobs of a conversation."""
        try:
            self._blob_store(session).put(contents, expected={RECORD: 0 if before is None else before.revision})
        except Conflict as error:
            raise ConversationConflict(session) from error

    def _undo_claim(self, session: str, claim: bytes, before: Blob | None) -> None:
        """Undo a claim whose messages were not saved, unless the conversation was continued."""
        with suppress(KeepsaidError, ConversationConflict):
            now = self._blob_store(session).get(RECORD).get(RECORD)
            if now is not None and now.content == claim:
                self._put(session, {RECORD: None if before is None else before.content}, now)

    # -- deleting

    def _delete(self, session: str, expected: str) -> None:
        state = self._state(session)
        if state is None or state.revision != expected:
            raise ConversationConflict(session)
        homes = _source_sessions(state.chat) - {session, ""}
        self._put(session, {DELETED: str(state.info.head).encode()}, state.note.blob)
        if self._erase(session):
            for home in homes:
                self._blob_store(home).put({_fork_mark(session): None})
            return
        state.chat.delete()
        with suppress(ConversationConflict):  # a new one was already started
            self._put(session, {RECORD: None}, state.note.blob)

    def _erase(self, session: str) -> bool:
        """Erase a conversation permanently, unless another one shares its messages, which would lose them too."""
        marks = self._blob_store(session).list(FORK, limit=NO_LIMIT)
        if any(self._shares_messages(mark.content.decode(), session) for mark in marks):
            return False
        try:
            self._memory.erase(owner=self._owner, session=session, pool=self._pool)
        except NotFound:
            return False  # only an admin of the pool may erase
        return True

    def _shares_messages(self, fork: str, session: str) -> bool:
        """Whether a conversation shares messages of another. One that was not deleted by this store may be restored."""
        try:
            return session in _source_sessions(self._chat(fork))
        except NotFound:
            return RECORD in self._blob_store(fork).get(RECORD)


def _has_message(chat: Chat, message: str, since: int) -> bool:
    """Whether a conversation has a message, and it is not from a deleted conversation with the same id."""
    try:
        return chat.message(message).seq > since
    except NotFound:
        return False


def _tree(chat: Chat) -> list[Message]:
    """Return the messages of all branches, each with its original session."""
    return chat._tree()[0]  # pyright: ignore[reportPrivateUsage]  # an export has it too, but is much slower


def _source_sessions(chat: Chat) -> set[str]:
    """Return the sessions whose messages a conversation has: its own and those that it was forked from."""
    return {message.session for message in _tree(chat)}


def _path(chat: Chat, leaf: str) -> list[Message]:
    """Return the messages up to one, on any branch."""
    return list(walk_to_root(_tree(chat), chat.message(leaf).seq))[::-1]


def _fork_mark(fork: str) -> str:
    return FORK + sha256(fork.encode()).hexdigest()


def _entries(chat: Chat, messages: Sequence[Message]) -> list[ConversationEntry]:
    entries: list[ConversationEntry] = []
    parent = None
    for name, message in entries_of(messages):
        entry = LocatedEntryId(name, chat.id)
        entries.append(ConversationEntry(id=entry, parent_id=parent, message=message))
        parent = entry
    return entries


def _newest_messages(chat: Chat, entries: int) -> list[Message]:
    """Return the messages of at least this many last entries; an entry may have several messages."""
    count = entries
    while True:
        count *= 2
        found = chat.messages(last=count)
        if len(found) < count or len({entry_of(message) for message in found}) >= entries:
            return found
