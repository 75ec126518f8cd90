"""`recollect backup`: a copy of a store that may be in use."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from threading import Event

import click

from recollect import copies
from recollect.cli.door import Door
from recollect.cli.options import json_option, writable
from recollect.cli.progress import Progress, Stopped
from recollect.cli.stopping import stoppable
from recollect.cli.words import count, echo_json, size

KEPT = 7


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), metavar="N", help="TARGET is a folder: keep the newest N copies in it.")
@click.option("--every", type=click.FloatRange(min=0, min_open=True), metavar="HOURS",
              help=f"Stay, and make a copy so often; keeps {KEPT} unless --keep says otherwise.")  # fmt: skip
@json_option
@click.pass_obj
def backup(door: Door, target: Path, keep: int | None, every: float | None, as_json: bool) -> None:
    """Copy the store while it is in use.

    TARGET is a new file, or with --keep or --every a folder, where each copy is named by its time. Only copies that this
    command made of this very store are ever removed. The copy of an encrypted store has the same key.
    """
    if every is not None:
        with stoppable() as asked:
            _repeat(door, target, keep or KEPT, every, asked)
    elif keep is not None or target.is_dir():
        made = _dated(door, target, keep)
        _tell(door, made.path, made.bytes, made.removed, as_json)
    else:
        writable(target)
        with door.open(background=False) as memory, Progress("bytes") as progress:
            memory.backup(target, progress=progress.of("Copying"))
        _tell(door, target, target.stat().st_size, 0, as_json)


def _dated(door: Door, folder: Path, keep: int | None) -> copies.Made:
    with door.open(background=False) as memory, Progress("bytes") as progress:
        # Without a number, all are kept.
        most = keep if keep is not None else 1 << 30
        return copies.make(memory, door.settings(), folder, most, datetime.now().astimezone(), progress.of("Copying"))


def _repeat(door: Door, folder: Path, keep: int, hours: float, asked: Event) -> None:
    """Makes copies until somebody stops it; the first one at once."""
    number = 0
    try:
        while not asked.is_set():
            made = _dated(door, folder, keep)
            number += 1
            next_one = datetime.now() + timedelta(hours=hours)  # noqa: DTZ005  # for a person's eyes, here
            click.echo(f"{made.path} ({size(made.bytes)}). The next one at {next_one:%H:%M:%S}.")
            asked.wait(hours * 3600)
    except KeyboardInterrupt:
        pass
    raise Stopped(f"Made {count(number, 'backup')} in {folder}; they stay.")


def _tell(door: Door, target: Path, bytes: int, removed: int, as_json: bool) -> None:
    if as_json:
        echo_json({"store": door.where(), "backup": str(target), "bytes": bytes, "removed": removed})
        return
    click.echo(f"Copied {door.where()} to {target} ({size(bytes)}).")
    if removed:
        click.echo(f"Removed {count(removed, 'older backup')}.")
