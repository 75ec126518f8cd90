"""`keepsaid doctor`: check the store and the setup, and repair what is wrong."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from pathlib import Path

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener, require_store_file
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json
from keepsaid.cli.output.text import screen_width, to_printable
from keepsaid.cli.store import checks
from keepsaid.cli.store.checks import DoctorCheck
from keepsaid.errors import StoreCorrupt, StoreReadOnly
from keepsaid.memory import Memory
from keepsaid.types.reports import StoreDiagnosis

_SINGULAR = {
    "owners": "owner", "sessions": "session", "documents": "document", "branches": "branch", "messages": "message",
    "vectors": "vector", "artifacts": "artifact", "receipts": "receipt",
}  # fmt: skip


@click.command()
@click.option("--repair", is_flag=True, help="Repair what is wrong.")
@click.option(
    "--salvage",
    type=click.Path(path_type=Path),
    metavar="NEWFILE",
    help="Copy what is still readable of a damaged store into a new one.",
)
@json_option
@click.pass_context
def doctor(context: click.Context, repair: bool, salvage: Path | None, as_json: bool) -> None:
    """Check the store and the setup, and repair what is wrong.

    Compares messages, keyword index and counters with each other; writes, reads, finds and erases a message of a temporary
    owner; checks the model, the disk, permissions, and the language model if there is one. The exit code is 1 if something
    is wrong and was not repaired.
    """
    opener: StoreOpener = context.obj
    if salvage is not None:
        if repair:
            raise click.UsageError("--salvage leaves the old store as it is; use it without --repair")
        _salvage(opener, salvage, as_json)
        return
    diagnosis, contents, results = _check(opener, repair)
    healthy = diagnosis.healthy and all(check.state != "wrong" for check in results)
    if as_json:
        found = [check._asdict() for check in results]
        echo_json({"store": opener.location(), "healthy": healthy, **asdict(diagnosis), "checks": found})
    else:
        _print(opener.location(), {**contents, **diagnosis.checked} | contents, diagnosis, results)
    if not healthy:
        context.exit(1)


def _check(opener: StoreOpener, repair: bool) -> tuple[StoreDiagnosis, dict[str, int], list[DoctorCheck]]:
    """Return the diagnosis of the store, the counts of its contents, and the other checks."""
    settings = opener.settings()
    results = [] if opener.is_remote else list(checks.check_files(require_store_file(settings)))
    try:
        # Without the embedder: the store can be checked even if the model is missing.
        with opener.open(background=False, embedder="off") as memory:
            diagnosis = memory.check(repair=repair)
            results += checks.report_warnings(memory, "server" if opener.is_remote else "erase")
            contents = _count_contents(memory) if diagnosis.healthy else {}
            if diagnosis.healthy:
                # A damaged store should not be written to.
                results.append(checks.check_round_trip(memory))
        results += [*checks.check_embedder(settings), *checks.check_llm(settings)]
        return diagnosis, contents, results
    except StoreReadOnly as error:
        wrong = [check for check in results if check.state == "wrong"]
        if not wrong:
            raise
        raise StoreReadOnly(f"{wrong[0].detail}: {wrong[0].cure}") from error
    except StoreCorrupt as error:
        # The error itself suggests `keepsaid doctor`, which cannot open the store either.
        raise StoreCorrupt(
            f"{opener.location()} is too damaged to be checked ({_root_cause(error)});"
            " `keepsaid doctor --salvage NEWFILE` copies what is still readable"
        ) from error


def _count_contents(memory: Memory) -> dict[str, int]:
    """Count owners, conversations and documents as users see them: the tables store documents as sessions of an internal
    owner."""
    found = memory.stats(days=1)
    return {"owners": found.owners, "sessions": found.sessions + found.deleted, "documents": found.documents}


def _root_cause(error: BaseException) -> BaseException:
    """Return the innermost cause of an error, usually SQLite's own."""
    return error if error.__cause__ is None else _root_cause(error.__cause__)


def _print(where: str, counted: dict[str, int], diagnosis: StoreDiagnosis, results: list[DoctorCheck]) -> None:
    names = {table: _SINGULAR.get(table, table) if number == 1 else table for table, number in counted.items()}
    looked_at = ", ".join(f"{number:,} {names[table]}" for table, number in counted.items())
    click.echo(f"Checked {where}: {looked_at or 'nothing in it'}.")
    for finding in diagnosis.findings:
        click.echo(f"  {'repaired' if finding.repaired else 'wrong'}: {finding.kind}: {finding.detail}")
    for check in results:
        cure = f" ({check.cure})" if check.cure else ""
        line = to_printable(f"{check.state}: {check.name}: {check.detail}{cure}")
        click.echo(textwrap.fill(line, screen_width(), initial_indent="  ", subsequent_indent="    "))
    wrong = sum(not finding.repaired for finding in diagnosis.findings)
    failed = sum(check.state == "wrong" for check in results)
    if wrong:
        click.echo(f"Found wrong: {wrong + failed:,}. {_suggest_cure(diagnosis)}")
    elif failed:
        click.echo(f"Found wrong: {failed:,}. The fixes are in parentheses.")
    elif diagnosis.findings:
        click.echo("Everything that was wrong is repaired.")
    else:
        click.echo("Everything is in order.")


def _suggest_cure(diagnosis: StoreDiagnosis) -> str:
    """Return advice for the findings: unreadable pages of the file cannot be repaired."""
    if any(finding.kind == "file" and not finding.repaired for finding in diagnosis.findings):
        return "`keepsaid doctor --salvage NEWFILE` copies what is still readable; `keepsaid restore` restores a backup."
    return "`keepsaid doctor --repair` repairs what can be repaired."


def _salvage(opener: StoreOpener, target: Path, as_json: bool) -> None:
    settings = opener.settings()
    require_store_file(settings)
    try:
        report = wiring.salvage(settings, target)
    except StoreCorrupt as error:
        raise StoreCorrupt(
            f"{opener.location()} is too damaged to be salvaged ({_root_cause(error)}); restore a backup"
        ) from error
    if as_json:
        echo_json({"store": opener.location(), "salvaged_to": str(target), "saved": dict(report), "lost": dict(report.lost)})
        return
    rows = ", ".join(
        f"{number:,} {table}"
        for table, number in report.items()
        if table in _ALWAYS_REPORTED or (number and table in _REPORTED_IF_ANY)
    )
    click.echo(f"Salvaged {rows} from {opener.location()} into {target}.")
    for table, what in report.lost.items():
        click.echo(f"  lost: {to_printable(table)}: {what}")
    click.echo("Nothing is lost." if not report.lost else "What is lost may be in a backup.")


_ALWAYS_REPORTED = ("owners", "sessions", "messages")
_REPORTED_IF_ANY = ("artifacts", "receipts", "keys", "blobs")
