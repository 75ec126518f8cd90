"""What is deployed beside the data: security rules, and definitions of indexes and TTL."""

from __future__ import annotations

from typing import Any

from recollect.storage.firestore.documents import OURS, PURGE, STATUS
from recollect.storage.firestore.places import Names

_RULES = """\
rules_version = '2';

// Written by `recollect firestore rules`. Whoever is signed in may read his own sessions and their messages, and write
// nothing. Recollect itself is not bound by rules: it uses a service account.
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


def rules(names: Names) -> str:
    """Security rules for the clients of an app, which read their own sessions and nothing else.

    >>> print(rules(Names("chat_sessions", "messages", "recollect_units", "user_id")).splitlines()[8])
            && session.user_id == request.auth.uid
    """
    words = {
        "@OWNER@": names.owner_field,
        "@STATUS@": STATUS,
        "@SESSIONS@": names.sessions,
        "@MESSAGES@": names.within,
        "@UNITS@": names.units,
    }
    text = _RULES
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def indexes(names: Names) -> dict[str, Any]:
    """What `firestore.indexes.json` says: an index for the list of one's sessions, TTL, and fields that no query asks for.

    Recollect itself asks by single fields only, which Firestore indexes without being told.

    >>> made = indexes(Names("chat_sessions", "messages", "recollect_units", "user_id"))
    >>> [field["fieldPath"] for field in made["fieldOverrides"] if field.get("ttl")]
    ['purge_at', 'purge_at']
    """
    listed = [
        {"fieldPath": names.owner_field, "order": "ASCENDING"},
        {"fieldPath": STATUS, "order": "ASCENDING"},
        {"fieldPath": "updated_at", "order": "DESCENDING"},
    ]
    unasked = [(names.sessions, OURS), (names.within, OURS), (names.within, "content"), ("rows", OURS), ("log", OURS)]
    return {
        "indexes": [{"collectionGroup": names.sessions, "queryScope": "COLLECTION", "fields": listed}],
        "fieldOverrides": [
            *(_override(group, PURGE, ttl=True) for group in (names.sessions, names.within)),
            *(_override(group, field) for group, field in unasked),
            _override(names.units, "note"),
        ],
    }


def _override(group: str, field: str, **more: bool) -> dict[str, Any]:
    return {"collectionGroup": group, "fieldPath": field, **more, "indexes": []}
