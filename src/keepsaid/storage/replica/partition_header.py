"""The note in a partition's header: what other processes need to know without loading the partition, namely how far each of
its spaces has come and which work is pending."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keepsaid.storage.sqlite import partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types import ChangePosition, Scope

WRAPPED_KEY = "seal"
"""The entry with the wrapped key of an encrypted partition. The other entries are by kind of space."""


def build_note(db: SqliteConnection) -> Mapping[str, Any]:
    """Build the note of a replica's partition."""
    lines = dict[int, str](db.execute("SELECT no, name FROM generations").fetchall())
    made: dict[str, Any] = {}
    for number, kind in db.execute("SELECT no, kind FROM owners").fetchall():
        done = db.execute("SELECT generation, upto FROM work WHERE generation IN (SELECT no FROM generations) AND owner = ?",
                          (number,))  # fmt: skip
        mark = partitions.last_position(db, number)
        made[str(kind)] = {
            "mark": [mark.messages, mark.changes, mark.life],
            "newest": _newest(db, number),
            "done": {lines[line]: upto for line, upto in done},
        }
    return made


def _newest(db: SqliteConnection, owner: int) -> int:
    low, high = partitions.rid_range(owner)
    row = db.execute("SELECT max(rid) FROM messages WHERE rid BETWEEN ? AND ?", (low, high)).fetchone()
    return row[0] - low if row and row[0] else 0


def read_position(note: Mapping[str, Any], scope: Scope) -> ChangePosition:
    """The change position of an owner.

    >>> read_position({"0": {"mark": [3, 1, 77]}}, Scope("ann")), read_position({}, Scope("ann")) == ChangePosition()
    (ChangePosition(messages=3, changes=1, life=77), True)
    """
    space = note.get(str(partitions.partition_key(scope)[0]))
    return ChangePosition(*space["mark"]) if space else ChangePosition()


def has_waiting_work(note: Mapping[str, Any], line: str, shelves: bool) -> bool:
    """Whether messages of a partition wait for a work line. Only some lines process document spaces.

    >>> has_waiting_work({"0": {"newest": 3, "done": {"notes": 3}}}, "notes", False)
    False
    >>> has_waiting_work({"2": {"newest": 3, "done": {}}}, "model", True)
    True
    """
    return any(
        space["done"].get(line, 0) < space["newest"]
        for kind, space in note.items()
        if shelves or int(kind) < partitions.DOCUMENTS_OFFSET
    )


def has_messages(note: Mapping[str, Any]) -> bool:
    """Whether a partition has any message."""
    return any(space["newest"] for space in note.values())
