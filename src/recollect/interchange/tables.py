"""Tables that teams made for themselves: `chat_messages` under `conversations`, or `messages` under `sessions`."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from recollect.interchange.assemble import NO_MESSAGES, Head
from recollect.interchange.linear import lined_up
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.records import Told
from recollect.interchange.sessions import sessions
from recollect.interchange.source import Piece
from recollect.interchange.sqlite import Table, Tables, opened
from recollect.interchange.values import Record, details, first, moment_of, name_of, record, text_of

USUAL = ("chat_messages", "messages")
"""Where the messages are, if several tables could hold them."""
_SESSION_TABLES = ("conversations", "sessions", "chat_sessions", "chats", "threads")
_SESSION_KEYS = ("session_id", "conversation_id", "id")


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a database, one for each `session_id`."""
    about = _Sessions(piece, tally)
    yield from sessions(piece, tally, told, message_table, about.conversation)
    tally.skip(NO_MESSAGES, about.without_messages)


def message_table(tables: Iterable[Table]) -> Table | None:
    """The table that holds the messages.

    >>> columns = ("session_id", "role", "content", "timestamp", "message_index")
    >>> message_table([Table("conversations", ("session_id", "title")), Table("chat_messages", columns)]).name
    'chat_messages'
    """
    fitting = [table for table in tables if all(table.column(name) for name in ("session_id", "role", "content"))]
    fitting.sort(key=lambda table: USUAL.index(table.name) if table.name in USUAL else len(USUAL))
    return fitting[0] if fitting else None


class _Sessions:
    """What the database says of its sessions, apart from their messages."""

    def __init__(self, piece: Piece, tally: Tally) -> None:
        self._table: Table | None = None
        self._rows: dict[str, int] = {}
        self._unused: set[int] = set()
        with opened(piece.path, piece.name) as tables:
            self._table = next((table for table in tables.all() if table.name.lower() in _SESSION_TABLES), None)
            # A session may have a number and a name; messages may go by either.
            for key in _SESSION_KEYS:
                column = self._table.column(key) if self._table else None
                if self._table and column:
                    for value, numbers in tables.grouped(self._table, column).items():
                        self._rows.setdefault(name_of(value, tally) or "", numbers[0])
        self._unused.update(self._rows.values())

    @property
    def without_messages(self) -> int:
        """How many sessions were not asked for."""
        return len(self._unused)

    def conversation(self, id: str, rows: list[Record], table: Table, tables: Tables, tally: Tally) -> Conversation | None:
        """One conversation, of the rows of a session."""
        fields = self._of(id, tables)
        lowered = sorted(map(_lowered, rows), key=_place)
        named = [(f"{id}:{first(row, 'id', 'message_index') or row['rowid']}", _shaped(row)) for row in lowered]
        head = Head(
            id,
            "tables",
            first(fields, "title", "name"),
            moment_of(first(fields, "created_at", "created", "start_time", "started_at", "timestamp")),
            moment_of(first(fields, "updated_at", "updated", "last_activity", "last_updated", "last_message_at")),
            archived=_is_set(fields, "archived", "is_archived") or fields.get("status") == "archived",
            pinned=_is_set(fields, "pinned", "is_pinned"),
            system_prompt=text_of(fields.get("system_prompt"), tally),
            metadata=details(tally, model=fields.get("model"), summary=fields.get("summary"), **_unpacked_record(fields)),
        )
        return lined_up(head, named, tally)

    def _of(self, id: str, tables: Tables) -> Record:
        number = self._rows.get(id)
        if number is None or self._table is None:
            return {}
        self._unused.discard(number)
        return _lowered(next(tables.rows(self._table, array("q", [number])), Record()))


def _lowered(row: Record) -> Record:
    return {key.lower(): value for key, value in row.items()}


def _place(row: Record) -> tuple[int, float, int]:
    """By the message's own number where it has one, else in the order of writing."""
    place = row.get("message_index")
    numbered = isinstance(place, int | float)
    return (0, float(place), row["rowid"]) if numbered else (1, 0.0, row["rowid"])


def _shaped(row: Record) -> Record:
    """The message in OpenAI's shape: what is a list or an object is written as JSON in a table."""
    content = row.get("content")
    blocks = _unpacked(content) if isinstance(content, str) and content.startswith('[{"') else None
    return {
        **row,
        "content": blocks if isinstance(blocks, list) else content,
        "tool_calls": _unpacked(row.get("tool_calls")),
        "function_call": _unpacked(row.get("function_call")),
        "metadata": _unpacked_record(row),
    }


def _unpacked(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return None


def _unpacked_record(row: Record) -> Record:
    """The metadata that a row has as JSON."""
    return {key: value for key, value in record(_unpacked(row.get("metadata"))).items() if key not in ("model", "summary")}


def _is_set(fields: Record, *keys: str) -> bool:
    return first(fields, *keys) in (1, True, "1", "true")
