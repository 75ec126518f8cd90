"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from keepsaid.engine.text.dates import BoundWord

Function = TypeVar("Function", bound=Callable[..., Any])


def _owner_or_default(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    return value if value is not None or context.obj is None else context.obj.owner


def _required_owner(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    if value is None and context.obj is not None and not context.obj.is_owner_named:
        raise click.MissingParameter(ctx=context, param=option)
    return _owner_or_default(context, option, value)


def owner_option(command: Function) -> Function:
    """Add `--owner`. It means the same as the global option, and wins over it."""
    return click.option("--owner", metavar="NAME", help="The owner of the memory.", callback=_owner_or_default)(command)


def required_owner_option(command: Function) -> Function:
    """Add `--owner` to a command that destroys data: the default owner is not accepted."""
    return click.option("--owner", metavar="NAME", help="The owner; must be given.", callback=_required_owner)(command)


def json_option(command: Function) -> Function:
    """Add `--json`: one object on stdout, and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def check_writable(target: Path) -> Path:
    """Return a file that is to be written, after checking that its folder exists.

    >>> check_writable(Path("/nowhere/at/all.json"))
    Traceback (most recent call last):
    ...
    keepsaid.errors.NotFound: there is no folder /nowhere/at, so /nowhere/at/all.json cannot be written
    """
    from keepsaid.errors import InvalidInput, NotFound

    if not target.parent.is_dir():
        raise NotFound(f"there is no folder {target.parent}, so {target} cannot be written")
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder: name a file")
    return target


def date_option_callback(word: BoundWord) -> Callable[[click.Context, click.Parameter, str | None], datetime | None]:
    """Return an option callback that parses a date (2026-05-01, yesterday, "last week") or an ISO timestamp. A day or period
    stands for its start, or for `until` for its end."""

    def read(context: click.Context, option: click.Parameter, value: str | None) -> datetime | None:
        if value is None:
            return None
        from keepsaid.engine.text.dates import parse_bound

        if limit := parse_bound(word, value, datetime.now().astimezone()):
            return limit.start if word == "since" else limit.end
        try:
            return datetime.fromisoformat(value).astimezone()
        except ValueError:
            known = "a date is 2026-05-01, 2026-05, yesterday or 'last week'"
            raise click.BadParameter(f"{value!r} is not a date; {known}", context, option) from None

    return read
