"""Whose threads are: Chainlit names threads, steps and users by ids alone, and everything here has an owner.

The register lies in a drawer of the layer's owner, so it says nothing to who reads it there: a note lies under a hash of the
id that it is about, and is sealed with that id. The ids themselves are in the memory of the user. When he is erased, by
whatever door, they are gone, and nobody can tell any more what the notes said.
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256, shake_256
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from recollect.engine.hygiene import clean_name
from recollect.errors import InvalidInput, RevisionConflict

if TYPE_CHECKING:
    from recollect.memory import Memory

Note = Mapping[str, Any]

NAMES = "chainlit/register/"
ID = "chainlit/id"
"""The blob that has the id of a user, in his own drawer."""

NOBODY = "nobody"
"""What stands for the user in the name of a session that has none."""

NONCE = 16


class Place(NamedTuple):
    """Where a thread is. `user` is the id of whose it is, None for one without a user."""

    owner: str
    session: str
    user: str | None
    moving: bool = False
    """Whether it has got a user, and may still lie where it was before as well."""


def named(*ids: str) -> str:
    """A name for a blob that is about something with these ids: they may be of any length, and have any characters.

    >>> len(named("s" * 1000))
    64
    """
    return "/".join(sha256(_bytes(id)).hexdigest() for id in ids)


class Register:
    """Users, threads, steps and feedback, by id. `owner` is whose the threads without a user are."""

    def __init__(self, memory: Memory, owner: str) -> None:
        self._memory = memory
        self._owner = owner
        self._drawer = memory.drawer(owner=owner)

    def find(self, kind: str, id: str) -> dict[str, Any] | None:
        """What is noted under an id."""
        name = _name(kind, id)
        blob = self._drawer.get(name).get(name)
        return None if blob is None else _unsealed(id, blob.content)

    def note(self, kind: str, id: str, note: Note) -> None:
        """Notes something under an id."""
        self._drawer.put({_name(kind, id): _sealed(id, note)})

    def note_first(self, kind: str, id: str, note: Note) -> bool:
        """Notes something under an id, unless something is noted there. Whether it is this that is noted now."""
        name = _name(kind, id)
        try:
            self._drawer.put({name: _sealed(id, note)}, expected={name: 0})
        except RevisionConflict:
            return self.find(kind, id) == note
        return True

    def forget(self, kind: str, ids: Iterable[str], thread_id: str | None = None) -> None:
        """Forgets what is noted under each id; with a thread, only what is noted of that: another may use the same id."""
        names = {_name(kind, id): id for id in ids}
        if thread_id is not None:
            blobs = self._drawer.get(*names).items()
            names = {
                name: names[name] for name, blob in blobs if _unsealed(names[name], blob.content)["thread"] == thread_id
            }
        self._drawer.put(dict.fromkeys(names))

    # -- users

    def enrol(self, identifier: str) -> str:
        """The id that a user has in Chainlit: one that cannot be guessed, made when it is first asked for."""
        if identifier == self._owner:
            # Whoever were called so would have the threads of nobody, and the register.
            raise InvalidInput(f"no user can be called {identifier!r}: that is the owner of what belongs to nobody")
        drawer = self._memory.drawer(owner=identifier)
        if not drawer.get(ID):
            with suppress(RevisionConflict):  # he may come in twice at the same time
                drawer.put({ID: str(uuid4()).encode()}, expected={ID: 0})
        id = drawer.get(ID)[ID].content.decode()
        if self.identifier(id) is None:
            self.note("user", id, {"identifier": identifier})
        return id

    def identifier(self, user_id: str) -> str | None:
        """Who has an id."""
        note = self.find("user", user_id)
        return None if note is None else note["identifier"]

    # -- threads

    def place(self, thread_id: str) -> Place | None:
        """Where a thread is."""
        note = self.find("thread", thread_id)
        if note is None:
            return self._elsewhere(thread_id)
        owner = self._owner if note["user"] is None else self.identifier(note["user"])
        return None if owner is None else Place(owner, thread_id, note["user"], note.get("moving", False))

    def thread_ids(self, user_id: str | None, sessions: Iterable[str]) -> dict[str, str]:
        """What the sessions of a user (None: of nobody) are called in Chainlit: by their own id, if they began there."""
        names = {_name("thread", session): session for session in sessions}
        blobs = self._drawer.get(*names).items()
        noted = {names[name]: _unsealed(names[name], blob.content)["user"] for name, blob in blobs}
        return {one: one if noted.get(one, "") == user_id else _packed(user_id, one) for one in names.values()}

    def is_reserved(self, thread_id: str) -> bool:
        """Whether an id names a conversation of another door, be it there or not: no thread can begin with it."""
        user_id, dot, _ = thread_id.partition(".")
        return bool(dot) and (user_id == NOBODY or self.identifier(user_id) is not None)

    def _elsewhere(self, thread_id: str) -> Place | None:
        """The place of a session that began by another door: its name says whose it is."""
        if not self.is_reserved(thread_id):
            return None
        user_id, _, packed = thread_id.partition(".")
        user = None if user_id == NOBODY else user_id
        owner = self._owner if user is None else self.identifier(user)
        try:
            session = clean_name(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode(), "session")
        except (binascii.Error, ValueError):
            return None
        # Every session has one name: one that began in Chainlit has its own.
        if owner is None or self.thread_ids(user, [session])[session] != thread_id:
            return None
        return Place(owner, session, user)


def _packed(user_id: str | None, session: str) -> str:
    return f"{user_id or NOBODY}.{base64.urlsafe_b64encode(session.encode()).decode().rstrip('=')}"


def _name(kind: str, id: str) -> str:
    return f"{NAMES}{kind}/{named(id)}"


# -- notes that only who knows their id can read


def _sealed(id: str, note: Note) -> bytes:
    nonce, words = secrets.token_bytes(NONCE), json.dumps(note).encode()
    return nonce + _crossed(nonce, id, words)


def _unsealed(id: str, content: bytes) -> dict[str, Any]:
    return json.loads(_crossed(content[:NONCE], id, content[NONCE:]))


def _crossed(nonce: bytes, id: str, words: bytes) -> bytes:
    """Words under a key stream that is used for them alone: once more gives them back."""
    stream = shake_256(nonce + _bytes(id)).digest(len(words))
    return bytes(one ^ other for one, other in zip(words, stream, strict=True))


def _bytes(id: str) -> bytes:
    return id.encode(errors="surrogatepass")  # browsers may say anything: it is refused where it is kept
