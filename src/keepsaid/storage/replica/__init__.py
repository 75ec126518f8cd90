"""Storage for backends that can keep rows but cannot search them. A ledger (Redis, Firestore, your own) is the source of
truth; each process keeps SQLite replicas of the partitions it works with, and searches those."""
