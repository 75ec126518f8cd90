"""`keepsaid worker`: runs pending background work until it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from functools import partial
from threading import Event
from typing import Any

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.output.formatting import format_count, format_size
from keepsaid.cli.output.interrupts import interruptible
from keepsaid.cli.store.vector_survey import describe_embedding_change
from keepsaid.config import Settings
from keepsaid.errors import KeepsaidError
from keepsaid.memory import Memory
from keepsaid.ports import Storage
from keepsaid.services.background.schedule import MaintenanceSchedule
from keepsaid.services.facts.extraction_job import EXTRACTION_LINE

POLL_SECONDS = 1.0
"""Seconds between two checks for new data."""
RETRY_SECONDS = 30.0
"""Seconds until failed work is retried."""


@click.command()
@click.option("--once", is_flag=True, help="Do the pending work and exit, with code 1 if something failed.")
@click.pass_context
def worker(context: click.Context, once: bool) -> None:
    """Run pending background work: vectors, notes, clean-up, backups.

    Runs until it is stopped (Ctrl-C or SIGTERM), and prints a line for each task done. The settings `retention_every`,
    `backup_folder`, `backup_every` and `backup_keep` set its schedule. Several workers may run at a time.
    """
    opener: StoreOpener = context.obj
    settings = opener.settings()
    with (
        interruptible() as stop_requested,
        opener.open(background=False) as memory,
        closing(wiring.open_storage(settings)) as storage,
    ):
        if change := describe_embedding_change(storage, settings):
            _log(f"{change}.")
        loop = WorkerLoop(memory, storage, settings, stop_requested)
        if once:
            if not loop.run_once():
                context.exit(1)
            return
        _log(f"Working on {opener.location()}.")
        try:
            loop.run_until_stopped()
        except KeyboardInterrupt:
            _log("Stopped. Finished work is saved; the rest stays pending.")


class WorkerLoop:
    """The rounds of a worker: embed and take notes, clean up, back up."""

    def __init__(self, memory: Memory, storage: Storage, settings: Settings, stop_requested: Event) -> None:
        self._memory = memory
        self._storage = storage
        self._schedule = MaintenanceSchedule(memory, settings, partial(wiring.is_copy, settings))
        self._stop_requested = stop_requested
        self._failures: dict[str, str] = {}
        self._notes = storage if settings.notes else None
        if self._notes is not None:
            self._notes.begin_notes(EXTRACTION_LINE)

    def run_until_stopped(self) -> None:
        """Work whenever there is new data and when the schedule requires it, until stopped."""
        seen: object = None
        while True:
            now = self._storage.stamp()
            succeeded = self.run_once(saved=now != seen)
            # The stamp from before the work: data saved meanwhile is handled in the next round.
            seen = now if succeeded else None
            if self._stop_requested.wait(POLL_SECONDS if succeeded else RETRY_SECONDS):
                raise KeyboardInterrupt

    def run_once(self, *, saved: bool = True) -> bool:
        """Do the pending work; return False if something failed."""
        works: list[Callable[[], None]] = [self._clean_up, self._back_up]
        if saved:
            works.insert(0, self._process_backlog)
        done = [self._run_step(work) for work in works]
        return all(done)

    def _run_step(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except (KeepsaidError, OSError) as error:
            if self._stop_requested.is_set():
                raise KeyboardInterrupt from error
            if str(error) != self._failures.get(work.__name__):
                # Report a failure once, although it is retried.
                self._failures[work.__name__] = str(error)
                _log(f"Failed: {' '.join(str(error).split())}", err=True)
            return False
        self._failures.pop(work.__name__, None)
        return True

    def _process_backlog(self) -> None:
        before = self._count_pending_notes()
        embedded = self._memory.maintain()
        noted = before - self._count_pending_notes()
        if noted > 0:
            _log(f"Extracted facts and notes from {format_count(noted, 'message')}.")
        if embedded:
            _log(f"Embedded {format_count(embedded, 'message')}.")

    def _count_pending_notes(self) -> int:
        return 0 if self._notes is None else self._notes.unnoted(EXTRACTION_LINE)

    def _clean_up(self) -> None:
        report = self._schedule.clean_up()
        if report is not None and report.total:
            done = f"{format_count(report.expired + report.expired_archived, 'session')} expired, {report.purged:,} purged"
            _log(f"Clean-up, dry run: {done} when the next one is due." if report.first_dry_run else f"Cleaned up: {done}.")

    def _back_up(self) -> None:
        backup = self._schedule.back_up()
        if backup is not None:
            gone = f"; {format_count(backup.removed, 'older one')} removed" if backup.removed else ""
            _log(f"Backed up to {backup.path} ({format_size(backup.bytes)}){gone}.")


def _log(words: str, **options: Any) -> None:
    click.echo(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}  {words}", **options)
