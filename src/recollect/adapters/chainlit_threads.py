"""The threads of Chainlit in a memory: each is a conversation of its user."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from recollect.adapters.chainlit_messages import Element, Step, when, written
from recollect.adapters.chainlit_moves import carry, carry_blobs
from recollect.adapters.chainlit_register import Place, Register, named
from recollect.adapters.chainlit_steps import Steps, elements_in, feedback_in, steps_in
from recollect.adapters.common import all_blobs
from recollect.chat import Chat
from recollect.drawer import AT_ONCE, Drawer
from recollect.errors import NotFound, RevisionConflict
from recollect.memory import Memory
from recollect.types import Hits, Session, Status

Thread = dict[str, Any]

FAVORITE = "chainlit/favorite/"
"""Names in the drawer of a user, of steps that he likes to have at hand."""


class Actor(NamedTuple):
    """Who asks for something, and the thread that he is in, as far as Chainlit tells."""

    user: str | None = None
    thread: str | None = None


class Threads:
    """Threads of all users. Those without one are conversations of `owner`, who also has the register."""

    def __init__(self, memory: Memory, owner: str) -> None:
        self._memory = memory
        self._owner = owner
        self.register = Register(memory, owner)

    def admit(self, thread_id: str, actor: Actor) -> Place | None:
        """Where a thread is, if it is there. Who is known not to be its user does not get to know that."""
        place = self.register.place(thread_id)
        if place is None or actor.user is None:
            return place
        # What began in Chainlit may belong to nobody because it has just begun.
        open_to_him = place.session == thread_id if place.user is None else place.owner == actor.user
        if not open_to_him:
            raise _no_thread(thread_id)
        return place

    def update(
        self,
        thread_id: str,
        name: str | None,
        user_id: str | None,
        metadata: Mapping[str, Any] | None,
        tags: Iterable[str] | None,
        actor: Actor,
    ) -> None:
        """Changes what is given. Of the metadata, None removes an entry, and what is not named stays."""
        by = None if user_id is None else self.register.identifier(user_id)
        if user_id is not None and by is None:
            raise NotFound(f"there is no user {user_id!r}")
        place = self._made(thread_id, actor, by)
        if by is not None and by != place.owner:
            place = self._given(thread_id, place, by)
        self._settled(thread_id, place)
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

    def thread(self, thread_id: str) -> Thread | None:
        """A thread with its steps and elements; None if there is none."""
        place = self.register.place(thread_id)
        if place is None:
            return None
        try:
            steps, elements = self._steps(thread_id, place).all()
            return {**_head(thread_id, place, self._chat(place).info()), "steps": steps, "elements": elements}
        except NotFound:
            return None

    def author(self, thread_id: str) -> str:
        """Who a thread belongs to; nothing if there is none, or if it has no user."""
        place = self.register.place(thread_id)
        if place is None or place.user is None:
            return ""
        with suppress(NotFound):
            return self._chat(place).owner
        return ""

    def list(
        self, user_id: str | None, search: str | None, feedback: int | None, first: int, cursor: str | None
    ) -> tuple[list[Thread], str | None]:
        """Threads of a user (None: those without one), newest activity first, and the cursor of those behind them."""
        owner = self._owner if user_id is None else self.register.identifier(user_id)
        if owner is None:
            return [], None
        found, cursor = _Chosen(self._memory, owner, search, feedback).page(first, cursor)
        ids = self.register.thread_ids(user_id, [session.id for session in found])
        heads = [_head(ids[session.id], Place(owner, session.id, user_id), session) for session in found]
        return [{**head, "steps": [], "elements": []} for head in heads], cursor

    def erase(self, thread_id: str) -> list[str]:
        """Removes a thread for good; returns the keys of its files."""
        place = self.register.place(thread_id)
        if place is None:
            return []
        self._settled(thread_id, place)
        return self._erased(thread_id, place)

    def erase_user(self, identifier: str) -> list[str]:
        """Removes a user with all that is his, for good; returns the keys of his files."""
        user_id = self.register.enrol(identifier)
        ids = self.register.thread_ids(user_id, self._sessions(identifier))
        keys = [key for session, id in ids.items() for key in self._erased(id, Place(identifier, session, user_id))]
        self._memory.erase(owner=identifier)
        self.register.forget("user", [user_id])
        return keys

    # -- steps

    def save_step(self, step: Step, actor: Actor, *, new: bool) -> None:
        """Keeps a step, or what has changed of it. A thread that is not there yet is made."""
        id, thread_id = step["id"], step["threadId"]
        place = self._made(thread_id, actor)
        saved = self._steps(thread_id, place).save(step, new=new)
        if saved.first:
            self.register.note_first("step", id, {"thread": thread_id})
        if _is_favorite(saved.before) != _is_favorite(saved.now):
            mark = json.dumps({"step": id, "thread": thread_id}).encode() if _is_favorite(saved.now) else None
            self._memory.drawer(owner=place.owner).put({FAVORITE + named(id): mark})

    def erase_step(self, id: str, actor: Actor) -> list[str]:
        """Removes a step for good; returns the keys of its files. It is looked for in the thread at hand first."""
        thread_id, place = self._home(id, actor)
        if place is None:
            return []
        drawer = self._drawer(place)
        elements, feedback = elements_in(drawer, id), feedback_in(drawer, id)
        self._steps(thread_id, place).erase(id)
        self._memory.drawer(owner=place.owner).put({FAVORITE + named(id): None})
        self.register.forget("step", [id], thread_id)
        self.register.forget("feedback", [one["id"] for one in feedback], thread_id)
        return _keys(elements)

    def favorites(self, user_id: str) -> list[Step]:
        """The steps that a user likes to have at hand, newest first."""
        owner = self.register.identifier(user_id)
        if owner is None:
            return []
        marks = {mark["step"]: mark["thread"] for mark in self._marks(owner).values()}
        threads = [self.thread(id) for id in set(marks.values()) if self.author(id) == owner]
        steps: list[Step] = [step for thread in threads if thread for step in thread["steps"]]
        chosen = [step for step in steps if step["id"] in marks and _is_favorite(step)]
        return sorted(chosen, key=when, reverse=True)

    def save_element(self, element: Element, actor: Actor) -> None:
        """Keeps an element. A thread that is not there yet is made."""
        thread_id = element["threadId"]
        self._steps(thread_id, self._made(thread_id, actor)).save_element(element)

    def element(self, thread_id: str, id: str) -> Element | None:
        """One element of a thread."""
        elements: list[Element] = (self.thread(thread_id) or {"elements": []})["elements"]
        return next((one for one in elements if one["id"] == id), None)

    def erase_element(self, id: str, thread_id: str | None, actor: Actor) -> list[str]:
        """Removes an element of a thread (None: of the one at hand) for good; returns the key of its file, if it has one."""
        thread_id = thread_id or actor.thread or ""
        place = self.admit(thread_id, actor)
        if place is None:
            return []
        found = [one for one in elements_in(self._drawer(place)) if one["id"] == id]
        for one in found:
            self._steps(thread_id, place).erase_element(one)
        return _keys(found)

    def save_feedback(
        self, id: str, step: str, thread_id: str | None, value: int, comment: str | None, actor: Actor
    ) -> None:
        """Keeps what a user thinks of a step."""
        home: str = thread_id or (self.register.find("step", step) or {"thread": ""})["thread"]
        place = self.admit(home, actor)
        if place is None or not self.register.note_first("feedback", id, {"thread": home, "step": step}):
            raise NotFound(f"there is no step {step!r} to have an opinion of, or this one is of another step")
        before = feedback_in(self._drawer(place), step)
        self._steps(home, place).save_feedback(id, step, value, comment)
        self.register.forget("feedback", [one["id"] for one in before if one["id"] != id])

    def erase_feedback(self, id: str, actor: Actor) -> bool:
        """Removes it for good. Whether it was there."""
        note = self.register.find("feedback", id)
        place = None if note is None else self.admit(note["thread"], actor)
        if note is None or place is None:
            return False
        self._steps(note["thread"], place).erase_feedback(note["step"])
        self.register.forget("feedback", [id])
        return True

    # -- where threads are

    def _made(self, thread_id: str, actor: Actor, user: str | None = None) -> Place:
        """Where a thread is. One that is not there yet is made: for the user, or who is in it, or for nobody."""
        found = self.admit(thread_id, actor)
        if found is not None:
            return found
        if self.register.is_reserved(thread_id):
            raise _no_thread(thread_id)
        user = user or (actor.user if actor.thread == thread_id else None)
        place = Place(user or self._owner, thread_id, None if user is None else self.register.enrol(user))
        self._memory.chat(owner=place.owner, session=thread_id, create=True)
        if self.register.note_first("thread", thread_id, {"user": place.user}):
            return place
        made = self.admit(thread_id, actor)  # another worker has made it just now, for whomever
        if made is None:
            raise _no_thread(thread_id)
        return made

    def _given(self, thread_id: str, old: Place, user: str) -> Place:
        """Gives a thread of nobody to a user: it is copied. What it was copied from goes when it is `_settled`."""
        if old.user is not None or old.session != thread_id:
            raise _no_thread(thread_id)
        new = Place(user, thread_id, self.register.enrol(user), moving=True)
        source = self._chat(old)
        info = source.info()
        target = self._memory.chat(
            owner=new.owner, session=new.session, create=True, title=info.title, tags=info.tags, metadata=info.metadata,
            system_prompt=info.system_prompt, created_at=info.created_at,
        )  # fmt: skip
        _become_one(info, target)
        carry_blobs(self._drawer(old), self._drawer(new), carry(source, target))
        marks = {name: json.dumps(mark).encode() for name, mark in self._marks(old.owner, thread_id).items()}
        self._memory.drawer(owner=new.owner).put(marks)
        self._memory.drawer(owner=old.owner).put(dict.fromkeys(marks))
        self.register.note("thread", thread_id, {"user": new.user, "moving": True})
        return new

    def _settled(self, thread_id: str, place: Place) -> None:
        """Of a thread that got a user, nothing stays where it was before."""
        if place.moving:
            with suppress(NotFound):
                self._memory.erase(owner=self._owner, session=place.session)
            self.register.note("thread", thread_id, {"user": place.user})

    def _home(self, step: str, actor: Actor) -> tuple[str, Place | None]:
        """The thread of a step: the one at hand, unless the step came in by another."""
        here = None if actor.thread is None else self.admit(actor.thread, actor)
        note = self.register.find("step", step)
        if note is None or note["thread"] == actor.thread:
            return actor.thread or "", here
        if actor.thread is not None and here is not None and self._steps(actor.thread, here).has(step):
            return actor.thread, here
        return note["thread"], self.admit(note["thread"], actor)

    def _erased(self, thread_id: str, place: Place) -> list[str]:
        drawer = self._drawer(place)
        steps, feedback, elements = steps_in(drawer), feedback_in(drawer), elements_in(drawer)
        with suppress(NotFound):
            self._memory.erase(owner=place.owner, session=place.session)
        self._memory.drawer(owner=place.owner).put(dict.fromkeys(self._marks(place.owner, thread_id)))
        self.register.forget("step", steps, thread_id)
        self.register.forget("feedback", [one["id"] for one in feedback], thread_id)
        if place.session == thread_id:
            self.register.forget("thread", [thread_id])
        return _keys(elements)

    def _marks(self, owner: str, thread_id: str | None = None) -> dict[str, dict[str, Any]]:
        """The favorites of an owner (in a thread), by the names of their blobs."""
        marks = {blob.name: json.loads(blob.content) for blob in all_blobs(self._memory.drawer(owner=owner), FAVORITE)}
        return {name: mark for name, mark in marks.items() if thread_id in (None, mark["thread"])}

    def _sessions(self, owner: str) -> set[str]:
        """Every session of an owner, and every one beside which something of his lies."""
        found = set(self._memory.drawer(owner=owner).sessions())
        for status in Status:
            found.update(session.id for session in _pages(self._memory, owner, status))
        return found

    def _steps(self, thread_id: str, place: Place) -> Steps:
        return Steps(thread_id, self._chat(place), self._drawer(place))

    def _chat(self, place: Place) -> Chat:
        return self._memory.chat(owner=place.owner, session=place.session)

    def _drawer(self, place: Place) -> Drawer:
        return self._memory.drawer(owner=place.owner, session=place.session)


class _Chosen:
    """The sessions of an owner in which a text occurs, and in which something was rated so."""

    def __init__(self, memory: Memory, owner: str, search: str | None, feedback: int | None) -> None:
        self._memory = memory
        self._owner = owner
        self._search = (search or "").strip()
        self._feedback = feedback
        found = Hits()
        if self._search:
            found = memory.search(self._search, owner=owner, mode="words", plain=True, limit=10 * AT_ONCE)
        self._found = {hit.session for hit in found} | {one.session for hit in found for one in hit.also}

    def page(self, first: int, cursor: str | None) -> tuple[list[Session], str | None]:
        """So many of them, and the cursor of those that come behind them, if any do."""
        found: list[Session] = []
        while len(found) < first:
            page = self._memory.sessions(owner=self._owner, limit=first - len(found), cursor=cursor)
            found += [session for session in page if self._fits(session)]
            cursor = page.next
            if cursor is None:
                break
        return found, cursor

    def _fits(self, session: Session) -> bool:
        if self._search and session.id not in self._found and self._search.lower() not in (session.title or "").lower():
            return False
        if self._feedback is None:
            return True
        given = feedback_in(self._memory.drawer(owner=self._owner, session=session.id))
        return any(one["value"] == self._feedback for one in given)


def _pages(memory: Memory, owner: str, status: str) -> Iterator[Session]:
    page = memory.sessions(owner=owner, status=status, limit=AT_ONCE)
    yield from page
    while page.next is not None:
        page = memory.sessions(owner=owner, status=status, limit=AT_ONCE, cursor=page.next)
        yield from page


def _become_one(info: Session, chat: Chat) -> None:
    """A conversation that is there already keeps what it has, and gets what it has not."""
    there = chat.info()
    title, tags, metadata = there.title or info.title, (*there.tags, *info.tags), {**info.metadata, **there.metadata}
    if there.status == Status.ARCHIVED:
        chat.unarchive()
    if (title, set(tags), metadata) != (there.title, set(there.tags), dict(there.metadata)):
        chat.update(title=title, tags=tags, metadata=metadata)


def _head(thread_id: str, place: Place, info: Session) -> Thread:
    """A thread without its steps."""
    return {
        "id": thread_id,
        "createdAt": written(info.created_at),
        "name": info.title,
        "userId": place.user,
        "userIdentifier": None if place.user is None else place.owner,
        "tags": list(info.tags),
        "metadata": dict(info.metadata),
    }


def _is_favorite(step: Step) -> bool:
    metadata: dict[str, Any] = step.get("metadata") or {}
    return bool(metadata.get("favorite"))


def _keys(elements: Iterable[Element]) -> list[str]:
    return [element["objectKey"] for element in elements if element.get("objectKey")]


def _no_thread(thread_id: str) -> NotFound:
    return NotFound(f"there is no thread {thread_id!r}, or it is another user's")
