"""`recollect worker`: does in one place what waits, until it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime
from threading import Event
from typing import Any

import click

from recollect import wiring
from recollect.cli.door import Door
from recollect.cli.stopping import stoppable
from recollect.cli.survey import describe_change, survey_vectors
from recollect.cli.words import count, size
from recollect.config import Settings
from recollect.errors import RecollectError
from recollect.memory import Memory
from recollect.notes import LINE
from recollect.ports import Artifacts, Storage
from recollect.schedule import Schedule

LOOK = 1.0
"""Seconds between two looks at whether anybody has saved something."""
PAUSE = 30.0
"""Seconds until what failed is tried again."""


@click.command()
@click.option("--once", is_flag=True, help="Do what waits, and end. Exit code 1 if something could not be done.")
@click.pass_context
def worker(context: click.Context, once: bool) -> None:
    """Do in one place what waits: vectors, notes, clean-up, backups.

    Stays until it is stopped (Ctrl-C or SIGTERM), and prints a line for each thing done. The settings `retention_every`,
    `backup_folder`, `backup_every` and `backup_keep` say what it does on a schedule. More than one may run at a time.
    """
    door: Door = context.obj
    settings = door.settings()
    with (
        stoppable() as asked,
        door.open(background=False) as memory,
        closing(wiring.open_storage(settings)) as storage,
    ):
        _tell_of_change(storage, settings)
        shift = Shift(memory, storage, settings, asked)
        if once:
            if not shift.round():
                context.exit(1)
            return
        _say(f"Working on {door.where()}.")
        try:
            shift.stay()
        except KeyboardInterrupt:
            _say("Stopped. What is done stays; what waits goes on waiting.")


class Shift:
    """What a worker does, again and again."""

    def __init__(self, memory: Memory, storage: Storage, settings: Settings, asked: Event) -> None:
        self._memory = memory
        self._storage = storage
        self._schedule = Schedule(memory, settings)
        self._asked_to_end = asked
        self._failures: dict[str, str] = {}
        self._notes = storage if settings.notes and isinstance(storage, Artifacts) else None
        if self._notes is not None:
            self._notes.begin_notes(LINE)

    def stay(self) -> None:
        """Works whenever somebody has saved something, and when the schedule says so."""
        seen: object = None
        while True:
            now = self._storage.stamp()
            well = self.round(saved=now != seen)
            # As it was before the work: what came meanwhile is looked at in the next round.
            seen = now if well else None
            if self._asked_to_end.wait(LOOK if well else PAUSE):
                raise KeyboardInterrupt

    def round(self, *, saved: bool = True) -> bool:
        """Does what waits; False if something could not be done."""
        works: list[Callable[[], None]] = [self._clean_up, self._back_up]
        if saved:
            works.insert(0, self._keep_up)
        done = [self._tried(work) for work in works]
        return all(done)

    def _tried(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except (RecollectError, OSError) as error:
            if self._asked_to_end.is_set():
                raise KeyboardInterrupt from error
            if str(error) != self._failures.get(work.__name__):
                # Told once: it is tried again and again.
                self._failures[work.__name__] = str(error)
                _say(f"Could not be done: {' '.join(str(error).split())}", err=True)
            return False
        self._failures.pop(work.__name__, None)
        return True

    def _keep_up(self) -> None:
        before = self._unnoted()
        embedded = self._memory.maintain()
        noted = before - self._unnoted()
        if noted > 0:
            _say(f"Took notes of {count(noted, 'message')}.")
        if embedded:
            _say(f"Embedded {count(embedded, 'message')}.")

    def _unnoted(self) -> int:
        return 0 if self._notes is None else self._notes.unnoted(LINE)

    def _clean_up(self) -> None:
        report = self._schedule.clean_up()
        if report is not None and report.total:
            done = f"{count(report.expired + report.expired_archived, 'session')} expired, {report.purged:,} purged"
            _say(f"Rehearsed the clean-up: {done} when the next one is due." if report.rehearsal else f"Cleaned up: {done}.")

    def _back_up(self) -> None:
        made = self._schedule.back_up()
        if made is not None:
            gone = f"; {count(made.removed, 'older one')} removed" if made.removed else ""
            _say(f"Backed up to {made.path} ({size(made.bytes)}){gone}.")


def _tell_of_change(storage: Storage, settings: Settings) -> None:
    """Say what lies ahead after a change of the embedder; one that fails is told of when there is work for it."""
    with suppress(RecollectError):
        embedder = wiring.open_embedder(settings)
        change = embedder and describe_change(survey_vectors(storage, embedder.name), embedder)
        if change:
            _say(f"{change}.")


def _say(words: str, **options: Any) -> None:
    click.echo(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}  {words}", **options)
