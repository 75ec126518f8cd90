"""The field names of rows in the hash of their partition."""

from __future__ import annotations


def row_field(table: str, key: str) -> str:
    """The field name of a row in its partition.

    >>> row_field("messages", "3:17")
    'messages 3:17'
    """
    return f"{table} {key}"


def parse_row_field(name: bytes) -> tuple[str, str]:
    """The table and key of a row, from its field name.

    >>> parse_row_field(b"messages 3:17")
    ('messages', '3:17')
    """
    table, _, key = name.decode().partition(" ")
    return table, key
