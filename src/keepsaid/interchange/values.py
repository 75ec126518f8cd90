"""Tolerant conversion of values in other programs' JSON, which may be missing, null or of any type."""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import UTC, datetime
from typing import Any, cast

from keepsaid.engine.messages.validation import MAX_NAME_LENGTH
from keepsaid.interchange.conversation import ImportTally

JsonObject = dict[str, Any]
"""A JSON object."""

REPAIRED_CHARACTERS = "characters that no text may have"
MAX_WARNINGS = 200
MAX_WARNING_LENGTH = 1000
MAX_DETAIL_LENGTH = 4096
"""The most characters of JSON in one metadata entry: larger ones are internal data of a program."""
MAX_DETAIL_DEPTH = 8
MAX_DETAILS = 64
_FORBIDDEN = re.compile("[\0\ud800-\udfff]")
_MAX_SECONDS = 253_402_300_799.0
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (math.inf, 1e9))
"""Numbers below the first limit are seconds since 1970, then milliseconds, microseconds and nanoseconds."""


def as_object(value: object) -> JsonObject:
    """Return the value if it is an object, else an empty one.

    >>> as_object({"id": 1}), as_object(None), as_object("text")
    ({'id': 1}, {}, {})
    """
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return the value if it is a list, else an empty one.

    >>> as_list([1]), as_list({"a": 1}), as_list(None)
    ([1], [], [])
    """
    return cast(list[Any], value) if isinstance(value, list) else []


def text_of(value: object, tally: ImportTally) -> str:
    """Convert to a text that every store accepts; numbers become text, anything else an empty one.

    >>> tally = ImportTally()
    >>> text_of("a\\0b", tally), text_of(7, tally), text_of(None, tally), tally.repaired
    ('a\ufffdb', '7', '', Counter({'characters that no text may have': 1}))
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value)
    if text.isascii() and "\0" not in text:
        return text
    text, count = _FORBIDDEN.subn("\ufffd", text)
    tally.repair(REPAIRED_CHARACTERS, count)
    return text


def name_of(value: object, tally: ImportTally) -> str | None:
    """Convert to an id or a name, or None; one that is too long is replaced by its digest.

    >>> tally = ImportTally()
    >>> name_of(12, tally), name_of("", tally), len(name_of("x" * 1000, tally))
    ('12', None, 32)
    """
    text = text_of(value, tally)
    return (text if len(text) <= MAX_NAME_LENGTH else digest(text)) or None


def first_value(source: JsonObject, *keys: str) -> Any:
    """The first of several entries that exists and is not empty.

    >>> first_value({"id": None, "uuid": "a"}, "id", "uuid")
    'a'
    """
    for key in keys:
        if (value := source.get(key)) not in (None, ""):
            return value
    return None


def datetime_of(value: object) -> datetime | None:
    """Convert seconds, milliseconds or ISO text to a time in UTC; None if it is not a time.

    >>> datetime_of(1714585031.5), datetime_of("2024-05-29T00:33:03.661Z")
    (datetime.datetime(2024, 5, 1, 17, 37, 11, 500000, tzinfo=datetime.timezone.utc), \
datetime.datetime(2024, 5, 29, 0, 33, 3, 661000, tzinfo=datetime.timezone.utc))
    >>> datetime_of(1714585031500) == datetime_of(1714585031.5), datetime_of("13:18:04 GMT-0400"), datetime_of(True)
    (True, None, None)
    """
    if isinstance(value, dict):
        return datetime_of(cast(JsonObject, value).get("$date"))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str):
        return _from_number(value)
    text = value.strip().removesuffix(" UTC")
    try:
        number = float(text)
    except ValueError:
        return _from_iso(text)
    return _from_number(number)


def _from_number(number: float) -> datetime | None:
    try:
        unit = next(unit for below, unit in _UNITS if number < below)
        seconds = number / unit
    except (StopIteration, OverflowError):
        return None
    return datetime.fromtimestamp(seconds, UTC) if 0 < seconds <= _MAX_SECONDS else None


def _from_iso(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def detail(value: object, tally: ImportTally) -> Any:
    """Convert to a metadata value: JSON that can be stored, or None if it is too large.

    >>> detail({"model": "m", "score": float("nan")}, ImportTally())
    {'model': 'm', 'score': None}
    >>> detail("x" * 10_000, ImportTally())
    """
    if value is None or isinstance(value, str):
        return text_of(value, tally) if value and len(value) <= MAX_DETAIL_LENGTH else None
    kept = _json_value(value, tally, MAX_DETAIL_DEPTH)
    return kept if len(json.dumps(kept)) <= MAX_DETAIL_LENGTH else None


def _json_value(value: object, tally: ImportTally, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if abs(value) < 1e300 else None
    if isinstance(value, str):
        return text_of(value, tally)
    if depth and isinstance(value, dict):
        entries = cast(dict[Any, Any], value).items()
        return {text_of(str(key), tally): _json_value(entry, tally, depth - 1) for key, entry in entries}
    if depth and isinstance(value, list | tuple):
        return [_json_value(entry, tally, depth - 1) for entry in cast(list[Any], value)]
    return None


def details(tally: ImportTally, /, **entries: object) -> JsonObject:
    """Metadata of the entries that are not empty.

    >>> details(ImportTally(), model="gpt-4o", error=None, tags=[])
    {'model': 'gpt-4o'}
    """
    kept = {text_of(key, tally): detail(value, tally) for key, value in list(entries.items())[:MAX_DETAILS]}
    return {key: value for key, value in kept.items() if value not in (None, "", [], {}, False)}


def json_text(value: object, tally: ImportTally) -> str:
    """Convert to JSON text; a text is assumed to be JSON already.

    >>> json_text({"city": "Köln"}, ImportTally()), json_text('{"city": 1}', ImportTally()), json_text(None, ImportTally())
    ('{"city": "Köln"}', '{"city": 1}', '{}')
    """
    if value is None or value == "":
        return "{}"
    if isinstance(value, str):
        return text_of(value, tally)
    try:
        return text_of(json.dumps(value, ensure_ascii=False, default=str), tally)
    except (ValueError, RecursionError):
        return "{}"


def digest(*values: object) -> str:
    """A short, deterministic hash of values.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2), len(digest("a"))
    (True, False, 32)
    """
    packed = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(packed.encode()).hexdigest()[:32]


def add_warning(tally: ImportTally, warning: str) -> None:
    """Add a warning to the report, on one line, unless there are too many.

    >>> tally = ImportTally()
    >>> add_warning(tally, "conversation \\x1b[2J: it is odd")
    >>> tally.warnings
    ['conversation \ufffd[2J: it is odd']
    """
    if len(tally.warnings) < MAX_WARNINGS:
        tally.warnings.append("".join(sign if sign.isprintable() else "\ufffd" for sign in warning[:MAX_WARNING_LENGTH]))
