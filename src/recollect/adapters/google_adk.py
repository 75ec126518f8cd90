"""Google ADK: its sessions and its long-term memory, kept in Recollect.

A session of ADK is a conversation of the owner `user_id`; its id begins with the app's name (`weather/s1`), its events are
messages. State lies in drawers, a blob for each key, so that writers at the same time overwrite nothing but the same key.
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

from recollect.adapters.common import all_blobs, missing, own_metadata, settled
from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.engine.hygiene import clean_name
from recollect.errors import Conflict, Erased, MessageConflict, NotFound, RevisionConflict
from recollect.memory import Memory
from recollect.types import Draft, Hit, Message
from recollect.types import Session as Kept

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
    raise missing("Google ADK", "google-adk") from None

from recollect.adapters.google_adk_messages import begins_event, drafts_of, events_of, plain

MADE = "google-adk/made"
"""The blob that only one of those who create the same session can put."""

Blobs = tuple[Drawer, dict[str, bytes]]
"""What is to be put where."""

OF_SESSION = "google-adk/state/"
UNNAMED = "unnamed"
"""The session of events that are remembered without one."""


def session_of(app_name: str, session_id: str) -> str:
    """The id that a session of an app has here, and through every other door.

    >>> session_of("weather", "s1")
    'weather/s1'
    """
    return f"{quote(app_name, safe='')}/{session_id.strip()}"


def _tag(app_name: str) -> str:
    return f"google-adk:{app_name}"


class RecollectSessionService(BaseSessionService):
    """Keeps the sessions of ADK agents. `app_owner` is whose the state under `app:` is, which all users of an app share.

    A session object that is behind what is stored is no error: its event is appended, and nothing of the others is lost.
    `agent` is the author of what other doors wrote for an assistant.
    """

    def __init__(self, memory: Memory, *, app_owner: str, agent: str = "assistant") -> None:
        self._memory = memory
        self._app_owner = app_owner
        self._agent = agent

    async def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None, session_id: str | None = None
    ) -> Session:
        """A new session; an id that is taken raises `AlreadyExistsError`."""
        id = (session_id or "").strip() or str(uuid4())
        return await settled(self._create, app_name, user_id, id, state or {})

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """The session with its events, or those that `config` asks for; None if there is none."""
        return await asyncio.to_thread(self._get, app_name, user_id, session_id.strip(), config or GetSessionConfig())

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """The user's sessions, or those of all users of the app, without events: the one last active is the last."""
        return ListSessionsResponse(sessions=await asyncio.to_thread(self._list, app_name, user_id))

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Erases a session for good, with its state."""
        with suppress(NotFound):
            await settled(self._memory.erase, owner=user_id, session=session_of(app_name, session_id))

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """What is kept under `user:`, without that prefix."""
        return await asyncio.to_thread(lambda: _state(*self._of_user(app_name, user_id)))

    async def append_event(self, session: Session, event: Event) -> Event:
        """Stores an event and its changes of state. A partial one is not stored, and one that is there already changes
        nothing."""
        if event.partial:
            return event
        self._apply_temp_state(session, event)
        event = self._trim_temp_delta_state(event)
        if await settled(self._append, session.app_name, session.user_id, session.id, event):
            session.last_update_time = event.timestamp
            self._commit_event_to_session(session, event)
        return event

    # -- the same, waiting

    def _create(self, app_name: str, user_id: str, id: str, state: Mapping[str, Any]) -> Session:
        key, delta = session_of(app_name, id), plain(EventActions(state_delta=dict(state))).get("state_delta", {})
        with suppress(NotFound):
            self._memory.chat(owner=user_id, session=key)
            raise AlreadyExistsError(f"Session with id {id} already exists.")
        taken = AlreadyExistsError(f"Session with id {id} already exists, or is deleted and can be restored.")
        for name in (_tag(app_name), _user(app_name, user_id)):
            clean_name(name, "app name with what is added to it")
        *shared, (drawer, own) = self._placed(app_name, user_id, key, delta)
        try:
            drawer.put({MADE: b"", **own}, expected={MADE: 0})
        except RevisionConflict:
            # Another one makes it, or died before it was there: then it is made whole here.
            with suppress(NotFound):
                self._open(app_name, user_id, key)
            raise taken from None
        try:
            chat = self._open(app_name, user_id, key)
        except NotFound:
            drawer.put(dict.fromkeys((MADE, *own)))
            raise taken from None
        _put(shared)
        return self._session(app_name, user_id, chat.info(), [])

    def _open(self, app_name: str, user_id: str, key: str) -> Chat:
        """Makes the conversation of a session, and notes whose it is."""
        noted = {_user(app_name, user_id): user_id.encode()}
        self._memory.drawer(owner=self._app_owner).put(noted)
        chat = self._memory.chat(owner=user_id, session=key, create=True, tags=[_tag(app_name)])
        # Once more: who listed all users since then found no session, and may have removed the note.
        self._memory.drawer(owner=self._app_owner).put(noted)
        return chat

    def _get(self, app_name: str, user_id: str, id: str, config: GetSessionConfig) -> Session | None:
        try:
            chat = self._memory.chat(owner=user_id, session=session_of(app_name, id))
            last = chat.messages(last=1)
            events = events_of(_wanted(chat, config), self._agent)
        except NotFound:
            return None
        newest = events_of(last, self._agent)
        session = self._session(app_name, user_id, chat.info(), _fitting(events, config))
        if newest:
            session.last_update_time = newest[0].timestamp
        return session

    def _list(self, app_name: str, user_id: str | None) -> list[Session]:
        sessions: list[Session] = []
        for user in self._all_users(app_name) if user_id is None else [user_id]:
            sessions += [self._session(app_name, user, kept, []) for kept in self._kept(app_name, user)]
        return sorted(sessions, key=lambda session: (session.last_update_time, session.user_id, session.id))

    def _all_users(self, app_name: str) -> list[str]:
        """Those who have sessions of an app; who has none any more, not even a deleted one, is forgotten."""
        drawer, users = self._memory.drawer(owner=self._app_owner), list[str]()
        for blob in all_blobs(drawer, _users(app_name)):
            user = blob.content.decode()
            if next(self._kept(app_name, user), None) is not None:
                users.append(user)
            elif next(self._kept(app_name, user, "deleted"), None) is None:
                # Unless he makes one in this moment.
                with suppress(RevisionConflict):
                    drawer.put({blob.name: None}, expected={blob.name: blob.revision})
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
        """Whether the event was new. Its state comes first: should this end in between, trying again makes it whole."""
        try:
            chat = self._memory.chat(owner=user_id, session=session_of(app_name, id))
            drafts = _numbered(chat, event)
            if _is_there(chat, drafts, event, self._agent):
                return False
            _put(self._placed(app_name, user_id, chat.id, plain(event).get("actions", {}).get("state_delta", {})))
            _add(chat, drafts)
        except NotFound:
            raise SessionNotFoundError(f"Session {id} not found.") from None
        return True

    # -- state

    def _of_app(self, app_name: str) -> tuple[Drawer, str]:
        return self._memory.drawer(owner=self._app_owner), f"google-adk/app/{quote(app_name, safe='')}/state/"

    def _of_user(self, app_name: str, user_id: str) -> tuple[Drawer, str]:
        return self._memory.drawer(owner=user_id), f"google-adk/user/{quote(app_name, safe='')}/state/"

    def _placed(self, app_name: str, user_id: str, session: str, delta: Mapping[str, Any]) -> list[Blobs]:
        """Where a change of state goes: to the app, to the user, to the session. Names are all checked before any is put."""
        places = (
            (State.APP_PREFIX, *self._of_app(app_name)),
            (State.USER_PREFIX, *self._of_user(app_name, user_id)),
            ("", self._memory.drawer(owner=user_id, session=session), OF_SESSION),
        )
        placed: list[Blobs] = [(drawer, {}) for _, drawer, _ in places]
        for key, value in delta.items():
            if not key.startswith(State.TEMP_PREFIX):
                at = next(at for at, (scope, *_) in enumerate(places) if key.startswith(scope))
                scope, _, prefix = places[at]
                name = clean_name(prefix + key.removeprefix(scope), "state key with its prefix")
                placed[at][1][name] = json.dumps(value).encode()
        return placed

    def _session(self, app_name: str, user_id: str, kept: Kept, events: list[Event]) -> Session:
        state = _state(self._memory.drawer(owner=user_id, session=kept.id), OF_SESSION)
        for prefix, shared in (
            (State.APP_PREFIX, self._of_app(app_name)), (State.USER_PREFIX, self._of_user(app_name, user_id)),
        ):  # fmt: skip
            state.update((prefix + key, value) for key, value in _state(*shared).items())
        id = kept.id.removeprefix(session_of(app_name, ""))
        updated = kept.updated / 1e6
        return Session(id=id, app_name=app_name, user_id=user_id, state=state, events=events, last_update_time=updated)


class RecollectMemoryService(BaseMemoryService):
    """What a user said before, found by words and by meaning: in the sessions of the same app, or with `everywhere` in all
    conversations of the user. At most `limit` passages are found."""

    def __init__(self, memory: Memory, *, limit: int = 10, everywhere: bool = False) -> None:
        self._memory = memory
        self._limit = limit
        self._everywhere = everywhere

    async def add_session_to_memory(self, session: Session) -> None:
        """Keeps what is not kept yet: nothing, for a session of `RecollectSessionService`."""
        await settled(self._add, session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keeps those of these events that are not kept yet."""
        await settled(self._add, app_name, user_id, session_id or UNNAMED, events)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """The passages that answer a question, best first."""
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
        """Erases a message that was found, for good: from its conversation, too."""
        session, _, message = (memory_id or "").rpartition("/")
        with suppress(NotFound):
            if session and message:
                await settled(self._memory.erase, owner=user_id, session=session, message=message)

    def _add(self, app_name: str, user_id: str, id: str, events: Sequence[Event]) -> None:
        tag = _tag(app_name)
        chat = self._memory.chat(owner=user_id, session=session_of(app_name, id), create=True, tags=[tag])
        if tag not in chat.info().tags:
            chat.tag(tag)
        known = {event.id for event in events_of(chat.messages(), "")}
        for event in events:
            if event.id not in known and not event.partial:
                # What was erased stays so, whoever still has it.
                with suppress(Erased):
                    _add(chat, _numbered(chat, event), MessageConflict)
                known.add(event.id)


