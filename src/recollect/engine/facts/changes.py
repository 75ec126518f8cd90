"""What a person changed about a fact, kept with the fact so that it can be taken back.

A record names other facts by id and never repeats what they say: when the words of a fact are erased, its history has none
of them either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast, get_args

from recollect.types import Artifact, FactChangeKind, Microseconds

MOST = 20
"""Changes that are kept of one fact: the newest."""

CHANGES = "changes"
_WHAT = get_args(FactChangeKind)


class ChangeRecord(NamedTuple):
    """One change of a fact, as it is stored. `before` and `after` are of a pin or of hiding; `other` is the fact that an
    edited one was made of, or that took the place of an ended one."""

    number: int
    what: FactChangeKind
    at: Microseconds
    before: bool = False
    after: bool = True
    other: str | None = None
    undone: Microseconds | None = None


def change_id(fact: str, record: ChangeRecord) -> str:
    """Return the id of a change, which names its fact.

    >>> change_id("a1", ChangeRecord(3, "pinned", 0))
    'a1-3'
    """
    return f"{fact}-{record.number}"


def fact_of_change(id: str) -> tuple[str, int]:
    """Return the fact that a change belongs to, and the number of the change; 0 for what is no id of one.

    >>> fact_of_change("a1-3"), fact_of_change("a1")
    (('a1', 3), ('a1', 0))
    """
    fact, _, number = id.rpartition("-")
    return (fact, int(number)) if fact and number.isascii() and number.isdigit() else (id, 0)


def changes_of(fact: Artifact) -> list[ChangeRecord]:
    """Return the changes of a fact, oldest first. What an import brought in another form is passed over.

    >>> changes_of(Artifact("a1", "fact", "Likes tea", 2, 0, data={"changes": ["?"]}))
    []
    """
    found = fact.data.get(CHANGES)
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


def with_change(
    fact: Artifact,
    what: FactChangeKind,
    at: Microseconds,
    *,
    before: bool = False,
    after: bool = True,
    other: str | None = None,
) -> Artifact:
    """Return a fact with one more change in its history.

    >>> fact = with_change(Artifact("a1", "fact", "Likes tea", 2, 0), "pinned", 5)
    >>> [(record.number, record.what, record.at) for record in changes_of(fact)]
    [(1, 'pinned', 5)]
    """
    known = changes_of(fact)
    number = 1 + max((record.number for record in known), default=0)
    return with_changes(fact, [*known, ChangeRecord(number, what, at, before, after, other)])


def with_changes(fact: Artifact, records: list[ChangeRecord]) -> Artifact:
    """Return a fact with this history, as far as it is kept."""
    rows = [{name: value for name, value in record._asdict().items() if value is not None} for record in records[-MOST:]]
    return replace(fact, data={**fact.data, CHANGES: rows})
