"""Where a tool's result comes from: a page, a file, or what the tool was asked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

LONGEST_ARGUMENT = 80
"""Characters of an argument that a source shows."""
LONGEST_ARGUMENTS = 50_000
"""Characters of arguments that are read: more is a file that somebody writes."""
TOP = 3_000
"""Characters of a result in which its address is looked for."""

_URL = re.compile(r"https?://[^\s\"'<>)\]}\\]{3,300}")
_HOST = re.compile(r"https?://([^/:?#]{1,200})")
_PATH = re.compile(r"(?:[A-Za-z]:\\|\.{0,2}/)?[\w.@-]{1,100}(?:[\\/][\w.@ -]{1,100}){0,20}\.[A-Za-z0-9]{1,8}")
_FILE_KEYS = frozenset(("path", "file", "filename", "file_path", "filepath", "document"))
_MAIN_KEYS = ("query", "q", "question", "search", "topic", "city", "location", "symbol", "ticker", "name", "command", "text")


def source(tool: str, arguments: str, text: str) -> str:
    """The address of the page or file that was read, if the arguments or the text name one; else the tool with its main
    argument. Of a text with pages of several sites, such as a search's, none is the source.

    >>> source("fetch", '{"url": "https://example.org/prices"}', "...")
    'https://example.org/prices'
    >>> source("search", '{"query": "tram strike"}', "https://a.example/1 and https://b.example/2")
    'search "tram strike"'
    """
    if found := _URL.search(arguments[:LONGEST_ARGUMENTS]):
        return _clean(found[0])
    given = _given(arguments)
    for key, value in given.items():
        if key.lower() in _FILE_KEYS and isinstance(value, str) and _PATH.fullmatch(value):
            return value
    pages = [_clean(page) for page in _URL.findall(text[:TOP])]
    if pages and len({host[1] for page in pages if (host := _HOST.match(page))}) == 1:
        return pages[0]
    main = argument(arguments)
    return f'{tool} "{main}"' if main else tool


def argument(arguments: str) -> str:
    """The argument that says what was asked: the query or the like, else the first text.

    >>> argument('{"limit": 5, "query": "tram strike"}')
    'tram strike'
    """
    given = _given(arguments)
    texts = {key.lower(): value for key, value in given.items() if isinstance(value, str) and value.strip()}
    main = next((texts[key] for key in _MAIN_KEYS if key in texts), next(iter(texts.values()), ""))
    return " ".join(main.split())[:LONGEST_ARGUMENT]


def _given(arguments: str) -> Mapping[str, Any]:
    """The arguments by name; what a model wrote is not always JSON."""
    if len(arguments) > LONGEST_ARGUMENTS:
        return {}
    try:
        found: Any = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _clean(page: str) -> str:
    return page.rstrip(".,;:!?")
