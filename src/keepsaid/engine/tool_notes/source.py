"""Determine the source of a tool's result: a page, a file, or the main argument of the tool."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

MAX_ARGUMENT_LENGTH = 80
"""Characters of an argument that a source shows."""
MAX_ARGUMENTS_LENGTH = 50_000
"""Characters of arguments that are read. Longer arguments are the content of a file."""
MAX_ADDRESS_OFFSET = 3_000
"""Characters of a result in which its address is searched for."""

_URL = re.compile(r"https?://[^\s\"'<>)\]}\\]{3,300}")
_HOST = re.compile(r"https?://([^/:?#]{1,200})")
_PATH = re.compile(r"(?:[A-Za-z]:\\|\.{0,2}/)?[\w.@-]{1,100}(?:[\\/][\w.@ -]{1,100}){0,20}\.[A-Za-z0-9]{1,8}")
_FILE_KEYS = frozenset(("path", "file", "filename", "file_path", "filepath", "document"))
_MAIN_KEYS = ("query", "q", "question", "search", "topic", "city", "location", "symbol", "ticker", "name", "command", "text")


def find_source(tool: str, arguments: str, text: str) -> str:
    """Return the address of the page or file that was read, if the arguments or the text name one, else the tool with its
    main argument. A text with pages of several sites, such as search results, has no address.

    >>> find_source("fetch", '{"url": "https://example.org/prices"}', "...")
    'https://example.org/prices'
    >>> find_source("search", '{"query": "tram strike"}', "https://a.example/1 and https://b.example/2")
    'search "tram strike"'
    """
    if found := _URL.search(arguments[:MAX_ARGUMENTS_LENGTH]):
        return _strip_punctuation(found[0])
    given = _parse_arguments(arguments)
    for key, value in given.items():
        if key.lower() in _FILE_KEYS and isinstance(value, str) and _PATH.fullmatch(value):
            return value
    pages = [_strip_punctuation(page) for page in _URL.findall(text[:MAX_ADDRESS_OFFSET])]
    if pages and len({host[1] for page in pages if (host := _HOST.match(page))}) == 1:
        return pages[0]
    main = find_main_argument(arguments)
    return f'{tool} "{main}"' if main else tool


def find_main_argument(arguments: str) -> str:
    """Return the main argument: the query or a similar one, else the first string.

    >>> find_main_argument('{"limit": 5, "query": "tram strike"}')
    'tram strike'
    """
    given = _parse_arguments(arguments)
    texts = {key.lower(): value for key, value in given.items() if isinstance(value, str) and value.strip()}
    main = next((texts[key] for key in _MAIN_KEYS if key in texts), next(iter(texts.values()), ""))
    return " ".join(main.split())[:MAX_ARGUMENT_LENGTH]


def _parse_arguments(arguments: str) -> Mapping[str, Any]:
    """Return the arguments by name. Arguments written by a model are not always JSON."""
    if len(arguments) > MAX_ARGUMENTS_LENGTH:
        return {}
    try:
        found: Any = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _strip_punctuation(page: str) -> str:
    return page.rstrip(".,;:!?")
