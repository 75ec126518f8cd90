"""Custom chat tables: `chat_messages` with `conversations`, or `messages` with `sessions`."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from keepsaid.interchange.assemble import NO_MESSAGES, ConversationHeader
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.message_table import read_sessions
from keepsaid.interchange.openai_messages import build_linear_conversation
from keepsaid.interchange.records import ByteProgress
from keepsaid.interchange.source import ImportFile
from keepsaid.interchange.sqlite import DatabaseReader, DatabaseTable, open_database
from keepsaid.interchange.values import JsonObject, as_object, datetime_of, details, first_value, name_of, text_of

PREFERRED_TABLES = ("chat_messages", "messages")
"""The table of messages, if several have the required columns."""
_SESSION_TABLES = ("conversations", "sessions", "chat_sessions", "chats", "threads")
_SESSION_KEYS = ("session_id", "conversation_id", "id")


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a database, one for each `session_id`."""
    about = _SessionTable(piece, tally)
    yield from read_sessions(piece, tally, on_read, message_table, about.conversation)
    tally.skip(NO_MESSAGES, about.without_messages)


def message_table(tables: Iterable[DatabaseTable]) -> DatabaseTable | None:
    """Find the table with the messages; None if there is none.

    >>> columns = ("session_id", "role", "content", "timestamp", "message_index")
    >>> message_table([DatabaseTable("conversations", ("session_id", "title")),
    ...                DatabaseTable("chat_messages", columns)]).name
    'chat_messages'
    """
    fitting = [table for table in tables if all(table.column(name) for name in ("session_id", "role", "content"))]
    fitting.sort(
        key=lambda table: PREFERRED_TABLES.index(table.name) if table.name in PREFERRED_TABLES else len(PREFERRED_TABLES)
    )
    return fitting[0] if fitting else None


class _SessionTable:
    """The database's table of sessions, if there is one."""

    def __init__(self, piece: ImportFile, tally: ImportTally) -> None:
        self._table: DatabaseTable | None = None
        self._rows: dict[str, int] = {}
        self._unused: set[int] = set()
        with open_database(piece.path, piece.name) as tables:
            self._table = next((table for table in tables.all() if table.name.lower() in _SESSION_TABLES), None)
            # A session may have several keys; messages may use any of them.
            for key in _SESSION_KEYS:
                column = self._table.column(key) if self._table else None
                if self._table and column:
                    for value, numbers in tables.group_rows(self._table, column).items():
                        self._rows.setdefault(name_of(value, tally) or "", numbers[0])
        self._unused.update(self._rows.values())

    @property
    def without_messages(self) -> int:
        """The number of sessions without messages."""
        return len(self._unused)

    def conversation(
        self, id: str, rows: list[JsonObject], table: DatabaseTable, tables: DatabaseReader, tally: ImportTally
    ) -> Conversation | None:
        """Convert the rows of a session to a conversation."""
        fields = self._of(id, tables)
        lowered = sorted(map(_with_lower_keys, rows), key=_sort_key)
        named = [
            (f"{id}:{first_value(row, 'id', 'message_index') or row['rowid']}", _to_openai_form(row)) for row in lowered
        ]
        head = ConversationHeader(
            id,
            "tables",
            first_value(fields, "title", "name"),
            datetime_of(first_value(fields, "created_at", "created", "start_time", "started_at", "timestamp")),
            datetime_of(first_value(fields, "updated_at", "updated", "last_activity", "last_updated", "last_message_at")),
            archived=_is_set(fields, "archived", "is_archived") or fields.get("status") == "archived",
            pinned=_is_set(fields, "pinned", "is_pinned"),
            system_prompt=text_of(fields.get("system_prompt"), tally),
            metadata=details(tally, model=fields.get("model"), summary=fields.get("summary"), **_metadata(fields)),
        )
        return build_linear_conversation(head, named, tally)

    def _of(self, id: str, tables: DatabaseReader) -> JsonObject:
        number = self._rows.get(id)
        if number is None or self._table is None:
            return {}
        self._unused.discard(number)
        return _with_lower_keys(next(tables.rows(self._table, array("q", [number])), JsonObject()))


def _with_lower_keys(row: JsonObject) -> JsonObject:
    return {key.lower(): value for key, value in row.items()}


def _sort_key(row: JsonObject) -> tuple[int, float, int]:
    """The sort key of a message: its own number if it has one, else the order of writing."""
    place = row.get("message_index")
    numbered = isinstance(place, int | float)
    return (0, float(place), row["rowid"]) if numbered else (1, 0.0, row["rowid"])


def _to_openai_form(row: JsonObject) -> JsonObject:
    """Convert a message to OpenAI's form: lists and objects are JSON text in a table."""
    content = row.get("content")
    blocks = _parse_json(content) if isinstance(content, str) and content.startswith('[{"') else None
    return {
        **row,
        "content": blocks if isinstance(blocks, list) else content,
        "tool_calls": _parse_json(row.get("tool_calls")),
        "function_call": _parse_json(row.get("function_call")),
        "metadata": _metadata(row),
    }


def _parse_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return None


def _metadata(row: JsonObject) -> JsonObject:
    """The metadata of a row, from JSON text."""
    return {
        key: value for key, value in as_object(_parse_json(row.get("metadata"))).items() if key not in ("model", "summary")
    }


def _is_set(fields: JsonObject, *keys: str) -> bool:
    return first_value(fields, *keys) in (1, True, "1", "true")
