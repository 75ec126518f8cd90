"""Options that many commands share, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from recollect.engine.dates import Bound

Function = TypeVar("Function", bound=Callable[..., Any])


def _owner(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    return value if value is not None or context.obj is None else context.obj.owner


def _named_owner(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    if value is None and context.obj is not None and not context.obj.is_owner_named:
        raise click.MissingParameter(ctx=context, param=option)
    return _owner(context, option, value)


def whose(command: Function) -> Function:
    """`--owner` behind a command means the same as before it, and is nearer."""
    return click.option("--owner", metavar="NAME", help="Whose memory.", callback=_owner)(command)


def whose_by_name(command: Function) -> Function:
    """The same for what destroys: the default owner is not meant by saying nothing."""
    return click.option("--owner", metavar="NAME", help="Whose memory; must be said.", callback=_named_owner)(command)


def json_option(command: Function) -> Function:
    """`--json`: one object on stdout, and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def writable(target: Path) -> Path:
    """A file that is to be written; its folder must be there.

    >>> writable(Path("/nowhere/at/all.json"))
    Traceback (most recent call last):
    ...
    recollect.errors.NotFound: there is no folder /nowhere/at, so /nowhere/at/all.json cannot be written
    """
    from recollect.errors import InvalidInput, NotFound

    if not target.parent.is_dir():
        raise NotFound(f"there is no folder {target.parent}, so {target} cannot be written")
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder: name a file")
    return target


def when(word: Bound) -> Callable[[click.Context, click.Parameter, str | None], datetime | None]:
    """Reads a date as people give it (2026-05-01, yesterday, "last week") or a moment as machines do: the beginning of that
    day or period, or for `until` the end of it."""

    def read(context: click.Context, option: click.Parameter, value: str | None) -> datetime | None:
        if value is None:
            return None
        from recollect.engine.dates import bound

        if limit := bound(word, value, datetime.now().astimezone()):
            return limit.start if word == "since" else limit.end
        try:
            return datetime.fromisoformat(value).astimezone()
        except ValueError:
            known = "a date is 2026-05-01, 2026-05, yesterday or 'last week'"
            raise click.BadParameter(f"{value!r} is no date; {known}", context, option) from None

    return read
