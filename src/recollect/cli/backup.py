"""`recollect backup`: a copy of a store that may be in use."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.cli.door import Door
from recollect.cli.words import size


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.pass_obj
def backup(door: Door, target: Path) -> None:
    """Copy the store to TARGET, a new file, while it is in use.

    The copy of an encrypted store has the same key.
    """
    with door.open() as memory:
        memory.backup(target)
    click.echo(f"Copied {door.where()} to {target} ({size(target.stat().st_size)}).")
