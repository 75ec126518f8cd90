"""Detect the format of an export from its content, not from its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from keepsaid.errors import ImportProblem
from keepsaid.interchange.formats.langchain_sql import history_table
from keepsaid.interchange.formats.tables import message_table
from keepsaid.interchange.json_outline import KeyOutline, outline_keys
from keepsaid.interchange.source import ImportFile, iterate_files, translated_read_errors
from keepsaid.interchange.sqlite import DatabaseTable, open_database
from keepsaid.interchange.stream import Utf8Stream, read_beginning

HEAD_BYTES = 4 * 1024 * 1024
"""Bytes read from the beginning of a file: enough for several conversations, because the first one may be unusual."""
_STRING_OF_JSON = re.compile(rb'\s*+"\{\\"store\\"\s*+:')
_OURS = re.compile(rb'\s*+\{\s*+"format"\s*+:\s*+"keepsaid"')
_OWN_TABLES = frozenset(("migrations", "owners", "sessions", "branches", "messages", "erased"))
"""Tables that every Keepsaid store has."""

FORMATS = {
    "keepsaid": "Keepsaid's own export",
    "chatgpt": "ChatGPT: the zip, conversations.json, or its shards",
    "claude": "Claude: the zip or conversations.json",
    "open-webui": "Open WebUI: exported chats",
    "librechat": "LibreChat: an exported conversation, or a folder of them",
    "chat-jsonl": 'lines of {"messages": [{"role": …, "content": …}]}, as OpenAI takes them; also ShareGPT',
    "llama-index": "LlamaIndex: the JSON of a SimpleChatStore",
    "langchain-sql": "LangChain: a SQLite file of SQLChatMessageHistory",
    "tables": "a SQLite file with a table of messages (session_id, role, content, …)",
}
"""The formats that can be imported: names and descriptions."""


def detect(path: str | Path) -> str:
    """Return the format of a file, an archive or a folder: that of the first file in it with conversations.

    >>> detect("nowhere.json")
    Traceback (most recent call last):
    ...
    keepsaid.errors.ImportProblem: there is no file nowhere.json
    """
    looked_at: list[str] = []
    for piece in iterate_files(Path(path)):
        if (format := format_of(piece)) is not None:
            return format
        looked_at.append(piece.name)
    raise unknown_format_error(Path(path), looked_at)


def unknown_format_error(path: Path, looked_at: Iterable[str]) -> ImportProblem:
    """The error for an export without conversations in a known format."""
    names = list(looked_at)
    what = f" (checked {', '.join(names[:5])}{', …' if len(names) > 5 else ''})" if names else " (there is no file to check)"
    return ImportProblem(f"{path} holds no conversations in a known format{what}; known are {', '.join(FORMATS)}")


def format_of(piece: ImportFile) -> str | None:
    """Return the format of one file, or None."""
    if piece.is_database:
        with open_database(piece.path, piece.name) as tables:
            known = tables.all()
        return _format_of_database(piece, known)
    with translated_read_errors(piece.name), closing(Utf8Stream(piece.open())) as stream:
        return recognize_format(read_beginning(stream, HEAD_BYTES))


def _format_of_database(piece: ImportFile, tables: list[DatabaseTable]) -> str | None:
    if history_table(tables):
        return "langchain-sql"
    if message_table(tables):
        return "tables"
    if _OWN_TABLES.issubset(table.name for table in tables):
        raise ImportProblem(
            f"{piece.name} is a Keepsaid store: open it with --db, or export it first: `keepsaid --db FILE export`"
        )
    return None


def recognize_format(head: bytes) -> str | None:
    """Return the format of a file that begins like this, or None.

    >>> recognize_format(b'[{"title": "Hi", "mapping": {')
    'chatgpt'
    >>> recognize_format(b'[1, 2]')
    """
    if _OURS.match(head):
        return "keepsaid"
    if _STRING_OF_JSON.match(head):
        return "llama-index"
    keys = outline_keys(head)
    return next((format for format, fits in _SIGNS if fits(keys)), None)


_SIGNS: list[tuple[str, Callable[[KeyOutline], bool]]] = [
    ("chatgpt", lambda keys: "mapping" in keys.outer or {"mapping", "current_node"} <= keys.inner),
    ("claude", lambda keys: "chat_messages" in keys.outer or "chat_messages" in keys.inner),
    ("open-webui", lambda keys: {"history", "currentId"} <= keys.outer | keys.inner),
    (
        "open-webui",
        lambda keys: bool(keys.outer & {"chat", "history"}) and "messages" in keys.inner and "version" not in keys.outer,
    ),
    ("librechat", lambda keys: "messagesTree" in keys.outer or {"conversationId", "messages"} <= keys.outer),
    ("llama-index", lambda keys: "store" in keys.outer and not keys.outer & {"messages"}),
    ("chat-jsonl", lambda keys: "messages" in keys.outer or {"role", "content"} <= keys.outer),
    ("chat-jsonl", lambda keys: "from" in keys.outer | keys.inner and "value" in keys.outer | keys.inner),
]
"""The keys that identify each format, the most certain first."""
