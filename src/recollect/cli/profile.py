"""`recollect profile`: what holds for the user whatever is asked."""

from __future__ import annotations

from typing import Any

import click

from recollect.cli.door import Door
from recollect.cli.lookup import short
from recollect.cli.options import json_option, whose
from recollect.cli.table import Column, table
from recollect.cli.text import screen_width
from recollect.cli.words import count, echo_json
from recollect.prompt import ProfileLine

COLUMNS = (Column("profile", gives_way=True), Column("kind"), Column("since"), Column("id"))


@click.command()
@whose
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Tokens, at the most. Default: the setting.")
@json_option
@click.pass_obj
def profile(door: Door, owner: str, budget: int | None, as_json: bool) -> None:
    """Print the profile that new conversations begin with.

    It has what holds for you whatever you ask: standing instructions, constraints, who you are, people close to you,
    preferences, what you own, current projects. `recollect facts` edits, pins, hides and forgets what it is made of.
    """
    with door.reading(background=False) as memory:
        made = memory.profile(owner=owner, budget=budget)
    if as_json:
        told = {"tokens": made.tokens, "limit": made.limit, "lines": [*map(_as_json, made.lines)], "text": made.text}
        echo_json({"store": door.where(), "owner": owner, **told})
        return
    if not made.lines:
        click.echo(f"The profile of {owner!r} is empty.")
        return
    for line in table(COLUMNS, [_row(line) for line in made.lines], screen_width()):
        click.echo(line)
    click.echo(f"{made.tokens:,} of {count(made.limit, 'token')}")


def _row(line: ProfileLine) -> list[str]:
    text = f"{line.text} (pinned)" if line.pinned else line.text
    return [text, line.kind, f"{line.since_at.astimezone():%Y-%m-%d}", short(line.fact)]


def _as_json(line: ProfileLine) -> dict[str, Any]:
    return {
        "fact": line.fact, "kind": line.kind, "text": line.text, "since": line.since_at.isoformat(),
        "pinned": line.pinned, "messages": list(line.messages), "session": line.session,
    }  # fmt: skip
