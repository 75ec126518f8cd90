"""The note in a unit's header: what others want to know of a unit without reading it, that is how far it has come, and who
of it waits for which work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.storage.sqlite import spaces
from recollect.storage.sqlite.database import Database
from recollect.types import Mark, Scope

SEAL = "seal"
"""Where an encrypted unit's note has its wrapped key; the rest of a note is by kind of space."""


def of(db: Database) -> Mapping[str, Any]:
    """The note of a mirror's unit."""
    lines = dict[int, str](db.execute("SELECT no, name FROM generations").fetchall())
    made: dict[str, Any] = {}
    for number, kind in db.execute("SELECT no, kind FROM owners").fetchall():
        done = db.execute("SELECT generation, upto FROM work WHERE generation IN (SELECT no FROM generations) AND owner = ?",
                          (number,))  # fmt: skip
        mark = spaces.last_mark(db, number)
        made[str(kind)] = {
            "mark": [mark.messages, mark.changes, mark.life],
            "newest": _newest(db, number),
            "done": {lines[line]: upto for line, upto in done},
        }
    return made


def _newest(db: Database, owner: int) -> int:
    low, high = spaces.rid_range(owner)
    row = db.execute("SELECT max(rid) FROM messages WHERE rid BETWEEN ? AND ?", (low, high)).fetchone()
    return row[0] - low if row and row[0] else 0


def mark(note: Mapping[str, Any], scope: Scope) -> Mark:
    """How far an owner has come.

    >>> mark({"0": {"mark": [3, 1, 77]}}, Scope("ann")), mark({}, Scope("ann")) == Mark()
    (Mark(messages=3, changes=1, life=77), True)
    """
    space = note.get(str(spaces.whose(scope)[0]))
    return Mark(*space["mark"]) if space else Mark()


def waits(note: Mapping[str, Any], line: str, shelves: bool) -> bool:
    """Whether messages of a unit wait in a line of work; of shelves only some lines want anything.

    >>> waits({"0": {"newest": 3, "done": {"notes": 3}}}, "notes", False)
    False
    >>> waits({"2": {"newest": 3, "done": {}}}, "model", True)
    True
    """
    return any(
        space["done"].get(line, 0) < space["newest"] for kind, space in note.items() if shelves or int(kind) < spaces.SHELF
    )


def has_messages(note: Mapping[str, Any]) -> bool:
    """Whether a unit has any message."""
    return any(space["newest"] for space in note.values())
