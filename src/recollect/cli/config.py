"""`recollect config`: which settings are in force, and whether a file of them is right."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from recollect.cli.door import Door
from recollect.cli.options import json_option
from recollect.cli.table import Column, table
from recollect.cli.text import screen_width
from recollect.cli.verbs import Shown
from recollect.cli.words import count, echo_json
from recollect.config import KNOBS, PREFIX, SECRETS, origins

DEFAULT = "default"


@click.group(cls=Shown)
def config() -> None:
    """Tell which settings are in force, and where they are from.

    docs/configuration.md explains every one of them.
    """


@config.command()
@click.option("--origin", is_flag=True, help="Where each value is from.")
@click.option("--changed", is_flag=True, help="Only those that are not the default.")
@json_option
@click.pass_obj
def show(door: Door, origin: bool, changed: bool, as_json: bool) -> None:
    """Print the settings in force; keys are not shown."""
    found = origins(door.arguments(), os.environ, door.config)
    told = [one for one in found if not changed or one.where != DEFAULT]
    if as_json:
        values = {one.name: _plain(one.name, one.value) for one in told}
        if not origin:
            echo_json(values)
            return
        echo_json({one.name: {"value": values[one.name], "origin": one.where} for one in told})
        return
    columns = [Column("setting"), Column("value", gives_way=True)]
    columns += [Column("from")] if origin else []
    rows = [[one.name, _shown(one.name, one.value), *([one.where] if origin else [])] for one in told]
    for line in table(columns, rows, screen_width()):
        click.echo(line)


@config.command()
@json_option
@click.pass_obj
def path(door: Door, as_json: bool) -> None:
    """Print the file that settings are read from. Exit code 1 if there is none."""
    named = door.config or os.environ.get(PREFIX + "CONFIG")
    if as_json:
        echo_json({"path": None if named is None else str(named), "exists": bool(named) and Path(named).is_file()})
    elif named:
        click.echo(str(named))
    else:
        click.echo("No file is named: --config FILE or RECOLLECT_CONFIG does it.", err=True)
    if not named:
        click.get_current_context().exit(1)


@config.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def check(file: Path, as_json: bool) -> None:
    """Read a file of settings, and say what is wrong with it. Exit code 2 if something is."""
    found = [one for one in origins({}, {}, file) if one.where != DEFAULT]
    if as_json:
        echo_json({"file": str(file), "settings": {one.name: _plain(one.name, one.value) for one in found}})
    else:
        click.echo(f"{file} is right: {count(len(found), 'setting')} of {len(KNOBS)}.")


def _plain(name: str, value: Any) -> Any:
    """A value as JSON has it; a secret is none of anybody's business."""
    if name in SECRETS and value:
        return "***"
    return value if value is None or isinstance(value, bool | int | float | str) else _shown(name, value)


def _shown(name: str, value: Any) -> str:
    if name in SECRETS and value:
        return "***"
    if value is None or value == "" or value == ():
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
