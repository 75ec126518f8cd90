"""`recollect import`: conversations from other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

import click

from recollect import wiring
from recollect.cli.door import Door, file_of
from recollect.cli.options import json_option, whose
from recollect.cli.progress import Progress, Stopped
from recollect.cli.text import printable
from recollect.cli.words import count, echo_json
from recollect.errors import ImportProblem
from recollect.interchange import detect
from recollect.memory import Memory
from recollect.reports import ImportReport

WARNINGS_SHOWN = 20
_SINGULAR_VERBS = {"come": "comes", "were": "was", "are": "is", "follow themselves": "follows itself"}
_PLURAL = re.compile(rf"(?P<before>\w+ )??(?P<noun>\w+?)(?P<end>ies|s)\b(?: that (?P<verb>{'|'.join(_SINGULAR_VERBS)})\b)?")


@click.command("import")
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@whose
@click.option("--format", "format", metavar="NAME", help="What wrote it. Default: told by what is inside.")
@click.option("--dry-run", is_flag=True, help="Only read and count.")
@json_option
@click.pass_context
def import_(context: click.Context, file: Path, owner: str, format: str | None, dry_run: bool, as_json: bool) -> None:
    """Take over conversations from other programs.

    FILE is an export of ChatGPT, Claude, Open WebUI, LibreChat or Recollect, a JSONL of chats, or the store of another
    library. What is there already is not taken twice: stopped and run again, it goes on from there. The exit code is 1 if
    something could not be read.
    """
    door: Door = context.obj
    with _opened(door, dry_run) as memory, Progress("bytes") as progress:
        tell = progress.of(f"Reading {printable(file.name)}")
        problem = None
        try:
            report = memory.import_(file, owner=owner, format=format, dry_run=dry_run, progress=tell)
        except ImportProblem as error:
            report, problem = cast("ImportReport | None", error.report), error
            if report is None or not report.messages + report.already_there:
                raise
        except KeyboardInterrupt:
            raise Stopped("What was read by now stays; run it again to go on from there.") from None
        waits = report.messages > 0 and not dry_run and memory.embedder is not None
    if as_json:
        told = {"store": door.where(), "owner": owner, "file": str(file), "dry_run": dry_run, **asdict(report)}
        echo_json({**told, "problem": None if problem is None else str(problem)})
    else:
        for line in _lines(report, file, dry_run):
            click.echo(line)
        if waits:
            click.echo("Found by words at once; after `recollect reindex` also by meaning.")
    if problem is not None and str(problem) not in report.warnings:
        click.echo(f"The rest could not be read: {printable(str(problem))}", err=True)
    nothing = _nothing_taken(report, file, format)
    if nothing:
        click.echo(printable(nothing), err=True)
    if problem is not None or report.warnings or nothing:
        context.exit(1)


def _nothing_taken(report: ImportReport, file: Path, format: str | None) -> str:
    """What to say if all of a file was left out; of what was erased here, nothing was to be expected."""
    taken = report.conversations + report.messages + report.already_there + report.documents + report.facts
    if taken or all(reason.endswith("erased here") for reason in report.skipped):
        return ""
    try:
        looks_like = detect(file)
    except ImportProblem:
        looks_like = format
    if format not in (None, looks_like):
        return f"Nothing was taken over: {file} looks like {looks_like}, not {format}; without --format it is read as such."
    return f"Nothing was taken over: all that is in {file} was left out."


def _opened(door: Door, dry_run: bool) -> Memory:
    """The store; a rehearsal makes none."""
    if dry_run and not door.is_elsewhere and not file_of(door.settings()).exists():
        return wiring.open_memory("memory://", embedder="off", background=False)
    # Not every commit waits for the disk: what a power cut takes away, the next import brings back.
    return door.open_or_make(background=False, durable=False)


def _lines(report: ImportReport, file: Path, dry_run: bool) -> Iterator[str]:
    verb = "Would take over" if dry_run else "Took over"
    yield f"{verb} {_taken(report)} from {file} ({report.format})."
    if report.already_there:
        yield f"  there already: {count(report.already_there, 'message')}"
    yield from _listed("left out", report.skipped)
    yield from _listed("mended", report.mended)
    for warning in report.warnings[:WARNINGS_SHOWN]:
        yield f"  warning: {printable(warning)}"
    more = len(report.warnings) - WARNINGS_SHOWN
    if more > 0:
        yield f"  and {more:,} more warnings: --json lists them"
    if dry_run:
        yield "Nothing was changed: this was a dry run."


def _taken(report: ImportReport) -> str:
    parts = [count(report.conversations, "conversation"), count(report.messages, "message")]
    parts += [count(report.facts, "fact")] if report.facts else []
    parts += [count(report.documents, "document")] if report.documents else []
    return ", ".join(parts)


def _listed(what: str, numbers: Mapping[str, int]) -> Iterator[str]:
    for reason, number in numbers.items():
        yield f"  {what}: {number:,} {printable(reason if number != 1 else one_of(reason))}"


def one_of(things: str) -> str:
    """A plural noun, and what is said of it, for one alone.

    >>> one_of("hidden messages"), one_of("messages that were erased here"), one_of("entries about shared pools")
    ('hidden message', 'message that was erased here', 'entry about shared pools')
    """
    noun = _PLURAL.match(things)
    if noun is None:
        return things
    verb = noun["verb"] or ""
    said = f" that {_SINGULAR_VERBS[verb]}" if verb else ""
    return f"{noun['before'] or ''}{noun['noun']}{'y' if noun['end'] == 'ies' else ''}{said}{things[noun.end() :]}"
