"""The record of what an erase has deleted, for its receipt and for the verification afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.erase import residue


class SqliteEraseRecord:
    """Counts of deleted rows, and the keys and pieces of text by which remains of them can be found."""

    def __init__(self) -> None:
        self.sessions = 0
        self.messages = 0
        self.derived = 0
        self.rids: set[int] = set()
        self.token_rows: set[int] = set()
        self.artifacts: set[tuple[int, str]] = set()
        self.receipts: set[tuple[int, str]] = set()
        self.terms: set[str] = set()
        self.pieces: set[bytes] = set()
        self.owners: list[int] = []
        self.kept_facts: set[int] = set()
        """Facts that stay although their source messages are deleted."""

    def add_pieces_of_rows(self, db: SqliteConnection, select: str, values: Sequence[Any]) -> None:
        """Record pieces of texts that are about to be deleted."""
        for row in db.execute(select, values):
            if len(self.pieces) > residue.MAX_PIECES:
                return
            self.pieces.update(residue.split_texts(*row))

    def add_pieces(self, *pieces: bytes) -> None:
        """Record these pieces."""
        if len(self.pieces) <= residue.MAX_PIECES:
            self.pieces.update(pieces)
