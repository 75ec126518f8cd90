"""`keepsaid profile`: print the standing profile."""

from __future__ import annotations

from typing import Any

import click

from keepsaid.cli.memory.lookup import shorten_id
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option, owner_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.table import TableColumn, format_table
from keepsaid.cli.output.text import screen_width
from keepsaid.types.prompts import ProfileLine

COLUMNS = (TableColumn("profile", flexible=True), TableColumn("kind"), TableColumn("since"), TableColumn("id"))


@click.command()
@owner_option
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="At most N tokens. Default: the setting.")
@json_option
@click.pass_obj
def profile(opener: StoreOpener, owner: str, budget: int | None, as_json: bool) -> None:
    """Print the profile that new conversations begin with.

    It has what applies to every question: standing instructions, constraints, who you are, people close to you,
    preferences, what you own, current projects. `keepsaid facts` edits, pins, hides and forgets its facts.
    """
    with opener.open_for_reading(background=False) as memory:
        current = memory.profile(owner=owner, budget=budget)
    if as_json:
        lines = [*map(_as_json, current.lines)]
        data = {"tokens": current.tokens, "limit": current.limit, "lines": lines, "text": current.text}
        echo_json({"store": opener.location(), "owner": owner, **data})
        return
    if not current.lines:
        click.echo(f"The profile of {owner!r} is empty.")
        return
    for line in format_table(COLUMNS, [_row(line) for line in current.lines], screen_width()):
        click.echo(line)
    click.echo(f"{current.tokens:,} of {format_count(current.limit, 'token')}")


def _row(line: ProfileLine) -> list[str]:
    text = f"{line.text} (pinned)" if line.pinned else line.text
    return [text, line.kind, f"{line.since_at.astimezone():%Y-%m-%d}", shorten_id(line.fact)]


def _as_json(line: ProfileLine) -> dict[str, Any]:
    return {
        "fact": line.fact, "kind": line.kind, "text": line.text, "since": line.since_at.isoformat(),
        "pinned": line.pinned, "messages": list(line.messages), "session": line.session,
    }  # fmt: skip
