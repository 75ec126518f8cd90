"""Conversations of an app that kept them in Firestore before: read as they are, for an import into the same documents.

An import gives each session and message the id of its document, so the ledger finds the app's document there and adds to it
what is ours. The app's own fields stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, cast

from recollect.storage.firestore.address import Address
from recollect.storage.firestore.documents import KEY, OURS
from recollect.storage.firestore.gateway import Fields, Found, Gateway
from recollect.storage.firestore.places import names_at

TOLD = ("metadata", "model", "tool_calls", "tool_call_id", "name", "function_call")
"""Fields of a message that mean the same everywhere."""

_ROLES = ("role", "type", "sender", "author", "from")
_CONTENTS = ("content", "text", "message", "body", "parts")
_TIMES = ("timestamp", "created_at", "createdAt", "created", "time", "sent_at", "sentAt", "date")
_CHANGES = ("updated_at", "updatedAt", "last_activity", "lastActivity", "last_message_at", "lastMessageAt")
_PLACES = ("seq", "sequence", "order", "index", "position")
_ENDS = ("deleted", "purged", "removed")

Progress = Callable[[int, int], None]


class App:
    """Another program's conversations, in the collections that the address names."""

    def __init__(self, address: Address) -> None:
        self._names = names_at(address)
        self._gateway = Gateway(address)
        self.deleted = 0
        """Sessions that the app had deleted, which are left out."""
        self.archived: list[str] = []
        """Sessions that the app had archived."""

    def owners(self) -> list[str]:
        """Everybody who has sessions here."""
        field = self._names.owner_field
        found = self._gateway.select(self._names.sessions, only=[field])
        return sorted({whose for one in found if isinstance(whose := one.fields.get(field), str) and whose})

    def conversations(self, owner: str, progress: Progress | None = None) -> Iterator[str]:
        """Each of an owner's conversations as a line of JSON in OpenAI's shape; those that Recollect began are left out."""
        filters = [(self._names.owner_field, "==", owner)]
        sessions = [one for one in self._gateway.select(self._names.sessions, filters) if _is_theirs(one)]
        for done, session in enumerate(sessions):
            if progress is not None:
                progress(done, len(sessions))
            if _word(session.fields.get("status")) in _ENDS:
                self.deleted += 1
                continue
            made = self._conversation(session)
            if _word(session.fields.get("status")) == "archived":
                self.archived.append(made["id"])
            yield json.dumps(made, ensure_ascii=False, default=_plainly)

    def _conversation(self, session: Found) -> Fields:
        document = session.path.rpartition("/")[2]
        found = [one for one in self._gateway.select(self._names.messages(document)) if _is_theirs(one)]
        return {
            "id": document,
            "title": _first(session.fields, ("title", "name")),
            "created_at": _first(session.fields, _TIMES),
            "updated_at": _first(session.fields, _CHANGES),
            "messages": [_message(one) for one in sorted(found, key=_order)],
        }

    def close(self) -> None:
        """Gives back the connection."""
        self._gateway.close()


def _is_theirs(found: Found) -> bool:
    """Whether an app made a document, also if it was adopted since."""
    return KEY not in found.fields or found.fields[OURS].get("own") is not None


def _message(found: Found) -> Fields:
    """A message in OpenAI's shape; LangChain has its content one level deeper."""
    data = found.fields.get("data")
    fields = {**found.fields, **cast(Fields, data)} if isinstance(data, dict) else found.fields
    made = {name: fields[name] for name in TOLD if fields.get(name)}
    return {
        **made,
        "id": found.path.rpartition("/")[2],
        "role": _first(fields, _ROLES),
        "content": _first(fields, _CONTENTS),
        "timestamp": _first(fields, _TIMES),
    }


def _order(found: Found) -> tuple[float, float, str]:
    """By the place that the app gave it, then by its moment."""
    place = _first(found.fields, _PLACES)
    return (float(place) if isinstance(place, int | float) else 0.0, _seconds(_first(found.fields, _TIMES)), found.path)


def _seconds(value: Any) -> float:
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, int | float):
        return float(value)
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError):
        return 0.0


def _first(fields: Fields, names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), None)


def _word(value: object) -> str:
    return value.lower() if isinstance(value, str) else ""


def _plainly(value: Any) -> Any:
    """What JSON has no word for: moments as text, references by their path, bytes not at all."""
    if isinstance(value, datetime):
        return value.isoformat()
    return None if isinstance(value, bytes) else str(getattr(value, "path", value))
