"""Fingerprints to compare sessions, artifacts and receipts of different backends.

Message numbers differ between stores, so references to messages are hashed by message id instead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from dataclasses import fields as dataclass_fields
from typing import Any

from keepsaid.ports import StoredReceipt
from keepsaid.types import Artifact, Message, Session

FIELDS = ("title", "created", "updated", "touched", "status", "expired", "pinned", "system_prompt", "summary", "summarized")
"""The compared fields of a session, besides tags and metadata. Its counts follow from its messages, and its revision is
specific to one store."""


def hash_value(value: Any) -> bytes:
    """Hash plain values; the order of dictionary keys does not matter.

    >>> hash_value({"a": 1, "b": [True, None]}) == hash_value({"b": [True, None], "a": 1})
    True
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class MessageFingerprint:
    """The fingerprint of a session's messages, updated as they are read in the order of `seq`."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._ids: dict[int, str] = {}

    def add(self, message: Message) -> bytes:
        """Add the next message; return its own fingerprint."""
        self._ids[message.seq] = message.id
        made = hash_value(
            [
                message.id, message.seq, self._ids.get(message.parent), message.role, message.text, message.tokens,
                message.created, message.importance, message.pinned, message.private, message.author, message.name,
                message.tool_call_id, [asdict(part) for part in message.parts],
                [asdict(call) for call in message.tool_calls], dict(message.metadata),
            ]
        )  # fmt: skip
        self._hash.update(made)
        return made

    def parent(self, message: Message) -> str | None:
        """The id of a message's parent, among the messages added."""
        return self._ids.get(message.parent)

    @property
    def hash(self) -> bytes:
        """The fingerprint of all messages added."""
        return self._hash.digest()


def session_fields(session: Session, leaf: str | None, maker: str | None) -> dict[str, Any]:
    """The compared fields of a session, with its leaf and, in a pool, its creator."""
    session_values = {name: getattr(session, name) for name in FIELDS}
    return {**session_values, "tags": list(session.tags), "metadata": dict(session.metadata), "leaf": leaf, "maker": maker}


def hash_artifact(one: Artifact, ids: Mapping[int, str]) -> bytes:
    """Hash an artifact; `ids` are those of its source messages."""
    rests = [[ids.get(source.number), source.start, source.end] for source in one.sources]
    return hash_value({**_fields(one), "sources": rests, "data": dict(one.data)})


def hash_receipt(one: StoredReceipt, renamed: Mapping[str, Any]) -> bytes:
    """Hash a receipt; `renamed` is its data with message ids in place of numbers."""
    return hash_value({**_fields(one), "data": renamed})


def _fields(one: Artifact | StoredReceipt) -> dict[str, Any]:
    """Like `dataclasses.asdict`, but without copying all data, which takes ten times as long."""
    return {field.name: getattr(one, field.name) for field in dataclass_fields(one)}


def combine_hashes(each: Sequence[bytes]) -> str:
    """Combine hashes, in order, into one hexadecimal hash."""
    return hashlib.sha256(b"".join(each)).hexdigest()
