"""What is done by the clock: clean-ups and backups, as the settings say. Workers and servers look at it now and then."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path

from recollect import copies
from recollect.config import Settings
from recollect.memory import Memory
from recollect.reports import RetentionReport


class Schedule:
    """Knows when the next clean-up and the next backup are due, and does them."""

    def __init__(self, memory: Memory, settings: Settings) -> None:
        self._memory = memory
        self._settings = settings
        self._cleaned: float | None = None
        self._backed_up: datetime | None = None

    def clean_up(self) -> RetentionReport | None:
        """Cleans up, if it is time to; safe to be done by several processes."""
        every = self._settings.retention_every
        if every is None or (self._cleaned is not None and time.monotonic() < self._cleaned + every * 3600):
            return None
        # Whoever starts a server twice has not seen yet what the rehearsal told.
        report = self._memory.retention(rest=timedelta(hours=every))
        self._cleaned = time.monotonic()
        return report

    def back_up(self) -> copies.Made | None:
        """Makes a backup, if it is time to."""
        folder, every = self._settings.backup_folder, self._settings.backup_every
        if not folder or every is None:
            return None
        now = datetime.now().astimezone()
        if self._backed_up is None:
            self._backed_up = copies.newest(self._settings, Path(folder))
        if self._backed_up is not None and now < self._backed_up + timedelta(hours=every):
            return None
        made = copies.make(self._memory, self._settings, Path(folder), self._settings.backup_keep, now)
        self._backed_up = now
        return made
