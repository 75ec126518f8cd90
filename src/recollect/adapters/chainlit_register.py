"""Whose threads are: Chainlit names threads, steps and users by ids alone, and everything here has an owner.

The register lies in a drawer. It has ids and the identifiers of users, and nothing that anybody said.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from recollect.drawer import Drawer

NAMES = "chainlit/register/"
NOBODY = "nobody"
"""What stands for the user in the name of a session that has none."""


class Place(NamedTuple):
    """Where a thread is. `user` is the id of whose it is, None for one without a user."""

    owner: str
    session: str
    user: str | None


def user_id_of(identifier: str) -> str:
    """The id that a user has in Chainlit.

    >>> user_id_of("ana") == user_id_of("ana") != user_id_of("ben")
    True
    """
    return str(uuid5(NAMESPACE_URL, f"recollect:chainlit:{identifier}"))


class Register:
    """Users, threads, steps, elements and feedback, by id. `owner` is whose the threads without a user are."""

    def __init__(self, drawer: Drawer, owner: str) -> None:
        self._drawer = drawer
        self._owner = owner

    def find(self, kind: str, id: str) -> dict[str, Any] | None:
        """What is noted under an id."""
        name = _name(kind, id)
        blob = self._drawer.get(name).get(name)
        return None if blob is None else json.loads(blob.content)

    def note(self, kind: str, notes: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Notes something under each id, or nothing any more (None)."""
        self._drawer.put(
            {_name(kind, id): None if note is None else json.dumps(note).encode() for id, note in notes.items()}
        )

    def forget(self, kind: str, ids: Iterable[str]) -> None:
        """Forgets what is noted under each id."""
        self.note(kind, dict.fromkeys(ids))

    def note_user(self, identifier: str) -> str:
        """Notes a user; returns his id."""
        id = user_id_of(identifier)
        self.note("user", {id: {"identifier": identifier}})
        return id

    def identifier(self, user_id: str) -> str | None:
        """Who has an id."""
        note = self.find("user", user_id)
        return None if note is None else note["identifier"]

    def place(self, thread_id: str) -> Place | None:
        """Where a thread is."""
        note = self.find("thread", thread_id)
        if note is None:
            return self._elsewhere(thread_id)
        owner = self._owner if note["user"] is None else self.identifier(note["user"])
        return None if owner is None else Place(owner, thread_id, note["user"])

    def thread_ids(self, user_id: str | None, sessions: Iterable[str]) -> dict[str, str]:
        """What the sessions of a user (None: of nobody) are called in Chainlit: by their own id, if they began there."""
        names = {_name("thread", session): session for session in sessions}
        noted = {names[name]: json.loads(blob.content)["user"] for name, blob in self._drawer.get(*names).items()}
        found: dict[str, str] = {}
        for session in names.values():
            if noted.get(session, "") == user_id:
                found[session] = session
            elif session not in noted or (noted[session] is not None and user_id is not None):
                found[session] = f"{user_id or NOBODY}.{base64.urlsafe_b64encode(session.encode()).decode().rstrip('=')}"
        return found

    def _elsewhere(self, thread_id: str) -> Place | None:
        """The place of a session that began by another door: its name says whose it is."""
        user_id, dot, packed = thread_id.partition(".")
        owner = self._owner if user_id == NOBODY else self.identifier(user_id)
        if owner is None or not dot:
            return None
        try:
            session = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
        except (binascii.Error, ValueError):
            return None
        return Place(owner, session, None if user_id == NOBODY else user_id) if session else None


def _name(kind: str, id: str) -> str:
    return f"{NAMES}{kind}/{id}"
