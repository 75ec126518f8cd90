"""LangChain's SQLChatMessageHistory: a table of messages as JSON, `message_store(id, session_id, message)` by default."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from recollect.interchange.assemble import UNREADABLE, Head
from recollect.interchange.linear import lined_up
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.records import Told
from recollect.interchange.sessions import sessions
from recollect.interchange.source import Piece
from recollect.interchange.sqlite import Table, Tables
from recollect.interchange.values import Record, first, record, warn
from recollect.types import Role


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a database, one for each `session_id`."""
    return sessions(piece, tally, told, history_table, conversation)


def history_table(tables: Iterable[Table]) -> Table | None:
    """The table that holds the messages, whatever it is called.

    >>> history_table([Table("users", ("id",)), Table("message_store", ("id", "session_id", "message"))]).name
    'message_store'
    """
    fitting = (table for table in tables if table.column("session_id") and table.column("message"))
    return next((table for table in fitting if not table.column("role")), None)


def conversation(id: str, rows: list[Record], table: Table, tables: Tables, tally: Tally) -> Conversation | None:
    """One conversation, of the rows of a session."""
    named = [(f"{id}:{first(row, 'id') or row['rowid']}", message) for row in rows if (message := _shaped(id, row, tally))]
    return lined_up(Head(id, "langchain-sql"), named, tally)


def _shaped(id: str, row: Record, tally: Tally) -> Record | None:
    """The message in OpenAI's shape; None, counted and told, for what is none."""
    try:
        message = json.loads(row.get("message") or "{}", strict=False)
    except (ValueError, TypeError, RecursionError):
        message = None
    if not isinstance(message, dict):
        tally.skip(UNREADABLE)
        warn(tally, f"conversation {id}: row {row['rowid']} is no message in JSON")
        return None
    message = record(cast(object, message))
    data = record(message.get("data")) or message
    extra = record(data.get("additional_kwargs"))
    answered = record(data.get("response_metadata"))
    return {
        "role": _role(message, data),
        "content": data.get("content"),
        "tool_calls": first(data, "tool_calls") or extra.get("tool_calls"),
        "function_call": extra.get("function_call"),
        "tool_call_id": data.get("tool_call_id"),
        "name": data.get("name"),
        "model": first(answered, "model_name", "model"),
        "created_at": first(row, "created_at", "timestamp", "create_time"),
        "metadata": {"error": True} if data.get("status") == "error" else None,
    }


def _role(message: Record, data: Record) -> Any:
    kind = first(message, "type", "role")
    if kind == "chat":
        return data.get("role")
    return str(kind).removesuffix("MessageChunk").removesuffix("Message").lower() if kind else Role.SYSTEM.value
