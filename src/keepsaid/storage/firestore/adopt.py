"""Reads the conversations that another app keeps in Firestore, for an import into the same documents.

An import gives each session and message the id of its document, so the ledger finds the app's document and adds our fields
to it. The app's own fields stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, cast

from keepsaid.storage.firestore.document_names import document_paths_for
from keepsaid.storage.firestore.documents import INTERNAL, KEY
from keepsaid.storage.firestore.gateway import Fields, FirestoreDocument, FirestoreGateway
from keepsaid.storage.firestore.options import FirestoreOptions

SHARED_FIELDS = ("metadata", "model", "tool_calls", "tool_call_id", "name", "function_call")
"""Fields of a message that have the same meaning in OpenAI's format."""

_ROLES = ("role", "type", "sender", "author", "from")
_CONTENTS = ("content", "text", "message", "body", "parts")
_TIMES = ("timestamp", "created_at", "createdAt", "created", "time", "sent_at", "sentAt", "date")
_CHANGES = ("updated_at", "updatedAt", "last_activity", "lastActivity", "last_message_at", "lastMessageAt")
_POSITIONS = ("seq", "sequence", "order", "index", "position")
_DELETED_STATUSES = ("deleted", "purged", "removed")

AdoptionProgress = Callable[[int, int], None]


class AppConversationReader:
    """Reads another app's conversations from the collections that the options name."""

    def __init__(self, address: FirestoreOptions) -> None:
        self._names = document_paths_for(address)
        self._gateway = FirestoreGateway(address)
        self.deleted_count = 0
        """Number of sessions that the app had deleted, which are skipped."""
        self.archived_ids: list[str] = []
        """Ids of sessions that the app had archived."""

    def owners(self) -> list[str]:
        """Every owner who has sessions."""
        field = self._names.owner_field
        found = self._gateway.select(self._names.sessions, only=[field])
        return sorted({owner for one in found if isinstance(owner := one.fields.get(field), str) and owner})

    def conversations(self, owner: str, progress: AdoptionProgress | None = None) -> Iterator[str]:
        """Yield each of an owner's conversations as a line of JSON in OpenAI's format, except those that Keepsaid
        created."""
        filters = [(self._names.owner_field, "==", owner)]
        sessions = [one for one in self._gateway.select(self._names.sessions, filters) if _is_app_document(one)]
        for done, session in enumerate(sessions):
            if progress is not None:
                progress(done, len(sessions))
            if _lower_text(session.fields.get("status")) in _DELETED_STATUSES:
                self.deleted_count += 1
                continue
            conversation = self._conversation(session)
            if _lower_text(session.fields.get("status")) == "archived":
                self.archived_ids.append(conversation["id"])
            yield json.dumps(conversation, ensure_ascii=False, default=_json_default)

    def _conversation(self, session: FirestoreDocument) -> Fields:
        document = session.path.rpartition("/")[2]
        found = [one for one in self._gateway.select(self._names.messages(document)) if _is_app_document(one)]
        return {
            "id": document,
            "title": _first(session.fields, ("title", "name")),
            "created_at": _first(session.fields, _TIMES),
            "updated_at": _first(session.fields, _CHANGES),
            "messages": [_message(one) for one in sorted(found, key=_order)],
        }

    def close(self) -> None:
        """Close the connection."""
        self._gateway.close()


def _is_app_document(found: FirestoreDocument) -> bool:
    """Whether the app created a document, even if it was adopted since."""
    return KEY not in found.fields or found.fields[INTERNAL].get("own") is not None


def _message(found: FirestoreDocument) -> Fields:
    """Convert a message to OpenAI's format. LangChain nests its fields in `data`."""
    data = found.fields.get("data")
    fields = {**found.fields, **cast(Fields, data)} if isinstance(data, dict) else found.fields
    conversation = {name: fields[name] for name in SHARED_FIELDS if fields.get(name)}
    return {
        **conversation,
        "id": found.path.rpartition("/")[2],
        "role": _first(fields, _ROLES),
        "content": _first(fields, _CONTENTS),
        "timestamp": _first(fields, _TIMES),
    }


def _order(found: FirestoreDocument) -> tuple[float, float, str]:
    """Sort key: the app's own position, then the time."""
    place = _first(found.fields, _POSITIONS)
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


def _lower_text(value: object) -> str:
    return value.lower() if isinstance(value, str) else ""


def _json_default(value: Any) -> Any:
    """Convert values that JSON does not have: times to text, references to their path, bytes to null."""
    if isinstance(value, datetime):
        return value.isoformat()
    return None if isinstance(value, bytes) else str(getattr(value, "path", value))
