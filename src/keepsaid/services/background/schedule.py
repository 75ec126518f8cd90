"""Scheduled maintenance: retention and backups at the intervals in the settings. Workers and servers call it
periodically."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from keepsaid.config import Settings
from keepsaid.services.background import backups
from keepsaid.types.reports import RetentionReport

if TYPE_CHECKING:
    from keepsaid.memory import Memory


class MaintenanceSchedule:
    """Runs retention and backups when they are due."""

    def __init__(self, memory: Memory, settings: Settings, is_copy: Callable[[Path], bool]) -> None:
        self._memory = memory
        self._settings = settings
        self._is_copy = is_copy
        self._cleaned: float | None = None
        self._backed_up: datetime | None = None

    def clean_up(self) -> RetentionReport | None:
        """Run retention if it is due. Several processes may call this at the same time."""
        every = self._settings.retention_every
        if every is None or (self._cleaned is not None and time.monotonic() < self._cleaned + every * 3600):
            return None
        # A user who starts a server twice in a row has not yet read the report of the dry run.
        report = self._memory.retention(rest=timedelta(hours=every))
        self._cleaned = time.monotonic()
        return report

    def back_up(self) -> backups.BackupResult | None:
        """Create a backup if one is due."""
        folder, every = self._settings.backup_folder, self._settings.backup_every
        if not folder or every is None:
            return None
        now = datetime.now().astimezone()
        if self._backed_up is None:
            self._backed_up = backups.find_newest_backup_time(self._is_copy, Path(folder))
        if self._backed_up is not None and now < self._backed_up + timedelta(hours=every):
            return None
        made = backups.make_backup(self._memory, self._is_copy, Path(folder), self._settings.backup_keep, now)
        self._backed_up = now
        return made
