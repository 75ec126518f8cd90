"""`keepsaid import`: import conversations from other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener, store_file_path
from keepsaid.cli.options import json_option, owner_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.progress import CommandInterrupted, ProgressReporter
from keepsaid.cli.output.text import to_printable
from keepsaid.errors import ImportProblem
from keepsaid.interchange import detect
from keepsaid.memory import Memory
from keepsaid.types.reports import ImportReport

WARNINGS_SHOWN = 20
_SINGULAR_VERBS = {"come": "comes", "were": "was", "are": "is", "follow themselves": "follows itself"}
_PLURAL = re.compile(rf"(?P<before>\w+ )??(?P<noun>\w+?)(?P<end>ies|s)\b(?: that (?P<verb>{'|'.join(_SINGULAR_VERBS)})\b)?")


@click.command("import")
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@owner_option
@click.option("--format", "format", metavar="NAME", help="The format of the file. Default: detected from its contents.")
@click.option("--dry-run", is_flag=True, help="Only read and count.")
@json_option
@click.pass_context
def import_(context: click.Context, file: Path, owner: str, format: str | None, dry_run: bool, as_json: bool) -> None:
    """Import conversations from other programs.

    FILE is an export of ChatGPT, Claude, Open WebUI, LibreChat or Keepsaid, a JSONL of chats, or the store of another
    library. Existing messages are not imported twice; if interrupted, run it again to continue. The exit code is 1 if
    something could not be read.
    """
    opener: StoreOpener = context.obj
    with _open_memory(opener, dry_run) as memory, ProgressReporter("bytes") as progress:
        tell = progress.counter(f"Reading {to_printable(file.name)}")
        problem = None
        try:
            report = memory.import_(file, owner=owner, format=format, dry_run=dry_run, progress=tell)
        except ImportProblem as error:
            report, problem = cast("ImportReport | None", error.report), error
            if report is None or not report.messages + report.already_there:
                raise
        except KeyboardInterrupt:
            raise CommandInterrupted("What was imported so far is kept; run it again to continue.") from None
        waits = report.messages > 0 and not dry_run and memory.embedder is not None
    if as_json:
        data = {"store": opener.location(), "owner": owner, "file": str(file), "dry_run": dry_run, **asdict(report)}
        echo_json({**data, "problem": None if problem is None else str(problem)})
    else:
        for line in _lines(report, file, dry_run):
            click.echo(line)
        if waits:
            click.echo("These messages can be found by words now, and by meaning after `keepsaid reindex`.")
    if problem is not None and str(problem) not in report.warnings:
        click.echo(f"The rest could not be read: {to_printable(str(problem))}", err=True)
    nothing = _explain_nothing_imported(report, file, format)
    if nothing:
        click.echo(to_printable(nothing), err=True)
    if problem is not None or report.warnings or nothing:
        context.exit(1)


def _explain_nothing_imported(report: ImportReport, file: Path, format: str | None) -> str:
    """Return a message if everything in a file was skipped, unless it was skipped because it was erased here."""
    taken = report.conversations + report.messages + report.already_there + report.documents + report.facts
    if taken or all(reason.endswith("erased here") for reason in report.skipped):
        return ""
    try:
        looks_like = detect(file)
    except ImportProblem:
        looks_like = format
    if format not in (None, looks_like):
        return f"Nothing was imported: {file} looks like {looks_like}, not {format}; try it without --format."
    return f"Nothing was imported: everything in {file} was left out."


def _open_memory(opener: StoreOpener, dry_run: bool) -> Memory:
    """Open the store; a dry run does not create one."""
    if dry_run and not opener.is_remote and not store_file_path(opener.settings()).exists():
        return wiring.open_memory("memory://", embedder="off", background=False)
    # Commits do not wait for the disk: what is lost in a power cut is restored by the next import.
    return opener.open_or_create(background=False, durable=False)


def _lines(report: ImportReport, file: Path, dry_run: bool) -> Iterator[str]:
    verb = "Would import" if dry_run else "Imported"
    yield f"{verb} {_summarize_imported(report)} from {file} ({report.format})."
    if report.already_there:
        yield f"  already present: {format_count(report.already_there, 'message')}"
    yield from _reason_lines("left out", report.skipped)
    yield from _reason_lines("repaired", report.repaired)
    for warning in report.warnings[:WARNINGS_SHOWN]:
        yield f"  warning: {to_printable(warning)}"
    more = len(report.warnings) - WARNINGS_SHOWN
    if more > 0:
        yield f"  and {more:,} more warnings: --json lists them"
    if dry_run:
        yield "Nothing was changed: this was a dry run."


def _summarize_imported(report: ImportReport) -> str:
    parts = [format_count(report.conversations, "conversation"), format_count(report.messages, "message")]
    parts += [format_count(report.facts, "fact")] if report.facts else []
    parts += [format_count(report.documents, "document")] if report.documents else []
    return ", ".join(parts)


def _reason_lines(what: str, numbers: Mapping[str, int]) -> Iterator[str]:
    for reason, number in numbers.items():
        yield f"  {what}: {number:,} {to_printable(reason if number != 1 else singular_phrase(reason))}"


def singular_phrase(things: str) -> str:
    """Return a plural phrase in the singular.

    >>> (singular_phrase("hidden messages"), singular_phrase("messages that were erased here"),
    ...  singular_phrase("entries about shared pools"))
    ('hidden message', 'message that was erased here', 'entry about shared pools')
    """
    noun = _PLURAL.match(things)
    if noun is None:
        return things
    verb = noun["verb"] or ""
    clause = f" that {_SINGULAR_VERBS[verb]}" if verb else ""
    return f"{noun['before'] or ''}{noun['noun']}{'y' if noun['end'] == 'ies' else ''}{clause}{things[noun.end() :]}"
