"""Numbers in words, and values as JSON."""

from __future__ import annotations

import json
from typing import Any

import click


def count(number: int, noun: str) -> str:
    """A number and its noun.

    >>> count(1, "session"), count(1200, "message")
    ('1 session', '1,200 messages')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(number: int) -> str:
    """A number of bytes, as people read it.

    >>> size(512), size(81_920), size(3_500_000_000)
    ('512 bytes', '81.9 kB', '3.5 GB')
    """
    if number < 1000:
        return count(number, "byte")
    amount = float(number)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 1000:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:.1f} TB"


def echo_json(value: dict[str, Any]) -> None:
    """Prints one object and nothing else."""
    click.echo(json.dumps(value, ensure_ascii=False))
