"""A verb that only reads, as a value: what to ask the server, and what to make of its answers.

Every such verb is one exchange with the server. As values, several of them can share one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from recollect.storage.postgres.database import Database, Row, Values

Made = TypeVar("Made")

Statement = tuple[str, Values]


@dataclass(frozen=True, slots=True)
class Reading(Generic[Made]):
    """Statements that need nothing of each other, and what their rows mean."""

    statements: tuple[Statement, ...]
    made: Callable[[list[list[Row]]], Made]

    def run(self, db: Database) -> Made:
        """Asks in one exchange, the last of its transaction."""
        return self.made([rows.fetchall() for rows in db.together(*self.statements, last=True)])


def reading(statement: str, values: Values, made: Callable[[list[Row]], Made]) -> Reading[Made]:
    """A verb of one statement.

    >>> reading("SELECT 1", (), lambda rows: rows[0][0]).made([[(1,)]])
    1
    """
    return Reading(((statement, values),), lambda answers: made(answers[0]))
