"""The owners of threads. Chainlit refers to threads, steps and users by id only, but everything in a memory has an owner.

The registry is in a blob store of the layer's owner and does not reveal its content there: an entry is stored under a hash
of the id that it is about, and encrypted with that id. The ids themselves are in the memory of the user. When the user is
erased, through any adapter, the ids are gone, and the entries can no longer be decrypted.
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

from keepsaid.engine.messages.validation import clean_name
from keepsaid.errors import InvalidInput, RevisionConflict

if TYPE_CHECKING:
    from keepsaid.memory import Memory

RegistryEntry = Mapping[str, Any]

REGISTRY_PREFIX = "chainlit/register/"
USER_ID_BLOB = "chainlit/id"
"""Blob in the user's own blob store with the user's id."""

NO_USER = "nobody"
"""Stands for the user id in the thread id of a session without a user."""

NONCE_BYTES = 16


class ThreadLocation(NamedTuple):
    """The owner and session of a thread. `user` is the id of its user, or None."""

    owner: str
    session: str
    user: str | None
    moving: bool = False
    """Whether the thread was given to a user and its original may still exist."""


def hash_ids(*ids: str) -> str:
    """Return a blob name for ids, which may be of any length and have any characters.

    >>> len(hash_ids("s" * 1000))
    64
    """
    return "/".join(sha256(_bytes(id)).hexdigest() for id in ids)


class ThreadRegistry:
    """Encrypted entries for users, threads, steps and feedback, by id. `owner` has the threads without a user."""

    def __init__(self, memory: Memory, owner: str) -> None:
        self._memory = memory
        self._owner = owner
        self._blob_store = memory.blobs(owner=owner)

    def find(self, kind: str, id: str) -> dict[str, Any] | None:
        """Return the entry of an id."""
        name = _name(kind, id)
        blob = self._blob_store.get(name).get(name)
        return None if blob is None else _decrypt(id, blob.content)

    def put(self, kind: str, id: str, note: RegistryEntry) -> None:
        """Save the entry of an id."""
        self._blob_store.put({_name(kind, id): _encrypt(id, note)})

    def put_if_absent(self, kind: str, id: str, note: RegistryEntry) -> bool:
        """Save the entry of an id unless one exists. Return whether the stored entry is now this one."""
        name = _name(kind, id)
        try:
            self._blob_store.put({name: _encrypt(id, note)}, expected={name: 0})
        except RevisionConflict:
            return self.find(kind, id) == note
        return True

    def forget(self, kind: str, ids: Iterable[str], thread_id: str | None = None) -> None:
        """Delete the entries of ids; with a thread, only entries of that thread, since another may use the same id."""
        names = {_name(kind, id): id for id in ids}
        if thread_id is not None:
            blobs = self._blob_store.get(*names).items()
            names = {name: names[name] for name, blob in blobs if _decrypt(names[name], blob.content)["thread"] == thread_id}
        self._blob_store.put(dict.fromkeys(names))

    # -- users

    def register_user(self, identifier: str) -> str:
        """Return the unguessable id of a user in Chainlit; create it at the first call."""
        if identifier == self._owner:
            # A user of this name would own the registry and the threads without a user.
            raise InvalidInput(f"a user cannot be named {identifier!r}: this is the owner of threads without a user")
        blob_store = self._memory.blobs(owner=identifier)
        if not blob_store.get(USER_ID_BLOB):
            with suppress(RevisionConflict):  # the user may log in twice at the same time
                blob_store.put({USER_ID_BLOB: str(uuid4()).encode()}, expected={USER_ID_BLOB: 0})
        id = blob_store.get(USER_ID_BLOB)[USER_ID_BLOB].content.decode()
        if self.find_identifier(id) is None:
            self.put("user", id, {"identifier": identifier})
        return id

    def find_identifier(self, user_id: str) -> str | None:
        """Return the identifier of the user with an id."""
        note = self.find("user", user_id)
        return None if note is None else note["identifier"]

    # -- threads

    def locate(self, thread_id: str) -> ThreadLocation | None:
        """Return the location of a thread; None if it is unknown."""
        note = self.find("thread", thread_id)
        if note is None:
            return self._locate_other_session(thread_id)
        owner = self._owner if note["user"] is None else self.find_identifier(note["user"])
        return None if owner is None else ThreadLocation(owner, thread_id, note["user"], note.get("moving", False))

    def thread_ids(self, user_id: str | None, sessions: Iterable[str]) -> dict[str, str]:
        """Return the Chainlit thread ids of a user's sessions (None: of those without a user): their own id if they began in
        Chainlit."""
        names = {_name("thread", session): session for session in sessions}
        blobs = self._blob_store.get(*names).items()
        noted = {names[name]: _decrypt(names[name], blob.content)["user"] for name, blob in blobs}
        return {one: one if noted.get(one, "") == user_id else _pack_thread_id(user_id, one) for one in names.values()}

    def is_reserved(self, thread_id: str) -> bool:
        """Whether an id refers to a conversation of another adapter, existing or not. New threads cannot have such an id."""
        user_id, dot, _ = thread_id.partition(".")
        return bool(dot) and (user_id == NO_USER or self.find_identifier(user_id) is not None)

    def _locate_other_session(self, thread_id: str) -> ThreadLocation | None:
        """Return the location of a session that began in another adapter; its thread id contains its user."""
        if not self.is_reserved(thread_id):
            return None
        user_id, _, packed = thread_id.partition(".")
        user = None if user_id == NO_USER else user_id
        owner = self._owner if user is None else self.find_identifier(user)
        try:
            session = clean_name(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode(), "session")
        except (binascii.Error, ValueError):
            return None
        # Every session has exactly one thread id; one that began in Chainlit keeps its own.
        if owner is None or self.thread_ids(user, [session])[session] != thread_id:
            return None
        return ThreadLocation(owner, session, user)


def _pack_thread_id(user_id: str | None, session: str) -> str:
    return f"{user_id or NO_USER}.{base64.urlsafe_b64encode(session.encode()).decode().rstrip('=')}"


def _name(kind: str, id: str) -> str:
    return f"{REGISTRY_PREFIX}{kind}/{hash_ids(id)}"


# -- entries that can only be read with their id


def _encrypt(id: str, note: RegistryEntry) -> bytes:
    nonce, words = secrets.token_bytes(NONCE_BYTES), json.dumps(note).encode()
    return nonce + _xor(nonce, id, words)


def _decrypt(id: str, content: bytes) -> dict[str, Any]:
    return json.loads(_xor(content[:NONCE_BYTES], id, content[NONCE_BYTES:]))


def _xor(nonce: bytes, id: str, words: bytes) -> bytes:
    """XOR bytes with a key stream that is used only for them; applying it again restores them."""
    stream = shake_256(nonce + _bytes(id)).digest(len(words))
    return bytes(one ^ other for one, other in zip(words, stream, strict=True))


def _bytes(id: str) -> bytes:
    return id.encode(errors="surrogatepass")  # browsers may send any string; it is validated when saved
