"""The names of rows within the hash of their unit."""

from __future__ import annotations


def field(table: str, key: str) -> str:
    """The name of a row within its unit.

    >>> field("messages", "3:17")
    'messages 3:17'
    """
    return f"{table} {key}"


def unfield(name: bytes) -> tuple[str, str]:
    """The table and the key in a row's name.

    >>> unfield(b"messages 3:17")
    ('messages', '3:17')
    """
    table, _, key = name.decode().partition(" ")
    return table, key
