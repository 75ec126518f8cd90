"""Check whether a replica matches the ledger. Rows are compared by value: all rows of a partition are in memory anyway, and
so the report can say how many differ in which table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from keepsaid.storage.replica.ledger import LedgerRow
from keepsaid.storage.replica.rows import LedgerTable, all_rows, is_replica_only, row_values
from keepsaid.storage.sqlite.connection.database import SqliteConnection


def find_drift(db: SqliteConnection, known: Mapping[str, LedgerTable], rows: Iterable[LedgerRow]) -> list[str]:
    """Describe the differences in each table. Return an empty list if the replica has exactly these rows."""
    there = {
        (row.table, row.key): row_values(known[row.table], row.columns)
        for row in rows
        if row.table in known and row.columns is not None and not is_replica_only(row.table, row.key)
    }
    differing, invented = Counter[str](), Counter[str]()
    for table in known.values():
        for row in all_rows(db, table):
            expected = there.pop((row.table, row.key), None)
            if expected is None:
                invented[table.name] += 1
            elif row.columns is not None and expected != row_values(table, row.columns):
                differing[table.name] += 1
    missing = Counter(table for table, _ in there)
    return [
        f"{differing[name]} rows of {name} differ from the ledger's, {missing[name]} are missing, {invented[name]} too many"
        for name in known
        if differing[name] or missing[name] or invented[name]
    ]
