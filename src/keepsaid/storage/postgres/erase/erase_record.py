"""Record of what an erase has removed, for the verification afterwards."""

from __future__ import annotations

from keepsaid.storage.postgres.partitions import PartitionKey


class PostgresEraseRecord:
    """Counts what is removed, and keeps the numbers, terms and ids needed to verify that it is gone."""

    def __init__(self) -> None:
        self.sessions = 0
        self.messages = 0
        self.derived = 0
        self.gone: set[tuple[PartitionKey, int]] = set()
        """Numbers of removed messages."""
        self.terms: dict[PartitionKey, set[str]] = {}
        """Their keyword terms."""
        self.artifacts: set[tuple[PartitionKey, str]] = set()
        """Ids of removed artifacts."""
        self.receipts: set[tuple[PartitionKey, str]] = set()
        self.kept_facts: set[tuple[PartitionKey, int]] = set()
        """Numbers of facts that stay when their source messages are removed."""
        self.spaces: list[PartitionKey] = []
        """Partitions that are removed completely."""
