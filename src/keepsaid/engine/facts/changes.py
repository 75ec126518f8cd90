"""The changes that a user made to a fact, stored with the fact so that they can be undone.

A record refers to other facts by id and never repeats their text. So when the text of a fact is erased, none of it remains
in a history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast, get_args

from keepsaid.types import Artifact, FactChangeKind, Microseconds

MAX_CHANGES = 20
"""Number of changes that are kept for one fact, the newest ones."""

CHANGES_FIELD = "changes"
_WHAT = get_args(FactChangeKind)


class ChangeRecord(NamedTuple):
    """One change of a fact, as stored.

    `before` and `after` are the state of a pin or of hiding. `other` is the fact that an edited fact was made from, or that
    replaced an ended one.
    """

    number: int
    what: FactChangeKind
    at: Microseconds
    before: bool = False
    after: bool = True
    other: str | None = None
    undone: Microseconds | None = None


def format_change_id(fact: str, record: ChangeRecord) -> str:
    """Return the id of a change, which names its fact.

    >>> format_change_id("a1", ChangeRecord(3, "pinned", 0))
    'a1-3'
    """
    return f"{fact}-{record.number}"


def parse_change_id(id: str) -> tuple[str, int]:
    """Return the fact of a change and the number of the change, which is 0 if this is not the id of a change.

    >>> parse_change_id("a1-3"), parse_change_id("a1")
    (('a1', 3), ('a1', 0))
    """
    fact, _, number = id.rpartition("-")
    return (fact, int(number)) if fact and number.isascii() and number.isdigit() else (id, 0)


def read_changes(fact: Artifact) -> list[ChangeRecord]:
    """Return the changes of a fact, oldest first. Imported records in another form are skipped.

    >>> read_changes(Artifact("a1", "fact", "Likes tea", 2, 0, data={"changes": ["?"]}))
    []
    """
    found = fact.data.get(CHANGES_FIELD)
    rows = cast("list[object]", found) if isinstance(found, list) else []
    return [record for row in rows if (record := _read(row)) is not None]


def _read(row: object) -> ChangeRecord | None:
    if not isinstance(row, Mapping):
        return None
    values = cast("Mapping[str, Any]", row)
    whole = all(isinstance(values.get(name), int) for name in ("number", "at"))
    if not whole or values.get("what") not in _WHAT or not isinstance(values.get("other"), str | None):
        return None
    return ChangeRecord(
        values["number"],
        values["what"],
        values["at"],
        values.get("before") is True,
        values.get("after") is not False,
        values.get("other"),
        values["undone"] if isinstance(values.get("undone"), int) else None,
    )


def add_change(
    fact: Artifact,
    what: FactChangeKind,
    at: Microseconds,
    *,
    before: bool = False,
    after: bool = True,
    other: str | None = None,
) -> Artifact:
    """Return a fact with one more change in its history.

    >>> fact = add_change(Artifact("a1", "fact", "Likes tea", 2, 0), "pinned", 5)
    >>> [(record.number, record.what, record.at) for record in read_changes(fact)]
    [(1, 'pinned', 5)]
    """
    known = read_changes(fact)
    number = 1 + max((record.number for record in known), default=0)
    return replace_changes(fact, [*known, ChangeRecord(number, what, at, before, after, other)])


def replace_changes(fact: Artifact, records: list[ChangeRecord]) -> Artifact:
    """Return a fact with this history, cut to the newest changes."""
    rows = [
        {name: value for name, value in record._asdict().items() if value is not None} for record in records[-MAX_CHANGES:]
    ]
    return replace(fact, data={**fact.data, CHANGES_FIELD: rows})
