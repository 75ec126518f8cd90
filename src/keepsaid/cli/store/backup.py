"""`keepsaid backup`: copy a store that may be in use."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event

import click

from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import check_writable, json_option
from keepsaid.cli.output.formatting import echo_json, format_count, format_size
from keepsaid.cli.output.interrupts import interruptible
from keepsaid.cli.output.progress import CommandInterrupted, ProgressReporter
from keepsaid.services.background import backups
from keepsaid.wiring import is_copy

KEPT = 7


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), metavar="N", help="TARGET is a folder: keep the newest N copies in it.")
@click.option("--every", type=click.FloatRange(min=0, min_open=True), metavar="HOURS",
              help=f"Keep running and copy every HOURS; keeps {KEPT} unless --keep says otherwise.")  # fmt: skip
@json_option
@click.pass_obj
def backup(opener: StoreOpener, target: Path, keep: int | None, every: float | None, as_json: bool) -> None:
    """Copy the store while it is in use.

    TARGET is a new file, or with --keep or --every a folder, where each copy is named by its time. Only copies of this
    store that this command made are ever removed. The copy of an encrypted store has the same key.
    """
    if every is not None:
        with interruptible() as stop_requested:
            _repeat(opener, target, keep or KEPT, every, stop_requested)
    elif keep is not None or target.is_dir():
        copy = _make_dated_copy(opener, target, keep)
        _report(opener, copy.path, copy.bytes, copy.removed, as_json)
    else:
        check_writable(target)
        with opener.open(background=False) as memory, ProgressReporter("bytes") as progress:
            memory.backup(target, progress=progress.counter("Copying"))
        _report(opener, target, target.stat().st_size, 0, as_json)


def _make_dated_copy(opener: StoreOpener, folder: Path, keep: int | None) -> backups.BackupResult:
    with opener.open(background=False) as memory, ProgressReporter("bytes") as progress:
        # Without a number, all are kept.
        most = keep if keep is not None else 1 << 30
        return backups.make_backup(
            memory,
            partial(is_copy, opener.settings()),
            folder,
            most,
            datetime.now().astimezone(),
            progress.counter("Copying"),
        )


def _repeat(opener: StoreOpener, folder: Path, keep: int, hours: float, stop_requested: Event) -> None:
    """Make copies until stopped, the first one at once."""
    number = 0
    try:
        while not stop_requested.is_set():
            copy = _make_dated_copy(opener, folder, keep)
            number += 1
            next_one = datetime.now() + timedelta(hours=hours)  # noqa: DTZ005  # printed as local time
            click.echo(f"{copy.path} ({format_size(copy.bytes)}). The next one at {next_one:%H:%M:%S}.")
            stop_requested.wait(hours * 3600)
    except KeyboardInterrupt:
        pass
    raise CommandInterrupted(f"Made {format_count(number, 'backup')} in {folder}; they are kept.")


def _report(opener: StoreOpener, target: Path, bytes: int, removed: int, as_json: bool) -> None:
    if as_json:
        echo_json({"store": opener.location(), "backup": str(target), "bytes": bytes, "removed": removed})
        return
    click.echo(f"Copied {opener.location()} to {target} ({format_size(bytes)}).")
    if removed:
        click.echo(f"Removed {format_count(removed, 'older backup')}.")
