"""Formatting of numbers and of JSON output."""

from __future__ import annotations

import json
from typing import Any

import click


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1.

    >>> format_count(1, "session"), format_count(1200, "message")
    ('1 session', '1,200 messages')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_size(number: int) -> str:
    """Return a number of bytes in a readable unit.

    >>> format_size(512), format_size(81_920), format_size(3_500_000_000)
    ('512 bytes', '81.9 kB', '3.5 GB')
    """
    if number < 1000:
        return format_count(number, "byte")
    amount = float(number)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 1000:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:.1f} TB"


def echo_json(value: dict[str, Any]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(value, ensure_ascii=False))
