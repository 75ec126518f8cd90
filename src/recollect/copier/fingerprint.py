"""Fingerprints: what makes two sessions, notes or receipts the same, whatever backend keeps them.

Numbers differ from store to store, so whatever names a message by its number is taken by the message's id instead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from dataclasses import fields as dataclass_fields
from typing import Any

from recollect.ports import StoredReceipt
from recollect.types import Artifact, Message, Session

FIELDS = ("title", "created", "updated", "touched", "status", "expired", "pinned", "system_prompt", "summary", "summarized")
"""What a session tells of itself, beside tags and metadata. Its counts follow from its messages, and revisions count what
happened in one store."""


def digest(value: Any) -> bytes:
    """The hash of plain values, however their tables are ordered.

    >>> digest({"a": 1, "b": [True, None]}) == digest({"b": [True, None], "a": 1})
    True
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Talk:
    """The fingerprint of a session's messages, which grows as they are read, by their `seq`."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._ids: dict[int, str] = {}

    def add(self, message: Message) -> bytes:
        """Takes in the next message; returns the message's own fingerprint."""
        self._ids[message.seq] = message.id
        made = digest(
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
        """The id of the message that one of those read follows."""
        return self._ids.get(message.parent)

    @property
    def hash(self) -> bytes:
        """The fingerprint of all that were taken in."""
        return self._hash.digest()


def fields(session: Session, leaf: str | None, maker: str | None) -> dict[str, Any]:
    """What a session tells of itself, where its active path ends, and in a pool who made it."""
    told = {name: getattr(session, name) for name in FIELDS}
    return {**told, "tags": list(session.tags), "metadata": dict(session.metadata), "leaf": leaf, "maker": maker}


def artifact(one: Artifact, ids: Mapping[int, str]) -> bytes:
    """The fingerprint of what was made of messages; `ids` are those of the messages it rests on."""
    rests = [[ids.get(source.number), source.start, source.end] for source in one.sources]
    return digest({**_fields(one), "sources": rests, "data": dict(one.data)})


def receipt(one: StoredReceipt, renamed: Mapping[str, Any]) -> bytes:
    """The fingerprint of a receipt whose data name messages by their ids."""
    return digest({**_fields(one), "data": renamed})


def _fields(one: Artifact | StoredReceipt) -> dict[str, Any]:
    """As `dataclasses.asdict`, which would first copy all data, and take ten times as long."""
    return {field.name: getattr(one, field.name) for field in dataclass_fields(one)}


def together(each: Sequence[bytes]) -> str:
    """One hash for many, in their order, as people compare it."""
    return hashlib.sha256(b"".join(each)).hexdigest()
