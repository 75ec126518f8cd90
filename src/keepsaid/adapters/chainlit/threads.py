"""Chainlit's threads in a memory: each is a conversation of its user."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from keepsaid.adapters.chainlit.messages import Element, Step, format_time, step_time
from keepsaid.adapters.chainlit.owner_change import copy_blobs, copy_messages
from keepsaid.adapters.chainlit.steps import ThreadSteps, list_elements, list_feedback, list_step_ids
from keepsaid.adapters.chainlit.thread_owners import ThreadLocation, ThreadRegistry, hash_ids
from keepsaid.adapters.common import iterate_blobs
from keepsaid.errors import NotFound, RevisionConflict
from keepsaid.memory import Memory
from keepsaid.memory.blobs import LIST_LIMIT, BlobStore
from keepsaid.memory.chat import Chat
from keepsaid.types import SearchHits, Session, SessionStatus

ThreadFields = dict[str, Any]

FAVORITE_PREFIX = "chainlit/favorite/"
"""Name prefix in the blob store of a user for the user's favorite steps."""


class RequestActor(NamedTuple):
    """The user of a request and their current thread, as far as Chainlit passes them."""

    user: str | None = None
    thread: str | None = None


class ThreadStore:
    """The threads of all users. Threads without a user, and the registry, belong to `owner`."""

    def __init__(self, memory: Memory, owner: str) -> None:
        self._memory = memory
        self._owner = owner
        self.registry = ThreadRegistry(memory, owner)

    def authorize(self, thread_id: str, actor: RequestActor) -> ThreadLocation | None:
        """Return the location of a thread, or None if it does not exist. Raise `NotFound` if it is another user's."""
        place = self.registry.locate(thread_id)
        if place is None or actor.user is None:
            return place
        # A thread that began in Chainlit has no user at first.
        is_allowed = place.session == thread_id if place.user is None else place.owner == actor.user
        if not is_allowed:
            raise _no_thread(thread_id)
        return place

    def update(
        self,
        thread_id: str,
        name: str | None,
        user_id: str | None,
        metadata: Mapping[str, Any] | None,
        tags: Iterable[str] | None,
        actor: RequestActor,
    ) -> None:
        """Update the given fields. In metadata, None removes an entry, and entries that are not given stay."""
        by = None if user_id is None else self.registry.find_identifier(user_id)
        if user_id is not None and by is None:
            raise NotFound(f"there is no user {user_id!r}")
        place = self._locate_or_create(thread_id, actor, by)
        if by is not None and by != place.owner:
            place = self._give_to_user(thread_id, place, by)
        self._finish_move(thread_id, place)
        if name is None and metadata:
            name = metadata.get("name")
        if name is None and metadata is None and tags is None:
            return
        chat = self._chat(place)
        while True:
            info = chat.info()
            merged = {**info.metadata, **(metadata or {})}
            kept = {key: value for key, value in merged.items() if value is not None}
            try:
                chat.update(title=name, tags=tags, metadata=kept, expected_revision=info.revision)
            except RevisionConflict:
                continue
            return

    def thread(self, thread_id: str) -> ThreadFields | None:
        """Return a thread with its steps and elements; None if there is none."""
        place = self.registry.locate(thread_id)
        if place is None:
            return None
        try:
            steps, elements = self._steps(thread_id, place).all()
            return {**_thread_fields(thread_id, place, self._chat(place).info()), "steps": steps, "elements": elements}
        except NotFound:
            return None

    def author(self, thread_id: str) -> str:
        """Return the user of a thread; empty if there is no such thread, or it has no user."""
        place = self.registry.locate(thread_id)
        if place is None or place.user is None:
            return ""
        with suppress(NotFound):
            return self._chat(place).owner
        return ""

    def list(
        self, user_id: str | None, search: str | None, feedback: int | None, first: int, cursor: str | None
    ) -> tuple[list[ThreadFields], str | None]:
        """Return threads of a user (None: those without one), newest activity first, and the cursor of the next page."""
        owner = self._owner if user_id is None else self.registry.find_identifier(user_id)
        if owner is None:
            return [], None
        found, cursor = _SessionFilter(self._memory, owner, search, feedback).page(first, cursor)
        ids = self.registry.thread_ids(user_id, [session.id for session in found])
        heads = [_thread_fields(ids[session.id], ThreadLocation(owner, session.id, user_id), session) for session in found]
        return [{**head, "steps": [], "elements": []} for head in heads], cursor

    def erase(self, thread_id: str) -> list[str]:
        """Delete a thread permanently; return the keys of its files."""
        place = self.registry.locate(thread_id)
        if place is None:
            return []
        self._finish_move(thread_id, place)
        return self._erase_thread(thread_id, place)

    def erase_user(self, identifier: str) -> list[str]:
        """Delete a user with all their data permanently; return the keys of their files."""
        user_id = self.registry.register_user(identifier)
        ids = self.registry.thread_ids(user_id, self._sessions(identifier))
        keys = [
            key
            for session, id in ids.items()
            for key in self._erase_thread(id, ThreadLocation(identifier, session, user_id))
        ]
        self._memory.erase(owner=identifier)
        self.registry.forget("user", [user_id])
        return keys

    # -- steps

    def save_step(self, step: Step, actor: RequestActor, *, new: bool) -> None:
        """Save a step or its changes. Create the thread if it does not exist."""
        id, thread_id = step["id"], step["threadId"]
        place = self._locate_or_create(thread_id, actor)
        saved = self._steps(thread_id, place).save(step, new=new)
        if saved.is_new:
            self.registry.put_if_absent("step", id, {"thread": thread_id})
        if _is_favorite(saved.before) != _is_favorite(saved.now):
            mark = json.dumps({"step": id, "thread": thread_id}).encode() if _is_favorite(saved.now) else None
            self._memory.blobs(owner=place.owner).put({FAVORITE_PREFIX + hash_ids(id): mark})

    def erase_step(self, id: str, actor: RequestActor) -> list[str]:
        """Delete a step permanently; return the keys of its files. The current thread is searched first."""
        thread_id, place = self._thread_of_step(id, actor)
        if place is None:
            return []
        blob_store = self._blob_store(place)
        elements, feedback = list_elements(blob_store, id), list_feedback(blob_store, id)
        self._steps(thread_id, place).erase(id)
        self._memory.blobs(owner=place.owner).put({FAVORITE_PREFIX + hash_ids(id): None})
        self.registry.forget("step", [id], thread_id)
        self.registry.forget("feedback", [one["id"] for one in feedback], thread_id)
        return _file_keys(elements)

    def favorites(self, user_id: str) -> list[Step]:
        """Return the favorite steps of a user, newest first."""
        owner = self.registry.find_identifier(user_id)
        if owner is None:
            return []
        marks = {mark["step"]: mark["thread"] for mark in self._favorites(owner).values()}
        threads = [self.thread(id) for id in set(marks.values()) if self.author(id) == owner]
        steps: list[Step] = [step for thread in threads if thread for step in thread["steps"]]
        chosen = [step for step in steps if step["id"] in marks and _is_favorite(step)]
        return sorted(chosen, key=step_time, reverse=True)

    def save_element(self, element: Element, actor: RequestActor) -> None:
        """Save an element. Create the thread if it does not exist."""
        thread_id = element["threadId"]
        self._steps(thread_id, self._locate_or_create(thread_id, actor)).save_element(element)

    def element(self, thread_id: str, id: str) -> Element | None:
        """Return one element of a thread."""
        elements: list[Element] = (self.thread(thread_id) or {"elements": []})["elements"]
        return next((one for one in elements if one["id"] == id), None)

    def erase_element(self, id: str, thread_id: str | None, actor: RequestActor) -> list[str]:
        """Delete an element of a thread (None: the current one) permanently; return the key of its file, if it has one."""
        thread_id = thread_id or actor.thread or ""
        place = self.authorize(thread_id, actor)
        if place is None:
            return []
        found = [one for one in list_elements(self._blob_store(place)) if one["id"] == id]
        for one in found:
            self._steps(thread_id, place).erase_element(one)
        return _file_keys(found)

    def save_feedback(
        self, id: str, step: str, thread_id: str | None, value: int, comment: str | None, actor: RequestActor
    ) -> None:
        """Save feedback on a step."""
        home: str = thread_id or (self.registry.find("step", step) or {"thread": ""})["thread"]
        place = self.authorize(home, actor)
        if place is None or not self.registry.put_if_absent("feedback", id, {"thread": home, "step": step}):
            raise NotFound(f"there is no step {step!r}, or the feedback {id!r} is for another step")
        before = list_feedback(self._blob_store(place), step)
        self._steps(home, place).save_feedback(id, step, value, comment)
        self.registry.forget("feedback", [one["id"] for one in before if one["id"] != id])

    def erase_feedback(self, id: str, actor: RequestActor) -> bool:
        """Delete feedback permanently. Return whether it existed."""
        note = self.registry.find("feedback", id)
        place = None if note is None else self.authorize(note["thread"], actor)
        if note is None or place is None:
            return False
        self._steps(note["thread"], place).erase_feedback(note["step"])
        self.registry.forget("feedback", [id])
        return True

    # -- where threads are

    def _locate_or_create(self, thread_id: str, actor: RequestActor, user: str | None = None) -> ThreadLocation:
        """Return the location of a thread. Create one that does not exist: for the user, for the user whose current thread
        it is, or without a user."""
        found = self.authorize(thread_id, actor)
        if found is not None:
            return found
        if self.registry.is_reserved(thread_id):
            raise _no_thread(thread_id)
        user = user or (actor.user if actor.thread == thread_id else None)
        place = ThreadLocation(user or self._owner, thread_id, None if user is None else self.registry.register_user(user))
        self._memory.chat(owner=place.owner, session=thread_id, create=True)
        if self.registry.put_if_absent("thread", thread_id, {"user": place.user}):
            return place
        made = self.authorize(thread_id, actor)  # another worker has just created it, maybe for another user
        if made is None:
            raise _no_thread(thread_id)
        return made

    def _give_to_user(self, thread_id: str, old: ThreadLocation, user: str) -> ThreadLocation:
        """Give a thread without a user to a user by copying it. `_finish_move` removes the original."""
        if old.user is not None or old.session != thread_id:
            raise _no_thread(thread_id)
        new = ThreadLocation(user, thread_id, self.registry.register_user(user), moving=True)
        source = self._chat(old)
        info = source.info()
        target = self._memory.chat(
            owner=new.owner, session=new.session, create=True, title=info.title, tags=info.tags, metadata=info.metadata,
            system_prompt=info.system_prompt, created_at=info.created_at,
        )  # fmt: skip
        _merge_session(info, target)
        copy_blobs(self._blob_store(old), self._blob_store(new), copy_messages(source, target))
        marks = {name: json.dumps(mark).encode() for name, mark in self._favorites(old.owner, thread_id).items()}
        self._memory.blobs(owner=new.owner).put(marks)
        self._memory.blobs(owner=old.owner).put(dict.fromkeys(marks))
        self.registry.put("thread", thread_id, {"user": new.user, "moving": True})
        return new

    def _finish_move(self, thread_id: str, place: ThreadLocation) -> None:
        """Remove the original of a thread that was copied to its user."""
        if place.moving:
            with suppress(NotFound):
                self._memory.erase(owner=self._owner, session=place.session)
            self.registry.put("thread", thread_id, {"user": place.user})

    def _thread_of_step(self, step: str, actor: RequestActor) -> tuple[str, ThreadLocation | None]:
        """Return the thread of a step: the current one, unless the step was saved in another."""
        here = None if actor.thread is None else self.authorize(actor.thread, actor)
        note = self.registry.find("step", step)
        if note is None or note["thread"] == actor.thread:
            return actor.thread or "", here
        if actor.thread is not None and here is not None and self._steps(actor.thread, here).has(step):
            return actor.thread, here
        return note["thread"], self.authorize(note["thread"], actor)

    def _erase_thread(self, thread_id: str, place: ThreadLocation) -> list[str]:
        blob_store = self._blob_store(place)
        steps, feedback, elements = list_step_ids(blob_store), list_feedback(blob_store), list_elements(blob_store)
        with suppress(NotFound):
            self._memory.erase(owner=place.owner, session=place.session)
        self._memory.blobs(owner=place.owner).put(dict.fromkeys(self._favorites(place.owner, thread_id)))
        self.registry.forget("step", steps, thread_id)
        self.registry.forget("feedback", [one["id"] for one in feedback], thread_id)
        if place.session == thread_id:
            self.registry.forget("thread", [thread_id])
        return _file_keys(elements)

    def _favorites(self, owner: str, thread_id: str | None = None) -> dict[str, dict[str, Any]]:
        """Return the favorites of an owner (in a thread), by blob name."""
        marks = {
            blob.name: json.loads(blob.content) for blob in iterate_blobs(self._memory.blobs(owner=owner), FAVORITE_PREFIX)
        }
        return {name: mark for name, mark in marks.items() if thread_id in (None, mark["thread"])}

    def _sessions(self, owner: str) -> set[str]:
        """Return all sessions of an owner, including those that only have blobs."""
        found = set(self._memory.blobs(owner=owner).sessions())
        for status in SessionStatus:
            found.update(session.id for session in _pages(self._memory, owner, status))
        return found

    def _steps(self, thread_id: str, place: ThreadLocation) -> ThreadSteps:
        return ThreadSteps(thread_id, self._chat(place), self._blob_store(place))

    def _chat(self, place: ThreadLocation) -> Chat:
        return self._memory.chat(owner=place.owner, session=place.session)

    def _blob_store(self, place: ThreadLocation) -> BlobStore:
        return self._memory.blobs(owner=place.owner, session=place.session)


