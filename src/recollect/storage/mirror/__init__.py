"""Storage for places that can keep rows but cannot search them: the rows are at home in a ledger (Redis, Firestore, yours),
and each process keeps a mirror of what it works with, in SQLite, that can."""
