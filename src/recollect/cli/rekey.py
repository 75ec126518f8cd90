"""`recollect rekey`: another master key for an encrypted store on a server."""

from __future__ import annotations

from pathlib import Path

import click

from recollect import wiring
from recollect.cli.door import Door
from recollect.cli.words import count, echo_json


@click.command()
@click.argument("new", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="NEW_KEY_FILE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def rekey(door: Door, new: Path, as_json: bool) -> None:
    """Change the master key of an encrypted store on a server.

    The keys of all owners are wrapped anew; no text is touched. Cut short, it can be run again. Then destroy the old key:
    what backups from before have of erased owners opens for nobody (docs/encryption.md).
    """
    changed = wiring.rotate(door.settings(), new)
    if as_json:
        echo_json({"store": door.where(), "keys": changed})
        return
    click.echo(f"{count(changed, 'key')} of {door.where()} wrapped anew: from now on it opens with {new} only.")
