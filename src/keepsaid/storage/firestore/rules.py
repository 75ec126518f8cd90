"""Security rules, and definitions of indexes and TTL, to deploy with the database."""

from __future__ import annotations

from typing import Any

from keepsaid.storage.firestore.document_names import DocumentPaths
from keepsaid.storage.firestore.documents import INTERNAL, PURGE_AT, STATUS

_RULES = """\
rules_version = '2';

// Written by `keepsaid firestore rules`. A signed-in user may read their own sessions and messages, and write nothing.
// Keepsaid itself is not bound by rules: it uses a service account.
service cloud.firestore {
  match /databases/{database}/documents {
    function isOwn(session) {
      return request.auth != null
        && session.@OWNER@ == request.auth.uid
        && session.get('@STATUS@', 'active') in ['active', 'archived'];
    }

    match /@SESSIONS@/{session} {
      allow read: if isOwn(resource.data);
      allow write: if false;

      match /@MESSAGES@/{message} {
        allow read: if isOwn(get(/databases/$(database)/documents/@SESSIONS@/$(session)).data);
        allow write: if false;
      }
    }

    match /@UNITS@/{unit=**} {
      allow read, write: if false;
    }
  }
}
"""


def security_rules(names: DocumentPaths) -> str:
    """Security rules for the clients of an app, whose users read their own sessions and nothing else.

    >>> print(security_rules(DocumentPaths("chat_sessions", "messages", "keepsaid_units", "user_id")).splitlines()[8])
            && session.user_id == request.auth.uid
    """
    words = {
        "@OWNER@": names.owner_field,
        "@STATUS@": STATUS,
        "@SESSIONS@": names.sessions,
        "@MESSAGES@": names.messages_name,
        "@UNITS@": names.partitions,
    }
    text = _RULES
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def index_definitions(names: DocumentPaths) -> dict[str, Any]:
    """The content of `firestore.indexes.json`: an index for the list of a user's sessions, TTL, and fields that no query
    uses.

    Keepsaid itself queries by single fields only, which Firestore indexes by default.

    >>> made = index_definitions(DocumentPaths("chat_sessions", "messages", "keepsaid_units", "user_id"))
    >>> [field["fieldPath"] for field in made["fieldOverrides"] if field.get("ttl")]
    ['purge_at', 'purge_at']
    """
    listed = [
        {"fieldPath": names.owner_field, "order": "ASCENDING"},
        {"fieldPath": STATUS, "order": "ASCENDING"},
        {"fieldPath": "updated_at", "order": "DESCENDING"},
    ]
    unasked = [
        (names.sessions, INTERNAL),
        (names.messages_name, INTERNAL),
        (names.messages_name, "content"),
        ("rows", INTERNAL),
        ("log", INTERNAL),
    ]
    return {
        "indexes": [{"collectionGroup": names.sessions, "queryScope": "COLLECTION", "fields": listed}],
        "fieldOverrides": [
            *(_override(group, PURGE_AT, ttl=True) for group in (names.sessions, names.messages_name)),
            *(_override(group, field) for group, field in unasked),
            _override(names.partitions, "note"),
        ],
    }


def _override(group: str, field: str, **more: bool) -> dict[str, Any]:
    return {"collectionGroup": group, "fieldPath": field, **more, "indexes": []}
