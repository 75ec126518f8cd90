"""A read-only verb as a value: the statements to send, and how to convert their rows.

Every such verb is one round trip to the server. As values, several of them can share one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values

ReadResult = TypeVar("ReadResult")

Statement = tuple[str, Values]


@dataclass(frozen=True, slots=True)
class PostgresReadOperation(Generic[ReadResult]):
    """Statements that do not need each other's results, and how to convert their rows."""

    statements: tuple[Statement, ...]
    parse_rows: Callable[[list[list[Row]]], ReadResult]

    def run(self, db: PostgresConnection) -> ReadResult:
        """Run the statements in one round trip, the last of its transaction."""
        return self.parse_rows([rows.fetchall() for rows in db.together(*self.statements, last=True)])


def single_statement_read(
    statement: str, values: Values, made: Callable[[list[Row]], ReadResult]
) -> PostgresReadOperation[ReadResult]:
    """Make the read operation of one statement.

    >>> single_statement_read("SELECT 1", (), lambda rows: rows[0][0]).parse_rows([[(1,)]])
    1
    """
    return PostgresReadOperation(((statement, values),), lambda answers: made(answers[0]))
