"""The command `keepsaid`: parse, call, print."""

from __future__ import annotations

import os
from pathlib import Path

import click

from keepsaid import __version__
from keepsaid.cli.lazy_group import LazyCommandGroup

STORE_HELP = "The store's file. Default: KEEPSAID_DB, or KEEPSAID_URL, or your user data folder."


@click.group(cls=LazyCommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--db", metavar="PATH", help=STORE_HELP)
@click.option("--store", metavar="PATH", hidden=True)
@click.option("--owner", metavar="NAME", help="The owner of the memory. Default: KEEPSAID_OWNER, or me.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Settings in TOML, YAML or JSON.")
@click.option("--key-file", type=click.Path(path_type=Path), metavar="FILE", help="The key of an encrypted store.")
@click.version_option(__version__, prog_name="keepsaid")
@click.pass_context
def main(
    context: click.Context, db: str | None, store: str | None, owner: str | None, config: Path | None, key_file: Path | None
) -> None:
    """The memory for AI assistants, on the command line.

    Exit codes: 0 success, 1 something needs your attention, 2 the command failed.
    """
    # Imported here so that `--help` stays fast.
    from keepsaid.cli.open_store import StoreOpener

    for option, value in (("--db", db), ("--store", store), ("--owner", owner)):
        if value == "":
            # An unset shell variable must not send an erase to the user's own store.
            raise click.BadParameter("is empty", param_hint=option)
    if os.environ.get("NO_COLOR"):
        context.color = False
    context.obj = StoreOpener(store if store is not None else db, config, key_file, owner)