def _entry(hit: Hit) -> MemoryEntry:
    message = hit.message
    return MemoryEntry(
        id=f"{message.session}/{message.id}",
        content=types.Content(role="user" if message.role == "user" else "model", parts=[types.Part(text=hit.passage)]),
        author=message.name or str(message.role),
        timestamp=message.created_at.isoformat(),
        custom_metadata=own_metadata(message.metadata),
    )


# -- events of a conversation


def _wanted(chat: Chat, config: GetSessionConfig) -> list[Message]:
    """At least the messages of the events that are asked for."""
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


def _fitting(events: list[Event], config: GetSessionConfig) -> list[Event]:
    if config.num_recent_events is not None:
        events = events[max(0, len(events) - config.num_recent_events) :]
    after = config.after_timestamp
    return events if after is None else [event for event in events if event.timestamp >= after]


def _numbered(chat: Chat, event: Event) -> list[Draft]:
    """An event's messages with ids that follow from its own: the same event again is the same messages."""
    return [replace(draft, id=_id(chat.id, event.id, number)) for number, draft in enumerate(drafts_of(event))]


def _id(session: str, event: str, number: int) -> str:
    return hashlib.sha256(f"{session}\n{event}\n{number}".encode()).hexdigest()[:32]


def _is_there(chat: Chat, drafts: Sequence[Draft], event: Event, agent: str) -> bool:
    try:
        there = [chat.message(draft.id or "") for draft in drafts]
    except NotFound:
        return False
    return [plain(one) for one in events_of(there, agent)] == [plain(event)]


def _add(chat: Chat, drafts: Sequence[Draft], taken: type[Conflict] = Conflict) -> None:
    try:
        chat.add_many(drafts)
    except taken:
        # Another event has the same id, or had it and was erased: this one is kept nonetheless.
        chat.add_many(replace(draft, id=None) for draft in drafts)


# -- state in a drawer


def _put(placed: Iterable[Blobs]) -> None:
    for drawer, blobs in placed:
        drawer.put(blobs)


def _state(drawer: Drawer, prefix: str) -> dict[str, Any]:
    return {blob.name.removeprefix(prefix): json.loads(blob.content) for blob in all_blobs(drawer, prefix)}


def _users(app_name: str) -> str:
    return f"google-adk/app/{quote(app_name, safe='')}/users/"


def _user(app_name: str, user_id: str) -> str:
    """Under which name a user is noted: a hash, for an owner's name may be as long as a blob's."""
    return _users(app_name) + hashlib.sha256(user_id.encode()).hexdigest()
