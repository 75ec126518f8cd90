"""Validate names, texts, limits and times, once, for every method and every backend."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from keepsaid.errors import InvalidInput

MAX_NAME_LENGTH = 512
"""Maximum characters of an id, owner, pool or tag: more than any real one, and short enough for the keys of every
backend."""


def clean_text(text: object, what: str = "text") -> str:
    """Return the text if every backend can store it.

    >>> clean_text("fine")
    'fine'
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{what} must be a string, not {type(text).__name__}")
    if "\0" in text:
        raise InvalidInput(f"{what} contains a NUL character at position {text.index(chr(0))}")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(f"{what} contains half a surrogate pair at position {error.start}") from None
    return text


def clean_name(name: object, what: str) -> str:
    """Return an owner, id, pool or tag if it is neither empty nor too long.

    >>> clean_name("u1", "owner")
    'u1'
    """
    text = clean_text(name, what)
    if not text:
        raise InvalidInput(f"{what} must not be empty")
    if len(text) > MAX_NAME_LENGTH:
        raise InvalidInput(f"{what} has {len(text):,} characters; at most {MAX_NAME_LENGTH} are allowed")
    return text


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags without duplicates, in the order given.

    >>> clean_tags(["a", "b", "a"])
    ('a', 'b')
    """
    if isinstance(tags, str):
        raise InvalidInput(f"tags must be a list of strings, not one string: use [{tags!r}]")
    if not isinstance(tags, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"tags must be a list of strings, not {tags!r}")
    return tuple(dict.fromkeys(clean_name(tag, "tag") for tag in tags))


def clean_metadata(metadata: Mapping[str, Any] | None, what: str = "metadata") -> dict[str, Any]:
    """Return metadata as plain JSON values, as it will be read back.

    >>> clean_metadata({"sources": ("a", "b")})
    {'sources': ['a', 'b']}
    """
    if not metadata:
        return {}
    try:
        packed = json.dumps(dict(metadata), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} must be JSON: {error}") from None
    value: dict[str, Any] = json.loads(packed)
    # Only escapes can contain a forbidden character, so the values are checked only if there are any.
    if "\\u0000" in packed or "\\ud" in packed:
        _clean_json(value, what)
    return value


def _clean_json(value: Any, what: str) -> None:
    if isinstance(value, str):
        clean_text(value, what)
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            _clean_json(item, what)
    elif isinstance(value, dict):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            _clean_json(key, what)
            _clean_json(item, what)


def clean_datetime(moment: datetime, what: str) -> datetime:
    """Return a time if it has a time zone.

    >>> clean_datetime(datetime(2026, 5, 1, tzinfo=UTC), "created_at").year
    2026
    """
    if not isinstance(moment, datetime):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
        raise InvalidInput(f"{what} must be a datetime, not {type(moment).__name__}")
    if moment.tzinfo is None:
        raise InvalidInput(f"{what} has no time zone: {moment.isoformat()}; add one, e.g. datetime.now(UTC)")
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"{what} is out of range in UTC: {moment.isoformat()}") from None
    return moment


def clean_limit(limit: object, what: str, smallest: int = 1) -> int:
    """Return a whole number that is large enough, capped at 2³¹.

    >>> clean_limit(20, "limit")
    20
    """
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise InvalidInput(f"{what} must be a whole number, not {limit!r}")
    if limit < smallest:
        raise InvalidInput(f"{what} must be at least {smallest}, not {limit}")
    return min(limit, 2**31)


def clean_fraction(value: object, what: str) -> float:
    """Return a number from 0 to 1.

    >>> clean_fraction(0.5, "min_score")
    0.5
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInput(f"{what} must be a number from 0 to 1, not {value!r}")
    return float(value)
