"""The command `recollect`: parse, call, print."""

from __future__ import annotations

import os
from pathlib import Path

import click

from recollect import __version__
from recollect.cli.front import Front

STORE_HELP = "The store's file. Default: RECOLLECT_DB, or RECOLLECT_URL, or your user data folder."


@click.group(cls=Front, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--db", metavar="PATH", help=STORE_HELP)
@click.option("--store", metavar="PATH", hidden=True)
@click.option("--owner", metavar="NAME", help="Whose memory. Default: RECOLLECT_OWNER, or me.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Settings in TOML, YAML or JSON.")
@click.option("--key-file", type=click.Path(path_type=Path), metavar="FILE", help="The key of an encrypted store.")
@click.version_option(__version__, prog_name="recollect")
@click.pass_context
def main(
    context: click.Context, db: str | None, store: str | None, owner: str | None, config: Path | None, key_file: Path | None
) -> None:
    """The memory for AI assistants, on the command line.

    Exit codes: 0 fine, 1 something needs your attention, 2 it could not be done.
    """
    # Here, because whoever only asks for help should not wait for it.
    from recollect.cli.door import Door

    for option, value in (("--db", db), ("--store", store), ("--owner", owner)):
        if value == "":
            # An unset shell variable must not send an erase to the user's own store.
            raise click.BadParameter("is empty", param_hint=option)
    if os.environ.get("NO_COLOR"):
        context.color = False
    context.obj = Door(store if store is not None else db, config, key_file, owner)
