"""Whether a mirror still has what the ledger has. Rows are compared by value: those of a unit are all in memory anyway, and
so it can be said how many differ, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from recollect.storage.mirror.ledger import Row
from recollect.storage.mirror.rows import Table, all_rows, is_own, values_for
from recollect.storage.sqlite.database import Database


def drift(db: Database, known: Mapping[str, Table], rows: Iterable[Row]) -> list[str]:
    """What is wrong in each table, in words; nothing if the mirror has just these rows of a ledger."""
    there = {
        (row.table, row.key): values_for(known[row.table], row.columns)
        for row in rows
        if row.table in known and row.columns is not None and not is_own(row.table, row.key)
    }
    differing, invented = Counter[str](), Counter[str]()
    for table in known.values():
        for row in all_rows(db, table):
            expected = there.pop((row.table, row.key), None)
            if expected is None:
                invented[table.name] += 1
            elif row.columns is not None and expected != values_for(table, row.columns):
                differing[table.name] += 1
    missing = Counter(table for table, _ in there)
    return [
        f"{differing[name]} rows of {name} differ from the place's, {missing[name]} are missing, {invented[name]} too many"
        for name in known
        if differing[name] or missing[name] or invented[name]
    ]
