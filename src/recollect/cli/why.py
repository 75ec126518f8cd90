"""What a prompt was made of, and why: the receipt of a turn, to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.memories import from_receipt, memory_lines
from recollect.cli.text import printable, screen_width
from recollect.cli.words import echo_json
from recollect.errors import NotFound
from recollect.prompt import Receipt, Replay, Sections, empty_replay

if TYPE_CHECKING:
    from recollect.memory import Memory


def show_why(memory: Memory, owner: str, session: str, as_json: bool) -> None:
    """Prints the newest receipt of a conversation."""
    receipts = memory.receipts(owner=owner, session=session, limit=1)
    if as_json:
        echo_json({"receipts": [_as_json(receipt, replayed(memory, receipt, owner)) for receipt in receipts]})
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
    again = replayed(memory, receipt, owner)
    _list("The profile, which every prompt has:", receipt.profile, again.profile)
    _list("In it:", data["entries"], again.entries)
    _list("Considered and left out:", data["near"], again.near)
    click.echo(f"\nreceipt {receipt.id}")


def replayed(memory: Memory, receipt: Receipt, owner: str) -> Replay:
    """What a receipt's entries say; as many as there are, and all empty if nobody can tell any more."""
    try:
        return memory.replay(receipt.id, owner=owner)
    except NotFound:
        return empty_replay(receipt)


def _list(title: str, entries: Sequence[Mapping[str, Any]], words: Sequence[str]) -> None:
    if not entries:
        return
    click.echo(f"\n{title}")
    for line in memory_lines(map(from_receipt, entries, words), width=screen_width()):
        click.echo(line.plain)


def _as_json(receipt: Receipt, again: Replay) -> dict[str, Any]:
    parts = {
        "profile": (receipt.profile, again.profile),
        "entries": (receipt.data["entries"], again.entries),
        "near": (receipt.data["near"], again.near),
    }
    told = {
        part: [{**entry, "words": words} for entry, words in zip(rows, said, strict=True)]
        for part, (rows, said) in parts.items()
    }
    at = receipt.created_at.isoformat()
    return {"id": receipt.id, "session": receipt.session, "at": at, "question": receipt.question, **receipt.data, **told}
