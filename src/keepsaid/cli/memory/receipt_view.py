"""Prints the receipt of a turn: what its prompt contained, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from keepsaid.cli.memory.memory_entries import from_receipt, memory_lines
from keepsaid.cli.output.formatting import echo_json
from keepsaid.cli.output.text import screen_width, to_printable
from keepsaid.errors import NotFound
from keepsaid.types.prompts import PromptReceipt, PromptReplay, SectionTokens, empty_replay

if TYPE_CHECKING:
    from keepsaid.memory import Memory


def show_why(memory: Memory, owner: str, session: str, as_json: bool) -> None:
    """Print the newest receipt of a conversation."""
    receipts = memory.receipts(owner=owner, session=session, limit=1)
    if as_json:
        echo_json({"receipts": [_as_json(receipt, replay_receipt(memory, receipt, owner)) for receipt in receipts]})
        return
    if not receipts:
        click.echo("There is no receipt of a prompt in this conversation yet.")
        return
    receipt = receipts[0]
    data = receipt.data
    took = f", made in {data['ms']:.1f} ms" if isinstance(data.get("ms"), int | float) else ""
    click.echo(f"{receipt.created_at.astimezone():%Y-%m-%d %H:%M}  {to_printable(receipt.question or 'a saved question')}")
    click.echo(f"{data['tokens']:,} of {data['budget']:,} tokens: {SectionTokens(data['sections'])}{took}")
    for why in data.get("fallbacks", ()):
        click.echo(f"fell back: {to_printable(why)}")
    replay = replay_receipt(memory, receipt, owner)
    _print_entries("The profile, which is in every prompt:", receipt.profile, replay.profile)
    _print_entries("In it:", data["entries"], replay.entries)
    _print_entries("Considered and left out:", data["near"], replay.near)
    click.echo(f"\nreceipt {receipt.id}")


def replay_receipt(memory: Memory, receipt: PromptReceipt, owner: str) -> PromptReplay:
    """Return the texts of a receipt's entries, all empty if they can no longer be found."""
    try:
        return memory.replay(receipt.id, owner=owner)
    except NotFound:
        return empty_replay(receipt)


def _print_entries(title: str, entries: Sequence[Mapping[str, Any]], words: Sequence[str]) -> None:
    if not entries:
        return
    click.echo(f"\n{title}")
    for line in memory_lines(map(from_receipt, entries, words), width=screen_width()):
        click.echo(line.plain)


def _as_json(receipt: PromptReceipt, replay: PromptReplay) -> dict[str, Any]:
    parts = {
        "profile": (receipt.profile, replay.profile),
        "entries": (receipt.data["entries"], replay.entries),
        "near": (receipt.data["near"], replay.near),
    }
    listed = {
        part: [{**entry, "words": words} for entry, words in zip(rows, texts, strict=True)]
        for part, (rows, texts) in parts.items()
    }
    at = receipt.created_at.isoformat()
    return {"id": receipt.id, "session": receipt.session, "at": at, "question": receipt.question, **receipt.data, **listed}
