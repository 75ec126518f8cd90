"""`recollect doctor`: is everything in order, and if not, make it so."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from pathlib import Path

import click

from recollect import wiring
from recollect.cli import checks
from recollect.cli.checks import Check
from recollect.cli.door import Door, existing
from recollect.cli.options import json_option
from recollect.cli.text import printable, screen_width
from recollect.cli.words import echo_json
from recollect.errors import StoreCorrupt, StoreReadOnly
from recollect.memory import Memory
from recollect.reports import Diagnosis

_ONE = {
    "owners": "owner", "sessions": "session", "documents": "document", "branches": "branch", "messages": "message",
    "vectors": "vector", "artifacts": "artifact", "receipts": "receipt",
}  # fmt: skip


@click.command()
@click.option("--repair", is_flag=True, help="Mend what is wrong.")
@click.option(
    "--salvage",
    type=click.Path(path_type=Path),
    metavar="NEWFILE",
    help="Copy what can still be read of a damaged store into a new one.",
)
@json_option
@click.pass_context
def doctor(context: click.Context, repair: bool, salvage: Path | None, as_json: bool) -> None:
    """Find out whether everything is in order, and mend it.

    Compares messages, keyword index and counters with each other; writes, reads, finds and erases a message of an owner
    whom nobody else knows; looks at the model, the disk, permissions, and the language model if there is one. The exit code
    is 1 if something is wrong and was not repaired.
    """
    door: Door = context.obj
    if salvage is not None:
        if repair:
            raise click.UsageError("--salvage leaves the old store as it is; use it without --repair")
        _salvage(door, salvage, as_json)
        return
    diagnosis, kept, looked = _check(door, repair)
    healthy = diagnosis.healthy and all(check.state != "wrong" for check in looked)
    if as_json:
        found = [check._asdict() for check in looked]
        echo_json({"store": door.where(), "healthy": healthy, **asdict(diagnosis), "checks": found})
    else:
        _print(door.where(), {**kept, **diagnosis.checked} | kept, diagnosis, looked)
    if not healthy:
        context.exit(1)


def _check(door: Door, repair: bool) -> tuple[Diagnosis, dict[str, int], list[Check]]:
    """What is wrong with the store, what people keep in it, and what else was looked at."""
    settings = door.settings()
    looked = [] if door.is_elsewhere else list(checks.of_files(existing(settings)))
    try:
        # Without a model: the store is looked at even if that is missing.
        with door.open(background=False, embedder="off") as memory:
            looked += checks.of_server(memory)
            diagnosis = memory.check(repair=repair)
            kept = _kept(memory) if diagnosis.healthy else {}
            if diagnosis.healthy:
                # What is known to be wrong should not be written to.
                looked.append(checks.round_trip(memory))
        looked += [*checks.of_model(settings), *checks.of_llm(settings)]
        return diagnosis, kept, looked
    except StoreReadOnly as error:
        wrong = [check for check in looked if check.state == "wrong"]
        if not wrong:
            raise
        raise StoreReadOnly(f"{wrong[0].detail}: {wrong[0].cure}") from error
    except StoreCorrupt as error:
        # The error itself proposes this very command, which does not get in either.
        raise StoreCorrupt(
            f"{door.where()} is too damaged to be checked ({_reason(error)});"
            " `recollect doctor --salvage NEWFILE` copies what can still be read"
        ) from error


def _kept(memory: Memory) -> dict[str, int]:
    """Owners, conversations and documents as people count them: in its tables, a store keeps documents like sessions, and
    where they are kept like an owner."""
    found = memory.stats(days=1)
    return {"owners": found.owners, "sessions": found.sessions + found.deleted, "documents": found.documents}


def _reason(error: BaseException) -> BaseException:
    """What was wrong first, in SQLite's words."""
    return error if error.__cause__ is None else _reason(error.__cause__)


def _print(where: str, counted: dict[str, int], diagnosis: Diagnosis, looked: list[Check]) -> None:
    names = {table: _ONE.get(table, table) if number == 1 else table for table, number in counted.items()}
    looked_at = ", ".join(f"{number:,} {names[table]}" for table, number in counted.items())
    click.echo(f"Checked {where}: {looked_at or 'nothing in it'}.")
    for finding in diagnosis.findings:
        click.echo(f"  {'repaired' if finding.repaired else 'wrong'}: {finding.kind}: {finding.detail}")
    for check in looked:
        cure = f" ({check.cure})" if check.cure else ""
        said = printable(f"{check.state}: {check.name}: {check.detail}{cure}")
        click.echo(textwrap.fill(said, screen_width(), initial_indent="  ", subsequent_indent="    "))
    wrong = sum(not finding.repaired for finding in diagnosis.findings)
    failed = sum(check.state == "wrong" for check in looked)
    if wrong:
        click.echo(f"Found wrong: {wrong + failed:,}. {_cure(diagnosis)}")
    elif failed:
        click.echo(f"Found wrong: {failed:,}. What helps is in brackets.")
    elif diagnosis.findings:
        click.echo("Everything that was wrong is repaired.")
    else:
        click.echo("Everything is in order.")


def _cure(diagnosis: Diagnosis) -> str:
    """What helps against what was found: pages of the file that cannot be read are beyond mending."""
    if any(finding.kind == "file" and not finding.repaired for finding in diagnosis.findings):
        return (
            "`recollect doctor --salvage NEWFILE` copies what can still be read; `recollect restore` brings a backup back."
        )
    return "`recollect doctor --repair` mends what can be mended."


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
