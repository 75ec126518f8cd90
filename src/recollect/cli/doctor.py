"""`recollect doctor`: is everything in order, and if not, make it so."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from recollect import wiring
from recollect.cli.door import Door, existing
from recollect.cli.words import echo_json
from recollect.errors import StoreCorrupt
from recollect.types import Diagnosis


@click.command()
@click.option("--repair", is_flag=True, help="Mend what is wrong.")
@click.option(
    "--salvage",
    type=click.Path(path_type=Path),
    metavar="NEWFILE",
    help="Copy what can still be read of a damaged store into a new one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def doctor(context: click.Context, repair: bool, salvage: Path | None, as_json: bool) -> None:
    """Compare messages, keyword index and counters with each other.

    The exit code is 1 if something is wrong and was not repaired.
    """
    door: Door = context.obj
    if salvage is not None:
        if repair:
            raise click.UsageError("--salvage leaves the old store as it is; use it without --repair")
        _salvage(door, salvage, as_json)
        return
    diagnosis = _check(door, repair)
    if as_json:
        echo_json({"store": door.where(), "healthy": diagnosis.healthy, **asdict(diagnosis)})
    else:
        _print(door.where(), diagnosis)
    if not diagnosis.healthy:
        context.exit(1)


def _check(door: Door, repair: bool) -> Diagnosis:
    try:
        with door.open() as memory:
            return memory.check(repair=repair)
    except StoreCorrupt as error:
        # The error itself proposes this very command, which does not get in either.
        raise StoreCorrupt(
            f"{door.where()} is too damaged to be checked ({_reason(error)});"
            " `recollect doctor --salvage NEWFILE` copies what can still be read"
        ) from error


def _reason(error: BaseException) -> BaseException:
    """What was wrong first, in SQLite's words."""
    return error if error.__cause__ is None else _reason(error.__cause__)


def _print(where: str, diagnosis: Diagnosis) -> None:
    looked_at = ", ".join(f"{number:,} {table}" for table, number in diagnosis.checked.items())
    click.echo(f"Checked {where}: {looked_at or 'nothing in it'}.")
    for finding in diagnosis.findings:
        click.echo(f"  {'repaired' if finding.repaired else 'wrong'}: {finding.kind}: {finding.detail}")
    wrong = sum(not finding.repaired for finding in diagnosis.findings)
    if wrong:
        click.echo(f"Found wrong: {wrong:,}. `recollect doctor --repair` mends what can be mended.")
    elif diagnosis.findings:
        click.echo("Everything that was wrong is repaired.")
    else:
        click.echo("Everything is in order.")


def _salvage(door: Door, target: Path, as_json: bool) -> None:
    settings = door.settings()
    existing(settings)
    try:
        saved = wiring.salvage(settings, target)
    except StoreCorrupt as error:
        raise StoreCorrupt(
            f"{door.where()} is too damaged to be salvaged ({_reason(error)}); a backup is the way back"
        ) from error
    if as_json:
        echo_json({"store": door.where(), "salvaged_to": str(target), "saved": saved})
        return
    rows = ", ".join(f"{number:,} {table}" for table, number in saved.items() if table in ("owners", "sessions", "messages"))
    click.echo(f"Salvaged {rows} from {door.where()} into {target}.")
