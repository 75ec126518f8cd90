"""Conversion between rows and documents.

The document of a session or message has fields that an app can read, and internal fields whose names begin with `keepsaid`.
In a document that an app created, the app's own fields stay as they are. `own` then lists the readable fields that we may
write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from keepsaid.errors import MessageTooLarge
from keepsaid.storage.firestore.document_names import DocumentPaths, row_id
from keepsaid.storage.firestore.gateway import DocumentWrite, Fields, FirestoreDocument
from keepsaid.storage.replica import partitions
from keepsaid.storage.replica.ledger import Columns, ColumnValue, LedgerRow
from keepsaid.storage.sqlite.rows import ROLES, STATUSES

PARTITION, KEY, STATUS, INTERNAL = "keepsaid_unit", "keepsaid_key", "keepsaid_status", "keepsaid"
PURGE_AT = "purge_at"
"""When Firestore itself may remove the document."""

MAX_DOCUMENT_BYTES = 1 << 20
MAX_REQUEST_BYTES = 10 << 20
RESERVED_BYTES = 48 << 10
"""Bytes of a document that are reserved for ids, names and numbers."""

EXACT = 1 << 53
"""Integers of this size lose digits in JavaScript, so they are stored as text."""

DELETED = 2
"""The status of a session that was deleted, and may be restored until it is purged."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
WritableFields = tuple[str, ...] | None
"""The readable fields of a document that we may write; None for all."""


def row_document(row: LedgerRow) -> Fields:
    """The document of a row that only Keepsaid reads."""
    return {"place": row_id(row), "table": row.table, "key": row.key, INTERNAL: {"columns": pack_columns(row.columns or {})}}


def row_from_document(found: FirestoreDocument) -> LedgerRow:
    """The row of such a document."""
    fields = found.fields
    return LedgerRow(fields["table"], fields["key"], unpack_columns(fields[INTERNAL]["columns"]))


def session_document(
    names: DocumentPaths, partition: str, row: LedgerRow, own: WritableFields, purge_at: datetime | None
) -> Fields:
    """The document of a session."""
    columns = row.columns or {}
    readable = session_fields(names, partition, columns)
    fields: Fields = {
        **_keep_writable(readable, own),
        STATUS: _status(columns),
        PURGE_AT: purge_at,
        PARTITION: partition,
        KEY: row.key,
        INTERNAL: {"columns": pack_columns(columns), "own": None if own is None else list(own)},
    }
    return fields


def session_fields(names: DocumentPaths, partition: str, columns: Columns) -> Fields:
    """The readable fields of a session's document. A session in a pool names no owner, because its readers are not decided
    by one owner."""
    shown = columns.get("status") != len(STATUSES)
    return {
        names.owner_field: partition.removeprefix("o:") if shown and not partitions.is_pool(partition) else None,
        "pool": partition.removeprefix("p:") if partitions.is_pool(partition) else None,
        "title": columns.get("title"),
        "status": _status(columns),
        "created_at": to_datetime(columns.get("created")),
        "updated_at": to_datetime(columns.get("updated")),
        "message_count": columns.get("messages"),
        "token_count": columns.get("tokens"),
        "pinned": columns.get("pinned") == 1,
    }


def message_document(partition: str, row: LedgerRow, own: WritableFields) -> Fields:
    """The document of a message. Its text is the field `content`; if that is the app's own, our text is an internal
    field."""
    columns = dict(row.columns or {})
    readable = message_fields(columns)
    if (own is None or "content" in own) and isinstance(columns.get("text"), str):
        del columns["text"]
    fields: Fields = {
        **_keep_writable(readable, own),
        PARTITION: partition,
        KEY: row.key,
        INTERNAL: {"columns": pack_columns(columns), "own": None if own is None else list(own)},
    }
    return fields


def message_fields(columns: Columns) -> Fields:
    """The readable fields of a message's document."""
    role, text = columns.get("role"), columns.get("text")
    return {
        "role": ROLES[role].value if isinstance(role, int) and 0 <= role < len(ROLES) else None,
        "content": text if isinstance(text, str) else None,
        "timestamp": to_datetime(columns.get("created")),
    }


def row_from_readable_document(table: str, found: FirestoreDocument) -> LedgerRow:
    """The row in the document of a session or message."""
    columns = unpack_columns(found.fields[INTERNAL]["columns"])
    if table == "messages" and "text" not in columns:
        columns["text"] = found.fields["content"]
    return LedgerRow(table, found.fields[KEY], columns)


def find_writable_fields(found: FirestoreDocument | None, readable: Mapping[str, Any]) -> WritableFields:
    """The readable fields of a document that we may write: all in our own, and in an app's those that it does not have."""
    if found is None:
        return None
    if KEY in found.fields:
        kept: Sequence[str] | None = found.fields[INTERNAL].get("own")
        return None if kept is None else tuple(kept)
    return tuple(name for name in readable if name not in found.fields)


def _keep_writable(readable: Fields, own: WritableFields) -> Fields:
    return readable if own is None else {name: value for name, value in readable.items() if name in own}


def _status(columns: Columns) -> str:
    number = columns.get("status")
    return STATUSES[number].value if isinstance(number, int) and 0 <= number < len(STATUSES) else "purged"


def to_datetime(value: ColumnValue) -> datetime | None:
    """Convert microseconds to a time for readers and for TTL.

    >>> to_datetime(1_700_000_000_000_000)
    datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=datetime.timezone.utc)
    """
    try:
        return _EPOCH + timedelta(microseconds=value) if isinstance(value, int) else None
    except OverflowError:
        return None


def pack_columns(columns: Columns) -> Fields:
    """Convert columns to the fields of a map.

    >>> pack_columns({"n": 2**60, "text": "Hello"})
    {'n': {'int': '1152921504606846976'}, 'text': 'Hello'}
    """
    return {name: {"int": str(value)} if _is_large(value) else value for name, value in columns.items()}


def unpack_columns(fields: Fields) -> dict[str, ColumnValue]:
    """Convert the fields of a map to columns."""
    return {name: _unpack_value(value) for name, value in fields.items()}


def _unpack_value(value: Any) -> ColumnValue:
    return int(cast(dict[str, str], value)["int"]) if isinstance(value, dict) else value


def _is_large(value: ColumnValue) -> bool:
    return isinstance(value, int) and not -EXACT < value < EXACT


def size_of(value: Any) -> int:
    """The size of a value in bytes, as Firestore counts it.

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


def check_sizes(writes: Sequence[DocumentWrite]) -> None:
    """Raise `MessageTooLarge` if a document or the whole commit exceeds Firestore's limits."""
    total = 0
    for write in writes:
        size = size_of(write.path) + size_of(write.fields) + 64
        if size > MAX_DOCUMENT_BYTES:
            raise MessageTooLarge(f"a document of {size:,} bytes ({write.path}): Firestore allows at most 1 MiB in one")
        total += size
    if total > MAX_REQUEST_BYTES:
        raise MessageTooLarge(
            f"a change of {len(writes):,} documents with {total:,} bytes: Firestore allows at most 10 MiB at once; use"
            " smaller batches"
        )