class _SessionFilter:
    """The sessions of an owner that contain a text and have feedback of a value."""

    def __init__(self, memory: Memory, owner: str, search: str | None, feedback: int | None) -> None:
        self._memory = memory
        self._owner = owner
        self._search = (search or "").strip()
        self._feedback = feedback
        found = SearchHits()
        if self._search:
            found = memory.search(self._search, owner=owner, mode="words", plain=True, limit=10 * LIST_LIMIT)
        self._found = {hit.session for hit in found} | {one.session for hit in found for one in hit.also}

    def page(self, first: int, cursor: str | None) -> tuple[list[Session], str | None]:
        """Return one page of sessions and the cursor of the next page, if there is one."""
        found: list[Session] = []
        while len(found) < first:
            page = self._memory.sessions(owner=self._owner, limit=first - len(found), cursor=cursor)
            found += [session for session in page if self._is_match(session)]
            cursor = page.next
            if cursor is None:
                break
        return found, cursor

    def _is_match(self, session: Session) -> bool:
        if self._search and session.id not in self._found and self._search.lower() not in (session.title or "").lower():
            return False
        if self._feedback is None:
            return True
        given = list_feedback(self._memory.blobs(owner=self._owner, session=session.id))
        return any(one["value"] == self._feedback for one in given)


