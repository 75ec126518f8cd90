"""Values of other people's JSON, which may be missing, null or of any type: each is taken for what it can be, or not."""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import UTC, datetime
from typing import Any, cast

from recollect.engine.hygiene import LONGEST_NAME
from recollect.interchange.nouns import Tally

Record = dict[str, Any]
"""An object of JSON."""

MENDED_CHARACTERS = "characters that no text may have"
MOST_WARNINGS = 200
LONGEST_WARNING = 1000
LARGEST_DETAIL = 4096
"""Characters of JSON in one entry of metadata: what is larger belongs to the program that made it."""
DEEPEST_DETAIL = 8
MOST_DETAILS = 64
_FORBIDDEN = re.compile("[\0\ud800-\udfff]")
_LATEST = 253_402_300_799.0
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (math.inf, 1e9))
"""Numbers below the first are seconds, then milliseconds, microseconds, nanoseconds since 1970."""


def record(value: object) -> Record:
    """An object, or an empty one.

    >>> record({"id": 1}), record(None), record("text")
    ({'id': 1}, {}, {})
    """
    return cast(Record, value) if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """A list, or an empty one.

    >>> listed([1]), listed({"a": 1}), listed(None)
    ([1], [], [])
    """
    return cast(list[Any], value) if isinstance(value, list) else []


def text_of(value: object, tally: Tally) -> str:
    """A text that every store can keep; numbers are written out, anything else is no text.

    >>> tally = Tally()
    >>> text_of("a\\0b", tally), text_of(7, tally), text_of(None, tally), tally.mended
    ('a\ufffdb', '7', '', Counter({'characters that no text may have': 1}))
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value)
    if text.isascii() and "\0" not in text:
        return text
    text, mended = _FORBIDDEN.subn("\ufffd", text)
    tally.mend(MENDED_CHARACTERS, mended)
    return text


def name_of(value: object, tally: Tally) -> str | None:
    """An id or a name, or None; one that is too long becomes its digest.

    >>> tally = Tally()
    >>> name_of(12, tally), name_of("", tally), len(name_of("x" * 1000, tally))
    ('12', None, 32)
    """
    text = text_of(value, tally)
    return (text if len(text) <= LONGEST_NAME else digest(text)) or None


def first(source: Record, *keys: str) -> Any:
    """The first of several entries that is there and not empty.

    >>> first({"id": None, "uuid": "a"}, "id", "uuid")
    'a'
    """
    for key in keys:
        if (value := source.get(key)) not in (None, ""):
            return value
    return None


def moment_of(value: object) -> datetime | None:
    """A moment from seconds, milliseconds or ISO text, in UTC; None if it is none.

    >>> moment_of(1714585031.5), moment_of("2024-05-29T00:33:03.661Z")
    (datetime.datetime(2024, 5, 1, 17, 37, 11, 500000, tzinfo=datetime.timezone.utc), \
datetime.datetime(2024, 5, 29, 0, 33, 3, 661000, tzinfo=datetime.timezone.utc))
    >>> moment_of(1714585031500) == moment_of(1714585031.5), moment_of("13:18:04 GMT-0400"), moment_of(True)
    (True, None, None)
    """
    if isinstance(value, dict):
        return moment_of(cast(Record, value).get("$date"))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str):
        return _since_1970(value)
    text = value.strip().removesuffix(" UTC")
    try:
        number = float(text)
    except ValueError:
        return _iso(text)
    return _since_1970(number)


def _since_1970(number: float) -> datetime | None:
    try:
        unit = next(unit for below, unit in _UNITS if number < below)
        seconds = number / unit
    except (StopIteration, OverflowError):
        return None
    return datetime.fromtimestamp(seconds, UTC) if 0 < seconds <= _LATEST else None


def _iso(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def detail(value: object, tally: Tally) -> Any:
    """A value for metadata: JSON that can be kept, and None for what is too large.

    >>> detail({"model": "m", "score": float("nan")}, Tally())
    {'model': 'm', 'score': None}
    >>> detail("x" * 10_000, Tally())
    """
    if value is None or isinstance(value, str):
        return text_of(value, tally) if value and len(value) <= LARGEST_DETAIL else None
    kept = _plain(value, tally, DEEPEST_DETAIL)
    return kept if len(json.dumps(kept)) <= LARGEST_DETAIL else None


def _plain(value: object, tally: Tally, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if abs(value) < 1e300 else None
    if isinstance(value, str):
        return text_of(value, tally)
    if depth and isinstance(value, dict):
        entries = cast(dict[Any, Any], value).items()
        return {text_of(str(key), tally): _plain(entry, tally, depth - 1) for key, entry in entries}
    if depth and isinstance(value, list | tuple):
        return [_plain(entry, tally, depth - 1) for entry in cast(list[Any], value)]
    return None


def details(tally: Tally, /, **entries: object) -> Record:
    """Metadata of what is there.

    >>> details(Tally(), model="gpt-4o", error=None, tags=[])
    {'model': 'gpt-4o'}
    """
    kept = {text_of(key, tally): detail(value, tally) for key, value in list(entries.items())[:MOST_DETAILS]}
    return {key: value for key, value in kept.items() if value not in (None, "", [], {}, False)}


def json_text(value: object, tally: Tally) -> str:
    """JSON as text: a text is taken to be JSON already.

    >>> json_text({"city": "Köln"}, Tally()), json_text('{"city": 1}', Tally()), json_text(None, Tally())
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
    """A short name for values, the same every time.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2), len(digest("a"))
    (True, False, 32)
    """
    packed = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(packed.encode()).hexdigest()[:32]


def warn(tally: Tally, warning: str) -> None:
    """Keeps a warning for the report, on one line, unless there are too many to read.

    >>> tally = Tally()
    >>> warn(tally, "conversation \\x1b[2J: it is odd")
    >>> tally.warnings
    ['conversation \ufffd[2J: it is odd']
    """
    if len(tally.warnings) < MOST_WARNINGS:
        tally.warnings.append("".join(sign if sign.isprintable() else "\ufffd" for sign in warning[:LONGEST_WARNING]))
