"""The conversations in a table of messages: rows that have the same session belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from recollect.errors import ImportProblem
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.records import UNREADABLE, Told
from recollect.interchange.source import Piece
from recollect.interchange.sqlite import Table, Tables, opened
from recollect.interchange.values import Record, name_of, warn

NAMELESS = "messages without a session"
Choose = Callable[[Iterable[Table]], Table | None]
"""Says which table holds the messages."""
Make = Callable[[str, list[Record], Table, Tables, Tally], Conversation | None]
"""Makes a conversation of a session's rows."""


def sessions(piece: Piece, tally: Tally, told: Told, choose: Choose, make: Make) -> Iterator[Conversation]:
    """What `make` makes of every session. How much is done is told by the share of the rows."""
    with opened(piece.path, piece.name) as tables:
        table = choose(tables.all())
        if table is None:
            raise ImportProblem(f"{piece.name} has no table of messages with a column session_id")
        column = table.column("session_id") or ""
        groups = tables.grouped(table, column)
        total, done, heard = sum(map(len, groups.values())), 0, 0
        for session, numbers in groups.items():
            id = name_of(session, tally)
            if id is None:
                tally.skip(NAMELESS, len(numbers))
            else:
                made = _made(id, list(tables.rows(table, numbers)), table, tables, tally, make)
                if made is not None:
                    yield made
            done += len(numbers)
            told(piece.size * done // total - heard)
            heard = piece.size * done // total


def _made(id: str, rows: list[Record], table: Table, tables: Tables, tally: Tally, make: Make) -> Conversation | None:
    try:
        return make(id, rows, table, tables, tally)
    except Exception as error:
        tally.skip(UNREADABLE)
        warn(tally, f"conversation {id}: {type(error).__name__}: {error}")
        return None