def _pages(memory: Memory, owner: str, status: str) -> Iterator[Session]:
    page = memory.sessions(owner=owner, status=status, limit=LIST_LIMIT)
    yield from page
    while page.next is not None:
        page = memory.sessions(owner=owner, status=status, limit=LIST_LIMIT, cursor=page.next)
        yield from page


def _merge_session(info: Session, chat: Chat) -> None:
    """Merge the title, tags and metadata of a session into an existing conversation, whose own values take precedence."""
    there = chat.info()
    title, tags, metadata = there.title or info.title, (*there.tags, *info.tags), {**info.metadata, **there.metadata}
    if there.status == SessionStatus.ARCHIVED:
        chat.unarchive()
    if (title, set(tags), metadata) != (there.title, set(there.tags), dict(there.metadata)):
        chat.update(title=title, tags=tags, metadata=metadata)


def _thread_fields(thread_id: str, place: ThreadLocation, info: Session) -> ThreadFields:
    """Return a thread without its steps."""
    return {
        "id": thread_id,
        "createdAt": format_time(info.created_at),
        "name": info.title,
        "userId": place.user,
        "userIdentifier": None if place.user is None else place.owner,
        "tags": list(info.tags),
        "metadata": dict(info.metadata),
    }


def _is_favorite(step: Step) -> bool:
    metadata: dict[str, Any] = step.get("metadata") or {}
    return bool(metadata.get("favorite"))


def _file_keys(elements: Iterable[Element]) -> list[str]:
    return [element["objectKey"] for element in elements if element.get("objectKey")]


def _no_thread(thread_id: str) -> NotFound:
    return NotFound(f"there is no thread {thread_id!r}, or it is another user's")
