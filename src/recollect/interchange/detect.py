"""Which program an export is from: told by what is in it, not by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from recollect.errors import ImportProblem
from recollect.interchange.langchain_sql import history_table
from recollect.interchange.outline import Outline, outline
from recollect.interchange.source import Piece, pieces, reading
from recollect.interchange.sqlite import Table, opened
from recollect.interchange.stream import Utf8Stream, beginning
from recollect.interchange.tables import message_table

HEAD = 4 * 1024 * 1024
"""Bytes at the beginning of a file that are looked at: its first conversation, and some more, as that one may be odd."""
_STRING_OF_JSON = re.compile(rb'\s*+"\{\\"store\\"\s*+:')
_OURS = re.compile(rb'\s*+\{\s*+"format"\s*+:\s*+"recollect"')
_OWN_TABLES = frozenset(("migrations", "owners", "sessions", "branches", "messages", "erased"))
"""What a store of ours has had from its beginning."""

FORMATS = {
    "recollect": "Recollect's own export",
    "chatgpt": "ChatGPT: the zip, conversations.json, or its shards",
    "claude": "Claude: the zip or conversations.json",
    "open-webui": "Open WebUI: exported chats",
    "librechat": "LibreChat: an exported conversation, or a folder of them",
    "chat-jsonl": 'lines of {"messages": [{"role": …, "content": …}]}, as OpenAI takes them; also ShareGPT',
    "llama-index": "LlamaIndex: the JSON of a SimpleChatStore",
    "langchain-sql": "LangChain: a SQLite file of SQLChatMessageHistory",
    "tables": "a SQLite file with a table of messages (session_id, role, content, …)",
}
"""What can be imported: names, and what they mean."""


def detect(path: str | Path) -> str:
    """The name of the format of a file, an archive or a folder: of the first file in it that holds conversations.

    >>> detect("nowhere.json")
    Traceback (most recent call last):
    ...
    recollect.errors.ImportProblem: there is no file nowhere.json
    """
    looked_at: list[str] = []
    for piece in pieces(Path(path)):
        if (format := format_of(piece)) is not None:
            return format
        looked_at.append(piece.name)
    raise unknown(Path(path), looked_at)


def unknown(path: Path, looked_at: Iterable[str]) -> ImportProblem:
    """The error for what holds no conversations that we know."""
    names = list(looked_at)
    what = f" (looked into {', '.join(names[:5])}{', …' if len(names) > 5 else ''})" if names else " (no file to look into)"
    return ImportProblem(f"{path} holds no conversations in a known format{what}; known are {', '.join(FORMATS)}")


def format_of(piece: Piece) -> str | None:
    """The format of one file, or None."""
    if piece.is_database:
        with opened(piece.path, piece.name) as tables:
            known = tables.all()
        return _format_of_database(piece, known)
    with reading(piece.name), closing(Utf8Stream(piece.open())) as stream:
        return recognized(beginning(stream, HEAD))


def _format_of_database(piece: Piece, tables: list[Table]) -> str | None:
    if history_table(tables):
        return "langchain-sql"
    if message_table(tables):
        return "tables"
    if _OWN_TABLES.issubset(table.name for table in tables):
        raise ImportProblem(
            f"{piece.name} is a Recollect store: open it with --db, or make an export of it: `recollect --db FILE export`"
        )
    return None


def recognized(head: bytes) -> str | None:
    """The format of a file that begins like this.

    >>> recognized(b'[{"title": "Hi", "mapping": {')
    'chatgpt'
    >>> recognized(b'[1, 2]')
    """
    if _OURS.match(head):
        return "recollect"
    if _STRING_OF_JSON.match(head):
        return "llama-index"
    keys = outline(head)
    return next((format for format, fits in _SIGNS if fits(keys)), None)


_SIGNS: list[tuple[str, Callable[[Outline], bool]]] = [
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
"""What each format shows in its keys, the surest signs first."""
