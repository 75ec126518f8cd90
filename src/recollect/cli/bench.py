"""`recollect bench`: how fast this is, on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from recollect.cli.words import echo_json


@click.group()
def bench() -> None:
    """Measure speed on this machine."""


@bench.command()
@click.option("--quick", is_flag=True, help="Small sizes, in seconds; the targets are for the full run.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where to put the temporary files (1 GB, removed). Default: the system's place, or memory where fsync is left out.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def store(quick: bool, folder: Path | None, as_json: bool) -> None:
    """Compare the store with a raw single-table SQLite doing the same."""
    # The benchmark is of no use to the other commands; they should not wait for its imports.
    from recollect.bench import report
    from recollect.bench import store as measured

    numbers = measured.run(quick=quick, folder=folder, tell=_progress)
    if as_json:
        echo_json(numbers)
    else:
        click.echo(report.table(numbers))


def _progress(step: str) -> None:
    """On a terminal, says what is being measured; a full run takes a minute or two."""
    if sys.stderr.isatty():
        click.echo(f"measuring: {step}", err=True)
