"""The adapter for Google ADK: its sessions and its long-term memory.

A session of ADK is a conversation of the owner `user_id`; its id starts with the app's name (`weather/s1`), and its events
are messages. State is kept in blob stores, one blob per key, so that concurrent writers only overwrite equal keys.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from keepsaid.adapters.common import iterate_blobs, missing_extra, run_to_completion, strip_adapter_data
from keepsaid.engine.messages.validation import clean_name
from keepsaid.errors import Conflict, Erased, MessageConflict, NotFound, RevisionConflict
from keepsaid.memory import Memory
from keepsaid.memory.blobs import BlobStore
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, MessageDraft, SearchHit
from keepsaid.types import Session as Kept

try:
    from google.adk.errors.already_exists_error import AlreadyExistsError
    from google.adk.errors.session_not_found_error import SessionNotFoundError
    from google.adk.events.event import Event
    from google.adk.events.event_actions import EventActions
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig, ListSessionsResponse
    from google.adk.sessions.session import Session
    from google.adk.sessions.state import State
    from google.genai import types
except ImportError:
    raise missing_extra("Google ADK", "google-adk") from None

from keepsaid.adapters.google_adk.messages import begins_event, drafts_of, events_of, to_plain_json

CREATED_BLOB = "google-adk/made"
"""Blob that only one of several concurrent creators of a session can write."""

BlobChanges = tuple[BlobStore, dict[str, bytes]]
"""A blob store and the blobs to write there."""

SESSION_STATE_PREFIX = "google-adk/state/"
UNNAMED_SESSION = "unnamed"
"""The session for events that are added to memory without one."""


def session_of(app_name: str, session_id: str) -> str:
    """Return the id of an app's session in Keepsaid, which other adapters use too.

    >>> session_of("weather", "s1")
    'weather/s1'
    """
    return f"{quote(app_name, safe='')}/{session_id.strip()}"


def _tag(app_name: str) -> str:
    return f"google-adk:{app_name}"


class KeepsaidSessionService(BaseSessionService):
    """Keep the sessions of ADK agents. `app_owner` owns the state under `app:`, which all users of an app share.

    An outdated session object is not an error: its event is appended, and stored events are not lost. `agent` is the author
    of assistant messages from other adapters.
    """

    def __init__(self, memory: Memory, *, app_owner: str, agent: str = "assistant") -> None:
        self._memory = memory
        self._app_owner = app_owner
        self._agent = agent

    async def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None, session_id: str | None = None
    ) -> Session:
        """Create a session. Raise `AlreadyExistsError` if the id is taken."""
        id = (session_id or "").strip() or str(uuid4())
        return await run_to_completion(self._create, app_name, user_id, id, state or {})

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return the session with its events, or those that `config` selects; None if there is no such session."""
        return await asyncio.to_thread(self._get, app_name, user_id, session_id.strip(), config or GetSessionConfig())

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """Return the user's sessions, or those of all users of the app, without events; the most recently active is last."""
        return ListSessionsResponse(sessions=await asyncio.to_thread(self._list, app_name, user_id))

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Erase a session permanently, with its state."""
        with suppress(NotFound):
            await run_to_completion(self._memory.erase, owner=user_id, session=session_of(app_name, session_id))

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state under `user:`, without that prefix."""
        return await asyncio.to_thread(lambda: _state(*self._user_state(app_name, user_id)))

    async def append_event(self, session: Session, event: Event) -> Event:
        """Save an event and its state changes. Partial events are not saved, and an event that is saved already changes
        nothing."""
        if event.partial:
            return event
        self._apply_temp_state(session, event)
        event = self._trim_temp_delta_state(event)
        if await run_to_completion(self._append, session.app_name, session.user_id, session.id, event):
            session.last_update_time = event.timestamp
            self._commit_event_to_session(session, event)
        return event

    # -- blocking implementations

    def _create(self, app_name: str, user_id: str, id: str, state: Mapping[str, Any]) -> Session:
        key, delta = session_of(app_name, id), to_plain_json(EventActions(state_delta=dict(state))).get("state_delta", {})
        with suppress(NotFound):
            self._memory.chat(owner=user_id, session=key)
            raise AlreadyExistsError(f"Session with id {id} already exists.")
        taken = AlreadyExistsError(f"Session with id {id} already exists, or is deleted and can be restored.")
        for name in (_tag(app_name), _user(app_name, user_id)):
            clean_name(name, "app name with what is added to it")
        *shared, (blob_store, own) = self._state_changes(app_name, user_id, key, delta)
        try:
            blob_store.put({CREATED_BLOB: b"", **own}, expected={CREATED_BLOB: 0})
        except RevisionConflict:
            # Another process is creating it, or crashed meanwhile: complete the creation.
            with suppress(NotFound):
                self._open(app_name, user_id, key)
            raise taken from None
        try:
            chat = self._open(app_name, user_id, key)
        except NotFound:
            blob_store.put(dict.fromkeys((CREATED_BLOB, *own)))
            raise taken from None
        _put(shared)
        return self._session(app_name, user_id, chat.info(), [])

    def _open(self, app_name: str, user_id: str, key: str) -> Chat:
        """Create the conversation of a session, and list its user."""
        noted = {_user(app_name, user_id): user_id.encode()}
        self._memory.blobs(owner=self._app_owner).put(noted)
        chat = self._memory.chat(owner=user_id, session=key, create=True, tags=[_tag(app_name)])
        # Write it again: a concurrent listing of all users found no session yet and may have removed it.
        self._memory.blobs(owner=self._app_owner).put(noted)
        return chat

    def _get(self, app_name: str, user_id: str, id: str, config: GetSessionConfig) -> Session | None:
        try:
            chat = self._memory.chat(owner=user_id, session=session_of(app_name, id))
            last = chat.messages(last=1)
            events = events_of(_load_messages(chat, config), self._agent)
        except NotFound:
            return None
        newest = events_of(last, self._agent)
        session = self._session(app_name, user_id, chat.info(), _filter_events(events, config))
        if newest:
            session.last_update_time = newest[0].timestamp
        return session

    def _list(self, app_name: str, user_id: str | None) -> list[Session]:
        sessions: list[Session] = []
        for user in self._all_users(app_name) if user_id is None else [user_id]:
            sessions += [self._session(app_name, user, kept, []) for kept in self._kept(app_name, user)]
        return sorted(sessions, key=lambda session: (session.last_update_time, session.user_id, session.id))

    def _all_users(self, app_name: str) -> list[str]:
        """Return the users who have sessions of an app. Users without any, even deleted ones, are removed from the list."""
        blob_store, users = self._memory.blobs(owner=self._app_owner), list[str]()
        for blob in iterate_blobs(blob_store, _users(app_name)):
            user = blob.content.decode()
            if next(self._kept(app_name, user), None) is not None:
                users.append(user)
            elif next(self._kept(app_name, user, "deleted"), None) is None:
                # Unless the user creates one concurrently.
                with suppress(RevisionConflict):
                    blob_store.put({blob.name: None}, expected={blob.name: blob.revision})
        return users

    def _kept(self, app_name: str, user_id: str, status: str | None = None) -> Iterator[Kept]:
        prefix, cursor = session_of(app_name, ""), None
        while True:
            page = self._memory.sessions(owner=user_id, status=status, limit=500, cursor=cursor)
            yield from (session for session in page if session.id.startswith(prefix))
            cursor = page.next
            if cursor is None:
                return

    def _append(self, app_name: str, user_id: str, id: str, event: Event) -> bool:
        """Save an event; return whether it was new. State is saved first, so that a retry completes an interrupted call."""
        try:
            chat = self._memory.chat(owner=user_id, session=session_of(app_name, id))
            drafts = _with_ids(chat, event)
            if _is_stored(chat, drafts, event, self._agent):
                return False
            _put(
                self._state_changes(
                    app_name, user_id, chat.id, to_plain_json(event).get("actions", {}).get("state_delta", {})
                )
            )
            _add(chat, drafts)
        except NotFound:
            raise SessionNotFoundError(f"Session {id} not found.") from None
        return True

    # -- state

    def _app_state(self, app_name: str) -> tuple[BlobStore, str]:
        return self._memory.blobs(owner=self._app_owner), f"google-adk/app/{quote(app_name, safe='')}/state/"

    def _user_state(self, app_name: str, user_id: str) -> tuple[BlobStore, str]:
        return self._memory.blobs(owner=user_id), f"google-adk/user/{quote(app_name, safe='')}/state/"

    def _state_changes(self, app_name: str, user_id: str, session: str, delta: Mapping[str, Any]) -> list[BlobChanges]:
        """Return where state changes go: to the app, the user and the session. All names are checked before any write."""
        places = (
            (State.APP_PREFIX, *self._app_state(app_name)),
            (State.USER_PREFIX, *self._user_state(app_name, user_id)),
            ("", self._memory.blobs(owner=user_id, session=session), SESSION_STATE_PREFIX),
        )
        placed: list[BlobChanges] = [(blob_store, {}) for _, blob_store, _ in places]
        for key, value in delta.items():
            if not key.startswith(State.TEMP_PREFIX):
                at = next(at for at, (scope, *_) in enumerate(places) if key.startswith(scope))
                scope, _, prefix = places[at]
                name = clean_name(prefix + key.removeprefix(scope), "state key with its prefix")
                placed[at][1][name] = json.dumps(value).encode()
        return placed

    def _session(self, app_name: str, user_id: str, kept: Kept, events: list[Event]) -> Session:
        state = _state(self._memory.blobs(owner=user_id, session=kept.id), SESSION_STATE_PREFIX)
        for prefix, shared in (
            (State.APP_PREFIX, self._app_state(app_name)), (State.USER_PREFIX, self._user_state(app_name, user_id)),
        ):  # fmt: skip
            state.update((prefix + key, value) for key, value in _state(*shared).items())
        id = kept.id.removeprefix(session_of(app_name, ""))
        updated = kept.updated / 1e6
        return Session(id=id, app_name=app_name, user_id=user_id, state=state, events=events, last_update_time=updated)


