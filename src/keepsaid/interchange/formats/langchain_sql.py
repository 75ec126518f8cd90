"""LangChain's SQLChatMessageHistory: a table of messages as JSON, `message_store(id, session_id, message)` by default."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from keepsaid.interchange.assemble import UNREADABLE, ConversationHeader
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.message_table import read_sessions
from keepsaid.interchange.openai_messages import build_linear_conversation
from keepsaid.interchange.records import ByteProgress
from keepsaid.interchange.source import ImportFile
from keepsaid.interchange.sqlite import DatabaseReader, DatabaseTable
from keepsaid.interchange.values import JsonObject, add_warning, as_object, first_value
from keepsaid.types import Role


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a database, one for each `session_id`."""
    return read_sessions(piece, tally, on_read, history_table, convert_session)


def history_table(tables: Iterable[DatabaseTable]) -> DatabaseTable | None:
    """Find the table with the messages, under any name.

    >>> columns = ("id", "session_id", "message")
    >>> history_table([DatabaseTable("users", ("id",)), DatabaseTable("message_store", columns)]).name
    'message_store'
    """
    fitting = (table for table in tables if table.column("session_id") and table.column("message"))
    return next((table for table in fitting if not table.column("role")), None)


def convert_session(
    id: str, rows: list[JsonObject], table: DatabaseTable, tables: DatabaseReader, tally: ImportTally
) -> Conversation | None:
    """Convert the rows of a session to a conversation."""
    named = [
        (f"{id}:{first_value(row, 'id') or row['rowid']}", message)
        for row in rows
        if (message := _to_openai_form(id, row, tally))
    ]
    return build_linear_conversation(ConversationHeader(id, "langchain-sql"), named, tally)


def _to_openai_form(id: str, row: JsonObject, tally: ImportTally) -> JsonObject | None:
    """Convert a message to OpenAI's form; return None if it is not a message, and count and report it."""
    try:
        message = json.loads(row.get("message") or "{}", strict=False)
    except (ValueError, TypeError, RecursionError):
        message = None
    if not isinstance(message, dict):
        tally.skip(UNREADABLE)
        add_warning(tally, f"conversation {id}: row {row['rowid']} is not a JSON message")
        return None
    message = as_object(cast(object, message))
    data = as_object(message.get("data")) or message
    extra = as_object(data.get("additional_kwargs"))
    answered = as_object(data.get("response_metadata"))
    return {
        "role": _role(message, data),
        "content": data.get("content"),
        "tool_calls": first_value(data, "tool_calls") or extra.get("tool_calls"),
        "function_call": extra.get("function_call"),
        "tool_call_id": data.get("tool_call_id"),
        "name": data.get("name"),
        "model": first_value(answered, "model_name", "model"),
        "created_at": first_value(row, "created_at", "timestamp", "create_time"),
        "metadata": {"error": True} if data.get("status") == "error" else None,
    }


def _role(message: JsonObject, data: JsonObject) -> Any:
    kind = first_value(message, "type", "role")
    if kind == "chat":
        return data.get("role")
    return str(kind).removesuffix("MessageChunk").removesuffix("Message").lower() if kind else Role.SYSTEM.value
