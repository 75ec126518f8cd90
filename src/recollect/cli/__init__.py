"""The command `recollect`: parse, call, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from recollect import __version__
from recollect.cli.backup import backup
from recollect.cli.bench import bench
from recollect.cli.doctor import doctor
from recollect.cli.door import Door
from recollect.cli.erase import erase
from recollect.cli.model import model
from recollect.cli.reindex import reindex
from recollect.cli.retention import retention
from recollect.cli.search import search
from recollect.errors import RecollectError


class Failure(click.ClickException):
    """An error as the shell sees it: one line, exit code 2."""

    exit_code = 2

    def __init__(self, error: Exception) -> None:
        super().__init__(" ".join(str(error).split()))


class Front(click.Group):
    """Turns what goes wrong inside into one clear line; anything else is a bug of ours and shows where."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (RecollectError, OSError) as error:
            raise Failure(error) from error


@click.group(cls=Front, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--store", metavar="PATH_OR_URL", help="The store's file. Default: RECOLLECT_URL, or your user data folder.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Settings in TOML, YAML or JSON.")
@click.option("--key-file", type=click.Path(path_type=Path), metavar="FILE", help="The key of an encrypted store.")
@click.version_option(__version__, prog_name="recollect")
@click.pass_context
def main(context: click.Context, store: str | None, config: Path | None, key_file: Path | None) -> None:
    """Look after the conversations that Recollect keeps.

    Exit codes: 0 fine, 1 something needs your attention, 2 it could not be done.
    """
    if store == "":
        # An unset shell variable must not send an erase to the user's own store.
        raise click.BadParameter("is empty", param_hint="--store")
    context.obj = Door(store, config, key_file)


for command in (search, doctor, backup, retention, erase, reindex, model, bench):
    main.add_command(command)