class KeepsaidMemoryService(BaseMemoryService):
    """Search a user's earlier messages by keywords and meaning: in the sessions of the same app, or with `everywhere` in all
    conversations of the user. Return at most `limit` passages."""

    def __init__(self, memory: Memory, *, limit: int = 10, everywhere: bool = False) -> None:
        self._memory = memory
        self._limit = limit
        self._everywhere = everywhere

    async def add_session_to_memory(self, session: Session) -> None:
        """Save the events that are not saved yet. Sessions of `KeepsaidSessionService` have none."""
        await run_to_completion(self._add, session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Save those of the events that are not saved yet."""
        await run_to_completion(self._add, app_name, user_id, session_id or UNNAMED_SESSION, events)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the passages that match a query, best first."""
        if not query.strip():
            return SearchMemoryResponse()
        hits = await asyncio.to_thread(
            self._memory.search,
            query,
            owner=user_id,
            tags=() if self._everywhere else [_tag(app_name)],
            limit=self._limit,
            plain=True,
        )
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase a found message permanently, from its conversation too."""
        session, _, message = (memory_id or "").rpartition("/")
        with suppress(NotFound):
            if session and message:
                await run_to_completion(self._memory.erase, owner=user_id, session=session, message=message)

    def _add(self, app_name: str, user_id: str, id: str, events: Sequence[Event]) -> None:
        tag = _tag(app_name)
        chat = self._memory.chat(owner=user_id, session=session_of(app_name, id), create=True, tags=[tag])
        if tag not in chat.info().tags:
            chat.tag(tag)
        known = {event.id for event in events_of(chat.messages(), "")}
        for event in events:
            if event.id not in known and not event.partial:
                # Erased events are not saved again.
                with suppress(Erased):
                    _add(chat, _with_ids(chat, event), MessageConflict)
                known.add(event.id)


def _entry(hit: SearchHit) -> MemoryEntry:
    message = hit.message
    return MemoryEntry(
        id=f"{message.session}/{message.id}",
        content=types.Content(role="user" if message.role == "user" else "model", parts=[types.Part(text=hit.passage)]),
        author=message.name or str(message.role),
        timestamp=message.created_at.isoformat(),
        custom_metadata=strip_adapter_data(message.metadata),
    )


# -- events of a conversation


def _load_messages(chat: Chat, config: GetSessionConfig) -> list[Message]:
    """Return at least the messages of the selected events."""
    limit, after = config.num_recent_events, config.after_timestamp
    if limit is None and after is None:
        return chat.messages()
    found: list[Message] = []
    begun = 0
    for message in _newest_first(chat):
        if begun == limit or (after is not None and message.created < after * 1e6 - 1):
            break
        found.append(message)
        begun += begins_event(message)
    return found[::-1]


def _newest_first(chat: Chat) -> Iterator[Message]:
    cursor = None
    while True:
        page = chat.page(cursor=cursor, newest_first=True)
        yield from page
        cursor = page.next
        if cursor is None:
            return


def _filter_events(events: list[Event], config: GetSessionConfig) -> list[Event]:
    if config.num_recent_events is not None:
        events = events[max(0, len(events) - config.num_recent_events) :]
    after = config.after_timestamp
    return events if after is None else [event for event in events if event.timestamp >= after]


def _with_ids(chat: Chat, event: Event) -> list[MessageDraft]:
    """Return an event's messages with ids derived from its own, so that the same event gives the same messages."""
    return [replace(draft, id=_id(chat.id, event.id, number)) for number, draft in enumerate(drafts_of(event))]


def _id(session: str, event: str, number: int) -> str:
    return hashlib.sha256(f"{session}\n{event}\n{number}".encode()).hexdigest()[:32]


def _is_stored(chat: Chat, drafts: Sequence[MessageDraft], event: Event, agent: str) -> bool:
    try:
        there = [chat.message(draft.id or "") for draft in drafts]
    except NotFound:
        return False
    return [to_plain_json(one) for one in events_of(there, agent)] == [to_plain_json(event)]


def _add(chat: Chat, drafts: Sequence[MessageDraft], taken: type[Conflict] = Conflict) -> None:
    try:
        chat.add_many(drafts)
    except taken:
        # Another event has the same id, or had it before it was erased: save this one under new ids.
        chat.add_many(replace(draft, id=None) for draft in drafts)


# -- state in a blob store


def _put(placed: Iterable[BlobChanges]) -> None:
    for blob_store, blobs in placed:
        blob_store.put(blobs)


def _state(blob_store: BlobStore, prefix: str) -> dict[str, Any]:
    return {blob.name.removeprefix(prefix): json.loads(blob.content) for blob in iterate_blobs(blob_store, prefix)}


def _users(app_name: str) -> str:
    return f"google-adk/app/{quote(app_name, safe='')}/users/"


def _user(app_name: str, user_id: str) -> str:
    """Return the name of the blob that lists a user: a hash, because owners may be as long as blob names."""
    return _users(app_name) + hashlib.sha256(user_id.encode()).hexdigest()
