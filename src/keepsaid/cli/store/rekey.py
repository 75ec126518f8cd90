"""`keepsaid rekey`: change the master key of an encrypted store on a server."""

from __future__ import annotations

from pathlib import Path

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.output.formatting import echo_json, format_count


@click.command()
@click.argument("new", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="NEW_KEY_FILE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def rekey(opener: StoreOpener, new: Path, as_json: bool) -> None:
    """Change the master key of an encrypted store on a server.

    The keys of all owners are wrapped again; no text is re-encrypted. If interrupted, run it again. Then destroy the old
    key: without it, no one can read erased owners in older backups (docs/encryption.md).
    """
    changed = wiring.rotate(opener.settings(), new)
    if as_json:
        echo_json({"store": opener.location(), "keys": changed})
        return
    click.echo(
        f"{format_count(changed, 'key')} of {opener.location()} wrapped again: from now on the store opens only with {new}."
    )
