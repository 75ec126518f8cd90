"""What an erase has removed so far, and where to look for it afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.storage.sqlite import residue
from recollect.storage.sqlite.database import Database


class Tally:
    """Counts what goes, and keeps what tells it apart from what stays."""

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
        """Facts that stay when messages go that they rest on."""

    def note_rows(self, db: Database, select: str, values: Sequence[Any]) -> None:
        """Keeps pieces of texts that are about to go, to look for them afterwards."""
        for row in db.execute(select, values):
            if len(self.pieces) > residue.TOO_MANY:
                return
            self.pieces.update(residue.pieces(*row))

    def note(self, *pieces: bytes) -> None:
        """Keeps these very pieces."""
        if len(self.pieces) <= residue.TOO_MANY:
            self.pieces.update(pieces)
