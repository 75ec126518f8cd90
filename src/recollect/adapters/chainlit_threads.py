"""The threads of Chainlit in a memory: each is a conversation of its user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from recollect.adapters.chainlit_messages import Element, Step, when, written
from recollect.adapters.chainlit_register import Place, Register
from recollect.adapters.chainlit_steps import FEEDBACK, Steps, blobs, loaded
from recollect.chat import Chat
from recollect.drawer import AT_ONCE, Drawer
from recollect.errors import NotFound, RevisionConflict
from recollect.memory import Memory
from recollect.types import Draft, Hits, Message, Session

Thread = dict[str, Any]

FAVORITE = "chainlit/favorite/"
"""Names in the drawer of a user, of steps that he likes to have at hand."""


class Threads:
    """Threads of all users. Those without one are conversations of `owner`, who also has the register."""

    def __init__(self, memory: Memory, owner: str) -> None:
        self._memory = memory
        self._owner = owner
        self.register = Register(memory.drawer(owner=owner), owner)

    def update(
        self,
        thread_id: str,
        name: str | None,
        user_id: str | None,
        metadata: Mapping[str, Any] | None,
        tags: Iterable[str] | None,
    ) -> None:
        """Changes what is given. Of the metadata, None removes an entry, and what is not named stays."""
        by = None if user_id is None else self.register.identifier(user_id)
        if user_id is not None and by is None:
            raise NotFound(f"there is no user {user_id!r}")
        place = self._made(thread_id, by)
        if by is not None and place.user != user_id:
            place = self._moved(thread_id, place, Place(by, place.session, user_id))
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
        return "" if place is None or place.user is None else place.owner

    def list(
        self, user_id: str | None, search: str | None, feedback: int | None, first: int, cursor: str | None
    ) -> tuple[list[Thread], str | None]:
        """Threads of a user (None: those without one), newest activity first, and the cursor of those behind them."""
        owner = self._owner if user_id is None else self.register.identifier(user_id)
        if owner is None:
            return [], None
        chosen = _Chosen(self._memory, owner, search, feedback)
        found, cursor = chosen.page(first, cursor)
        ids = self.register.thread_ids(user_id, [session.id for session in found])
        more = cursor if cursor is not None and chosen.page(1, cursor)[0] else None
        shown = [session for session in found if session.id in ids]
        heads = [_head(ids[session.id], Place(owner, session.id, user_id), session) for session in shown]
        return [{**head, "steps": [], "elements": []} for head in heads], more

    def erase(self, thread_id: str) -> list[str]:
        """Removes a thread for good; returns the keys of its files."""
        place, found = self.register.place(thread_id), self.thread(thread_id)
        if place is None:
            return []
        steps: list[Step] = found["steps"] if found else []
        elements: list[Element] = found["elements"] if found else []
        with suppress(NotFound):
            self._memory.erase(owner=place.owner, session=place.session)
        ids = [step["id"] for step in steps]
        self._memory.drawer(owner=place.owner).put({FAVORITE + id: None for id in ids})
        self.register.forget("step", ids)
        self.register.forget("element", [element["id"] for element in elements])
        self.register.forget("feedback", [step["feedback"]["id"] for step in steps if step.get("feedback")])
        self.register.forget("thread", [thread_id])
        return _keys(elements)

    def erase_user(self, identifier: str) -> list[str]:
        """Removes a user with all that is his, for good; returns the keys of his files."""
        user_id, keys, cursor = self.register.note_user(identifier), list[str](), None
        while True:
            heads, cursor = self.list(user_id, None, None, AT_ONCE, cursor)
            keys += [key for head in heads for key in self.erase(head["id"])]
            if cursor is None:
                break
        self._memory.erase(owner=identifier)
        self.register.forget("user", [user_id])
        return keys

    # -- steps

    def save_step(self, step: Step, by: str | None, *, new: bool) -> None:
        """Keeps a step, or what has changed of it. A thread that is not there yet is made for `by`."""
        thread_id = step["threadId"]
        place = self._made(thread_id, by)
        before, now = self._steps(thread_id, place).save(step, new=new)
        if _is_favorite(before) != _is_favorite(now):
            mark = thread_id.encode() if _is_favorite(now) else None
            self._memory.drawer(owner=place.owner).put({FAVORITE + step["id"]: mark})

    def erase_step(self, id: str, thread_id: str | None) -> list[str]:
        """Removes a step for good; returns the keys of its files. One of another door is looked for in a thread."""
        note = self.register.find("step", id) or {"thread": thread_id}
        place = self.register.place(note["thread"] or "")
        if place is None:
            return []
        self._memory.drawer(owner=place.owner).put({FAVORITE + id: None})
        return _keys(self._steps(note["thread"], place).erase(id))

    def favorites(self, user_id: str) -> list[Step]:
        """The steps that a user likes to have at hand, newest first."""
        owner = self.register.identifier(user_id)
        if owner is None:
            return []
        marks = {blob.name: blob.content.decode() for blob in blobs(self._memory.drawer(owner=owner), FAVORITE)}
        threads = [self.thread(id) for id in set(marks.values()) if self.author(id) == owner]
        steps: list[Step] = [step for thread in threads if thread for step in thread["steps"]]
        chosen = [step for step in steps if FAVORITE + step["id"] in marks and _is_favorite(step)]
        return sorted(chosen, key=when, reverse=True)

    def save_element(self, element: Element, by: str | None) -> None:
        """Keeps an element. A thread that is not there yet is made for `by`."""
        thread_id = element["threadId"]
        self._steps(thread_id, self._made(thread_id, by)).save_element(element)

    def element(self, thread_id: str, id: str) -> Element | None:
        """One element of a thread."""
        elements: list[Element] = (self.thread(thread_id) or {"elements": []})["elements"]
        return next((one for one in elements if one["id"] == id), None)

    def erase_element(self, id: str, thread_id: str | None) -> list[str]:
        """Removes an element for good; returns the key of its file, if it has one."""
        note = self.register.find("element", id)
        if note is None or thread_id not in (None, note["thread"]):
            return []
        place = self.register.place(note["thread"])
        return [] if place is None else _keys(self._steps(note["thread"], place).erase_element(id, note["step"]))

    def save_feedback(self, id: str, step: str, thread_id: str | None, value: int, comment: str | None) -> None:
        """Keeps what a user thinks of a step."""
        thread_id = thread_id or (self.register.find("step", step) or {}).get("thread")
        place = self.register.place(thread_id or "")
        if thread_id is None or place is None:
            raise NotFound(f"there is no step {step!r} to have an opinion of")
        self._steps(thread_id, place).save_feedback(id, step, value, comment)

    def erase_feedback(self, id: str) -> bool:
        """Removes it for good. Whether it was there."""
        note = self.register.find("feedback", id)
        place = None if note is None else self.register.place(note["thread"])
        if note is None or place is None:
            return False
        self._steps(note["thread"], place).erase_feedback(id, note["step"])
        return True

    # -- where threads are

    def _made(self, thread_id: str, by: str | None) -> Place:
        """Where a thread is. One that is not there yet is made: for the user `by`, or for nobody."""
        found = self.register.place(thread_id)
        if found is None:
            user = None if by is None else self.register.note_user(by)
            found = Place(by or self._owner, thread_id, user)
            self._memory.chat(owner=found.owner, session=thread_id, create=True)
            self.register.note("thread", {thread_id: {"user": user}})
        return found

    def _moved(self, thread_id: str, old: Place, new: Place) -> Place:
        """Gives a thread to another owner: a copy is made, and then the other erased."""
        source = self._chat(old)
        info = source.info()
        target = self._memory.chat(
            owner=new.owner, session=new.session, create=True, title=info.title, tags=info.tags, metadata=info.metadata,
            system_prompt=info.system_prompt, created_at=info.created_at,
        )  # fmt: skip
        if not target.messages(last=1):  # else this was begun before
            target.add_many([_copied(message) for message in source.messages()])
        self._drawer(new).put({blob.name: blob.content for blob in blobs(self._drawer(old), "")})
        self._steps(thread_id, new).note_all()
        self.register.note("thread", {thread_id: {"user": new.user}})
        source.erase()
        return new

    def _steps(self, thread_id: str, place: Place) -> Steps:
        return Steps(thread_id, self._chat(place), self._drawer(place), self.register)

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
        words = self._search.lstrip("-").strip()  # a query that begins so would say what not to find
        hits = memory.search(words, owner=owner, mode="words", limit=10 * AT_ONCE) if words else Hits()
        self._found = {hit.session for hit in hits} | {one.session for hit in hits for one in hit.also}

    def page(self, first: int, cursor: str | None) -> tuple[list[Session], str | None]:
        """So many of them, and the cursor behind them."""
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
        given = loaded(self._memory.drawer(owner=self._owner, session=session.id), FEEDBACK)
        return any(one["value"] == self._feedback for one in given.values())


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


def _copied(message: Message) -> Draft:
    return Draft(
        message.role, message.content, None, message.tool_calls, message.tool_call_id, message.name, message.metadata,
        message.importance, message.pinned, message.created_at, message.private,
    )  # fmt: skip


def _keys(elements: Iterable[Element]) -> list[str]:
    return [element["objectKey"] for element in elements if element.get("objectKey")]
