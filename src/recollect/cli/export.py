"""`recollect export`: what somebody can take along."""

from __future__ import annotations

import io
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from recollect.cli.door import Door
from recollect.cli.lookup import named_session
from recollect.cli.options import whose, writable
from recollect.cli.progress import Progress, Stopped
from recollect.cli.words import count, size

FORMATS = ("json", "markdown")


@contextmanager
def _stdout() -> Generator[TextIO]:
    """The output in UTF-8, whatever the terminal speaks: somebody pipes it into a file."""
    target = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    yield target
    target.detach()


@click.command()
@click.argument("session", required=False)
@whose
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where to. Default: stdout.")  # fmt: skip
@click.option("--format", "format", type=click.Choice(FORMATS), help="Default: by the file's name, else json.")
@click.option("--yes", is_flag=True, help="Replace a file that is there.")
@click.pass_obj
def export(door: Door, session: str | None, owner: str, output: Path | None, format: str | None, yes: bool) -> None:
    """Write a conversation, or everything, as JSON or Markdown.

    SESSION is an id, the end of one, or a title; without it, everything is written. JSON can be imported again without loss;
    Markdown is to be read.
    """
    kind = format or ("markdown" if output and output.suffix.lower() in (".md", ".markdown") else "json")
    if output is not None and output.exists() and not yes:
        raise click.UsageError(f"{output} exists already; --yes replaces it")
    if output is not None:
        writable(output)
    with door.reading(background=False) as memory:
        found = None if session is None else named_session(memory, owner, session).id
        if output is None:
            with _stdout() as target:
                memory.export(target, owner=owner, session=found, format=kind)
            return
        with Progress() as progress:
            tell = progress.of("Writing conversations")
            try:
                report = memory.export(output, owner=owner, session=found, format=kind, progress=tell)
            except KeyboardInterrupt:
                raise Stopped(f"{output} was not written; run it again to begin anew.") from None
    parts = [count(report.sessions, "conversation"), count(report.messages, "message")]
    parts += [count(report.facts, "fact")] if report.facts else []
    parts += [count(report.documents, "document")] if report.documents else []
    click.echo(f"Wrote {', '.join(parts)} to {output} ({size(report.bytes)}).", err=True)
