"""Notes of the results of tools and web pages: a few short excerpts with source and time, instead of pages of text.

A note is made once, when the result is stored. It is used when a question asks for something recent or names the tool.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.terms import UNSPACED, terms
from keepsaid.engine.tool_notes.excerpts import ResultExcerpt, find_excerpts
from keepsaid.engine.tool_notes.source import find_main_argument, find_source
from keepsaid.types import Message, ToolCall

MAX_CHARACTERS_READ = 20_000
"""Characters of a result that are read. The relevant part is at the top, and a page can have a million characters."""
MAX_ERROR_CHARACTERS = 160
"""Characters of an error that a note repeats."""


class ToolNote(NamedTuple):
    """A short note of what a tool returned. `find_excerpts` are the spans of the message that it was made from."""

    text: str
    tool: str
    source: str
    excerpts: tuple[tuple[int, int], ...]


def build_tool_note(message: Message, call: ToolCall | None) -> ToolNote | None:
    """Return the note of a tool's result, given the call that it answers; None for an empty or unreadable result.

    >>> from keepsaid.types import Role
    >>> said = '{"city": "Lisbon", "temperature": "19 °C", "wind": null}'
    >>> message = Message("m1", "s1", 3, 2, Role.TOOL, said, 20, 1_778_675_400_000_000, 0.5, False, {})
    >>> build_tool_note(message, ToolCall("c1", "weather", '{"city": "Lisbon"}')).text
    'weather "Lisbon", 2026-05-13 12:30 UTC: city: Lisbon, temperature: 19 °C'
    """
    text = message.text[:MAX_CHARACTERS_READ]
    if not text.strip() or _is_unreadable(text):
        return None
    tool = (call.name if call else message.name) or "tool"
    arguments = call.arguments if call else ""
    where = find_source(tool, arguments, text)
    error = _error(text)
    found = [error] if error else find_excerpts(text, frozenset(terms(find_main_argument(arguments))))
    if not found:
        return None
    head = where if where.startswith(tool) else f"{tool}, {where}"
    body = " … ".join(one.text for one in found)
    when = f"{message.created_at:%Y-%m-%d %H:%M} UTC"
    verb = "failed: " if error else ""
    return ToolNote(f"{head}, {when}: {verb}{body}", tool, where, tuple(one.span for one in found))


# -- results without information

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")
_ENCODED = re.compile(rf"[^\s{UNSPACED}]{{400}}")
_MARKUP = re.compile(r"[{}<>\[\]\",:]")
_FAILURE = EnglishPattern(
    r"\W*(?:(?:\w+ )?\w*(?:error|exception)\s*(?:[:!(]|\d|$)|traceback \(most recent|http\S{0,5}\s*[45]\d\d\b"
    r"|[45]\d\d (?:not found|forbidden|unauthorized|bad|internal|service|gateway|too many)|failed to |could not |cannot "
    r"|unable to |access denied|permission denied|timed?\s*out|connection (?:refused|reset|error)|no such file"
    r"|command not found|rate limit|fatal: )"
)
_JSON_FAILURE = re.compile(
    r'"(?:error|errors|exception|error_message)"\s*:\s*(?!null|false|""|\[\]|\{\})(?:"(?:[^"\\]|\\.){1,400}"|[\[{]|true)'
)
_MESSAGE = re.compile(r'"(?:message|detail|reason|error)"\s*:\s*"((?:[^"\\]|\\.){1,400})"')
_MAX_FAILURE_LENGTH = 2_000
"""Characters. A longer result has information besides its error."""


def _is_unreadable(text: str) -> bool:
    """Whether a text is binary or encoded data."""
    if 20 * len(_CONTROL.findall(text)) > len(text):
        return True
    run = _ENCODED.search(text)
    return run is not None and not _MARKUP.search(run[0]) and 2 * len(run[0]) >= min(len(text), 800)


def _error(text: str) -> ResultExcerpt | None:
    """Return the error, if the result is only an error."""
    if len(text) > _MAX_FAILURE_LENGTH and not text.startswith("Traceback"):
        return None
    if _JSON_FAILURE.search(text) and text.lstrip().startswith("{"):
        said = _MESSAGE.search(text)
        return _excerpt(text, *said.span(1)) if said else _excerpt(text, 0, len(text))
    if not _FAILURE.match(text):
        return None
    start = len(text) - len(text.lstrip())
    if text[start:].startswith("Traceback"):
        start = text.rstrip().rfind("\n") + 1
    end = text.find("\n", start)
    return _excerpt(text, start, end if end > start else len(text))


def _excerpt(text: str, start: int, end: int) -> ResultExcerpt:
    end = min(end, start + MAX_ERROR_CHARACTERS)
    return ResultExcerpt(" ".join(text[start:end].split()), (start, end))


# -- questions that such notes answer

_RECENT = EnglishPattern(
    r"\b(?:latest|newest|breaking|headlines?|news|right now|at the moment|today|tonight|currently|this (?:morning|afternoon"
    r"|evening|week|weekend|month)|so far|up[ -]to[ -]date|any updates?|update on|what['’]?s new|live score|most recent"
    r"|current (?:price|weather|status|version|rate|exchange|temperature|score|time|state|value|news|situation|events?))\b"
)


def wants_recent(question: str) -> bool:
    """Whether a question asks about the current state of something, which a tool knows better than the memory.

    >>> wants_recent("What's the latest on the strike?"), wants_recent("Where does my sister live?")
    (True, False)
    """
    return _RECENT.search(question) is not None


_GENERIC = frozenset(
    terms("get fetch tool api call run query lookup look up read list find make do use my the a of for to by and web")
)
_NAMED = EnglishPattern(
    r"\b(?:tool|according to|say|says|said|show|shows|showed|return|returned|report|reported|find|found|result|results"
    r"|output|lookup|api|checked|looked up|page|site|website|article|file|document)\b"
)
_SEARCHED = EnglishPattern(r"\b(?:search(?:es|ed)?|web|internet|online|googled?|browser)\b")
_SITE = re.compile(r"^(?:https?://)?(?:www\.)?([\w.-]{1,200})")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def names_tool(question: str, tool: str, source: str) -> bool:
    """Whether a question mentions a tool, or the page or file that a result came from.

    >>> names_tool("What did the weather tool say?", "get_weather", "")
    True
    >>> names_tool("What does Wikipedia say about Oslo?", "fetch", "https://en.wikipedia.org/wiki/Oslo")
    True
    >>> names_tool("How is the weather?", "get_weather", "")
    False
    """
    if not _NAMED.search(question) and not _SEARCHED.search(question):
        return False
    asked = set(terms(question))
    words = set(terms(_CAMEL.sub(" ", tool).replace("_", " "))) - _GENERIC
    if "search" in words and _SEARCHED.search(question):
        return True
    return (bool(words) and words <= asked) or any(set(terms(name)) <= asked for name in _names(source))


def _names(source: str) -> list[str]:
    """Return the names that people use for a page or a file: its site, or its name without folder and extension."""
    if source.startswith(("http://", "https://")):
        host = _SITE.match(source)
        parts = host[1].split(".") if host else []
        return [part for part in parts[-3:-1] if len(part) > 3] or parts[:1]
    name = re.split(r"[\\/]", source)[-1]
    stem, dot, _ = name.rpartition(".")
    return [name, stem.replace("_", " ")] if dot and stem and " " not in name else []
