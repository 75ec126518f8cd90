"""Read conversations from a table of messages: rows with the same session belong together."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator

from keepsaid.errors import ImportProblem
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.json_split import MAX_ELEMENT_BYTES
from keepsaid.interchange.records import UNREADABLE, ByteProgress
from keepsaid.interchange.source import ImportFile
from keepsaid.interchange.sqlite import ConversationTooLarge, DatabaseReader, DatabaseTable, open_database
from keepsaid.interchange.values import JsonObject, add_warning, name_of

WITHOUT_SESSION = "messages without a session"
TableChooser = Callable[[Iterable[DatabaseTable]], DatabaseTable | None]
"""Selects the table with the messages."""
RowConverter = Callable[[str, list[JsonObject], DatabaseTable, DatabaseReader, ImportTally], Conversation | None]
"""Converts a session's rows to a conversation."""


def read_sessions(
    piece: ImportFile, tally: ImportTally, on_read: ByteProgress, choose: TableChooser, make: RowConverter
) -> Iterator[Conversation]:
    """Convert every session with `make`. Progress is reported in proportion to the rows done."""
    with open_database(piece.path, piece.name) as tables:
        table = choose(tables.all())
        if table is None:
            raise ImportProblem(f"{piece.name} has no table of messages with a column session_id")
        column = table.column("session_id") or ""
        groups = tables.group_rows(table, column)
        total, done, reported_bytes = sum(map(len, groups.values())), 0, 0
        for session, numbers in groups.items():
            id = name_of(session, tally)
            if id is None:
                tally.skip(WITHOUT_SESSION, len(numbers))
            else:
                made = _convert_session(id, numbers, table, tables, tally, make)
                if made is not None:
                    yield made
            done += len(numbers)
            on_read(piece.size * done // total - reported_bytes)
            reported_bytes = piece.size * done // total


def _convert_session(
    id: str, numbers: array[int], table: DatabaseTable, tables: DatabaseReader, tally: ImportTally, make: RowConverter
) -> Conversation | None:
    try:
        rows = list(tables.rows(table, numbers))
    except ConversationTooLarge:
        tally.skip(UNREADABLE)
        add_warning(tally, f"conversation {id} has more than {MAX_ELEMENT_BYTES >> 20} MiB")
        return None
    try:
        return make(id, rows, table, tables, tally)
    except Exception as error:
        tally.skip(UNREADABLE)
        add_warning(tally, f"conversation {id}: {type(error).__name__}: {error}")
        return None
