"""Rows as documents and back.

A document of a session or message has fields that an app and its people can read, and beside them what is ours: the fields
whose names begin with `recollect`. In a document that an app had made before, its own fields stay as they are: then `own`
lists those of the readable ones that we may write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from recollect.errors import MessageTooLarge
from recollect.storage.firestore.gateway import Fields, Found, Write
from recollect.storage.firestore.places import Names, row_id
from recollect.storage.mirror import units
from recollect.storage.mirror.ledger import Columns, Row, Value
from recollect.storage.sqlite.rows import ROLES, STATUSES

UNIT, KEY, STATUS, OURS = "recollect_unit", "recollect_key", "recollect_status", "recollect"
PURGE = "purge_at"
"""When Firestore itself may remove the document."""

LARGEST_DOCUMENT = 1 << 20
LARGEST_REQUEST = 10 << 20
OVERHEAD = 48 << 10
"""Bytes of a document that are kept free for ids, names and numbers."""

EXACT = 1 << 53
"""Whole numbers from here on lose digits wherever JavaScript reads them, so they are kept as text."""

DELETED = 2
"""The status of a session that was deleted, and may be restored until it is purged."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Own = tuple[str, ...] | None
"""The readable fields of a document that are ours; None for all."""


def plain(row: Row) -> Fields:
    """The document of a row that nobody else reads."""
    return {"place": row_id(row), "table": row.table, "key": row.key, OURS: {"columns": packed(row.columns or {})}}


def plain_row(found: Found) -> Row:
    """The row of such a document."""
    fields = found.fields
    return Row(fields["table"], fields["key"], unpacked(fields[OURS]["columns"]))


def session(names: Names, unit: str, row: Row, own: Own, purge_at: datetime | None) -> Fields:
    """The document of a session."""
    columns = row.columns or {}
    readable = session_fields(names, unit, columns)
    made: Fields = {
        **_owned(readable, own),
        STATUS: _status(columns),
        PURGE: purge_at,
        UNIT: unit,
        KEY: row.key,
        OURS: {"columns": packed(columns), "own": None if own is None else list(own)},
    }
    return made


def session_fields(names: Names, unit: str, columns: Columns) -> Fields:
    """What a session's document tells to whoever reads it. What is in a pool names no owner: who may read it is no matter
    of one person."""
    shown = columns.get("status") != len(STATUSES)
    return {
        names.owner_field: unit.removeprefix("o:") if shown and not units.is_pool(unit) else None,
        "pool": unit.removeprefix("p:") if units.is_pool(unit) else None,
        "title": columns.get("title"),
        "status": _status(columns),
        "created_at": moment(columns.get("created")),
        "updated_at": moment(columns.get("updated")),
        "message_count": columns.get("messages"),
        "token_count": columns.get("tokens"),
        "pinned": columns.get("pinned") == 1,
    }


def message(unit: str, row: Row, own: Own) -> Fields:
    """The document of a message. Its text is the field `content`; beside an app's own content it is ours."""
    columns = dict(row.columns or {})
    readable = message_fields(columns)
    if (own is None or "content" in own) and isinstance(columns.get("text"), str):
        del columns["text"]
    made: Fields = {
        **_owned(readable, own),
        UNIT: unit,
        KEY: row.key,
        OURS: {"columns": packed(columns), "own": None if own is None else list(own)},
    }
    return made


def message_fields(columns: Columns) -> Fields:
    """What a message's document tells to whoever reads it."""
    role, text = columns.get("role"), columns.get("text")
    return {
        "role": ROLES[role].value if isinstance(role, int) and 0 <= role < len(ROLES) else None,
        "content": text if isinstance(text, str) else None,
        "timestamp": moment(columns.get("created")),
    }


def placed_row(table: str, found: Found) -> Row:
    """The row of a session's or message's document."""
    columns = unpacked(found.fields[OURS]["columns"])
    if table == "messages" and "text" not in columns:
        columns["text"] = found.fields["content"]
    return Row(table, found.fields[KEY], columns)


def own_fields(found: Found | None, readable: Mapping[str, Any]) -> Own:
    """Which readable fields of a document are ours: all of one that we made, in an app's those that it does not have."""
    if found is None:
        return None
    if KEY in found.fields:
        kept: Sequence[str] | None = found.fields[OURS].get("own")
        return None if kept is None else tuple(kept)
    return tuple(name for name in readable if name not in found.fields)


def _owned(readable: Fields, own: Own) -> Fields:
    return readable if own is None else {name: value for name, value in readable.items() if name in own}


def _status(columns: Columns) -> str:
    number = columns.get("status")
    return STATUSES[number].value if isinstance(number, int) and 0 <= number < len(STATUSES) else "purged"


def moment(value: Value) -> datetime | None:
    """A moment for people and for TTL, from microseconds.

    >>> moment(1_700_000_000_000_000)
    datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=datetime.timezone.utc)
    """
    try:
        return _EPOCH + timedelta(microseconds=value) if isinstance(value, int) else None
    except OverflowError:
        return None


def packed(columns: Columns) -> Fields:
    """Columns as the fields of a map.

    >>> packed({"n": 2**60, "text": "Hello"})
    {'n': {'int': '1152921504606846976'}, 'text': 'Hello'}
    """
    return {name: {"int": str(value)} if _is_large(value) else value for name, value in columns.items()}


def unpacked(fields: Fields) -> dict[str, Value]:
    """The columns again."""
    return {name: _exact(value) for name, value in fields.items()}


def _exact(value: Any) -> Value:
    return int(cast(dict[str, str], value)["int"]) if isinstance(value, dict) else value


def _is_large(value: Value) -> bool:
    return isinstance(value, int) and not -EXACT < value < EXACT


def size_of(value: Any) -> int:
    """The bytes that Firestore counts for a value.

    >>> size_of({"n": 1, "text": "ü"})
    18
    """
    if isinstance(value, dict):
        return sum(size_of(name) + size_of(each) for name, each in cast(Fields, value).items())
    if isinstance(value, list):
        return sum(map(size_of, cast(list[Any], value)))
    if isinstance(value, str):
        return len(value.encode()) + 1
    return len(value) if isinstance(value, bytes) else 8


def check_sizes(writes: Sequence[Write]) -> None:
    """Raises `MessageTooLarge` for what Firestore would not take in one document, or at once: it is all or nothing."""
    total = 0
    for write in writes:
        size = size_of(write.path) + size_of(write.fields) + 64
        if size > LARGEST_DOCUMENT:
            raise MessageTooLarge(f"a document of {size:,} bytes ({write.path}): Firestore keeps at most 1 MiB in one")
        total += size
    if total > LARGEST_REQUEST:
        raise MessageTooLarge(
            f"a change of {len(writes):,} documents with {total:,} bytes: Firestore keeps at most 10 MiB at once; use"
            " smaller batches"
        )
