"""What an erase has removed so far, and where to look for it afterwards."""

from __future__ import annotations

from recollect.storage.postgres.spaces import Space


class Tally:
    """Counts what goes, and keeps what tells it apart from what stays."""

    def __init__(self) -> None:
        self.sessions = 0
        self.messages = 0
        self.derived = 0
        self.gone: set[tuple[Space, int]] = set()
        """Numbers of messages."""
        self.terms: dict[Space, set[str]] = {}
        """What they were found by."""
        self.artifacts: set[tuple[Space, str]] = set()
        """Ids of these."""
        self.receipts: set[tuple[Space, str]] = set()
        self.kept_facts: set[tuple[Space, int]] = set()
        """Numbers of facts that stay when messages go that they rest on."""
        self.spaces: list[Space] = []
        """Those of which nothing is to be left."""
