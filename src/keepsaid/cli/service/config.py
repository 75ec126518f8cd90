"""`keepsaid config`: show the settings in effect, and check a settings file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from keepsaid.cli.default_command import DefaultShowGroup
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.table import TableColumn, format_table
from keepsaid.cli.output.text import screen_width
from keepsaid.config import PREFIX, SECRETS, SETTINGS, origins

DEFAULT = "default"


@click.group(cls=DefaultShowGroup)
def config() -> None:
    """Show which settings are in effect and where they come from.

    docs/configuration.md explains each of them.
    """


@config.command()
@click.option("--origin", is_flag=True, help="Show where each value comes from.")
@click.option("--changed", is_flag=True, help="Only settings that are set somewhere.")
@json_option
@click.pass_obj
def show(opener: StoreOpener, origin: bool, changed: bool, as_json: bool) -> None:
    """Print the settings in effect; secrets are masked."""
    found = origins(opener.arguments(), os.environ, opener.config)
    listed = [setting for setting in found if not changed or setting.where != DEFAULT]
    if as_json:
        values = {setting.name: _as_json_value(setting.name, setting.value) for setting in listed}
        if not origin:
            echo_json(values)
            return
        echo_json({setting.name: {"value": values[setting.name], "origin": setting.where} for setting in listed})
        return
    columns = [TableColumn("setting"), TableColumn("value", flexible=True)]
    columns += [TableColumn("from")] if origin else []
    rows = [
        [setting.name, _format_value(setting.name, setting.value), *([setting.where] if origin else [])]
        for setting in listed
    ]
    for line in format_table(columns, rows, screen_width()):
        click.echo(line)


@config.command()
@json_option
@click.pass_obj
def path(opener: StoreOpener, as_json: bool) -> None:
    """Print the path of the settings file. Exit code 1 if there is none."""
    named = opener.config or os.environ.get(PREFIX + "CONFIG")
    if as_json:
        echo_json({"path": None if named is None else str(named), "exists": bool(named) and Path(named).is_file()})
    elif named:
        click.echo(str(named))
    else:
        click.echo("There is no settings file: name one with --config FILE or KEEPSAID_CONFIG.", err=True)
    if not named:
        click.get_current_context().exit(1)


@config.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def check(file: Path, as_json: bool) -> None:
    """Check a settings file. Exit code 2 if something in it is wrong."""
    found = [setting for setting in origins({}, {}, file) if setting.where != DEFAULT]
    if as_json:
        echo_json(
            {"file": str(file), "settings": {setting.name: _as_json_value(setting.name, setting.value) for setting in found}}
        )
    else:
        click.echo(f"{file} is valid: {format_count(len(found), 'setting')} of {len(SETTINGS)}.")


def _as_json_value(name: str, value: Any) -> Any:
    """Return a value for JSON output; secrets are masked."""
    if name in SECRETS and value:
        return "***"
    return value if value is None or isinstance(value, bool | int | float | str) else _format_value(name, value)


def _format_value(name: str, value: Any) -> str:
    if name in SECRETS and value:
        return "***"
    if value is None or value == "" or value == ():
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
