"""`keepsaid export`: write conversations to a file or stdout."""

from __future__ import annotations

import io
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from keepsaid.cli.memory.lookup import find_session
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import check_writable, owner_option
from keepsaid.cli.output.control_codes import escape_controls, strip_controls
from keepsaid.cli.output.formatting import format_count, format_size
from keepsaid.cli.output.progress import CommandInterrupted, ProgressReporter

FORMATS = ("json", "markdown")


class _SafeTerminalWriter(io.TextIOWrapper):
    """Writes an export to a terminal without control codes: removed from Markdown, escaped in JSON."""

    is_json = True

    def write(self, text: str, /) -> int:
        return super().write(escape_controls(text) if self.is_json else strip_controls(text))


@contextmanager
def _open_stdout(kind: str) -> Generator[TextIO]:
    """Yield stdout in UTF-8 regardless of the locale, since it may be piped into a file."""
    wrapper = _SafeTerminalWriter if sys.stdout.isatty() else io.TextIOWrapper
    target = wrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    if isinstance(target, _SafeTerminalWriter):
        target.is_json = kind == "json"
    yield target
    target.detach()


@click.command()
@click.argument("session", required=False)
@owner_option
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="The file to write. Default: stdout.")  # fmt: skip
@click.option("--format", "format", type=click.Choice(FORMATS), help="Default: by the file's name, else json.")
@click.option("--yes", is_flag=True, help="Replace an existing file.")
@click.pass_obj
def export(opener: StoreOpener, session: str | None, owner: str, output: Path | None, format: str | None, yes: bool) -> None:
    """Write a conversation, or everything, as JSON or Markdown.

    SESSION is an id, the end of one, or a title; without it, everything is written. JSON can be imported again without loss;
    Markdown is for reading.
    """
    kind = format or ("markdown" if output and output.suffix.lower() in (".md", ".markdown") else "json")
    if output is not None and output.exists() and not yes:
        raise click.UsageError(f"{output} exists already; --yes replaces it")
    if output is not None:
        check_writable(output)
    with opener.open_for_reading(background=False) as memory:
        found = None if session is None else find_session(memory, owner, session).id
        if output is None:
            with _open_stdout(kind) as target:
                memory.export(target, owner=owner, session=found, format=kind)
            return
        with ProgressReporter() as progress:
            tell = progress.counter("Writing conversations")
            try:
                report = memory.export(output, owner=owner, session=found, format=kind, progress=tell)
            except KeyboardInterrupt:
                raise CommandInterrupted(f"{output} was not written; run it again to start over.") from None
    parts = [format_count(report.sessions, "conversation"), format_count(report.messages, "message")]
    parts += [format_count(report.facts, "fact")] if report.facts else []
    parts += [format_count(report.documents, "document")] if report.documents else []
    click.echo(f"Wrote {', '.join(parts)} to {output} ({format_size(report.bytes)}).", err=True)
