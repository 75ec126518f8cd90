"""What a prompt was made of, and why: the receipt of a turn, to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from recollect.cli.table import Column, table
from recollect.cli.text import printable, screen_width
from recollect.cli.words import echo_json
from recollect.prompt import Receipt, Sections

COLUMNS = (
    Column("section"), Column("what"), Column("score", right=True), Column("tokens", right=True),
    Column("why", gives_way=True),
)  # fmt: skip


def show_why(receipts: Sequence[Receipt], as_json: bool) -> None:
    """Prints the newest of some receipts."""
    if as_json:
        echo_json({"receipts": [_as_json(receipt) for receipt in receipts]})
        return
    if not receipts:
        click.echo("No prompt was made in this conversation yet.")
        return
    receipt = receipts[0]
    data = receipt.data
    took = f", made in {data['ms']:.1f} ms" if isinstance(data.get("ms"), int | float) else ""
    click.echo(f"{receipt.created_at.astimezone():%Y-%m-%d %H:%M}  {printable(receipt.question or 'a saved question')}")
    click.echo(f"{data['tokens']:,} of {data['budget']:,} tokens: {Sections(data['sections'])}{took}")
    for why in data.get("fallbacks", ()):
        click.echo(f"fell back: {printable(why)}")
    for title, entries in (("In it:", data["entries"]), ("Considered and left out:", data["near"])):
        if entries:
            click.echo(f"\n{title}")
            for line in table(COLUMNS, [_row(entry) for entry in entries], screen_width()):
                click.echo(line)
    click.echo(f"\nreceipt {receipt.id}")


def _row(entry: Mapping[str, Any]) -> list[str]:
    score = f"{entry['score']:.2f}" if "score" in entry else ""
    return [entry.get("section", ""), entry["kind"], score, f"{entry['tokens']:,}", entry["why"]]


def _as_json(receipt: Receipt) -> dict[str, Any]:
    at = receipt.created_at.isoformat()
    return {"id": receipt.id, "session": receipt.session, "at": at, "question": receipt.question, **receipt.data}
